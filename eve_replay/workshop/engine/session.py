"""One run of one case, process after process: what tools and workflow bodies have in common.

A subclass says what a process does, what is durable, and what a plan of the runtime means for it. How
processes die and come back, and what is told of it, is here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Protocol, cast

from eve_replay.workshop.engine.breaking import calm
from eve_replay.workshop.engine.host import Host
from eve_replay.workshop.engine.machine import (
    HOUR,
    RESTART_SECONDS,
    Machine,
    MakeOutside,
    Runaway,
    Settles,
)
from eve_replay.workshop.engine.printed import heard
from eve_replay.workshop.engine.process import Memory
from eve_replay.workshop.engine.recovering import Plan, Recovery
from eve_replay.workshop.engine.rows import NOWHERE, Raw, Row, jsonable, moments_of
from eve_replay.workshop.engine.slips import slip_of
from eve_replay.workshop.model import Case, Ended, Moment, Outcome, Schedule
from eve_replay.workshop.wire import ProcessDied

__all__ = ["End", "Owner", "Session", "default_outside", "forget", "jsonable_result"]


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class End(BaseException):
    """The case is over. No tool can catch it."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended = ended


def forget(gone: BaseException) -> None:
    """Let go of the frames an exception came through: they hold it, and everything else, in a circle."""
    gone.__traceback__ = gone.__context__ = None


class Found(Outcome):
    """An outcome of a search: its trace is put together when somebody looks at it, without answers in it."""

    __slots__ = ("_rows", "raws")

    raws: list[Raw]
    _rows: tuple[Row, ...] | None

    def __init__(self, *, trace: list[Raw], **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "raws", trace)
        object.__setattr__(self, "_rows", None)

    @property
    def trace(self) -> tuple[Moment, ...]:
        """Rows that are read like moments."""
        if self._rows is None:
            object.__setattr__(self, "_rows", tuple(map(Row, self.raws)))
        return cast(tuple[Moment, ...], self._rows)


class Owner(Protocol):
    """What a session needs of its runner."""

    case: Case
    limit: int
    make_outside: MakeOutside
    memory: Memory
    host: Host
    recovery: Recovery


def default_outside() -> MakeOutside:
    """Return what makes the outside world of the lessons."""
    from eve_replay.workshop.outside import Outside

    return Outside


class Session(ABC):
    """One run of one case under one schedule."""

    def __init__(self, owner: Owner, schedule: Schedule, full: bool, marks: bool) -> None:
        self.schedule, self.case = schedule, owner.case
        self.memory, self.recovery = owner.memory, owner.recovery
        self.machine = Machine(schedule, owner.limit, full=full)
        self.machine.marks = marks
        owner.host.runs(self.machine, schedule)
        self.outside: Settles = owner.make_outside(self.machine, self.case.setting)
        self.runtime = owner.recovery.runtime.name
        self.results: dict[tuple[int, int, int], object] = {}
        self.rules: dict[str, None] = {}
        self.forgot = False

    # -- for subclasses -----------------------------------------------------------------------------------

    @abstractmethod
    def process(self) -> None:
        """Go on from what is durable until the case is over or the process dies."""

    @abstractmethod
    def plan(self) -> Plan | None:
        """Ask the runtime what becomes of what is durable; None when nothing is left to do."""

    @abstractmethod
    def obey(self, plan: Plan) -> None:
        """Let the next process find what the runtime says."""

    # -- processes ----------------------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        """Run to the end."""
        machine = self.machine
        ended: Ended | None = None
        machine.note("start", {"first": True, "by": "message"})
        while ended is None:
            try:
                with heard(machine):
                    self.process()
                ended = "completed"
            except (End, Runaway, ProcessDied) as gone:
                calm()
                # Before anything goes on: what a dead frame still cleans up must reach nobody.
                forget(gone)
                if isinstance(gone, ProcessDied):
                    ended = self._recover()
                else:
                    ended = gone.ended if isinstance(gone, End) else "runaway"
        machine.settle(self.outside, over=True)
        raws, ledger = machine.raws, tuple(machine.ledger)
        # Services hold on to the machine in circles; what it wrote need not wait for the collector.
        machine.raws, machine.ledger = [], []
        make = Outcome if machine.full else Found
        return make(
            case=self.case,
            schedule=self.schedule,
            ledger=ledger,
            trace=moments_of(raws) if machine.full else raws,  # type: ignore[arg-type]
            results=self.results,
            ended=ended,
            moments=machine.number,
            processes=machine.process,
            model_calls=machine.models,
            rules=tuple(self.rules),
            forgot=self.forgot,
        )

    def thrown(self, error: BaseException) -> str:
        """Return what is told of an exception of a tool.

        Raises what ended the process if that is it, and what comes from outside of it all: somebody who stops
        it, a time limit.
        """
        if not isinstance(error, (Exception, SystemExit, GeneratorExit, ProcessDied, Runaway, End)):
            raise error
        self.left()
        return said(error)

    def slip(self, error: BaseException) -> Mapping[str, object]:
        """Return where in the learner's code an error came from; nothing in a search, which goes faster."""
        return slip_of(error) if self.machine.full else {}

    def left(self) -> None:
        """A tool cannot swallow its death, its parking, or having lost its way."""
        if self.machine.gone is not None:
            raise self.machine.gone from None

    def _recover(self) -> Ended | None:
        """Let the runtime say what becomes of it all, and the next process find that."""
        machine = self.machine
        fault = machine.fault
        machine.place = NOWHERE
        forgot = self.memory.renew()
        self.forgot = self.forgot or forgot
        away = fault.hours * HOUR if fault else 0.0
        machine.settle(self.outside, over=False, away=away)
        plan = self.plan()
        if plan is None:
            return "completed"
        for rule in plan.rules:
            self.rules[rule] = None
        crashed = machine.seconds
        machine.seconds += max(RESTART_SECONDS, away)
        facts = {
            "by": plan.by,
            "person": plan.person,
            "rules": list(plan.rules),
            "crashed": crashed,
            "forgot": forgot,
            "waits": max(0.0, crashed + plan.wait - machine.seconds),
        }
        if plan.ended == "dormant":
            machine.note("dormant", {**facts, "why": self.recovery.environment.why})
            return plan.ended
        machine.new_process()
        machine.note("start", {**facts, "hangs": plan.ended == "hangs"})
        if plan.ended is not None:
            return plan.ended
        machine.seconds = max(machine.seconds, crashed + plan.wait)
        self.obey(plan)
        return None


def said(error: BaseException) -> str:
    """Return kind and message of an exception, the same in every process; never raises."""
    try:
        text = _ADDRESS.sub("", str(error))
    except Exception:
        text = "(its message cannot be read)"
    return f"{type(error).__name__}: {text}"


def jsonable_result(value: object) -> object:
    """Return what the model is told. Raises TypeError for what is no JSON, as eve does."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return jsonable(value)
    if isinstance(value, Mapping):
        return {str(name): jsonable_result(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable_result(each) for each in value]
    raise TypeError(f"a tool must return text, numbers, lists or dicts, not {type(value).__name__}")
