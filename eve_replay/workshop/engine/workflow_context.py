"""What a workflow body is handed: its ids, and the three things that are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from eve_replay.workshop.engine.machine import Machine
from eve_replay.workshop.engine.rows import jsonable
from eve_replay.workshop.engine.runtime import made_id
from eve_replay.workshop.engine.tools import DONE, Done
from eve_replay.workshop.engine.workflow_log import Record

__all__ = ["BodyRun", "WorkflowContext"]


class BodyRun(Protocol):
    """What a body's context needs of its run."""

    machine: Machine
    seed: int
    clock: float
    inside: Record | None

    def next(self, kind: str, name: str) -> Record:
        """Return the record of what the body does next."""
        ...

    def step(self, name: str, function: Callable[..., object], args: tuple[object, ...]) -> object:
        """Run a step, or answer it from its record."""
        ...

    def park(self) -> None:
        """Leave the body until what it waits for is there."""
        ...


class WorkflowContext:
    """What a workflow body knows and can do.

    Attributes:
        session_id, run_id: of the run, stays for ever.
        turn_id: ``turn_0``.
        call_id: of the call of the model that started it, stays for ever: the model is not asked again.
    """

    __slots__ = ("_run", "call_id", "run_id", "session_id", "turn_id")

    def __init__(self, run: BodyRun, run_id: str, call_id: str) -> None:
        self._run = run
        self.session_id = self.run_id = run_id
        self.turn_id, self.call_id = "turn_0", call_id

    @property
    def now(self) -> float:
        """Time of the newest record the body has seen: the same on every replay."""
        return self._run.clock if self._run.inside is None else self._run.machine.seconds

    @property
    def step_id(self) -> str:
        """Id of the step that is running, the same on every attempt; empty outside a step."""
        record = self._run.inside
        return "" if record is None else made_id("step", self._run.seed, record.number)

    def step(self, name: str, function: Callable[..., object], *args: object) -> Any:
        """Run ``function(*args)`` and record its result under a name; on replay return the record.

        Raises:
            StepFailed: it threw until its budget was used up.
        """
        return _awaitable(self._run.step(str(name), function, args))

    def ask(self, question: object) -> Any:
        """Park until a person answers; return the answer."""
        run = self._run
        record = run.next("ask", str(question))
        if not record.done:
            run.machine.note("asked", {"question": str(question)})
            run.park()
        run.clock = max(run.clock, record.resume)
        return _awaitable(jsonable(record.result))

    def sleep(self, seconds: float) -> Done:
        """Park for a while; the end of it is recorded when it begins."""
        run = self._run
        record = run.next("sleep", str(float(seconds)))
        if not record.done:
            record.resume = run.machine.seconds + max(0.0, float(seconds))
            run.park()
        run.clock = max(run.clock, record.resume)
        return DONE

    def note(self, text: object) -> None:
        """Write a line into the story; nobody else sees it."""
        if self._run.machine.gone is None:
            self._run.machine.count()
            self._run.machine.note("note", {"text": str(text)})


def _awaitable(value: object) -> object:
    """What can be awaited too, where Python allows it."""
    from eve_replay.workshop.outside.answers import answered

    return answered(value)
