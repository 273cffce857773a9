"""The notebook's only clock: every "now" below it is an argument."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic

from eve_replay.errors import WrongUse

__all__ = ["Clock", "a_while", "clock_at"]

#: Seconds that the kernel looks before it answers with what it has: a person sees that it goes on.
_SLICE = 0.4

#: Gives the instant to reckon from, with a time zone; asked each time, because a widget may stand for hours.
Clock = Callable[[], datetime]


def clock_at(now: datetime | None) -> Clock:
    """Return a clock that stands still at ``now``, or the machine's without one.

    Raises:
        WrongUse: ``now`` has no time zone, so that nobody knows which instant is meant.
    """
    if now is None:
        return lambda: datetime.now(UTC)
    if now.tzinfo is None:
        raise WrongUse("now= needs a time zone.", hint="datetime(..., tzinfo=UTC), for example.")
    return lambda: now


def a_while() -> Callable[[], bool]:
    """Return what says whether a moment of work is over, for what is answered slice by slice."""
    until = monotonic() + _SLICE
    return lambda: monotonic() > until
