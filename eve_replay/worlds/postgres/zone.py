"""Rows whose ``created_at`` is in another zone than UTC: found, explained, and read as the right instant.

``created_at`` has no zone and is written by a column default, which takes the zone of the writer's
session; the other times are set by the client in UTC (docs/formats/postgres.md#tables; recording sdk5_tz).
An event's id holds the instant it was made in, so the difference tells the zone. The stored text stays
in ``fields``; only the ``created_at`` property of the record is corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from eve_replay.ids import ulid_time
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, HookRecord, Record, RunRecord, StepRecord, WaitRecord
from eve_replay.times import parse_time

__all__ = ["Zone", "shifted", "zone_shift"]

#: Zones are multiples of a quarter of an hour, at most 14 hours away from UTC.
_QUARTER = timedelta(minutes=15)
_FARTHEST = timedelta(hours=14)
#: A row is written within this time after its id was made, clocks of two machines included.
_SLACK = timedelta(seconds=90)
_NONE = timedelta()


def zone_shift(id_: str, created_at: object) -> timedelta:
    """Return how far ``created_at`` is from UTC according to the row's own ULID, zero when it agrees."""
    made, stored = ulid_time(id_), parse_time(created_at)
    if made is None or stored is None:
        return _NONE
    difference = stored - made
    quarters = round(difference / _QUARTER)
    shift = quarters * _QUARTER
    if quarters == 0 or abs(shift) > _FARTHEST or abs(difference - shift) > _SLACK:
        return _NONE
    return shift


@dataclass(slots=True)
class Zone:
    """The zone of one world's ``created_at`` columns.

    Attributes:
        shift: what most of the events looked at say, for rows whose own id cannot tell (a step's id is
            made from the run's start time, not from its own).
    """

    shift: timedelta = _NONE
    mixed: bool = False
    _seen: set[timedelta] = field(default_factory=set)

    def learn(self, rows: Iterable[tuple[str, object]], receipt: Receipt, where: str) -> None:
        """Look at some ``(event id, created_at)`` and say what is found."""
        self._seen.update(zone_shift(id_, created_at) for id_, created_at in rows)
        shifts = self._seen
        wrong = sorted(shifts - {_NONE})
        if not wrong:
            return
        self.mixed = len(shifts) > 1
        self.shift = _NONE if self.mixed else wrong[0]
        said = " and ".join(_words(shift) for shift in wrong)
        also = ", other rows are right" if _NONE in shifts else ""
        receipt.problem(
            "warning",
            "created-at-zone",
            where,
            f"created_at was written in a zone of UTC{said}{also}: the server's session zone is not UTC. "
            "It is shown as stored and reckoned with in UTC.",
            "ALTER DATABASE ... SET timezone TO 'UTC' makes new rows right.",
        )

    def event(self, record: EventRecord) -> EventRecord:
        """Return the event with the right instant."""
        shift = zone_shift(record.event_id, record.fields.get("createdAt")) if self._wrong else _NONE
        return _Event(record.fields, record.origin, shift=shift) if shift else record

    def run(self, record: RunRecord) -> RunRecord:
        """Return the run with the right instant."""
        shift = zone_shift(record.run_id, record.fields.get("createdAt")) if self._wrong else _NONE
        return _Run(record.fields, record.origin, shift=shift) if shift else record

    def step(self, record: StepRecord) -> StepRecord:
        """Return the step with the right instant."""
        return _Step(record.fields, record.origin, shift=self.shift) if self.shift else record

    def hook(self, record: HookRecord) -> HookRecord:
        """Return the hook with the right instant."""
        return _Hook(record.fields, record.origin, shift=self.shift) if self.shift else record

    def wait(self, record: WaitRecord) -> WaitRecord:
        """Return the wait with the right instant."""
        return _Wait(record.fields, record.origin, shift=self.shift) if self.shift else record

    @property
    def _wrong(self) -> bool:
        return bool(self.shift) or self.mixed


def _words(shift: timedelta) -> str:
    minutes = int(shift.total_seconds() // 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _right(stored: datetime | None, shift: timedelta) -> datetime | None:
    return None if stored is None else stored - shift


@dataclass(frozen=True, slots=True)
class _Run(RunRecord):
    shift: timedelta = _NONE

    @property
    def created_at(self) -> datetime | None:
        """The instant in UTC; ``fields`` keeps the stored text."""
        return _right(self.time("createdAt"), self.shift)


@dataclass(frozen=True, slots=True)
class _Step(StepRecord):
    shift: timedelta = _NONE

    @property
    def created_at(self) -> datetime | None:
        """The instant in UTC; ``fields`` keeps the stored text."""
        return _right(self.time("createdAt"), self.shift)


@dataclass(frozen=True, slots=True)
class _Event(EventRecord):
    shift: timedelta = _NONE

    @property
    def created_at(self) -> datetime | None:
        """The instant in UTC; ``fields`` keeps the stored text."""
        return _right(self.time("createdAt"), self.shift)


@dataclass(frozen=True, slots=True)
class _Hook(HookRecord):
    shift: timedelta = _NONE

    @property
    def created_at(self) -> datetime | None:
        """The instant in UTC; ``fields`` keeps the stored text."""
        return _right(self.time("createdAt"), self.shift)


@dataclass(frozen=True, slots=True)
class _Wait(WaitRecord):
    shift: timedelta = _NONE

    @property
    def created_at(self) -> datetime | None:
        """The instant in UTC; ``fields`` keeps the stored text."""
        return _right(self.time("createdAt"), self.shift)


_SHIFTED: Mapping[type[Record], Callable[..., Record]] = {
    RunRecord: _Run, StepRecord: _Step, EventRecord: _Event, HookRecord: _Hook, WaitRecord: _Wait,
}  # fmt: skip


def shifted(record: Record, shift: timedelta) -> Record:
    """Return a record of this shift, as it was when it was packed into a bundle."""
    make = _SHIFTED.get(type(record))
    return record if make is None else make(record.fields, record.origin, shift=shift)
