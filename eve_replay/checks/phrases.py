"""How sentences say times, spans, ids and lists. One voice with the front ends, without their layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

__all__ = ["GRACE", "Voice", "count", "listed", "numbered", "span", "times"]

#: A sleep or retry may be late by this much before we call it overdue: timers poll.
GRACE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Voice:
    """The instant a sentence is said at, and the zone its clock times are in.

    Attributes:
        now: the instant "overdue" and "since" are reckoned from.
        zone: zone of clock times; None is the machine's own.
        lease: the assumed lease of an inline start. The journal does not hold it
            (docs/evidence/observed.md#lease).
    """

    now: datetime
    zone: tzinfo | None = UTC
    lease: timedelta = timedelta(seconds=860)

    def clock(self, when: datetime | None) -> str:
        """Return ``08:54:54``, with the day in front when it is not today's."""
        if when is None:
            return "an unrecorded time"
        local = when.astimezone(self.zone)
        same_day = local.date() == self.now.astimezone(self.zone).date()
        return f"{local:%H:%M:%S}" if same_day else f"{local:%Y-%m-%d %H:%M:%S}"

    def at(self, when: datetime | None) -> str:
        """Return ``at 08:54:54``, with the day when it is not today's."""
        return f"at {self.clock(when)}"

    def since(self, when: datetime | None) -> str:
        """Return ``since 08:54:54 (3 days)``."""
        if when is None:
            return "since an unrecorded time"
        words = self.clock(when)
        return f"since {words} ({span(self.now - when)})" if when <= self.now else f"since {words}"


def span(length: timedelta) -> str:
    """Return a length of time as a person says it: ``1.2 s``, ``14 min``, ``3 days``."""
    seconds = abs(length.total_seconds())
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{round(seconds)} s"
    if seconds < 2 * 3600:
        return f"{round(seconds / 60)} min"
    if seconds < 48 * 3600:
        return f"{round(seconds / 3600)} h"
    return f"{round(seconds / 86400)} days"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    items = [word for word in words if word]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def numbered(numbers: Sequence[int]) -> str:
    """Return ``attempt 1``, ``attempts 1 and 3``, ``attempts 1 to 8``."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"attempts {numbers[0]} to {numbers[-1]}"
    return f"attempt{'s' if len(numbers) > 1 else ''} {listed(str(n) for n in numbers)}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 event``, ``2 events``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def times(number: int) -> str:
    """Return ``once``, ``twice``, ``3 times``."""
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")
