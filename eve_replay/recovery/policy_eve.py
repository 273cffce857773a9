"""How eve and the Workflow SDK recover, as observed: formats/SWEEP.md section 2, formats/OBSERVED.md.

The simple rule (completed steps are replayed, the interrupted one runs again whole) is right for every point
that is not inside a commit. The rest of this module is what the real runtime did at the other points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from eve_replay.journal.executions import Executions
from eve_replay.recovery.atomic import whole_commits
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.policy import Course, Fate, Future, lease_end
from eve_replay.recovery.policy_counts import count_events, count_model
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    EffectState,
    RunState,
    Situation,
    StepState,
)
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["EvePolicy"]

_WITHOUT_END = Executions(min=1, max=None)
Goes = Literal["yes", "maybe", "no"]


@dataclass(slots=True)
class _Flow:
    """How far each run gets by itself: what its steps without a body so far can count on."""

    goes: list[Goes] = field(default_factory=list)
    #: Executions of a whole fresh child that recovery adds to what lies there, by run index.
    extra: dict[int, Executions] = field(default_factory=dict)
    hangs: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    side: list[StepState] = field(default_factory=list)
    fails: tuple[str, str, tuple[str, ...]] | None = None


class EvePolicy:
    """eve 0.80 and the Workflow SDK below it."""

    name = "eve"
    words = "eve / Workflow SDK, as observed"
    source = "formats/SWEEP.md, formats/OBSERVED.md"
    environment = "eve-start"

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what becomes of every step and effect."""
        if environment.recovers == "no":
            return _left_alone(situation, environment)
        if environment.transactional:
            situation = whole_commits(situation)
        flow = _flow(situation)
        course = Course(outcome="recovers")
        _fates(situation, flow, course, environment)
        _futures(situation, flow, course, environment, model)
        count_model(situation, course, flow.goes)
        count_events(situation, course)
        _conclude(situation, flow, course, environment, model)
        return course


def _flow(situation: Situation) -> _Flow:
    flow = _Flow()
    root = situation.root
    blocked = _blocks(root, flow, situation)
    flow.goes = ["yes" for _ in situation.runs]
    for run in situation.runs[1:]:
        if not run.awaited:
            continue
        stops = _blocks(run, flow, situation)
        if stops:
            flow.goes[run.index] = "no"
            blocked = True
    if root.code == "R1" and not situation.plain:
        flow.fails = ("R1", root.run_id, root.evidence)
    for run in situation.runs:
        for hook in run.hooks:
            if hook.fatal and run.index == 0:
                flow.fails = ("H1", hook.hook_id, hook.evidence)
    if blocked or flow.fails or root.code == "unborn":
        flow.goes[0] = "no"
    elif flow.side or (not situation.complete and (situation.message_lost or not situation.open_turn)):
        # A lost message is taken to be sent again where the recording shows what it led to.
        flow.goes[0] = "maybe"
    # A child that is not there yet goes as far as its dispatch does, and one that is lives on by itself.
    for run in situation.runs[1:]:
        if run.code == "unborn" and flow.goes[run.index] == "yes":
            flow.goes[run.index] = flow.goes[run.parent or 0]
    for step in situation.steps:
        if step.role == "dispatch":
            _dispatch(step, situation, flow)
    return flow


def _blocks(run: RunState, flow: _Flow, situation: Situation) -> bool:
    """Whether something half written stops the run for good, and note what."""
    if run.code in ("done", "ending", "unborn"):
        return False
    stopped = False
    for step in run.steps:
        if not step.wedged:
            continue
        if step.role == "side":
            # Created locks of a side step stop nothing: the log does not know the step, so the turn does not
            # wait for it (by the runtime's code; F1 and F2 were seen to need another message).
            if step.code in ("F1", "F2"):
                flow.side.append(step)
            continue
        if step.role == "handover" and step.code in ("F1", "F2"):
            # The parent has its word already: the child stays running for ever, the turn goes on.
            continue
        flow.hangs.append((step.code, step.function, step.evidence))
        stopped = True
    for wait in run.waits:
        if wait.code in ("W1", "W2"):
            flow.hangs.append((wait.code, wait.wait_id, wait.evidence))
            stopped = True
    del situation
    return stopped


