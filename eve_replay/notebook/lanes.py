"""An outcome as lanes: one row per process, one column per place of the program.

Two processes that come to the same call share its column: what a second process does again is seen as two
boxes in one column. Plain data; what it looks like is the browser's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from eve_replay.workshop.model import Entry, Moment, Outcome

__all__ = ["Box", "Column", "Lane", "Lanes", "Slot", "lanes_of", "slots_of"]

#: Where in the program a moment is: kind, turn, step, position, service, method, how many of these before.
Slot = tuple[str, int, int, int, str, str, int]

#: What gets a box of its own; everything else belongs to the box before it.
_BOXED = frozenset(
    ("model", "call", "pause", "returned", "commit", "committed", "landed", "asked", "told")
)  # fmt: skip
#: The three writes of a commit are one box, unless the process dies between them.
_INSIDE = frozenset(("commit-lock", "commit-record"))
#: What is told about a process as a whole, not about a place in it.
_OUTSIDE_BOXES = frozenset(("start", "crash", "replayed", "dormant"))


@dataclass(slots=True, kw_only=True)
class Box:
    """One box of a lane.

    Attributes:
        slot: where in the program.
        first, last: the trace indices that belong to it.
        moment: the moment it stands for.
        entries: numbers of the ledger lines that it caused, in flight included.
        marks: kinds of the other moments in it (``timeout``, ``threw`` ...).
    """

    slot: Slot
    first: int
    last: int
    moment: Moment
    entries: list[int] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Lane:
    """One process.

    Attributes:
        first, last: its trace indices.
        replayed: (turn, step, position or -1) of what was answered from the record.
        died: by a crash.
    """

    process: int
    first: int
    last: int
    boxes: list[Box] = field(default_factory=list)
    replayed: list[tuple[int, int, int]] = field(default_factory=list)
    died: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One place of the program, and the first moment that came to it."""

    slot: Slot
    moment: Moment

    @property
    def step(self) -> tuple[int, int]:
        """Turn and step, -1 where that means nothing."""
        return self.slot[1], self.slot[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """All processes over their common columns.

    Attributes:
        appears: by ledger number, the trace index at which the outside has done it.
    """

    columns: tuple[Column, ...]
    lanes: tuple[Lane, ...]
    appears: dict[int, int]


def slots_of(trace: Sequence[Moment]) -> list[tuple[int, Slot]]:
    """Return the trace indices that have a box, with their places."""
    seen: Counter[tuple[str, int, int, int, str, str]] = Counter()
    found: list[tuple[int, Slot]] = []
    for index, moment in enumerate(trace):
        if moment.kind == "start":
            seen.clear()
        if moment.kind not in _BOXED and not (moment.kind in _INSIDE and moment.fault is not None):
            continue
        base = (moment.kind, moment.turn, moment.step, moment.position, moment.service, moment.method)
        # What an attempt does again comes to the same places.
        again = moment.kind == "model" and seen[base] > 0 and moment.attempt > 1
        if again:
            seen = Counter({each: n for each, n in seen.items() if each[1:3] != base[1:3]})
        found.append((index, (*base, seen[base])))
        seen[base] += 1
    return found


def lanes_of(outcome: Outcome, plan: Iterable[Outcome] = ()) -> Lanes:
    """Return an outcome as lanes.

    Args:
        outcome: what is drawn.
        plan: outcomes whose columns come first (the one without faults): so that a crash that is moved
            does not move the columns.
    """
    columns: list[Column] = []
    for each in (*plan, outcome):
        _merge(columns, each.trace)
    found = dict(slots_of(outcome.trace))
    lanes: list[Lane] = []
    for index, moment in enumerate(outcome.trace):
        # Whatever happens between two starts stands in one lane: what lands late, beside what runs then.
        if moment.kind == "start" or not lanes:
            lanes.append(Lane(process=moment.process, first=index, last=index))
        _add(lanes[-1], index, moment, found.get(index))
    return Lanes(columns=tuple(columns), lanes=tuple(lanes), appears=_place(outcome, lanes))


def _merge(columns: list[Column], trace: Sequence[Moment]) -> None:
    """Put the places of each process into the common order: known ones stay, new ones come after the last."""
    where = {column.slot: place for place, column in enumerate(columns)}
    starts = [index for index, moment in enumerate(trace) if moment.kind == "start"]
    lane, place = -1, -1
    for index, slot in slots_of(trace):
        moment = trace[index]
        now = sum(start <= index for start in starts)
        if now != lane:
            lane, place = now, -1
        if slot in where:
            place = where[slot]
            continue
        place = _room(columns, place, slot)
        columns.insert(place, Column(slot=slot, moment=moment))
        where = {column.slot: number for number, column in enumerate(columns)}


def _room(columns: Sequence[Column], place: int, slot: Slot) -> int:
    """Return where a new place goes: after the last one of its process, not before earlier steps."""
    after = place + 1
    while after < len(columns) and (columns[after].step < (slot[1], slot[2])) and slot[1] >= 0:
        after += 1
    return after


def _add(lane: Lane, index: int, moment: Moment, slot: Slot | None) -> None:
    lane.last = index
    if slot is not None:
        lane.boxes.append(Box(slot=slot, first=index, last=index, moment=moment))
    elif moment.kind == "replayed":
        lane.replayed.append((moment.turn, moment.step, moment.position))
    elif moment.kind not in _OUTSIDE_BOXES and lane.boxes:
        lane.boxes[-1].last = index
        lane.boxes[-1].marks.append(moment.kind)
    if moment.kind == "crash":
        lane.died = True


def _place(outcome: Outcome, lanes: Sequence[Lane]) -> dict[int, int]:
    """Give every ledger line to the box that caused it, and say when the outside did it."""
    boxes = [box for lane in lanes for box in lane.boxes]
    landings = {
        moment.facts.get("sent"): index
        for index, moment in enumerate(outcome.trace)
        if moment.kind == "landed"
    }
    appears: dict[int, int] = {}
    for entry in outcome.ledger:
        box = _cause(boxes, entry)
        if box is None:
            appears[entry.number] = entry.moment
            continue
        box.entries.append(entry.number)
        appears[entry.number] = box.first
        if box.moment.fault == "crash-in-flight":
            appears[entry.number] = landings.get(box.first, len(outcome.trace) - 1)
    return appears


def _cause(boxes: Sequence[Box], entry: Entry) -> Box | None:
    at = [box for box in boxes if box.first <= entry.moment <= box.last]
    return at[0] if at else None
