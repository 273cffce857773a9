"""The notebook's only clock: every "now" below it is an argument."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from eve_replay.errors import WrongUse

__all__ = ["Clock", "clock_at"]

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