def _dispatch(step: StepState, situation: Situation, flow: _Flow) -> None:
    """How many more children an interrupted dispatch starts (formats/SWEEP.md section 2)."""
    children = [i for i in step.plans if i < len(situation.runs)]
    there = [i for i in children if situation.runs[i].code != "unborn"]
    if step.code in ("D", "R"):
        for index in there:
            flow.extra[index] = ONCE
    elif step.code == "F1":
        for index in children:
            flow.extra[index] = _WITHOUT_END


def _fates(situation: Situation, flow: _Flow, course: Course, environment: Environment) -> None:
    for run in situation.runs:
        goes = flow.goes[run.index]
        for step in run.steps:
            fate = _fate(step, run, goes, flow, environment)
            for other in situation.near.get(id(step), ()):
                _widen(fate, _fate(other, run, goes, flow, environment))
            course.fates.append(fate)


def _widen(fate: Fate, other: Fate) -> None:
    """Let a fate hold for a neighbouring order of concurrent writes too."""
    fate.attempts = _union(fate.attempts, other.attempts)
    if fate.record_attempt is not None and other.record_attempt is not None:
        fate.record_attempt = _union(fate.record_attempt, other.record_attempt)


def _union(one: Executions, two: Executions) -> Executions:
    top = None if one.max is None or two.max is None else max(one.max, two.max)
    return Executions(min=min(one.min, two.min), max=top)


def _fate(step: StepState, run: RunState, goes: Goes, flow: _Flow, environment: Environment) -> Fate:
    starts = step.starts
    aborted = 1 if step.aborted else 0
    if step.code == "done":
        return Fate(
            step=step,
            verdict="replayed",
            attempts=_exact(starts),
            record_attempt=_exact(starts + aborted),
            rule="replayed",
        )
    if step.code == "F1":
        return Fate(
            step=step,
            verdict="stuck",
            attempts=Executions(min=starts + 1, max=None),
            completes=False,
            record_attempt=Executions(min=starts + aborted + 1, max=None),
            rule="F1",
            proves="every start ran the body: none of them could commit",
        )
    if step.wedged:
        return Fate(
            step=step,
            verdict="stuck",
            attempts=_exact(starts),
            completes=False,
            record_attempt=_exact(starts + aborted) if step.code == "F2" else NEVER,
            rule=step.code,
        )
    if step.runs_again:
        refused = _past_budget(step, environment)
        later = 0 if refused else step.later_starts
        attempts = _exact(starts + 1 + later)
        if environment.processes > 1:
            attempts = Executions(min=starts + 1 + later, max=starts + 2 + later)
        return Fate(
            step=step,
            verdict="re-executed",
            attempts=attempts,
            completes=not refused,
            record_attempt=_exact(starts + aborted + 1 + later),
            rule="budget" if refused else "D",
            proves=_proof(step, refused),
        )
    if step.begins:
        count = 1 + step.later_starts
        return Fate(
            step=step,
            verdict="never-reached",
            attempts=_exact(starts + count),
            record_attempt=_exact(starts + aborted + count),
            rule=step.code,
        )
    # Nothing of it is written: it runs when the run gets there.
    count = 1 + step.later_starts
    if run.code == "unborn" and run.index in flow.extra and flow.extra[run.index].max is None:
        return Fate(
            step=step, verdict="never-reached", attempts=_exact(count), completes=None, rule="F1-child"
        )
    attempts = {"yes": _exact(count), "maybe": Executions(min=0, max=count), "no": NEVER}[goes]
    if flow.fails is not None and step.role in ("runtime", "side"):
        # What the run does before it fails: seen with R1 (createSessionStep and the timeout ran once).
        attempts = Executions(min=0, max=count)
    return Fate(
        step=step,
        verdict="never-reached",
        attempts=attempts,
        completes={"yes": True, "maybe": None, "no": False}[goes],
        record_attempt=attempts,
        rule="never-reached",
    )


_EXACTLY = tuple(Executions(min=count, max=count) for count in range(64))


def _exact(count: int) -> Executions:
    return _EXACTLY[count] if count < 64 else Executions(min=count, max=count)


def _past_budget(step: StepState, environment: Environment) -> bool:
    """Whether the next start fails without running the body (OBSERVED.md, 2: only after a recorded throw)."""
    made = step.starts + (1 if step.aborted else 0)
    return step.threw and made + 1 > environment.max_retries + 1


def _proof(step: StepState, refused: bool) -> str:
    if refused:
        return "the next start is refused without running the body: after a throw the budget is used up"
    if step.threw:
        return "a throw is recorded, so from now on kills use up the budget too"
    return "kills alone never use up the budget: every further crash here adds one start and one body run"


