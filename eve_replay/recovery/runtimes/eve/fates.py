"""What becomes of every step and every effect, once it is known how far each run gets."""

from __future__ import annotations

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.runtimes.base import Course, Fate, Future
from eve_replay.recovery.runtimes.eve.flow import WITHOUT_END, Flow, Goes
from eve_replay.recovery.situation import NEVER, ONCE, UNSURE, EffectState, RunState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["exactly", "fates", "futures"]


def fates(situation: Situation, flow: Flow, course: Course, environment: Environment) -> None:
    """Put the fate of every step into ``course``."""
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


def _fate(step: StepState, run: RunState, goes: Goes, flow: Flow, environment: Environment) -> Fate:
    starts = step.starts
    aborted = 1 if step.aborted else 0
    if step.code == "done":
        return Fate(
            step=step,
            verdict="replayed",
            attempts=exactly(starts),
            record_attempt=exactly(starts + aborted),
            rule="replayed",
        )
    if run.over and step.open:
        # Whatever is open in it: a step of a run that has ended never runs.
        return Fate(
            step=step,
            verdict="stuck",
            attempts=exactly(starts),
            completes=False,
            record_attempt=exactly(starts + aborted) if starts + aborted else None,
            rule="ended-run",
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
            attempts=exactly(starts),
            completes=False,
            record_attempt=exactly(starts + aborted) if step.code == "F2" else NEVER,
            rule=step.code,
        )
    if step.runs_again:
        refused = _past_budget(step, environment)
        later = 0 if refused else step.later_starts
        most = later if refused else max(later, _may_throw(step, environment))
        attempts = Executions(min=starts + 1 + later, max=starts + 1 + most)
        if environment.processes > 1:
            attempts = Executions(min=attempts.min, max=starts + 2 + most)
        return Fate(
            step=step,
            verdict="re-executed",
            attempts=attempts,
            completes=not refused,
            record_attempt=Executions(min=starts + aborted + 1 + later, max=starts + aborted + 1 + most),
            rule="budget" if refused else "retry" if most > later else "D",
            proves=_proof(step, refused),
        )
    if step.begins:
        count = 1 + step.later_starts
        return Fate(
            step=step,
            verdict="never-reached",
            attempts=exactly(starts + count),
            record_attempt=exactly(starts + aborted + count),
            rule=step.code,
        )
    # Nothing of it is written: it runs when the run gets there.
    count = 1 + step.later_starts
    if run.code == "unborn" and run.index in flow.extra and flow.extra[run.index].max is None:
        return Fate(
            step=step, verdict="never-reached", attempts=exactly(count), completes=None, rule="F1-child"
        )
    attempts = {"yes": exactly(count), "maybe": Executions(min=0, max=count), "no": NEVER}[goes]
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


def exactly(count: int) -> Executions:
    """Return exactly ``count`` executions."""
    return _EXACTLY[count] if count < 64 else Executions(min=count, max=count)


def _past_budget(step: StepState, environment: Environment) -> bool:
    """Whether the next start fails without running the body.

    Source: docs/evidence/observed.md#throw-then-kill: only after a recorded throw.
    """
    made = step.starts + (1 if step.aborted else 0)
    return step.threw and made + 1 > environment.max_retries + 1


def _may_throw(step: StepState, environment: Environment) -> int:
    """How many starts beyond the next one it may take: a body that threw may throw again, until its budget.

    Only where the recording does not show what came after (a forecast); 4 starts with 3 retries, seen.
    """
    if not step.threw or step.later_known:
        return 0
    made = step.starts + (1 if step.aborted else 0)
    return max(0, environment.max_retries - made)


def _proof(step: StepState, refused: bool) -> str:
    if refused:
        return "the next start is refused without running the body: after a throw the budget is used up"
    if step.threw:
        return "a throw is recorded, so from now on kills use up the budget too"
    return "kills alone never use up the budget: every further crash here adds one start and one body run"


def futures(
    situation: Situation, flow: Flow, course: Course, environment: Environment, model: ModelAnswer
) -> None:
    """Put what recovery adds to every effect into ``course``."""
    # What follows an approval that may be lost depends on who answers which request.
    unsettled = any(effect.gate == "lost" for effect in situation.effects)
    for effect in situation.effects:
        course.futures[effect] = _future(effect, situation, flow, environment, model, unsettled=unsettled)


def _future(
    effect: EffectState,
    situation: Situation,
    flow: Flow,
    environment: Environment,
    model: ModelAnswer,
    *,
    unsettled: bool,
) -> Future:
    step = effect.step
    run = effect.child
    extra = flow.extra.get(run) if run is not None else None
    if effect.kind == "workflow-tool" and step is not None and step.role == "dispatch":
        return _children_future(effect, step, situation, flow)
    if step is None:
        return Future(rule="no-step")
    if situation.runs[step.run].over and step.open:
        return Future(rule="ended-run")
    goes = flow.goes[step.run]
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
        return WITHOUT_END, "F1", True
    if step.wedged:
        return NEVER, step.code, False
    if again:
        if _past_budget(step, environment):
            return NEVER, "budget", True
        most = environment.processes if environment.processes > 1 else 1
        most += 0 if step.later_starts else _may_throw(step, environment)
        if effect.doubtful:
            # Nothing tells that no person has to allow it: asked again, it may wait
            # (docs/evidence/fates.md#approvals).
            return Executions(min=0, max=most + step.later_starts), "gate-unknown", True
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


def _children_future(effect: EffectState, step: StepState, situation: Situation, flow: Flow) -> Future:
    """A workflow tool: each child run counts as one execution of it."""
    goes = flow.goes[step.run]
    gated = effect.gate is not None
    if situation.runs[step.run].over and step.open:
        return Future(rule="ended-run")
    if step.code in ("D", "R"):
        after, rule, again = ONCE, "dispatch-again" if effect.before.min else "D", bool(effect.before.min)
    elif step.code == "F1":
        after, rule, again = WITHOUT_END, "dispatch-F1", True
    elif step.code == "done" or step.wedged:
        after, rule, again = NEVER, "replayed" if step.code == "done" else step.code, False
    elif step.begins or goes == "yes":
        after, rule, again = ONCE, "never-reached", False
    else:
        after, rule, again = (UNSURE if goes == "maybe" else NEVER), "never-reached", False
    return Future(after=Executions(min=0, max=after.max) if gated else after, again=again, rule=rule)
