"""An outcome as lanes: one row per process, one column per place of the program.

Two processes that come to the same call share its column: what a second process does again is seen as two
boxes in one column. Plain data; what it looks like is the browser's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eve_replay.workshop.engine.runtime import UNKNOWN
from eve_replay.workshop.model import Entry, Moment, Outcome

__all__ = ["Box", "Column", "Lane", "Lanes", "Slot", "lanes_of", "slots_of"]

#: Where in the program a moment is: kind, turn, step, position, service, method, how many of these before.
Slot = tuple[str, int, int, int, str, str, int]

#: What gets a box of its own; everything else belongs to the box before it.
_BOXED = frozenset(("model", "call", "pause", "returned", "commit", "committed", "landed"))
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
        replayed: (turn, step, position or -1) of what was answered from the record, and whether that is
            "unknown": an interrupted call that is not run again.
        died: by a crash.
        over: a step or a workflow body that starts once more in a process that lives.
    """

    process: int
    first: int
    last: int
    boxes: list[Box] = field(default_factory=list)
    replayed: list[tuple[int, int, int, bool]] = field(default_factory=list)
    died: bool = False
    over: bool = False


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


def slots_of(trace: Sequence[Moment]) -> list[tuple[int, int, Slot]]:
    """Return what has a box: trace index, number of its lane, and its place.

    A lane is a process. One that runs a step, or a workflow body, once more while it lives gets
    another lane. What lands late stands in the lane of what runs then.
    """
    return [(index, lane, slot) for index, lane, slot in _walk(trace) if slot is not None]


def _walk(trace: Sequence[Moment]) -> Iterator[tuple[int, int, Slot | None]]:
    """Yield every moment with its lane, and its place where it has a box."""
    seen: Counter[tuple[str, int, int, int, str, str]] = Counter()
    lane = -1
    for index, moment in enumerate(trace):
        base = (moment.kind, moment.turn, moment.step, moment.position, moment.service, moment.method)
        body = moment.kind == "tool" and moment.facts.get("workflow") is True
        again = (body and bool(seen)) or (moment.kind == "model" and seen[base] > 0)
        if moment.kind == "start" or lane < 0 or again:
            lane += 1
            seen.clear()
        if moment.kind not in _BOXED and not (moment.kind in _INSIDE and moment.fault is not None):
            yield index, lane, None
            continue
        yield index, lane, (*base, seen[base])
        seen[base] += 1


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
    lanes: list[Lane] = []
    for index, number, slot in _walk(outcome.trace):
        moment = outcome.trace[index]
        if number == len(lanes):
            over = moment.kind != "start" and bool(lanes)
            lanes.append(Lane(process=moment.process, first=index, last=index, over=over))
        _add(lanes[-1], index, moment, slot)
    return Lanes(columns=tuple(columns), lanes=tuple(lanes), appears=_place(outcome, lanes))


def _merge(columns: list[Column], trace: Sequence[Moment]) -> None:
    """Put the places of each lane into the common order: new ones come before the next known one."""
    paths: dict[int, list[tuple[int, Slot]]] = {}
    for index, lane, slot in slots_of(trace):
        paths.setdefault(lane, []).append((index, slot))
    for path in paths.values():
        known = {column.slot for column in columns}
        place = -1
        for number, (index, slot) in enumerate(path):
            if slot in known:
                place = _where(columns, slot)
                continue
            following = next((each for _, each in path[number + 1 :] if each in known), None)
            # Nothing known follows: right behind the last place of its own step, else behind all.
            same = place >= 0 and columns[place].step == slot[1:3]
            end = place + 1 if same else len(columns)
            place = max(place + 1, end if following is None else _where(columns, following))
            columns.insert(place, Column(slot=slot, moment=trace[index]))


def _where(columns: Sequence[Column], slot: Slot) -> int:
    return next(number for number, column in enumerate(columns) if column.slot == slot)


def _add(lane: Lane, index: int, moment: Moment, slot: Slot | None) -> None:
    lane.last = index
    if slot is not None:
        box = Box(slot=slot, first=index, last=index, moment=moment)
        if moment.kind == "returned" and lane.boxes and "threw" in lane.boxes[-1].marks:
            lane.boxes[-1].marks.remove("threw")  # what the tool threw is what it returned with
            box.marks.append("threw")
        lane.boxes.append(box)
    elif moment.kind == "replayed":
        unknown = moment.facts.get("result") == {"error": UNKNOWN}
        lane.replayed.append((moment.turn, moment.step, moment.position, unknown))
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
            landing = landings.get(box.first, len(outcome.trace) - 1)
            appears[entry.number] = landing
            for late in boxes:
                if late.first == landing:
                    late.entries.append(entry.number)
    return appears


def _cause(boxes: Sequence[Box], entry: Entry) -> Box | None:
    at = [box for box in boxes if box.first <= entry.moment <= box.last]
    return at[0] if at else None
