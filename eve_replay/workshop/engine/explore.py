"""Every schedule of faults up to a bound, tried in order of their number: does a promise ever break?"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, cast

from eve_replay.workshop.engine.machine import MakeOutside
from eve_replay.workshop.engine.rows import Row
from eve_replay.workshop.engine.runtime import LIMIT, Runner
from eve_replay.workshop.engine.schedules import candidates, rank
from eve_replay.workshop.engine.session import Found
from eve_replay.workshop.model import Breach, Case, FaultKind, Outcome, Promise, Schedule, Tool
from eve_replay.workshop.task import CRASHES

__all__ = ["Report", "Runs", "explore", "first_breach", "numbered", "runs_of"]


class Runs(Protocol):
    """What can be run under schedules: tools on a case, or a workflow body."""

    def outcome(self, schedule: Schedule = (), *, full: bool = True, marks: bool = False) -> Outcome:
        """Run it under a schedule."""
        ...

    def key(self, mark: object, now: float) -> Hashable:
        """Return what a crash finds inside, so that equal ones need no second run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a search found.

    Attributes:
        tried: schedules that were run.
        complete: whether these are all within the bound (schedules that come to the same count as one).
        failing: outcome of the easiest failing schedule with the fewest faults; None when none fails.
        breach: the promise it breaks.
        moments: numbered moments of the run in which nothing goes wrong.
        failures: schedules that failed, of those with as few faults as the shortest one.
    """

    tried: int
    complete: bool
    failing: Outcome | None
    breach: Breach | None
    moments: int
    failures: int


def first_breach(outcome: Outcome, promises: Sequence[Promise]) -> Breach | None:
    """Return the first promise that is broken."""
    for promise in promises:
        breach = promise(outcome)
        if breach is not None:
            return breach
    return None


def runs_of(
    tools: Mapping[str, Tool] | Callable[..., object],
    case: Case,
    *,
    workflow: bool = False,
    limit: int = LIMIT,
    make_outside: MakeOutside | None = None,
) -> Runs:
    """Return tools, or a workflow body (alone, or by any name), ready to be run on a case."""
    if workflow:
        from eve_replay.workshop.engine.workflow import WorkflowRunner

        body = next(iter(tools.values())) if isinstance(tools, Mapping) else tools
        return WorkflowRunner(body, case, limit=limit, make_outside=make_outside)
    assert isinstance(tools, Mapping)
    return Runner(tools, case, limit=limit, make_outside=make_outside)


def explore(
    tools: Mapping[str, Tool] | Callable[..., object],
    case: Case,
    promises: Sequence[Promise],
    *,
    crashes: int = 2,
    faults: Sequence[FaultKind] = CRASHES,
    hours: Sequence[float] = (0.0,),
    inside_commit: bool = False,
    budget: int = 20_000,
    workflow: bool = False,
    limit: int = LIMIT,
    make_outside: MakeOutside | None = None,
) -> Report:
    """Try every schedule of faults, those with fewer faults first, and stop behind the first size that fails.

    Args:
        tools: by name; for a workflow its body, alone or under any name.
        case: the conversation.
        promises: what must hold, in the order in which a breach is reported.
        crashes: how many faults at most.
        faults: which kinds.
        hours: how long the process may stay away after a crash; each is tried.
        inside_commit: whether crashes inside a commit are tried too.
        budget: schedules that are run at most.
        workflow: whether ``tools`` is a workflow body.
        limit: calls to the outside in one attempt, as in :func:`eve_replay.workshop.engine.runtime.run`.
        make_outside: makes the outside world, by default the one of the lessons.

    Raises:
        WrongUse: the case names a tool, runtime or environment that does not exist.
    """
    runs = runs_of(tools, case, workflow=workflow, limit=limit, make_outside=make_outside)
    search = _Search(runs, promises, budget)
    with _few_collections():
        moments, level = search.first()
        while level and search.best is None and not search.full and len(level[0][0]) < crashes:
            level = search.next_level(level, crashes, faults, hours, inside_commit)
        return search.report(moments)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let the collector of cyclic garbage run rarely: a search makes much that is gone at once."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _GARBAGE), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


#: Objects that may pile up before the collector looks for circles.
_GARBAGE = 50_000
_Family = tuple[Schedule, list[Row]]


class _Search:
    def __init__(self, runs: Runs, promises: Sequence[Promise], budget: int) -> None:
        self.runs, self.promises, self.budget = runs, promises, budget
        self.tried = self.failures = 0
        self.best: Schedule | None = None
        self.breach: Breach | None = None
        self.full = False

    def first(self) -> tuple[int, list[_Family]]:
        """Run without faults."""
        outcome = self.try_one((), marks=True)
        return outcome.moments, [((), numbered(outcome))]

    def try_one(self, schedule: Schedule, *, marks: bool) -> Outcome:
        self.tried += 1
        outcome = self.runs.outcome(schedule, full=False, marks=marks)
        breach = first_breach(outcome, self.promises)
        if breach is not None:
            self.failures += 1
            if self.best is None or rank(schedule) < rank(self.best):
                self.best, self.breach = schedule, breach
        return outcome

    def next_level(
        self,
        level: list[_Family],
        crashes: int,
        faults: Sequence[FaultKind],
        hours: Sequence[float],
        inside_commit: bool,
    ) -> list[_Family]:
        """Add one fault to each schedule of a level, in every way."""
        found: list[_Family] = []
        last = len(level[0][0]) + 1 == crashes
        for schedule, rows in level:
            after = schedule[-1].point if schedule else -1
            for fault in candidates(
                rows,
                after,
                faults=faults,
                hours=hours,
                inside_commit=inside_commit,
                key=self.runs.key,
            ):
                if self.tried >= self.budget:
                    self.full = True
                    return found
                longer = (*schedule, fault)
                outcome = self.try_one(longer, marks=not last and self.best is None)
                if not last and self.best is None:
                    found.append((longer, numbered(outcome)))
        return found

    def report(self, moments: int) -> Report:
        """Run the best failing schedule once more, with all that a story needs."""
        failing = None if self.best is None else self.runs.outcome(self.best)
        return Report(
            tried=self.tried,
            complete=not self.full,
            failing=failing,
            # A tool with dice in it need not fail twice in the same way: then what was seen counts.
            breach=None if failing is None else first_breach(failing, self.promises) or self.breach,
            moments=moments,
            failures=self.failures,
        )


def numbered(outcome: Outcome) -> list[Row]:
    """Return the moments of a search's outcome at which a fault can fall."""
    return [Row(raw) for raw in cast(Found, outcome).raws if raw[1] is not None]
