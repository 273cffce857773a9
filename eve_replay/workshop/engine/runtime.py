"""The small durable runtime of the workshop: runs tools under a scripted model, dies where it is told to.

What it does as eve does (docs/evidence/observed.md, sweep.md): one step per model call (or per
``calls_per_step`` of them), the closing answer included; a step is committed whole; an exception of a tool is
told to the model; a step that was interrupted asks the model again and calls every tool of it again. What
becomes of anything after a crash is not decided here but by the product's runtimes
(:mod:`eve_replay.workshop.engine.recovering`).

What it leaves out: the calls of one answer run one after another, while eve runs them side by side.
``Case.order`` "last-first" runs them from the last to the first, so that a crash in the first call finds its
siblings done, which is the situation of the recording crash-in-tool; half-run siblings are not simulated.
Subagents, approvals of tools and hooks are not simulated either. Crashes before the body of a step and
half-written steps beside the turn (docs/evidence/sweep.md#side-step) are simulated where a schedule asks for
them (``Fault.unbegun``, ``Fault.beside``); no search tries them by itself. The same schedule gives the same
outcome: the clock and the dice that a tool finds are simulated too (:mod:`eve_replay.workshop.engine.host`).
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import cast

from eve_replay.errors import WrongUse
from eve_replay.recovery.situation import Code
from eve_replay.workshop.engine.host import Host
from eve_replay.workshop.engine.machine import MODEL_SECONDS, MakeOutside
from eve_replay.workshop.engine.process import Memory
from eve_replay.workshop.engine.recovering import Lies, Plan, Recovery
from eve_replay.workshop.engine.rows import Place, jsonable
from eve_replay.workshop.engine.session import End, Session, default_outside, jsonable_result
from eve_replay.workshop.engine.tools import Context, drive
from eve_replay.workshop.engine.turn_step import Mark, Step
from eve_replay.workshop.model import Ask, Case, Outcome, Schedule, Tool

__all__ = ["LIMIT", "Runner", "made_id", "run"]

#: Calls to the outside in one attempt of a step, beyond which a tool has run away.
LIMIT = 200
#: How often a body that can never commit is shown to run again before the case is given up as hanging.
WAKE_UPS = 2
#: What the model is told of a call that is not run again (docs/evidence/flue.md#after-a-crash).
UNKNOWN = "interrupted: whether it was carried out is not known"


class Runner:
    """Runs one set of tools on one case, under as many schedules as wanted.

    Args:
        tools: by the name the model calls them.
        case: the conversation.
        limit: see :data:`LIMIT`.
        make_outside: makes the outside world, by default the one of the lessons.
        wakes: see :data:`WAKE_UPS`.

    Raises:
        WrongUse: the case asks for a tool that is not there, or names no runtime or environment.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        case: Case,
        *,
        limit: int = LIMIT,
        make_outside: MakeOutside | None = None,
        wakes: int = WAKE_UPS,
    ) -> None:
        for turn in case.turns:
            for asks in (*turn.answers, *turn.other.values()):
                for ask in asks:
                    if ask.tool not in tools:
                        raise WrongUse(
                            f"The case {case.name!r} asks for the tool {ask.tool!r}, which is not there.",
                            hint=f"There are: {', '.join(tools) or 'none'}.",
                        )
        self.tools = tools
        self.case = case
        self.limit = limit
        self.wakes = wakes
        self.make_outside = make_outside or default_outside()
        self.host = Host(tools.values(), case.name, case.seed)
        with self.host.exchanged():
            self.memory = Memory.of(tools.values())
        self.recovery = Recovery(case.runtime, case.environment, case.model)

    def plan(self, mark: Mark, now: float, beside: Code = "done", further: bool | None = None) -> Plan | None:
        """Return what becomes of a journal after a crash, None when nothing is left to do."""
        turn, steps = mark
        if turn is None:
            return None
        lies = tuple(
            Lies(code, starts, inline, 0.0 if code == "done" else now - started, asked, answers, calls)
            for code, starts, inline, started, asked, answers, calls in steps
        )
        recovery = self.recovery
        if (
            not lies
            and beside == "done"
            and (recovery.environment.recovers == "yes" or recovery.runtime.name == "none")
        ):
            # Between two turns nothing is open.
            return recovery.plan(lies, more=False)
        return recovery.plan(lies, more=True, beside=beside, further=further)

    def key(self, mark: object, now: float) -> Hashable:
        """Return what a crash finds in the journal: marks with the same key are recovered in the same way."""
        turn, steps = cast(Mark, mark)
        plan = self.plan((turn, steps), now)
        if plan is None or not steps or not plan.asks:
            return (turn, steps, plan)
        # Everything of the open step is done again: how far its calls had come makes no difference.
        return (turn, steps[:-1], steps[-1][:5], plan)

    def outcome(self, schedule: Schedule = (), *, full: bool = True, marks: bool = False) -> Outcome:
        """Run the case under a schedule.

        Args:
            schedule: what goes wrong.
            full: False for a search: the trace is made of rows that are read like moments, without answers.
            marks: whether a search will add faults to this schedule: its rows know what was durable.
        """
        with self.host.exchanged():
            try:
                return _Session(self, schedule, full, marks).outcome()
            finally:
                self.memory.renew()


