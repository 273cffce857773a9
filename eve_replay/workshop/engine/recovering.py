"""What becomes of the toy journal after a crash: asked of the runtimes, never decided here.

The runtime says how its steps lie there (:class:`Lies`); this module builds the
:class:`~eve_replay.recovery.situation.Situation` of that, asks the runtime, and turns its
:class:`~eve_replay.recovery.runtimes.base.Course` into what the runtime has to do (:class:`Plan`).
Answers are kept by the shape of the question, since thousands of schedules ask few different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from eve_replay.recovery.environment import Environment, environment
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Runtime
from eve_replay.recovery.runtimes.registry import runtime_named
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    Code,
    EffectState,
    ModelState,
    ParkState,
    RunState,
    Situation,
    StepState,
    WaitState,
)
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.workshop.model import Ended

__all__ = ["CallState", "Lies", "Plan", "Recovery", "StepPlan"]

#: How far a call of a step has come: ``waits`` has not begun, ``began``, ``returned``.
CallState = Literal["waits", "began", "returned"]
#: What is done about a step: ``keep`` its record is the answer; ``run``; ``fail`` without running its body;
#: ``endless`` run it, it can never commit; ``stuck``.
Do = Literal["keep", "run", "fail", "endless", "stuck"]
#: What is done about a call: run it; its result is kept; it is not run and its outcome stays unknown.
DoCall = Literal["run", "keep", "unknown"]

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_BEFORE = {"waits": NEVER, "began": UNSURE, "returned": ONCE}
#: More shapes than this are not kept: a case has a few dozen.
_MOST = 50_000


@dataclass(frozen=True, slots=True)
class Lies:
    """One step as it lies there.

    Attributes:
        code: its commit state (docs/evidence/sweep.md#writes).
        starts: how often its body was started.
        inline: whether its newest start is leased: a first start is, later ones were not (26 of 26,
            docs/evidence/observed.md#one-record).
        age: seconds from its newest start to the crash.
        asked: model calls that have begun in it.
        answers: model calls of one whole execution.
        calls: state of each call that an answer in it asked for.
        threw: whether a throw of its body is recorded.
    """

    code: Code
    starts: int
    inline: bool = True
    age: float = 0.0
    asked: int = 0
    answers: int = 1
    calls: tuple[CallState, ...] = ()
    threw: bool = False


@dataclass(frozen=True, slots=True)
class StepPlan:
    """What is done about one step."""

    do: Do
    calls: tuple[DoCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the runtime does after a crash.

    Attributes:
        ended: how the case ends here; None when it goes on.
        steps: one per step asked about.
        asks: whether the model is asked again for the open step.
        wait: seconds from the crash to the earliest time anything happens, 0 for at once.
        by, person: as in :class:`~eve_replay.recovery.runtimes.base.Course`.
        rules: names of the rules that were used.
        beside: what a half-written step beside the turn does: ``stops`` the session behind the step that is
            open (another message wakes it up), leaves it ``deaf`` when the turn is done, or nothing.
    """

    ended: Ended | None
    steps: tuple[StepPlan, ...]
    asks: bool
    wait: float
    by: str
    person: str
    rules: tuple[str, ...]
    beside: Literal["", "stops", "deaf"] = ""


class Recovery:
    """A runtime in an environment with a model: what a case's crashes are answered with.

    Raises:
        WrongUse: there is no such runtime or environment; the message lists those there are.
    """

    def __init__(self, runtime: str, where: str, model: ModelAnswer, *, plain: bool = False) -> None:
        self.runtime: Runtime = runtime_named(runtime)
        self.environment: Environment = environment(where)
        self._model: ModelAnswer = model
        self._plain = plain
        self._known: dict[tuple[object, ...], Plan] = {}

    def plan(
        self,
        steps: Sequence[Lies],
        *,
        more: bool,
        waits: float | None = None,
        asked: bool = False,
        beside: Code = "done",
        further: bool | None = None,
    ) -> Plan:
        """Return what becomes of the current turn (or workflow run) after a crash.

        Args:
            steps: its steps in order, those done before and at most one open.
            more: whether the turn (or run) still has something to do.
            waits: seconds until a durable sleep ends, None without one.
            asked: whether a person is waited for.
            beside: commit state of the step beside a session's first turn.
            further: whether the turn needs another step after the open one; None where nothing tells.
        """
        shape = (tuple(steps), more, waits, asked, beside, further)
        known = self._known.get(shape)
        if known is None:
            known = self._plan(*shape)
            if len(self._known) < _MOST:
                self._known[shape] = known
        return known

    def course(
        self,
        steps: Sequence[Lies],
        *,
        more: bool,
        waits: float | None = None,
        asked: bool = False,
        beside: Code = "done",
        further: bool | None = None,
    ) -> Course:
        """Return what the runtime itself says: one fate per step, one future per call, in order."""
        situation = self._situation(tuple(steps), more, waits, asked)
        if beside != "done":
            situation.root.steps.append(_step_beside(beside))
            situation.more = further
        return self.runtime.recover(situation, self.environment, self._model)

    def _plan(
        self,
        steps: tuple[Lies, ...],
        more: bool,
        waits: float | None,
        asked: bool,
        beside: Code,
        further: bool | None,
    ) -> Plan:
        course = self.course(steps, more=more, waits=waits, asked=asked, beside=beside, further=further)
        calls = iter(_call(future) for future in course.futures)
        plans = []
        # The step beside the turn comes last; what becomes of it changes nothing outside.
        for lies, fate in zip(steps, course.fates[: len(steps)], strict=True):
            plans.append(StepPlan(_do(fate), tuple(next(calls) for _ in lies.calls)))
        wait = 0.0 if course.earliest is None else (course.earliest - _EPOCH).total_seconds()
        return Plan(
            ended=None if asked else _ended(course, plans),
            steps=tuple(plans),
            asks=course.calls.again > 0,
            wait=max(0.0, wait),
            by=course.by,
            person=course.person,
            rules=tuple(dict.fromkeys(used.rule for used in course.rules)),
            beside=_of_beside(course),
        )

    def _situation(self, steps: tuple[Lies, ...], more: bool, waits: float | None, asked: bool) -> Situation:
        """The crash is at ``_EPOCH``; everything else is told from there."""
        root = RunState(index=0, run_id="run", role="workflow" if self._plain else "session", code="running")
        effects = []
        for number, lies in enumerate(steps):
            step = StepState(
                step_id=f"step_{number}",
                run=0,
                function="step" if self._plain else "turnStep",
                role="function" if self._plain else "turn",
                code=lies.code,
                inline=lies.inline and lies.starts > 0,
                starts=lies.starts,
                threw=lies.threw,
                started_at=_EPOCH - timedelta(seconds=lies.age) if lies.starts else None,
                model=None
                if self._plain
                else ModelState(total=lies.answers, began=lies.asked, maybe=lies.asked),
                turn_id="turn",
            )
            root.steps.append(step)
            effects += [
                EffectState(
                    tool="step" if self._plain else "tool",
                    kind="step" if self._plain else "tool",
                    call_id=None,
                    before=_BEFORE[state],
                    step=step,
                )
                for state in lies.calls
            ]
        if waits is not None:
            root.waits.append(
                WaitState(wait_id="wait", code="waiting", resume_at=_EPOCH + timedelta(seconds=waits))
            )
        return Situation(
            session_id="session",
            turn_id=None if self._plain else "turn",
            runs=[root],
            effects=effects,
            open_turn=more and not asked,
            parked=[ParkState(kind="approval")] if asked else [],
            at=_EPOCH,
            plain=self._plain,
        )


def _step_beside(code: Code) -> StepState:
    """The step that eve starts beside the first turn (docs/evidence/sweep.md#side-step)."""
    started = code not in ("unborn", "C1a", "C1b", "B", "C3")
    return StepState(
        step_id="step_beside",
        run=0,
        function="startSessionTimeoutStep",
        role="side",
        code=code,
        inline=started,
        starts=int(started),
        started_at=_EPOCH if started else None,
    )


def _of_beside(course: Course) -> Literal["", "stops", "deaf"]:
    rules = {used.rule for used in course.rules}
    return "stops" if "side" in rules else "deaf" if "side-deaf" in rules else ""


def _do(fate: Fate) -> Do:
    if fate.verdict == "replayed":
        return "keep"
    if fate.verdict == "stuck":
        return "endless" if fate.attempts.max is None else "stuck"
    return "fail" if fate.completes is False else "run"


def _call(future: Future) -> DoCall:
    if future.after.max != 0:
        return "run"
    return "unknown" if future.missed.max != 0 else "keep"


def _ended(course: Course, plans: Sequence[StepPlan]) -> Ended | None:
    """The fates decide. A person who is waited for does what the runtime counts on, if anything runs then."""
    if any(plan.do == "stuck" for plan in plans):
        return "hangs" if course.outcome == "hangs" else "dormant"
    if _of_beside(course):
        return None
    if course.outcome == "needs-person" and not any(plan.do in ("run", "endless") for plan in plans):
        return "dormant"
    return None
