"""The shortest way in which something fails: fewer faults, simpler faults, a smaller case, earlier points.

Points are numbers of moments, so taking out a fault (or a call) shifts all later ones. A fault is therefore
remembered by where it falls (:func:`_anchors`): which attempt of which step, which call of it, and which
moment of that kind there. What is left is put on the new run in that sense; and for up to two faults
everything is simply searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from eve_replay.workshop.engine.explore import Runs, numbered, runs_of
from eve_replay.workshop.engine.machine import MakeOutside
from eve_replay.workshop.engine.rows import Row
from eve_replay.workshop.engine.runtime import LIMIT
from eve_replay.workshop.engine.schedules import KINDS, candidates, kinds_at, rank
from eve_replay.workshop.model import Case, Fault, FaultKind, Outcome, Schedule, Tool, Turn

__all__ = ["shrink"]

Fails = Callable[[Outcome], object]
#: A fault with where it falls, apart from numbers.
Anchor = tuple[Fault, tuple[object, ...]]
#: Runs that one search for a shorter schedule may take.
_SEARCH = 3_000
#: ... and one look whether a smaller case fails too.
_LOOK = 400
#: Runs that all of it may take.
_TOGETHER = 12_000
_INSIDE = ("commit-lock", "commit-record")


def shrink(
    tools: Mapping[str, Tool] | Callable[..., object],
    case: Case,
    schedule: Schedule,
    fails: Fails,
    *,
    workflow: bool = False,
    limit: int = LIMIT,
    make_outside: MakeOutside | None = None,
) -> tuple[Case, Schedule]:
    """Make a failing schedule shorter and its case smaller, as long as it fails.

    A case is only made smaller where it holds without faults (unless the given one fails without faults
    too): otherwise what was taken out would be the failure.

    Args:
        tools: as in :func:`eve_replay.workshop.engine.explore.explore`.
        case: the conversation.
        schedule: a schedule that fails on it.
        fails: says of an outcome whether it fails in the same way (truthy).
        workflow: whether ``tools`` is a workflow body, alone or under any name.
        limit: as in :func:`eve_replay.workshop.engine.runtime.run`.
        make_outside: as in :func:`eve_replay.workshop.engine.runtime.run`.

    Returns:
        The case and the schedule; those given when the schedule does not fail at all.
    """
    schedule = tuple(sorted(schedule, key=lambda fault: fault.point))

    def make(case: Case) -> Runs:
        return runs_of(tools, case, workflow=workflow, limit=limit, make_outside=make_outside)

    worker = _Shrinker(make, fails, _kinds(schedule))
    if not worker.fails(case, schedule):
        return case, schedule
    worker.inside = _falls_inside(worker.runs(case), schedule)
    return worker.shortest(case, schedule)


def _kinds(schedule: Schedule) -> tuple[FaultKind, ...]:
    """Kinds a simpler schedule may use: the given ones, and crashes simpler than a given crash."""
    given = {fault.kind for fault in schedule}
    crash = any(kind.startswith("crash") for kind in given)
    return tuple(kind for kind in KINDS if kind in given or (crash and kind.startswith("crash")))


def _falls_inside(runs: Runs, schedule: Schedule) -> bool:
    points = {fault.point for fault in schedule}
    return any(moment.number in points and moment.kind in _INSIDE for moment in runs.outcome(schedule).trace)


class _Shrinker:
    def __init__(self, make: Callable[[Case], Runs], fails: Fails, kinds: tuple[FaultKind, ...]) -> None:
        self._make, self._fails, self._kinds = make, fails, kinds
        self.inside = False
        self._cases: list[tuple[Case, Runs]] = []
        self.left = _TOGETHER

    def runs(self, case: Case) -> Runs:
        """Return what runs a case, made once."""
        for known, runs in self._cases:
            if known is case:
                return runs
        runs = self._make(case)
        self._cases = [*self._cases[-3:], (case, runs)]
        return runs

    def run(self, case: Case, schedule: Schedule) -> Outcome:
        """Run one schedule (a search's kind of trace)."""
        self.left -= 1
        return self.runs(case).outcome(schedule, full=False, marks=True)

    def fails(self, case: Case, schedule: Schedule) -> bool:
        """Whether a schedule fails."""
        return bool(self._fails(self.run(case, schedule)))

    def shortest(self, case: Case, schedule: Schedule) -> tuple[Case, Schedule]:
        """First the schedule, then the case as far as it goes, then the schedule on what is left of it."""
        schedule = self._schedule(case, schedule)
        whole = self.fails(case, ())
        while self.left > 0:
            smaller = self._smaller(case, schedule, whole)
            if smaller is None:
                break
            case, schedule = smaller
        return case, self._simplest(case, schedule)

    # -- the schedule -------------------------------------------------------------------------------------

    def _schedule(self, case: Case, schedule: Schedule) -> Schedule:
        """Return a schedule with as few faults as possible: searched up to two, else by leaving some out."""
        for size in range(min(len(schedule), 3)):
            found = self._search(case, size, _hours(schedule), _SEARCH)
            if found is not None:
                return found
        return self._fewer(case, schedule)

    def _simplest(self, case: Case, schedule: Schedule) -> Schedule:
        """Return the easiest schedule of the same size."""
        if len(schedule) <= 2:
            found = self._search(case, len(schedule), _hours(schedule), _SEARCH)
            if found is not None and rank(found) < rank(schedule):
                return found
        return self._simpler(case, schedule)

    def _search(self, case: Case, size: int, hours: Sequence[float], most: int) -> Schedule | None:
        """Return the easiest failing schedule of a size, None when there is none in so many runs."""
        stop = max(0, self.left - most)
        level: list[tuple[Schedule, list[Row]]] = []
        best: Schedule | None = None
        for schedule in self._of_size(case, size, hours, level):
            if self.left <= stop:
                break
            outcome = self.run(case, schedule)
            if len(schedule) < size:
                level.append((schedule, numbered(outcome)))
            elif self._fails(outcome) and (best is None or rank(schedule) < rank(best)):
                best = schedule
        return best

    def _of_size(
        self, case: Case, size: int, hours: Sequence[float], level: list[tuple[Schedule, list[Row]]]
    ) -> Iterator[Schedule]:
        """Every schedule of a size, and before them the shorter ones they grow from (``level`` is filled)."""
        yield ()
        for length in range(size):
            known = [each for each in level if len(each[0]) == length]
            for schedule, rows in known:
                after = schedule[-1].point if schedule else -1
                for fault in candidates(
                    rows,
                    after,
                    faults=self._kinds,
                    hours=hours,
                    inside_commit=self.inside,
                    key=self.runs(case).key,
                ):
                    yield (*schedule, fault)

    def _fewer(self, case: Case, schedule: Schedule) -> Schedule:
        """Take out one fault after another while it fails."""
        number = 0
        while number < len(schedule) and self.left > 0:
            anchors = self._anchors(case, schedule)
            for shorter in (
                self._put(case, anchors[:number] + anchors[number + 1 :]),
                schedule[:number] + schedule[number + 1 :],
                schedule[:number],
            ):
                if len(shorter) < len(schedule) and self.fails(case, shorter):
                    schedule = shorter
                    break
            else:
                number += 1
        return schedule

    def _simpler(self, case: Case, schedule: Schedule) -> Schedule:
        """Change one fault after another to what is easier to tell, while it fails."""
        for number in range(len(schedule)):
            rows = numbered(self.run(case, schedule[:number]))
            after = schedule[number - 1].point if number else -1
            options = [
                Fault(row.number or 0, kind, hours)
                for row in rows
                if (row.number or 0) > after
                for kind in kinds_at(row, inside_commit=self.inside)
                if kind in self._kinds
                for hours in sorted({0.0, schedule[number].hours})
            ]
            anchors = self._anchors(case, schedule)
            for option in sorted(options, key=lambda each: rank((each,))):
                if rank((option,)) >= rank((schedule[number],)) or self.left <= 0:
                    break
                changed = self._put(case, anchors[number + 1 :], (*schedule[:number], option))
                shorter = len(changed) == len(schedule) and rank(changed) < rank(schedule)
                if shorter and self.fails(case, changed):
                    schedule = changed
                    break
        return schedule

    # -- where faults fall --------------------------------------------------------------------------------

    def _anchors(self, case: Case, schedule: Schedule) -> list[Anchor]:
        """Return each fault with where it falls, apart from numbers."""
        rows = numbered(self.run(case, schedule))
        places = _places(rows)
        by_number = {row.number: place for row, place in zip(rows, places, strict=True)}
        return [(fault, by_number[fault.point]) for fault in schedule if fault.point in by_number]

    def _put(
        self,
        case: Case,
        anchors: Sequence[Anchor],
        schedule: Schedule = (),
    ) -> Schedule:
        """Put faults where they fall in a run that goes another way by now; some may find no place.

        A place is looked for with its attempt first, then in any later attempt.
        """
        for fault, place in anchors:
            rows = numbered(self.run(case, schedule))
            after = schedule[-1].point if schedule else -1
            later = [
                (row, found)
                for row, found in zip(rows, _places(rows), strict=True)
                if (row.number or 0) > after
            ]
            exact = [row for row, found in later if found == place]
            loose = [row for row, found in later if found[1:] == place[1:]]
            for row in (*exact, *loose):
                schedule = (*schedule, replace(fault, point=row.number or 0))
                break
        return schedule

    # -- the case -----------------------------------------------------------------------------------------

    def _smaller(self, case: Case, schedule: Schedule, whole: bool) -> tuple[Case, Schedule] | None:
        """Return the first smaller case that fails with as few faults, None when there is none."""
        anchors = self._anchors(case, schedule)
        for smaller in _smaller_cases(case):
            if self.left <= 0:
                return None
            if not whole and self.fails(smaller, ()):
                continue
            put = self._put(smaller, anchors)
            if len(put) == len(schedule) and self.fails(smaller, put):
                return smaller, put
            for size in range(min(len(schedule), 2) + 1):
                found = self._search(smaller, size, _hours(schedule), _LOOK)
                if found is not None:
                    return smaller, found
        return None


def _hours(schedule: Schedule) -> tuple[float, ...]:
    return tuple(sorted({0.0, *(fault.hours for fault in schedule)}))


def _places(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    """Return where each moment is: attempt, turn, step, position, kind, call, and which of these it is."""
    seen: dict[tuple[object, ...], int] = {}
    places: list[tuple[object, ...]] = []
    for row in rows:
        place = (row.attempt, row.turn, row.step, row.position, row.kind, row.service, row.method)
        full = (row.process, *place)
        seen[full] = seen.get(full, 0) + 1
        places.append((*place, seen[full]))
    return places


def _smaller_cases(case: Case) -> Iterator[Case]:
    """Every case with one turn, one answer or one call less: the big cuts first, the last ones first."""
    if len(case.turns) > 1:
        for number in reversed(range(len(case.turns))):
            yield replace(case, turns=case.turns[:number] + case.turns[number + 1 :])
    for number, turn in enumerate(case.turns):
        if len(turn.answers) > 1:
            for answer in reversed(range(len(turn.answers))):
                yield _with_turn(case, number, _without_answer(turn, answer))
    for number, turn in enumerate(case.turns):
        for answer, asks in enumerate(turn.answers):
            if len(asks) > 1:
                for position in reversed(range(len(asks))):
                    yield _with_turn(case, number, _without_ask(turn, answer, position))


def _without_answer(turn: Turn, answer: int) -> Turn:
    other = {index - (index > answer): asks for index, asks in turn.other.items() if index != answer}
    return replace(turn, answers=turn.answers[:answer] + turn.answers[answer + 1 :], other=other)


def _without_ask(turn: Turn, answer: int, position: int) -> Turn:
    """Take one call out, also out of what the model says when it is asked again.

    Left in there it would come from nowhere, and the story would no longer be the one of the case ("the other
    way round" would be "something else").
    """
    gone = turn.answers[answer][position]
    answers = list(turn.answers)
    answers[answer] = answers[answer][:position] + answers[answer][position + 1 :]
    other = dict(turn.other)
    again = list(other.get(answer, ()))
    if gone in again:
        again.remove(gone)
        other[answer] = tuple(again)
    return replace(turn, answers=tuple(answers), other=other)


def _with_turn(case: Case, number: int, turn: Turn) -> Case:
    return replace(case, turns=(*case.turns[:number], turn, *case.turns[number + 1 :]))
