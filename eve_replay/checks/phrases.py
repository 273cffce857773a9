"""How sentences say times, spans, ids and lists. One voice with the front ends, without their layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from eve_replay.ids import short_id

__all__ = ["Voice", "count", "listed", "span", "times"]


@dataclass(frozen=True, slots=True)
class Voice:
    """The instant a sentence is said at, and the zone its clock times are in.

    Attributes:
        now: the instant "overdue" and "since" are reckoned from.
        zone: zone of clock times; None is the machine's own.
        lease: the assumed lease of an inline start. The journal does not hold it (OBSERVED.md, 4).
    """

    now: datetime
    zone: tzinfo | None = UTC
    lease: timedelta = timedelta(seconds=860)

    def at(self, when: datetime | None) -> str:
        """Return ``at 08:54:54``, with the day when it is not today's."""
        if when is None:
            return "at an unrecorded time"
        local = when.astimezone(self.zone)
        same_day = local.date() == self.now.astimezone(self.zone).date()
        return f"at {local:%H:%M:%S}" if same_day else f"on {local:%Y-%m-%d} at {local:%H:%M:%S}"

    def since(self, when: datetime | None) -> str:
        """Return ``since 08:54:54 (3 days)``."""
        if when is None:
            return "since an unrecorded time"
        words = self.at(when).removeprefix("at ").removeprefix("on ")
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


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 event``, ``2 events``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def times(number: int) -> str:
    """Return ``once``, ``twice``, ``3 times``."""
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def short(ids: Sequence[str]) -> str:
    """Return ids shortened and joined."""
    return listed(short_id(item) for item in ids)
