"""The seam between a framework's sessions and the engine: situations, crash points, rules by default."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Session, SessionHead
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.situation import Situation
from eve_replay.recovery.writes.order import Writes
from eve_replay.worlds.base import World

__all__ = ["Plans", "RecoveryRoom"]


@runtime_checkable
class Plans(Protocol):
    """The turns of one session, prepared for crashing."""

    session: Session
    writes: Writes

    def plan(self, turn_id: str | None) -> Plan:
        """Return one turn's plan. Raises NotFound."""
        ...

    def default_turn(self) -> str | None:
        """Return the turn that is meant when none is named. Raises NotFound."""
        ...


@runtime_checkable
class RecoveryRoom(Protocol):
    """What the engine asks a framework. One instance per framework, without state.

    Attributes:
        runtime: whose recovery rules apply when nobody names any.
    """

    runtime: str

    def observe(self, session: Session, effects: EffectsLike = None) -> Situation:
        """Return what lies there of a session."""
        ...

    def plans(self, session: Session, effects: EffectsLike = None, *, fine: bool | None = None) -> Plans:
        """Return its turns, prepared for crashing."""
        ...

    def environment(self, world: World, head: SessionHead) -> tuple[str, str]:
        """Return the environment its journal points to, and the sign it was told by."""
        ...

    def environments(self) -> tuple[str, ...]:
        """Return the names of the environments that make sense for its sessions."""
        ...
