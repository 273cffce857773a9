"""Workflow bodies: replayed from their start, with recorded steps answered from the record.

``workflow(input, ctx, outside)`` is a body as a workflow tool of eve or a plain Workflow SDK app has it
(docs/evidence/observed.md#workflow-body, #throw-then-kill). What it does
between its steps is done again whenever it is replayed: after a crash, and after it was parked (a person, a
durable sleep), because a parked run holds no process. A step that throws is tried again (one second later, as
in sdk4-crash) until its budget is used up, then the body gets the error; :class:`FatalError` is not tried
again. A kill counts only after a recorded throw (docs/evidence/observed.md#budget, #throw-then-kill), as the
runtime says.

What it leaves out: the session above the body (an interrupted dispatch of a workflow tool starts a second
child run, docs/evidence/sweep.md#dispatch), steps side by side, and crashes before a step's body. The body is
not replayed between two steps of one process, as with eve's inline steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast

from eve_replay.errors import WrongUse
from eve_replay.workshop.engine.breaking import calm
from eve_replay.workshop.engine.host import Host
from eve_replay.workshop.engine.machine import MakeOutside, Runaway
from eve_replay.workshop.engine.process import Memory
from eve_replay.workshop.engine.recovering import CallState, Lies, Plan, Recovery, StepPlan
from eve_replay.workshop.engine.rows import Place, jsonable
from eve_replay.workshop.engine.runtime import LIMIT, UNKNOWN, WAKE_UPS, made_id
from eve_replay.workshop.engine.session import End, Session, default_outside, forget, jsonable_result
from eve_replay.workshop.engine.tools import drive
from eve_replay.workshop.engine.workflow_context import WorkflowContext
from eve_replay.workshop.engine.workflow_log import FatalError, Mark, Record, StepFailed, recorded
from eve_replay.workshop.model import Ask, Case, Outcome, Schedule

__all__ = ["FatalError", "StepFailed", "WorkflowContext", "WorkflowRunner", "run_workflow"]

#: How long a person takes to answer, and how long a step waits before it is tried again: seconds.
PERSON_SECONDS = 60.0
RETRY_SECONDS = 1.0


class _Parked(BaseException):
    """The body waits; it will be replayed."""


class WorkflowRunner:
    """Runs one workflow body on one case, under as many schedules as wanted.

    Args:
        body: ``workflow(input, ctx, outside)``.
        case: its first ask holds the body's input.
        limit: calls to the outside in one attempt.
        make_outside: makes the outside world.

    Raises:
        WrongUse: the case asks for nothing, or names no runtime or environment.
    """

    def __init__(
        self,
        body: Callable[..., object],
        case: Case,
        *,
        limit: int = LIMIT,
        make_outside: MakeOutside | None = None,
    ) -> None:
        asks = [ask for turn in case.turns for answer in turn.answers for ask in answer]
        if not asks:
            raise WrongUse(f"The case {case.name!r} asks for nothing.", hint="Give it one call.")
        self.body = body
        self.ask: Ask = asks[0]
        self.case = case
        self.limit = limit
        self.make_outside = make_outside or default_outside()
        self.host = Host([body], case.name, case.seed)
        with self.host.exchanged():
            self.memory = Memory.of([body])
        self.recovery = Recovery(case.runtime, case.environment, case.model, plain=True)

    def outcome(self, schedule: Schedule = (), *, full: bool = True, marks: bool = False) -> Outcome:
        """Run the body under a schedule (see :meth:`eve_replay.workshop.engine.runtime.Runner.outcome`)."""
        with self.host.exchanged():
            try:
                return _Run(self, schedule, full, marks).outcome()
            finally:
                self.memory.renew()

    def plan(self, mark: Mark, now: float) -> Plan | None:
        """Return what becomes of a run after a crash, None when it is over."""
        over, records = mark
        if over:
            return None
        steps = []
        asked, waits = False, None
        for kind, _, code, starts, inline, started, threw, resume, call in records:
            done = code == "done"
            if kind == "step":
                state: CallState = "returned" if done else call
                age = 0.0 if done else now - started
                steps.append(Lies(code, starts, inline, age, calls=(state,), threw=threw and not done))
            elif not done and kind == "ask":
                # A question alone keeps nothing open, where somebody is there to hear the answer.
                asked = self.recovery.environment.recovers == "yes"
            elif not done:
                waits = max(0.0, resume - now)
        return self.recovery.plan(steps, more=True, waits=waits, asked=asked)

    def key(self, mark: object, now: float) -> Hashable:
        """Return what a crash finds in the journal: marks with the same key are recovered in the same way."""
        over, records = cast(Mark, mark)
        plan = self.plan((over, records), now)
        if plan is None or not plan.steps or plan.steps[-1] != StepPlan("run", ("run",)):
            return (over, records, plan)
        # The open step is done again: how far its body had come makes no difference.
        return (over, records[:-1], records[-1][:-1], plan)


class _Run(Session):
    """One workflow run: its log, and the body that is being replayed over it."""

    def __init__(self, runner: WorkflowRunner, schedule: Schedule, full: bool, marks: bool) -> None:
        super().__init__(runner, schedule, full, marks)
        self.runner, self.body, self.ask = runner, runner.body, runner.ask
        self.seed = runner.case.seed
        self.log: list[Record] = []
        self.over = False
        self.cursor = 0
        self.clock = 0.0
        self.inside: Record | None = None

    # -- one process ------------------------------------------------------------------------------------

    def process(self) -> None:
        """Replay the body until it is over, however often it parks."""
        machine = self.machine
        while not self.over:
            self._wait()
            machine.back()
            machine.fresh_attempt()
            self.cursor, self.inside = 0, None
            self.clock = 0.0
            machine.place = Place(0, -1, 0, tool=self.ask.tool)
            self._mark()
            try:
                self._body()
            except _Parked as parked:
                calm()
                forget(parked)

    def _body(self) -> None:
        machine = self.machine
        given = jsonable(self.ask.input)
        machine.note("tool", {"input": given, "workflow": True, "records": len(self.log)})
        context = WorkflowContext(
            self, made_id("wrun", self.seed, "session"), made_id("call", self.seed, 0, 0, 0, 0)
        )
        result: object
        try:
            result = jsonable_result(drive(self.body, jsonable(given), context, self.outside))
        except BaseException as error:
            text = self.thrown(error)
            machine.note("threw", {"error": text, "type": type(error).__name__, **self.slip(error)})
            result = {"error": text}
        self.left()
        if self.cursor < len(self.log):
            self._diverged("", "")
        machine.moment("returned", {"result": result})
        self.results[0, 0, 0] = result
        self.over = True
        self._mark()
        machine.moment("committed", {"turn_over": True})

    def _diverged(self, kind: str, name: str) -> None:
        record = self.log[self.cursor]
        self.machine.note(
            "diverged",
            {"recorded": record.name, "recorded_kind": record.kind, "found": name, "found_kind": kind},
        )
        self._end("diverged")

    def _end(self, ended: Any) -> None:
        self.machine.leave_with(End(ended))

    def _mark(self) -> None:
        """Let moments know what is durable inside."""
        if self.machine.marks:
            self.machine.journal = self._durable()

    def _durable(self) -> Mark:
        return (self.over, tuple(record.mark() for record in self.log))

    def next(self, kind: str, name: str) -> Record:
        """Return the record of what the body does next: an old one when it is being replayed."""
        machine = self.machine
        machine.count()
        if self.inside is not None:
            raise WrongUse(f"ctx.{kind} inside the step {self.inside.name!r}.", hint="Call it in the body.")
        if self.cursor < len(self.log):
            record = self.log[self.cursor]
            if (record.kind, record.name) != (kind, name):
                self._diverged(kind, name)
            self.cursor += 1
            return record
        if self.cursor >= machine.limit:
            machine.leave_with(Runaway())
        record = Record(kind, name, self.cursor)
        self.log.append(record)
        self.cursor += 1
        return record

    # -- steps --------------------------------------------------------------------------------------------

    def step(self, name: str, function: Callable[..., object], args: tuple[object, ...]) -> object:
        """Run a step, or answer it from its record."""
        record = self.next("step", name)
        machine = self.machine
        here = machine.place
        try:
            if record.done:
                machine.place = self._place(record)
                machine.note("replayed", recorded(record))
            while not record.done:
                self._attempt(record, function, args)
        finally:
            machine.place = here
        self.clock = max(self.clock, record.resume)
        if record.error is not None:
            raise StepFailed(record.error)
        return jsonable(record.result)

    def _place(self, record: Record) -> Place:
        step_id = made_id("step", self.seed, record.number)
        return Place(0, record.number, record.starts, 0, record.name, step_id)

    def _attempt(self, record: Record, function: Callable[..., object], args: tuple[object, ...]) -> None:
        machine = self.machine
        most = self.recovery.environment.max_retries + 1
        record.inline = record.starts == 0
        record.starts += 1
        record.started = machine.seconds
        record.call, record.result, record.error = "began", None, None
        machine.place = self._place(record)
        machine.fresh_attempt()
        self._mark()
        shown = jsonable(list(args)) if machine.full else None
        machine.note("tool", {"name": record.name, "input": shown, "step": True})
        self.inside = record
        result: object = None
        error: str | None = None
        slip: Mapping[str, object] = {}
        fatal = False
        try:
            result = jsonable_result(drive(function, *args))
        except BaseException as thrown:
            error = self.thrown(thrown)
            slip = self.slip(thrown)
            fatal = isinstance(thrown, FatalError) or not isinstance(thrown, Exception)
        finally:
            self.inside = None
        self.left()
        if error is not None:
            last = fatal or record.starts >= most
            machine.note("threw", {"error": error, "again": not last, "starts": record.starts, **slip})
            if not last:
                record.threw = True
                machine.seconds += RETRY_SECONDS
                self._mark()
                return
        record.call, record.result, record.error = "returned", result, error
        self._mark()
        machine.moment("returned", {"result": result} if error is None else {"error": error})
        self._commit(record, result, error)

    def _commit(self, record: Record, result: object, error: str | None) -> None:
        """Write it down. docs/evidence/sweep.md#writes: lock, record, event; only the event counts."""
        machine = self.machine
        if self.runtime == "eve":
            machine.moment("commit")
            if record.code == "F1":
                record.wakes += 1
                machine.note("wedged", {"wakes": record.wakes, "starts": record.starts})
                if record.wakes >= WAKE_UPS:
                    self._end("hangs")
                return
            record.code = "F1"
            self._mark()
            machine.moment("commit-lock")
            record.code = "F2"
            self._mark()
            machine.moment("commit-record")
        self._write(record, result, error)
        machine.moment("committed", {"turn_over": False})

    def _write(self, record: Record, result: object, error: str | None) -> None:
        record.code = "done"
        record.result, record.error = result, error
        record.resume = self.machine.seconds
        self._mark()

    # -- parking ------------------------------------------------------------------------------------------

    def park(self) -> None:
        """Leave the body; the process may die while it waits."""
        self._mark()
        self.machine.leave_with(_Parked())

    def _wait(self) -> None:
        """Wait for what the body is parked at, if it is."""
        record = self.log[-1] if self.log else None
        if record is None or record.done or record.kind == "step":
            return
        machine = self.machine
        machine.back()
        machine.place = Place(0, -1, 0, tool=self.ask.tool)
        self._mark()
        if record.kind == "sleep":
            machine.moment("pause", {"seconds": max(0.0, record.resume - machine.seconds), "durable": True})
            machine.seconds = max(machine.seconds, record.resume)
            self._write(record, None, None)
            return
        number = sum(each.kind == "ask" for each in self.log) - 1
        machine.moment("pause", {"for": "person", "question": record.name, "durable": True})
        if number >= len(self.case.answers):
            machine.note("note", {"what": "no-answer", "question": record.name})
            raise End("hangs")
        machine.seconds += PERSON_SECONDS
        answer = jsonable(self.case.answers[number])
        self._write(record, answer, None)
        machine.note("told", {"question": record.name, "answer": answer})

    # -- after a crash --------------------------------------------------------------------------------------

    def plan(self) -> Plan | None:
        """Ask the runtime what becomes of the run."""
        return self.runner.plan(self._durable(), self.machine.seconds)

    def obey(self, plan: Plan) -> None:
        """Let the next process find what the runtime says."""
        steps = [record for record in self.log if record.kind == "step"]
        for record, each in zip(steps, plan.steps, strict=True):
            if each.do == "keep":
                continue
            if record.done:
                # Nothing was recorded after all (no durability): everything is done again.
                self.log = self.log[: record.number]
                return
            if each.do == "run":
                record.code = "D"
            if each.do == "fail":
                record.starts += 1
                self._write(record, None, f"exceeded max retries ({record.starts - 1} retries)")
            elif each.calls == ("keep",):
                self._write(record, record.result, record.error)
            elif each.calls == ("unknown",):
                self._write(record, None, UNKNOWN)


def run_workflow(
    body: Callable[..., object],
    case: Case,
    schedule: Schedule = (),
    *,
    limit: int = LIMIT,
    make_outside: MakeOutside | None = None,
) -> Outcome:
    """Run a workflow body on a case under a schedule of faults.

    Args:
        body: ``workflow(input, ctx, outside)``.
        case: its first ask holds the input; ``answers`` are what people say.
        schedule: what goes wrong.
        limit: calls to the outside in one attempt, beyond which it has run away.
        make_outside: makes the outside world, by default the one of the lessons.

    Raises:
        WrongUse: the case asks for nothing, or names no runtime or environment.
    """
    return WorkflowRunner(body, case, limit=limit, make_outside=make_outside).outcome(schedule)
