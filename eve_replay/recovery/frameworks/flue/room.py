"""Flue's room for the engine."""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.errors import NotFound
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Session, SessionHead
from eve_replay.recovery.frameworks.base import Plans
from eve_replay.recovery.frameworks.flue.observe import observe, seen_from_outside
from eve_replay.recovery.frameworks.flue.plan import FluePlans
from eve_replay.recovery.situation import Situation
from eve_replay.worlds.base import World

__all__ = ["room"]


@dataclass(frozen=True, slots=True)
class _Room:
    runtime: str = "flue"

    def observe(self, session: Session, effects: EffectsLike = None) -> Situation:
        """Return what lies there of a conversation."""
        return observe(session, effects)

    def plans(self, session: Session, effects: EffectsLike = None, *, fine: bool | None = None) -> Plans:
        """Return its submissions, prepared for crashing; every append is one write."""
        del fine
        if seen_from_outside(session):
            raise NotFound(
                "An HTTP view has no crash points: the appends of the store, and the rows that recovery "
                "works on, are not in it.",
                hint="Open the agent's database.",
            )
        return FluePlans(session, effects)

    def environment(self, world: World, head: SessionHead) -> tuple[str, str]:
        """Return Flue's own environment: a process that serves the agent comes back."""
        del world, head
        return "flue", "the store is Flue's"

    def environments(self) -> tuple[str, ...]:
        """Return the ways of coming back that are known."""
        return ("flue", "flue-redeployed", "not-restarted")


room = _Room()
