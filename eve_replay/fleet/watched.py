"""An instant that notes how long what is said at it stays true.

A report is a function of a session and of "now". Most of it compares now with something recorded ("overdue",
"recent") or says how long ago something was ("3 days"). Said at a watched instant, both tell when they would
come out differently, and until then the report need not be made again.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

from eve_replay.checks.phrases import span

__all__ = ["Watch", "watched"]

#: Steps by which a text like "3 days" is tried for the time it stays as it is.
_STEPS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=10), timedelta(minutes=1))


class Watch:
    """How long it stays true.

    Attributes:
        now: the instant.
        until: when it may be otherwise, None for never.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.until: datetime | None = None

    def ends(self, when: datetime) -> None:
        """Note that it may be otherwise from ``when`` on."""
        if self.until is None or when < self.until:
            self.until = when

    def crosses(self, when: datetime) -> None:
        """Note a comparison with ``when``: it comes out otherwise once that has passed."""
        if when >= self.now:
            self.ends(when)

    def at_once(self) -> None:
        """Note a use that nothing is known of."""
        self.ends(self.now)

    def said(self, length: timedelta, grows: bool) -> None:
        """Note that a length up to now was put into words."""
        for step in _STEPS:
            later = length + step if grows else length - step
            if span(later) == span(length):
                self.ends(self.now + step)
                return
        self.at_once()


def watched(now: datetime) -> tuple[datetime, Watch]:
    """Return ``now`` as an instant that tells its watch what it is used for."""
    watch = Watch(now)
    return _Now.at(now, watch), watch


class _Now(datetime):
    """The watched instant. What is not listed here counts as a use that nothing is known of."""

    watch: Watch

    @classmethod
    def at(cls, now: datetime, watch: Watch) -> _Now:
        parts = (now.year, now.month, now.day, now.hour, now.minute, now.second, now.microsecond)
        made = cls(*parts, tzinfo=now.tzinfo, fold=now.fold)
        made.watch = watch
        return made

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, timedelta):
            self.watch.at_once()
            return self.watch.now - other
        return _Span.of(self.watch.now - other, self.watch, grows=True)

    def __rsub__(self, other: Any) -> Any:
        return _Span.of(other - self.watch.now, self.watch, grows=False)

    def __add__(self, other: Any) -> Any:
        self.watch.at_once()
        return self.watch.now + other

    __radd__ = __add__

    def __lt__(self, other: Any) -> bool:
        self.watch.crosses(other)
        return bool(self.watch.now < other)

    def __le__(self, other: Any) -> bool:
        self.watch.crosses(other)
        return bool(self.watch.now <= other)

    def __gt__(self, other: Any) -> bool:
        self.watch.crosses(other)
        return bool(self.watch.now > other)

    def __ge__(self, other: Any) -> bool:
        self.watch.crosses(other)
        return bool(self.watch.now >= other)

    __hash__ = datetime.__hash__

    def astimezone(self, tz: tzinfo | None = None) -> Any:
        local = self.watch.now.astimezone(tz)
        return _Local.at(local, self.watch)

    def __getattribute__(self, name: str) -> Any:
        if name in _LOOSE:
            object.__getattribute__(self, "watch").at_once()
        return super().__getattribute__(name)


_LOOSE = frozenset(
    {"date", "isoformat", "replace", "strftime", "time", "timestamp", "timetuple", "utctimetuple"}
)


class _Local(_Now):
    """The instant in a zone: asked only for its day."""

    def date(self) -> Any:
        midnight = datetime.combine(
            datetime.date(self) + timedelta(days=1), time(), tzinfo=datetime.tzinfo.__get__(self)
        )
        return _Day.of(datetime.date(self), self.watch, midnight)

    def __getattribute__(self, name: str) -> Any:
        return datetime.__getattribute__(self, name)


class _Day(date):
    """Today: the same day until midnight, and a day that is past never again."""

    watch: Watch
    midnight: datetime

    @classmethod
    def of(cls, day: date, watch: Watch, midnight: datetime) -> _Day:
        made = cls(day.year, day.month, day.day)
        made.watch, made.midnight = watch, midnight.astimezone(UTC)
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, date):
            return False
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        if theirs >= mine:
            self.watch.ends(self.midnight)
        return mine == theirs

    __hash__ = date.__hash__


class _Span(timedelta):
    """A length of time that ends or begins now."""

    watch: Watch
    grows: bool

    @classmethod
    def of(cls, length: timedelta, watch: Watch, *, grows: bool) -> _Span:
        made = cls(length.days, length.seconds, length.microseconds)
        made.watch, made.grows = watch, grows
        return made

    @property
    def plain(self) -> timedelta:
        return timedelta(self.days, self.seconds, self.microseconds)

    def _meets(self, bound: timedelta) -> None:
        ahead = bound - self.plain if self.grows else self.plain - bound
        if ahead >= timedelta(0):
            self.watch.ends(self.watch.now + ahead)

    def __lt__(self, other: Any) -> bool:
        self._meets(other)
        return bool(self.plain < other)

    def __le__(self, other: Any) -> bool:
        self._meets(other)
        return bool(self.plain <= other)

    def __gt__(self, other: Any) -> bool:
        self._meets(other)
        return bool(self.plain > other)

    def __ge__(self, other: Any) -> bool:
        self._meets(other)
        return bool(self.plain >= other)

    __hash__ = timedelta.__hash__

    def total_seconds(self) -> float:
        self.watch.said(self.plain, self.grows)
        return self.plain.total_seconds()

    def __abs__(self) -> Any:
        self.watch.at_once()
        return abs(self.plain)
