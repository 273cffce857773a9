"""What the predictions read off the recordings: counts, times, gaps. Nothing on a screen is typed in by hand.

Everything is cached: a recording is opened once per process, however many predictions look at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from eve_replay import samples
from eve_replay.journal import Attempt, Journal, Session, Step
from eve_replay.times import parse_time

__all__ = [
    "action",
    "actions",
    "clock",
    "events",
    "gap",
    "ledger",
    "marks",
    "repeated",
    "session",
    "started",
    "when",
]

Line = Mapping[str, Any]


@cache
def session(sample: str) -> Session:
    """Return the (only, or last) session of a sample."""
    return Journal(samples.open(sample)).sessions[-1]


@cache
def ledger(sample: str) -> tuple[Line, ...]:
    """Return what the outside really did, in order."""
    return tuple(samples.ledger(sample))


@cache
def marks(sample: str) -> tuple[Line, ...]:
    """Return what the model and the tools themselves noted on the way, in order."""
    return tuple(samples.marks(sample))


@cache
def actions(sample: str) -> tuple[Line, ...]:
    """Return what was done to the server: starts, kills, answers, with their times."""
    return tuple(samples.facts(sample)["timeline"])


def events(lines: Sequence[Line], **match: object) -> tuple[Line, ...]:
    """Return the lines in which every named field has the named value."""
    return tuple(each for each in lines if all(each.get(name) == value for name, value in match.items()))


def action(sample: str, name: str, which: int = 0) -> datetime:
    """Return when something was done to the server; ``which`` counts from 0, negative from the end."""
    return when(events(actions(sample), action=name)[which])


def when(line: Line) -> datetime:
    """Return the time of a line of a ledger, of markers or of a timeline."""
    found = parse_time(line["at"])
    assert found is not None, f"no time in {line!r}"  # every line of a sample has its time
    return found


def repeated(sample: str) -> Step:
    """Return the first step that was started more than once, the first turn step when none was."""
    steps = session(sample).steps
    return next(
        (each for each in steps if len(each.attempts) > 1),
        next(each for each in steps if each.kind == "turn"),
    )


def started(attempt: Attempt) -> datetime:
    """Return when an attempt began (recordings of eve always say it)."""
    assert attempt.started_at is not None, f"attempt {attempt.n} of {attempt.step_id} has no start"
    return attempt.started_at


def clock(at: datetime | None) -> str:
    """Return the time of day in UTC (``09:09:30``)."""
    return "?" if at is None else at.astimezone(UTC).strftime("%H:%M:%S")


def gap(first: datetime | None, second: datetime | None) -> str:
    """Return the seconds between two times, one place after the point."""
    return "?" if first is None or second is None else f"{(second - first).total_seconds():.1f}"
