"""Which faults can fall at which moment, and which of them come to the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from eve_replay.workshop.engine.machine import seconds_of
from eve_replay.workshop.engine.rows import Row
from eve_replay.workshop.model import Fault, FaultKind, Moment, Schedule

__all__ = ["KINDS", "candidates", "kinds_at", "rank"]

#: All kinds, the simplest to tell first.
KINDS: tuple[FaultKind, ...] = ("crash-before", "crash-in-flight", "crash-after", "lost", "refused")
_INSIDE = ("commit-lock", "commit-record")

#: What a crash finds inside (see :meth:`eve_replay.workshop.engine.runtime.Runner.key`).
Key = Callable[[object, float], Hashable]


def kinds_at(moment: Moment | Row, *, inside_commit: bool = False) -> tuple[FaultKind, ...]:
    """Return what can go wrong at one moment of a trace, the simplest first.

    Args:
        moment: of an outcome's trace.
        inside_commit: whether the states inside a commit count (docs/evidence/sweep.md#writes).
    """
    if moment.number is None or (moment.kind in _INSIDE and not inside_commit):
        return ()
    if moment.kind != "call":
        return ("crash-before",)
    kinds: list[FaultKind] = ["crash-before"]
    if moment.slow:
        kinds.append("crash-in-flight")
    kinds.append("crash-after")
    if moment.may_time_out:
        kinds += ["lost", "refused"]
    return tuple(kinds)


def candidates(
    rows: Sequence[Row],
    after: int,
    *,
    faults: Sequence[FaultKind],
    hours: Sequence[float],
    inside_commit: bool,
    key: Key,
) -> Iterator[Fault]:
    """Return every fault that can be added to a schedule, without those that come to the same as another.

    Two crashes come to the same when the outside has done the same by then, the clock and the journal show
    the same, and the runtime does the same about it: nothing else outlives a process. So a crash right after
    a call is left out for a crash right before the tool's next moment.

    Args:
        rows: the trace of the schedule so far.
        after: point of its last fault, -1 without one.
        faults: kinds that may fall.
        hours: how long the process may stay away.
        inside_commit: whether crashes inside a commit count.
        key: what a crash finds inside, from what was durable and the time.
    """
    numbered = [row for row in rows if row.number is not None and row.number > after]
    seen: set[Hashable] = set()
    for kind in KINDS:
        if kind not in faults:
            continue
        for row in numbered:
            if kind not in kinds_at(row, inside_commit=inside_commit):
                continue
            if kind in ("crash-before", "crash-after"):
                found = _found(row, kind, key)
                if found in seen:
                    continue
                seen.add(found)
            for away in hours if kind.startswith("crash") else hours[:1]:
                yield Fault(row.number or 0, kind, away if kind.startswith("crash") else 0.0)


def _found(row: Row, kind: FaultKind, key: Key) -> Hashable:
    acts, seconds = row.acts, row.seconds
    if kind == "crash-after":
        acts += 0 if row.reads else 1
        seconds += seconds_of(row)
    return (acts, row.models, seconds, key(row.journal, seconds))


def rank(schedule: Schedule) -> tuple[object, ...]:
    """Return what makes a schedule easier to tell than another of its size: kinds, absence, early points."""
    return (
        len(schedule),
        sum(KINDS.index(fault.kind) for fault in schedule),
        sum(fault.hours for fault in schedule),
        tuple(fault.point for fault in schedule),
    )
