"""Faults as people give them and as they are told: which process, at what, how."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eve_replay.errors import WrongUse
from eve_replay.workshop.engine.schedules import KINDS
from eve_replay.workshop.model import Fault, Language, Outcome
from eve_replay.workshop.views.words import ACCIDENTS, FAULTS, place_of

__all__ = ["fault_words", "faults_of", "plain_faults", "plain_hours"]


def fault_words(outcome: Outcome, index: int, language: Language) -> str:
    """Return one fault in words: which process, at what, how."""
    fault = outcome.schedule[index]
    moment = next((each for each in outcome.trace if each.number == fault.point), None)
    if moment is None:
        return FAULTS[fault.kind].get(language)
    name = fault.kind if moment.kind == "call" else moment.kind
    if moment.kind == "pause" and moment.facts.get("durable") is True:
        name = "parked"
    place = place_of(moment, language) if moment.kind == "call" else moment.tool
    text = ACCIDENTS.get(name, ACCIDENTS[fault.kind])
    return text.get(language).format(n=moment.process, place=place or place_of(moment, language))


def plain_faults(faults: Iterable[Fault]) -> list[list[object]]:
    """Return faults as the browser writes them: saved answers are found by the text of the request."""
    return [[fault.point, fault.kind, plain_hours(fault.hours)] for fault in faults]


def plain_hours(hours: float) -> float:
    """Return hours as JavaScript writes numbers: 3, not 3.0."""
    return int(hours) if float(hours).is_integer() else hours


def faults_of(wanted: Iterable[Any]) -> tuple[Fault, ...]:
    """Return faults, in the order of their points.

    Args:
        wanted: faults, numbers of moments, or ``(point, kind, hours)`` of which the end may be missing.

    Raises:
        WrongUse: something else was given.
    """
    return tuple(sorted(map(_fault, wanted), key=lambda fault: fault.point))


def _fault(wanted: Any) -> Fault:
    if isinstance(wanted, Fault):
        return wanted
    parts = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    point, kind, hours = [*parts, *(None, "crash-before", 0.0)[len(parts) :]][:3]
    known = next((each for each in KINDS if each == kind), None)
    if isinstance(point, bool) or not isinstance(point, int) or not isinstance(hours, int | float):
        raise WrongUse(
            f"{wanted!r} is no fault.", hint="Give (point, kind, hours), such as (1, 'crash-after')."
        )
    if known is None:
        raise WrongUse(f"There is no kind of fault {kind!r}.", hint=f"Use one of {', '.join(KINDS)}.")
    return Fault(point, known, float(hours))