class _Session(Session):
    """One run of one case: its turns, and what is durable of the current one."""

    def __init__(self, runner: Runner, schedule: Schedule, full: bool, marks: bool) -> None:
        super().__init__(runner, schedule, full, marks)
        self.runner, self.tools = runner, runner.tools
        self.session_id = made_id("wrun", self.case.seed, "session")
        self.minted: dict[tuple[int, int], int] = {}
        self.turn = 0
        self.steps = self._steps()
        #: Commit state of the step beside the first turn, and what it does to the session.
        self.beside: Code = "done"
        self.after: str = ""

    # -- one process ------------------------------------------------------------------------------------

    def _steps(self) -> list[Step]:
        """The steps of the current turn: its answers and the closing one, so many to a step."""
        if self.turn >= len(self.case.turns):
            return []
        # Flue records every model message by itself (docs/evidence/flue.md): no batches there.
        size = 1 if self.runtime == "flue" else max(1, self.case.calls_per_step)
        answers = len(self.case.turns[self.turn].answers) + 1
        return [Step(first, min(first + size, answers)) for first in range(0, answers, size)]

    def process(self) -> None:
        """Go on from what is durable until the case is over or the process dies."""
        if self.machine.process > 1:
            for step in self.steps:
                if step.code == "done":
                    self._replayed(step)
        while self.turn < len(self.case.turns):
            for number, step in enumerate(self.steps):
                last = number == len(self.steps) - 1
                while step.code != "done":
                    self._step(step, last)
                    self._stop_behind(step, last)

    def _stop_behind(self, step: Step, last: bool) -> None:
        """A step beside the turn that can never commit stops the session: behind the step or the turn."""
        if step.code == "done" and self.after and (last or self.after == "stops"):
            self.machine.note("stopped", {"deaf": last})
            raise End("deaf" if last else "hangs")

    def _replayed(self, step: Step) -> None:
        results = {f"{answer}.{position}": result for (answer, position), result in step.results.items()}
        self.machine.place = Place(self.turn, step.first, step.starts)
        self.machine.note("replayed", {"results": results, "answers": step.last - step.first})

    def _step(self, step: Step, last: bool) -> None:
        machine = self.machine
        step.inline = step.starts == 0
        step.starts += 1
        step.started = machine.seconds
        if step.code != "F1":  # the lock of a dead process stays, whoever starts the body
            step.code = "D"
        machine.fresh_attempt()
        fault = machine.falls_here()
        if fault is not None and fault.unbegun:
            self._before_the_body(step, fault.unbegun)
        for answer in range(step.first, step.last):
            self._answer(step, answer)
        self._commit(step, last)

    def _before_the_body(self, step: Step, code: Code) -> None:
        """The process dies before the model was asked. ``D``: the start is recorded, nothing else."""
        step.code = code
        if code != "D":
            step.starts -= 1
        self.machine.place = Place(self.turn, step.first, step.starts)
        self.machine.moment("model", {"unbegun": code})

    def _answer(self, step: Step, answer: int) -> None:
        machine = self.machine
        machine.place = Place(self.turn, answer, step.starts)
        if answer not in step.given:
            self._ask(step, answer)
        asked = list(enumerate(step.given[answer]))
        if self.case.order == "last-first":
            asked.reverse()
        for position, (ask, call_id) in asked:
            machine.place = Place(self.turn, answer, step.starts, position, ask.tool, call_id)
            if step.calls[answer, position] == "returned":
                machine.note("replayed", {"result": step.results[answer, position]})
            else:
                self._call(step, answer, position, ask, call_id)

    def _ask(self, step: Step, answer: int) -> None:
        """Ask the model. It has answered when the moment has passed; then its calls are known."""
        machine = self.machine
        turn = self.case.turns[self.turn]
        closing = answer == len(turn.answers)
        earlier = self.minted.get((self.turn, answer), 0)
        step.asked += 1
        machine.models += 1
        self._mark()
        machine.moment("model", {"again": step.starts > 1, "answered": earlier, "closing": closing})
        machine.seconds += MODEL_SECONDS
        self.minted[self.turn, answer] = earlier + 1
        asks = () if closing else turn.answers[answer]
        if earlier and self.case.model == "other":
            asks = turn.other.get(answer, asks)
        serial = 0 if self.case.model == "same" else earlier
        step.given[answer] = tuple(
            (ask, made_id("call", self.case.seed, self.turn, answer, position, serial))
            for position, ask in enumerate(asks)
        )
        for position in range(len(asks)):
            step.calls[answer, position] = "waits"

    def _call(self, step: Step, answer: int, position: int, ask: Ask, call_id: str) -> None:
        """Call one tool; what it throws is told to the model (docs/evidence/observed.md#failed-turns)."""
        machine = self.machine
        machine.note("tool", {"input": jsonable(ask.input)} if machine.full else ask.input)
        step.calls[answer, position] = "began"
        self._mark()
        context = Context(
            machine,
            session_id=self.session_id,
            turn_id=f"turn_{self.turn}",
            call_id=call_id,
            step_index=answer,
            position=position,
            tool=ask.tool,
        )
        result: object
        try:
            result = jsonable_result(drive(self.tools[ask.tool], jsonable(ask.input), context, self.outside))
        except BaseException as error:
            text = self.thrown(error)
            machine.note("threw", {"error": text, "type": type(error).__name__, **self.slip(error)})
            result = {"error": text}
        self.left()
        self._returned(step, answer, position, result)
        self._mark()
        machine.moment("returned", {"result": result})

    def _returned(self, step: Step, answer: int, position: int, result: object) -> None:
        step.calls[answer, position] = "returned"
        step.results[answer, position] = result
        self.results[self.turn, answer, position] = result

    def _commit(self, step: Step, last: bool) -> None:
        """Write the step down. docs/evidence/sweep.md#writes: lock, record, event; only the event counts."""
        machine = self.machine
        machine.place = Place(self.turn, step.last - 1, step.starts)
        if self.runtime == "eve":
            self._mark()
            machine.moment("commit")
            if step.code == "F1":
                self._woken(step)
                return
            step.code = "F1"
            self._mark()
            machine.moment("commit-lock")
            step.code = "F2"
            self._mark()
            machine.moment("commit-record")
        step.code = "done"
        if last:
            self.turn += 1
            self.steps = self._steps()
        self._mark()
        if self.runtime != "none" or last:
            machine.moment("committed", {"turn_over": last})

    def _woken(self, step: Step) -> None:
        """The lock of a dead process is in the way: this attempt was for nothing, and so is every other."""
        step.wakes += 1
        self.machine.note("wedged", {"wakes": step.wakes, "starts": step.starts})
        if step.wakes >= self.runner.wakes:
            raise End("hangs")
        self._again(step)

    def _again(self, step: Step) -> None:
        """Its body starts from its beginning: the model is asked again, and never saw what had returned."""
        for answer, position in step.results:
            self.results.pop((self.turn, answer, position), None)
        step.given.clear()
        step.calls.clear()
        step.results.clear()

    def _mark(self) -> None:
        """Let moments know what is durable inside: deaths at which it is the same lead to the same."""
        if self.machine.marks:
            self.machine.journal = self._durable()

    def _durable(self) -> Mark:
        known = tuple(step.mark() for step in self.steps if step.code != "unborn")
        return (self.turn if self.turn < len(self.case.turns) else None, known)

    # -- after a crash ----------------------------------------------------------------------------------

    def plan(self) -> Plan | None:
        """Ask the runtime what becomes of the turn."""
        fault = self.machine.fault
        if fault is not None and self.beside == "done" and self.turn == 0 and self.runtime == "eve":
            self.beside = fault.beside
        begun = [step for step in self.steps if step.code != "unborn"]
        further = len(begun) < len(self.steps)
        return self.runner.plan(self._durable(), self.machine.seconds, self.beside, further)

    def obey(self, plan: Plan) -> None:
        """Let the next process find what the runtime says."""
        self.after = plan.beside
        known = [step for step in self.steps if step.code != "unborn"]
        for step, each in zip(known, plan.steps, strict=True):
            if each.do == "keep":
                continue
            done = step.code == "done"
            if each.do == "run":
                step.code = "D"
            if done or plan.asks:
                self._again(step)
            else:
                for (answer, position), do in zip(list(step.calls), each.calls, strict=True):
                    if do == "unknown":
                        self._returned(step, answer, position, {"error": UNKNOWN})
                    elif do == "run":
                        step.calls[answer, position] = "waits"