def _futures(
    situation: Situation, flow: _Flow, course: Course, environment: Environment, model: ModelAnswer
) -> None:
    for effect in situation.effects:
        course.futures.append(_future(effect, situation, flow, environment, model))


def _future(
    effect: EffectState, situation: Situation, flow: _Flow, environment: Environment, model: ModelAnswer
) -> Future:
    step = effect.step
    run = effect.child
    extra = flow.extra.get(run) if run is not None else None
    if effect.kind == "workflow-tool" and step is not None and step.role == "dispatch":
        return _children_future(effect, step, situation, flow)
    if step is None:
        return Future(rule="no-step")
    goes = flow.goes[step.run]
    # What follows an approval that may be lost depends on who answers which request.
    unsettled = any(other.gate == "lost" for other in situation.effects)
    own, rule, again = _own(effect, step, goes, environment, model, unsettled)
    if effect.gate is not None and own.max != 0:
        own, rule = Executions(min=0, max=own.max), f"gate-{effect.gate}"
    if extra is not None:
        # Each further child runs all its steps once, whatever the first one had done.
        own, rule, again = own + extra, "child-again", True
    return Future(after=own, again=again, rule=rule)


def _own(
    effect: EffectState,
    step: StepState,
    goes: Goes,
    environment: Environment,
    model: ModelAnswer,
    unsettled: bool,
) -> tuple[Executions, str, bool]:
    again = step.runs_again
    if step.code == "done":
        return NEVER, "replayed", False
    if step.code == "F1":
        return _WITHOUT_END, "F1", True
    if step.wedged:
        return NEVER, step.code, False
    if again:
        if _past_budget(step, environment):
            return NEVER, "budget", True
        most = environment.processes if environment.processes > 1 else 1
        if model == "other" and step.role == "turn":
            return Executions(min=0, max=most + step.later_starts), "D-other", True
        return Executions(min=1 + step.later_starts, max=most + step.later_starts), "D", True
    count = 1 + step.later_starts
    if step.begins:
        return Executions(min=count, max=count), step.code, False
    if goes == "no":
        return NEVER, "never-reached", False
    unsure = goes == "maybe" or unsettled or (model == "other" and effect.unborn)
    return Executions(min=0 if unsure else count, max=count), "never-reached", False


def _children_future(effect: EffectState, step: StepState, situation: Situation, flow: _Flow) -> Future:
    """A workflow tool: each child run counts as one execution of it."""
    goes = flow.goes[step.run]
    gated = effect.gate is not None
    if step.code in ("D", "R"):
        after, rule, again = ONCE, "dispatch-again" if effect.before.min else "D", bool(effect.before.min)
    elif step.code == "F1":
        after, rule, again = _WITHOUT_END, "dispatch-F1", True
    elif step.code == "done" or step.wedged:
        after, rule, again = NEVER, "replayed" if step.code == "done" else step.code, False
    elif step.begins or goes == "yes":
        after, rule, again = ONCE, "never-reached", False
    else:
        after, rule, again = (UNSURE if goes == "maybe" else NEVER), "never-reached", False
    del situation
    return Future(after=Executions(min=0, max=after.max) if gated else after, again=again, rule=rule)


def _left_alone(situation: Situation, environment: Environment) -> Course:
    """Nothing comes back: what has happened has happened."""
    open_ = situation.open_turn
    course = Course(
        outcome="needs-person" if open_ else "nothing-open",
        by="person" if open_ else "nobody",
        person=environment.person if open_ else "",
        ends="never" if open_ else (situation.ends or "nothing is open"),
    )
    for step in situation.steps:
        done = step.code == "done"
        course.fates.append(
            Fate(
                step=step,
                verdict="replayed" if done else "stuck" if step.open else "never-reached",
                attempts=_exact(step.starts),
                completes=done,
                rule="replayed" if done else "environment",
            )
        )
    course.futures = [Future(rule="environment") for _ in situation.effects]
    if open_:
        course.use("environment", environment.words)
    count_model(situation, course, ["no" for _ in situation.runs])
    return course


