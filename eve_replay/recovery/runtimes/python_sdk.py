"""How the vendor's Python SDK (``vercel-workflow``) recovers, as recorded (docs/evidence/python-sdk.md).

It has no lease and no look through the folder at a start: what goes on is what the queue delivers again.
Every event is two writes, the record first, and nothing mends the half of one. So:

- a step with a start and no end runs again whole, and every start counts against its retries, kills too;
- a record that says a step ended, without the event: the delivery is dropped, the run never hears of it;
- a created step is put into the queue only by the pass that created it: between its event and its message
  lies a moment after which nobody ever starts it.
"""

from __future__ import annotations

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Verdict
from eve_replay.recovery.runtimes.base import Course, Fate, Future
from eve_replay.recovery.runtimes.counts import count_events
from eve_replay.recovery.runtimes.eve.fates import exactly
from eve_replay.recovery.runtimes.eve.flow import Flow, Goes, Stop
from eve_replay.recovery.situation import NEVER, EffectState, RunState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["PythonSdkRuntime", "python_flow"]

#: How the rules of a wedge are called here: the same states, other reasons.
_RULES = {
    "F2": "py-F2",
    "W2": "py-W2",
    "H1": "py-hook",
    "A1": "py-attribute",
    "B": "py-B-lost",
    "R1": "py-run-lost",
}


