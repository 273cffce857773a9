"""The voice of a framework: its verdicts and its plan, in its own words."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import Session

if TYPE_CHECKING:
    from eve_replay.guidance.plan.model import Place, Plan
    from eve_replay.guidance.why import Report

__all__ = ["Telling", "telling_of"]

_ROOMS: Mapping[str, str] = {"flue": "eve_replay.guidance.frameworks.flue:telling"}


class Telling(Protocol):
    """What guidance asks a framework's room."""

    def verdicts(self, session: Session, effects: Iterable[Effect], voice: Voice) -> list[Verdict]:
        """Return what is to be said beside the counts of effects."""
        ...

    def plan(self, session: Session, report: Report, voice: Voice, place: Place) -> Plan:
        """Return what to do now."""
        ...


@cache
def telling_of(framework: str) -> Telling | None:
    """Return the voice of a framework; None where the words of the Workflow SDK's log hold."""
    place = _ROOMS.get(framework)
    if place is None:
        return None
    module, _, name = place.partition(":")
    return cast("Telling", getattr(importlib.import_module(module), name))
