"""Every crash point of a turn, in plain words: where it is, and what had happened outside by then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.result import CrashPoint
from eve_replay.recovery.sentences import joined
from eve_replay.recovery.situation import EffectState, RunState, Situation, StepState

__all__ = ["CLASSES", "crash_points", "point_at"]

#: The classes, in the order in which a turn meets them.
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "no-session": "before the session exists",
        "session-starting": "while the session is being created",
        "hook-lock": "inside the creation of a hook",
        "hook-half": "inside the creation of a hook",
        "before-turn": "before the message is recorded",
        "message-half": "inside an incoming message",
        "before-step": "before the step",
        "step-creating": "inside the creation of a step",
        "step-starting": "inside the start of a step",
        "in-model": "in the model call",
        "model-answered": "the model has answered, no tool has returned",
        "in-tool": "inside a tool",
        "tools-returned": "all tools returned, not committed",
        "body-done": "the body is done, not committed",
        "step-ending": "inside the commit of a step",
        "committed": "committed, the next step not begun",
        "dispatching": "inside a dispatch",
        "between-steps": "in the workflow body between recorded steps",
        "sleep-creating": "inside the creation of a sleep",
        "sleeping": "in a durable sleep",
        "sleep-ending": "inside the end of a sleep",
        "handover": "while a child tells its parent",
        "handoff": "in the handoff to another run",
        "beside-turn": "inside the commit of work beside the turn",
        "runtime-step": "inside a housekeeping step",
        "parked": "parked",
        "after-turn": "after the turn",
        "input-pending": "accepted, its input not written",
        "start-hooks": "in the start hooks",
        "before-model": "before the model is asked",
        "results-open": "all outcomes are there, not committed",
        "child-creating": "a delegate is created, its input not written",
        "settling": "the answer is whole, the submission not settled",
    }
)

_HANDOFF = frozenset(
    {
        "startSessionOwnerStep",
        "recordSessionOwnerStep",
        "signalSessionOwnerActivationStep",
        "isSessionIdleForHandoffStep",
        "validateSessionCheckpointStep",
        "openAgentSessionStep",
    }
)


def crash_points(plan: Plan, *, moments: bool = True) -> Iterator[CrashPoint]:
    """Yield every gap between two writes of the turn, in order.

    Args:
        plan: the turn.
        moments: also the gaps the journal implies but does not show (effect done, result not yet written).
    """
    end = min(plan.last, len(plan.writes))
    for place in range(plan.first, end + 1):
        if not moments and place > plan.first and not plan.writes.items[place - 1].durable:
            continue
        yield point_at(plan, place)


#: What a plain run says in place of a session and its turns; the Python SDK takes no lock for a step.
_PLAIN = {
    CLASSES["no-session"]: "before the run exists",
    CLASSES["session-starting"]: "the run is created and has not begun",
    CLASSES["after-turn"]: "after the run",
    "before the first step of the turn": "before the first step of the run",
}
_NO_LOCK = "its record is written, its event is not"


def point_at(plan: Plan, place: int, situation: Situation | None = None) -> CrashPoint:
    """Return the crash point at a place: the first ``place`` entries have happened, the rest has not."""
    found = situation if situation is not None else plan.situation(place)
    items = plan.writes.items
    classify = plan.teller or _classify
    klass, label, step, run = classify(plan, place, found)
    if plan.plain:
        label = _PLAIN.get(label, label)
        if plan.framework == "python-sdk":
            label = label.replace("lock and record are written, the event is not", _NO_LOCK)
    before = items[place - 1] if 0 < place <= len(items) else None
    after = items[place] if place < len(items) else None
    observed = before is not None and before.seen and (after is None or after.seen)
    happened = tuple(_name(e) for e in found.effects if e.before.min > 0)
    possible = tuple(_name(e) for e in found.effects if e.before.min == 0 and e.before.max != 0)
    not_yet = tuple(_name(e) for e in found.effects if e.before.max == 0)
    return CrashPoint(
        klass=klass,
        label=label,
        address=before.address if before else "",
        before=after.address if after else "",
        at=before.at if before else None,
        position=place,
        number=max(place - plan.first + 1, 0),
        certainty="observed" if observed else "implied",
        step_id=step.step_id if step else None,
        run_id=run.run_id if run else found.root.run_id,
        happened=happened,
        possible=possible,
        not_yet=not_yet,
    )


def _name(effect: EffectState) -> str:
    return f"{effect.tool} ({effect.call_id})" if effect.call_id else effect.tool


Found = tuple[str, str, StepState | None, RunState | None]


def _classify(plan: Plan, place: int, situation: Situation) -> Found:
    root = situation.root
    if root.code == "unborn":
        return "no-session", CLASSES["no-session"], None, root
    for run in reversed(situation.runs):
        if not run.awaited and run.index:
            continue
        found = _half_written(run, situation)
        if found is not None:
            return found
    if situation.message_lost:
        return "message-half", CLASSES["message-half"], None, root
    for run in reversed(situation.runs):
        if run.index and (not run.awaited or run.told):
            continue
        found = _running(plan, place, run, situation)
        if found is not None:
            return found
    return _between(plan, place, situation)


def _half_written(run: RunState, situation: Situation) -> Found | None:
    for step in run.steps:
        if step.code in ("F1", "F2", "C1a", "C1b"):
            if step.role == "side":
                what = "commit" if step.code in ("F1", "F2") else "creation"
                return "beside-turn", f"inside the {what} of {step.function}, beside the turn", step, run
            if step.code in ("F1", "F2"):
                what = {
                    "F1": "the terminal lock is taken, the record is not written",
                    "F2": "lock and record are written, the event is not",
                }[step.code]
                return "step-ending", f"inside the commit of {step.function}: {what}", step, run
            what = {
                "C1a": "the created lock is taken, the record is not written",
                "C1b": "lock and record are written, the event is not",
            }[step.code]
            return "step-creating", f"inside the creation of {step.function}: {what}", step, run
    for wait in run.waits:
        if wait.code == "W1":
            return "sleep-creating", "inside the creation of a sleep: lock without event", None, run
        if wait.code == "W2":
            return "sleep-ending", "inside the end of a sleep: lock without event", None, run
    for hook in run.hooks:
        if hook.fatal:
            return "hook-half", "inside the creation of the inbox hook: token without event", None, run
    if run.token_lock:
        return "hook-lock", "inside the creation or disposal of a hook: its token lock is held", None, run
    del situation
    return None


def _running(plan: Plan, place: int, run: RunState, situation: Situation) -> Found | None:
    for step in run.steps:
        if step.role == "side" or not step.open:
            continue
        if step.code == "B":
            return "before-step", f"before {step.function}: created, not started", step, run
        if step.code == "C3":
            return "step-starting", f"inside the start of {step.function}: nothing ran", step, run
        return _inside(plan, place, step, run, situation)
    if run.index and run.code not in ("unborn", "done", "ending"):
        if any(wait.code == "waiting" for wait in run.waits):
            return "sleeping", f"in a durable sleep of {run.workflow}", None, run
        return "between-steps", f"in the workflow body of {run.workflow}, between recorded steps", None, run
    return None


def _inside(plan: Plan, place: int, step: StepState, run: RunState, situation: Situation) -> Found:
    if step.function in _HANDOFF:
        return "handoff", f"in the handoff, inside {step.function}", step, run
    if step.role == "dispatch":
        there = any(situation.runs[i].code != "unborn" for i in step.plans if i < len(situation.runs))
        what = "no child run yet" if not there else "its child run is recorded"
        return "dispatching", f"inside {step.function}: {what}", step, run
    if step.role == "handover":
        return "handover", f"inside {step.function}, while the child tells its parent", step, run
    if step.role == "runtime":
        return "runtime-step", f"inside {step.function}", step, run
    if step.role == "function":
        return "in-tool", f"inside {step.function}", step, run
    return _inside_turn(plan, place, step, run, situation)


def _inside_turn(plan: Plan, place: int, step: StepState, run: RunState, situation: Situation) -> Found:
    mine = [e for e in situation.effects if e.step is step and e.kind == "tool" and e.gate is None]
    planned = plan.step_of(step.step_id or "")
    reached, answered = _model_reached(planned, place)
    now = [e for e in mine if reached is None or e.coordinate is None or e.coordinate[1] <= reached]
    back = [e.tool for e in now if e.before.min > 0]
    out = [e.tool for e in now if e.before.min == 0]
    if not answered and not back:
        return "in-model", f"in the model call of {step.function}", step, run
    if out and answered:
        newest = plan.writes.items[place - 1] if place else None
        if newest is not None and newest.kind == "moment" and newest.key[0] == "answered":
            return "model-answered", "the model has answered, no result is known yet", step, run
        siblings = f" ({joined(back)} {'has' if len(back) == 1 else 'have'} returned)" if back else ""
        return "in-tool", f"inside {joined(out)}{siblings}", step, run
    if not answered:
        return "in-model", f"in a model call of {step.function}, after {joined(back)}", step, run
    if mine:
        return "tools-returned", "all tools returned, the step is not committed", step, run
    return "body-done", "the model has answered, the step is not committed", step, run


def _model_reached(planned: object, place: int) -> tuple[int | None, bool]:
    """Return the newest model step begun by ``place`` and whether it is answered."""
    starts = getattr(planned, "starts", ())
    newest = None
    for start in starts:
        if start.started < place:
            newest = start
    if newest is None or not newest.calls:
        return None, False
    reached = 0
    for number, call in enumerate(newest.calls):
        if call.begun < place:
            reached = number
    return newest.calls[reached].index, newest.calls[reached].answered < place


def _between(plan: Plan, place: int, situation: Situation) -> Found:
    root = situation.root
    if root.code in ("R1", "created", "R2") or (place < plan.opened and plan.first == 0):
        return "session-starting", CLASSES["session-starting"], None, root
    if place < plan.opened:
        return "before-turn", CLASSES["before-turn"], None, root
    waiting = [p for p in situation.parked if p.kind in ("approval", "question", "sign-in")]
    if waiting and not situation.open_turn:
        return "parked", f"parked: {waiting[0].kind}", None, root
    if place >= plan.closed:
        return "after-turn", CLASSES["after-turn"], None, root
    done = [s for s in root.steps if s.code == "done" and s.role != "side"]
    if not done:
        return "before-step", "before the first step of the turn", None, root
    return "committed", f"{done[-1].function} is committed, the next step has not begun", done[-1], root