class PythonSdkRuntime:
    """The Python Workflow SDK on its local world, with a queue that delivers again."""

    name = "python-sdk"
    words = "Workflow SDK for Python, as recorded"
    source = "docs/evidence/python-sdk.md"
    environment = "python-sdk"

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what becomes of every step and every effect. The model has no part in it."""
        del model
        flow = python_flow(situation)
        course = Course(outcome="recovers")
        idle = environment.recovers == "no"
        for run in situation.runs:
            for step in run.steps:
                fate = _left(step) if idle else _fate(step, run, flow, environment)
                if not idle:
                    for other in situation.near.get(id(step), ()):
                        _widen(fate, _fate(other, run, flow, environment))
                course.fates.append(fate)
        for effect in situation.effects:
            course.futures[effect] = (
                Future(rule="environment") if idle else _future(effect, situation, flow, environment)
            )
        count_events(situation, course)
        if idle:
            _left_alone(situation, environment, course)
        else:
            _conclude(situation, flow, course)
        return course


def python_flow(situation: Situation) -> Flow:
    """Return how far each run of a situation gets once its messages are delivered again."""
    flow = Flow()
    for run in situation.runs:
        if run.over:
            flow.goes.append("no")
            continue
        stops = list(_stops(run))
        flow.hangs += stops
        doubtful = any(s.code == "B" and s.sent is None for s in run.steps)
        doubtful = doubtful or (run.code == "created" and run.sent is None)
        # A step that never reports stops its run where the code waits for it; beside others it may not.
        beside = any(w.code == "waiting" for w in run.waits) or sum(s.open for s in run.steps) > 1
        doubtful = doubtful or (beside and all(each.rule == "py-F2" for each in stops))
        stopped = run.code == "unborn" or (bool(stops) and not doubtful)
        flow.goes.append("no" if stopped else "maybe" if doubtful else "yes")
    return flow


def _stops(run: RunState) -> list[Stop]:
    """What keeps one run from ever going on by itself."""

    def stop(code: str, about: str, evidence: tuple[str, ...], subject: str) -> Stop:
        return Stop(rule=_RULES[code], run=run.index, about=about, evidence=evidence, subject=subject)

    out = []
    if run.code == "R1" or (run.code == "created" and run.sent is False):
        out.append(stop("R1", run.workflow or run.run_id, run.evidence, run.run_id))
    for step in run.steps:
        if step.code == "F2" or (step.code == "B" and step.sent is False):
            out.append(stop(step.code, step.function, step.evidence, step.step_id or ""))
    for wait in run.waits:
        if wait.code == "W2":
            out.append(stop("W2", wait.wait_id, wait.evidence, wait.wait_id))
    for hook in run.hooks:
        if hook.deaf:
            code = "A1" if hook.hook_id.startswith("attr_") else "H1"
            out.append(stop(code, hook.hook_id, hook.evidence, hook.hook_id))
    return out


def _coming(step: StepState, goes: Goes, environment: Environment) -> tuple[Executions, str]:
    """Return how often the body of a step runs from now on, and the rule that says so."""
    if step.code == "done":
        return NEVER, "py-replayed"
    if step.code == "F2":
        return NEVER, "py-F2"
    later, most = step.later_starts, step.later_starts + step.messages
    if step.code in ("D", "R"):
        left = environment.max_retries + 1 - step.starts - (1 if step.aborted else 0)
        if left <= 0:
            return NEVER, "py-budget"
        if not step.later_known and step.threw:
            most = left - 1
        rule = "py-retry" if most > later else "py-D"
        return Executions(min=min(1 + later, left), max=min(1 + most, left)), rule
    whole = Executions(min=1 + later, max=1 + most)
    if step.code == "B":
        if step.sent is False:
            return NEVER, "py-B-lost"
        return (whole, "py-B") if step.sent else (Executions(min=0, max=whole.max), "py-B-unknown")
    if step.code in ("C1b", "C3"):
        return whole, f"py-{step.code}"
    return {"yes": whole, "maybe": Executions(min=0, max=whole.max), "no": NEVER}[goes], "never-reached"


def _fate(step: StepState, run: RunState, flow: Flow, environment: Environment) -> Fate:
    if run.over and step.open:
        known = exactly(step.starts)
        return Fate(step=step, verdict="stuck", attempts=known, completes=False, rule="ended-run")
    goes = flow.goes[run.index]
    bodies, rule = _coming(step, goes, environment)
    refused = rule == "py-budget"
    starts = exactly(step.starts + (1 if refused else 0)) + bodies
    verdict: Verdict = "never-reached"
    completes: bool | None = None if bodies.min == 0 and bodies.max else True
    if step.code == "done":
        verdict = "replayed"
    elif step.code in ("D", "R"):
        verdict, completes = "re-executed", not refused
    elif step.code == "F2" or rule == "py-B-lost" or (goes == "no" and step.code == "unborn"):
        verdict, completes = "stuck" if step.open else "never-reached", False
    return Fate(
        step=step,
        verdict=verdict,
        attempts=starts,
        completes=completes,
        record_attempt=starts + exactly(1 if step.aborted else 0),
        rule=rule,
        proves=_PROVES.get(rule, ""),
    )


_KILLS = "every start counts against its retries, kills too: with 3 retries the fifth is refused"
_PROVES = {
    "py-F2": "the record says it ended: whatever is delivered, its body never runs again",
    "py-budget": "the next start is refused without running the body: every start counts, kills too",
    "py-D": _KILLS,
    "py-retry": _KILLS,
}


def _widen(fate: Fate, other: Fate) -> None:
    """Let a fate hold for a neighbouring order of concurrent writes too."""
    fate.attempts = _union(fate.attempts, other.attempts)
    if fate.record_attempt is not None and other.record_attempt is not None:
        fate.record_attempt = _union(fate.record_attempt, other.record_attempt)


def _union(one: Executions, two: Executions) -> Executions:
    top = None if one.max is None or two.max is None else max(one.max, two.max)
    return Executions(min=min(one.min, two.min), max=top)


def _future(effect: EffectState, situation: Situation, flow: Flow, environment: Environment) -> Future:
    step = effect.step
    if step is None:
        return Future(rule="no-step")
    if situation.runs[step.run].over:
        return Future(rule="ended-run")
    bodies, rule = _coming(step, flow.goes[step.run], environment)
    return Future(after=bodies, again=step.code in ("D", "R"), rule=rule)


def _left(step: StepState) -> Fate:
    done = step.code == "done"
    return Fate(
        step=step,
        verdict="replayed" if done else "stuck" if step.open else "never-reached",
        attempts=exactly(step.starts),
        completes=done,
        rule="py-replayed" if done else "environment",
    )


def _left_alone(situation: Situation, environment: Environment, course: Course) -> None:
    """The queue died with its process: what has happened has happened."""
    open_ = situation.open_turn and not situation.root.over
    course.outcome = "needs-person" if open_ else "nothing-open"
    course.by = "person" if open_ else "nobody"
    course.person = environment.person if open_ else ""
    course.ends = "never" if open_ else (situation.ends or situation.root.ended or "nothing is open")
    if open_:
        course.use("environment", environment.words)


def _conclude(situation: Situation, flow: Flow, course: Course) -> None:
    root = situation.root
    for fate in course.fates:
        if fate.rule != "never-reached":
            course.use(
                fate.rule, "" if fate.rule == "py-replayed" else fate.step.function, fate.step.evidence
            )
    course.ends = situation.ends or ("completed" if situation.complete else "as its code goes on")
    if root.over:
        course.outcome, course.by = "nothing-open", "nobody"
        course.ends = situation.ends or root.ended or "nothing is open"
        return
    if root.code == "unborn":
        course.outcome, course.by, course.ends = "needs-person", "person", "never: no run exists"
        course.person = "start the run again: nothing of it is recorded"
        return
    if any(stop.run == 0 for stop in flow.hangs):
        _stopped(flow, course)
        return
    if _rests(situation):
        course.outcome, course.by = "nothing-open", "nobody"
        course.ends = "as its hook is answered"
        return
    course.by = "queue"
    doubtful = [s.function for s in root.steps if s.code == "B" and s.sent is None]
    if doubtful or (root.code == "created" and root.sent is None):
        about = f"of {doubtful[0]}" if doubtful else "of the run"
        course.delay = f"if the message {about} was sent, which the folder does not say"
        course.person = (
            f"look whether a queue holds the message {about}; if none does, send it with world.queue"
        )
        course.use("py-B-unknown" if doubtful else "py-run-unknown", about.removeprefix("of "))
        course.use("py-queue")
        return
    timers = [w.resume_at for w in root.waits if w.code == "waiting" and w.resume_at is not None]
    if timers and not any(step.open for step in root.steps):
        course.by, course.earliest = "timer", min(timers)
        course.use("py-timer")
    else:
        course.delay = "as soon as the queue takes the dead worker's message back (its lease: 30 s to 1 h)"
    course.use("py-queue")


def _stopped(flow: Flow, course: Course) -> None:
    first = flow.hangs[0]
    for stop in flow.hangs:
        course.use(stop.rule, stop.about, stop.evidence)
    if first.rule == "py-run-lost":
        course.outcome, course.by, course.ends = "needs-person", "person", "never"
        course.person = "start the run again: its message was never sent, nothing of it has run"
    elif first.rule == "py-B-lost":
        course.outcome, course.by, course.ends = "needs-person", "person", "never"
        course.person = f"send the message of step {first.about} with world.queue: nothing else starts it"
    else:
        course.outcome, course.by, course.ends = "hangs", "nobody", "never"
        course.person = "repair the folder by hand while no worker runs, or start the run again; see doctor"


def _rests(situation: Situation) -> bool:
    """Whether it waits by design: a hook is open, and nothing else is."""
    return not situation.open_turn
