"""How it ends: outcome, what brings recovery about, when, and what a person has to do."""

from __future__ import annotations

from eve_replay.recovery.environment import Environment
from eve_replay.recovery.runtimes.base import Course, lease_end
from eve_replay.recovery.runtimes.eve.flow import Flow
from eve_replay.recovery.situation import Situation
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["conclude"]

PEOPLE = ("approval", "question", "sign-in")


def conclude(
    situation: Situation, flow: Flow, course: Course, environment: Environment, model: ModelAnswer
) -> None:
    """Fill in outcome, delay and what to do, and note the rules that led there."""
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
    if flow.mute is not None:
        refused = "start a new session for what comes after: this one refuses every message (409)"
        course.person = f"{course.person}; {refused}" if course.person else refused
        course.use("mute", flow.mute[0], flow.mute[1])
    _when(situation, course, environment)


def _outcome(situation: Situation, flow: Flow, course: Course) -> None:
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
        if situation.plain:
            course.ends = "never: no run is recorded"
            course.person = "start the run again: nothing of it is recorded"
        course.use("no-session")
    elif root.over:
        course.outcome, course.by = "nothing-open", "nobody"
        course.ends = situation.ends or root.ended or "nothing is open"
    elif 0 in _stopped(situation, flow):
        _hangs(situation, flow, course)
    elif situation.message_lost and not situation.open_turn:
        _lost(situation, course)
    elif flow.side and not _waits_for_person(situation, flow):
        course.outcome, course.by = "needs-message", "message"
        course.ends = "only after another message"
        course.person = "send another message: it wakes the session up"
        for step in flow.side:
            course.use("side", step.function, step.evidence)
    elif (flow.deaf or flow.side) and not _waits_for_person(situation, flow):
        course.outcome, course.by = "hangs", "nobody"
        course.ends = _ends(situation)
        course.person = "repair the data folder by hand while the server is down; see doctor"
        for step in flow.deaf:
            course.use("side-deaf", step.function, step.evidence)
    elif _waits_for_person(situation, flow):
        _person(situation, flow, course)
    elif not situation.open_turn:
        course.outcome, course.by = "nothing-open", "nobody"
        course.ends = situation.ends or "nothing is open"
    else:
        course.ends = _ends(situation)
        if situation.message_lost:
            course.use("message-lost-beside")


def _stopped(situation: Situation, flow: Flow) -> set[int]:
    """Indexes of the runs that never go on, those that wait for such a run included."""
    return {run.index for run in situation.runs if flow.goes[run.index] == "no" and not run.over}


def _hangs(situation: Situation, flow: Flow, course: Course) -> None:
    course.outcome, course.by, course.ends = "hangs", "nobody", "never"
    first = flow.hangs[0]
    if first.by_hand:
        course.person = f"repair the data folder by hand while the server is down ({first.rule}); see doctor"
    else:
        course.person = f"cancel the turn: it waits for {first.about}, which will never answer"
    for stop in flow.hangs:
        course.use("hang" if stop.rule[0] in "CF" else stop.rule, stop.about, stop.evidence)


def _waits_for_person(situation: Situation, flow: Flow) -> bool:
    """Whether the turn cannot end without a person: something is asked that the log holds no answer to."""
    return bool(situation.asks or flow.asking)


def _person(situation: Situation, flow: Flow, course: Course) -> None:
    waiting = [park for park in situation.parked if park.kind in PEOPLE]
    below = [park for each in flow.asking for park in each.situation.parked if park.kind in PEOPLE]
    first = next(iter(waiting + below), None)
    kind = first.kind if first is not None else "question"
    course.outcome, course.by = "needs-person", "person"
    course.person = f"answer the {kind}" + (f" for {first.tool}" if first is not None and first.tool else "")
    course.ends = f"parked: {kind}"
    course.use("parked", kind)
    for each in flow.asking:
        course.use("subagent", each.situation.title or each.situation.session_id)
    for step in flow.deaf:
        course.use("side-deaf", step.function, step.evidence)


def _lost(situation: Situation, course: Course) -> None:
    asked = [park.kind for park in situation.parked if park.kind in PEOPLE]
    course.outcome, course.by = ("needs-person", "person") if asked else ("needs-message", "message")
    course.ends = _ends(situation)
    what = f"the answer to the {asked[0]}" if asked else "the message"
    course.person = f"send {what} again: its event was not yet written"
    course.use("message-lost")


def _unknown_end(situation: Situation) -> str:
    return "as its code goes on" if situation.plain else "as the model answers"


def _ends(situation: Situation) -> str:
    parks = [park.kind for park in situation.future_parks if park.kind in PEOPLE]
    last = situation.ends or ("completed" if situation.complete else _unknown_end(situation))
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