def _conclude(
    situation: Situation, flow: _Flow, course: Course, environment: Environment, model: ModelAnswer
) -> None:
    for fate in course.fates:
        if fate.rule not in ("replayed", "never-reached"):
            course.use(fate.rule, fate.step.function, fate.step.evidence)
    if any(fate.rule == "replayed" for fate in course.fates):
        course.use("replayed")
    for run in situation.runs:
        if run.index in flow.extra:
            course.use("child-again", run.workflow or run.run_id, run.evidence)
    if model != "same" and any(f.again and f.after.max != 0 for f in course.futures):
        course.use(f"model-{model}")
    _outcome(situation, flow, course)
    _when(situation, course, environment)


def _outcome(situation: Situation, flow: _Flow, course: Course) -> None:
    root = situation.root
    if flow.fails is not None:
        rule, about, evidence = flow.fails
        course.outcome, course.by = "fails", "nobody"
        course.ends = "failed: RUNTIME_ERROR" if rule == "R1" else "failed: MAX_DELIVERIES_EXCEEDED"
        course.person = "start a new session; this one has failed for good"
        course.use(rule, about, evidence)
    elif root.code == "unborn":
        course.outcome, course.by, course.ends = "needs-message", "message", "never: no session exists"
        course.person = "create the session again: the client's connection broke and nothing is recorded"
        course.use("no-session")
    elif flow.hangs:
        course.outcome, course.by, course.ends = "hangs", "nobody", "never"
        first = flow.hangs[0]
        course.person = f"repair the data folder by hand while the server is down ({first[0]}); see doctor"
        for code, about, evidence in flow.hangs:
            course.use("hang" if code[0] != "W" else code, about, evidence)
    elif situation.message_lost:
        _lost(situation, course)
    elif flow.side and _waits_for_queue(situation):
        course.outcome, course.by = "needs-message", "message"
        course.ends = "only after another message"
        course.person = "send another message: it wakes the session up"
        for step in flow.side:
            course.use("side", step.function, step.evidence)
    elif not situation.open_turn:
        _closed(situation, course)
    else:
        course.ends = _ends(situation)


def _lost(situation: Situation, course: Course) -> None:
    asked = [park.kind for park in situation.parked if park.kind in ("approval", "question", "sign-in")]
    course.outcome, course.by = ("needs-person", "person") if asked else ("needs-message", "message")
    course.ends = _ends(situation)
    what = f"the answer to the {asked[0]}" if asked else "the message"
    course.person = f"send {what} again: its event was not yet written"
    course.use("message-lost")


def _waits_for_queue(situation: Situation) -> bool:
    """Whether an open turn step runs through the queue: then the session stops after it (SWEEP.md)."""
    return any(step.open for step in situation.root.steps if step.role != "side")


def _closed(situation: Situation, course: Course) -> None:
    waiting = [park for park in situation.parked if park.kind in ("approval", "question", "sign-in")]
    if waiting:
        course.outcome, course.by = "needs-person", "person"
        course.person = f"answer the {waiting[0].kind}" + (
            f" for {waiting[0].tool}" if waiting[0].tool else ""
        )
        course.ends = f"parked: {waiting[0].kind}"
        course.use("parked", waiting[0].kind)
    else:
        course.outcome, course.by = "nothing-open", "nobody"
        course.ends = situation.ends or "nothing is open"


def _ends(situation: Situation) -> str:
    parks = [park.kind for park in situation.future_parks if park.kind in ("approval", "question", "sign-in")]
    last = situation.ends or ("completed" if situation.complete else "as the model answers")
    return f"parked: {parks[0]}, then {last}" if parks else last


def _when(situation: Situation, course: Course, environment: Environment) -> None:
    if course.outcome not in ("recovers", "hangs", "needs-message"):
        return
    leased = [
        step
        for step in situation.steps
        if step.code in ("D", "F1") and step.inline and step.role != "side" and step.started_at
    ]
    ends = [end for step in leased if (end := lease_end(step.started_at, environment)) is not None]
    if ends:
        course.earliest = min(ends)
        if course.outcome == "recovers":
            course.by = "lease"
        course.use("lease", leased[0].function, leased[0].evidence[-1:])
    elif situation.open_turn and course.outcome == "recovers":
        timers = [
            wait.resume_at
            for run in situation.runs
            if run.awaited
            for wait in run.waits
            if wait.code == "waiting" and wait.resume_at is not None
        ]
        if timers and not any(step.open for step in situation.steps if step.role != "side"):
            course.by, course.earliest = "timer", min(timers)
            course.use("timer")
    if any(run.token_lock for run in situation.runs):
        course.delay = "23 to 29 s after the restart: a hook-token lock has to become stale first"
        course.use("token-lock")