@lru_cache(maxsize=4096)
def made_id(prefix: str, *parts: object) -> str:
    """Return an id that looks like the real ones and is the same for the same parts."""
    text = repr(parts).encode()
    number = zlib.crc32(text) << 20 | zlib.adler32(text) & 0xFFFFF
    letters = ""
    while len(letters) < 10:
        number, digit = divmod(number, 36)
        letters += "0123456789abcdefghijklmnopqrstuvwxyz"[digit]
    return f"{prefix}_{letters}"


def run(
    tools: Mapping[str, Tool],
    case: Case,
    schedule: Schedule = (),
    *,
    limit: int = LIMIT,
    make_outside: MakeOutside | None = None,
) -> Outcome:
    """Run tools on a case under a schedule of faults.

    Args:
        tools: by the name the model calls them; each is called ``tool(input, ctx, outside)``.
        case: the conversation and its surroundings.
        schedule: what goes wrong; faults at moments that do not come are ignored.
        limit: calls to the outside in one attempt of a step, beyond which a tool has run away.
        make_outside: makes the outside world, by default :class:`eve_replay.workshop.outside.Outside`.

    Raises:
        WrongUse: the case names a tool, runtime or environment that does not exist.
    """
    return Runner(tools, case, limit=limit, make_outside=make_outside).outcome(schedule)
