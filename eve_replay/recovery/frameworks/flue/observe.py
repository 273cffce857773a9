"""What lies there of a Flue conversation: the open submission, its messages, and the stage of every call.

Rules: docs/evidence/flue.md#after-a-crash.
"""

from __future__ import annotations

from collections.abc import Iterable

from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Run, Session, Step, ToolCall, Turn
from eve_replay.records import EventRecord
from eve_replay.recovery.situation import EffectState, ModelState, RunState, Situation, StepState

__all__ = ["call_of_step", "effect_key", "observe", "open_turn", "seen_from_outside", "situation_from"]

_SETTLED = frozenset({"ok", "error", "interrupted", "delegate_gone", "truncated", "abandoned", "timed_out"})
#: Nobody waited for the function to end (docs/evidence/flue.md#after-a-crash).
_CUT_OFF = frozenset({"abandoned", "timed_out"})


def open_turn(session: Session) -> Turn | None:
    """Return the submission that is at work, or the next that waits; None when all are settled."""
    open_ = [turn for turn in session.turns if not _over(turn)]
    working = [t for t in open_ if t.budget is not None and t.budget.status != "queued"]
    return next(iter(working or open_), None)


def seen_from_outside(session: Session) -> bool:
    """Whether only the agent's HTTP view was read: recovery works on rows and records that are not in it."""
    return bool(session.runs) and session.runs[0].record.text("view") is not None


def _over(turn: Turn) -> bool:
    return turn.committed or (turn.budget is not None and turn.budget.status == "settled")


def observe(session: Session, effects: EffectsLike = None) -> Situation:
    """Return what lies there of a conversation."""
    return situation_from(session, effects_of(session, effects), open_turn(session))


def effect_key(effect: Effect) -> tuple[str, str, str, str | None]:
    """Return what an effect is known by, in a cut stream as in the whole one."""
    kind = "step" if effect.kind == "step" else "call"
    return (kind, effect.tool, effect.step_id, effect.call_ids[0] if effect.call_ids else None)


def call_of_step(step_id: str, calls: Iterable[str]) -> str | None:
    """Return the call that a step memo belongs to: its id is the call's, a colon, and the step's name."""
    fits = [call for call in calls if step_id.startswith(f"{call}:")]
    return max(fits, key=len, default=None)


def situation_from(session: Session, effects: Iterable[Effect], turn: Turn | None) -> Situation:
    """Return the situation of a turn (or of a conversation at rest) from a joined session."""
    states: dict[str, StepState] = {}
    runs = []
    place = {run.run_id: n for n, run in enumerate(session.all_runs)}
    for index, run in enumerate(session.all_runs):
        state = RunState(
            index=index,
            run_id=run.run_id,
            role=run.role,
            code="running" if turn is not None and not _done(run) else "done",
            parent=place.get(run.parent or "", 0) if index else None,
            told=_done(run) and bool(index),
            workflow=run.workflow.function,
            call=run.parent_call or "",
        )
        if index == 0:
            state.code = "running"
        state.steps = [_step(step, index, states) for step in run.steps if step.kind == "turn"]
        runs.append(state)
    calls = _calls(session)
    bare = {run.run_id for run in session.children if not _has_input(run)}
    children = {(run.parent_call, _starter(run, session)): run for run in session.children}
    durable = _durable_tools(session)
    found = [
        _effect(effect, session, states, place, calls, children, bare, turn, durable) for effect in effects
    ]
    mine = [step for step in session.steps if turn is not None and step.turn_id == turn.id]
    answers = [step for step in mine if step.kind == "turn" and step.run_id == session.id]
    last = answers[-1] if answers else None
    open_answers = [s for s in mine if s.kind == "turn" and not s.committed and not _whole(s)]
    budget = turn.budget if turn is not None else None
    started = any(e.event_type == "agent_start_run" for r in session.runs for e in r.events if _of(e, turn))
    inputs = any(_of(e, turn) and e.event_type in ("user_message", "signal") for e in _events(session))
    return Situation(
        session_id=session.id,
        turn_id=turn.id if turn is not None else (session.turns[-1].id if session.turns else None),
        runs=runs,
        effects=found,
        open_turn=turn is not None,
        at=session.newest_at,
        title=session.title,
        framework=session.framework,
        budget=budget,
        final=last is not None and last.committed and last.action == "stop",
        settling=budget is not None and budget.status == "terminalizing",
        answering=bool(open_answers),
        partial=any(c.text or c.reasoning for s in open_answers for c in s.model_calls),
        outside=seen_from_outside(session),
        hooks=turn is not None and inputs and not started and not answers,
        unread=any(e.durable and e.stage == "open" for e in found),
        unnamed="A step of it that is not recorded may have run: its record is written after it acted.",
        ends=turn.status if turn is not None and _over(turn) else "",
    )


def _events(session: Session) -> Iterable[EventRecord]:
    return (event for run in session.runs for event in run.events)


def _of(event: EventRecord, turn: Turn | None) -> bool:
    return turn is not None and event.text("submissionId") in turn.delivery_ids


def _done(run: Run) -> bool:
    return run.status in ("completed", "cancelled", "failed")


def _has_input(run: Run) -> bool:
    return any(event.event_type in ("user_message", "signal") for event in run.events)


def _starter(run: Run, session: Session) -> str:
    return next((s.step_id for s in session.steps if run.run_id in s.dispatched), "")


def _whole(step: Step) -> bool:
    """Whether the model's answer is whole: it has its end, and recovery did not close it."""
    return any(call.status in ("completed", "failed") for call in step.model_calls)


def _step(step: Step, run: int, states: dict[str, StepState]) -> StepState:
    model = ModelState(
        total=0 if step.committed else 1,
        began=1,
        maybe=1,
        tokens=step.model_calls[0].tokens if step.model_calls else None,
    )
    state = StepState(
        step_id=step.step_id,
        run=run,
        function=step.function,
        role="turn",
        code="done" if step.committed else "D",
        starts=len(step.attempts),
        started_at=step.started_at,
        first_started_at=step.started_at,
        model=model,
        turn_id=step.turn_id,
        answered=_whole(step),
        evidence=tuple(e.id for e in step.evidence),
    )
    states[step.step_id] = state
    return state


def _durable_tools(session: Session) -> dict[str, bool]:
    """Return which tools are durable, where a call of theirs tells: steps recorded, or an outcome without."""
    known: dict[str, bool] = {}
    for step in session.steps:
        for call in step.tool_calls:
            if call.durable:
                known[call.name] = True
            elif call.fate in ("ok", "interrupted") and call.name not in known:
                known[call.name] = False
    return known


def _is_durable(effect: Effect, known: dict[str, bool]) -> bool | None:
    if effect.protection.klass == "durable":
        return True
    if effect.protection.source == "policy" or effect.kind == "step":
        return False
    return known.get(effect.tool)


def _calls(session: Session) -> dict[tuple[str, str], ToolCall]:
    """Return the newest sighting of every call by its message and id."""
    return {(step.step_id, call.call_id): call for step in session.steps for call in step.tool_calls}


def _effect(
    effect: Effect,
    session: Session,
    states: dict[str, StepState],
    place: dict[str, int],
    calls: dict[tuple[str, str], ToolCall],
    children: dict[tuple[str | None, str], Run],
    bare: set[str],
    turn: Turn | None,
    durable: dict[str, bool],
) -> EffectState:
    call = calls.get((effect.step_id, effect.call_id or ""))
    home = states.get(effect.step_id)
    if effect.kind == "step" and home is None:
        # What a step of a durable call lies in is its call's message.
        owner = call_of_step(effect.step_id, (each for _, each in calls))
        home = next((states.get(step_id) for step_id, each in calls if each == owner), None)
    stage, delegate = "settled", ""
    if effect.kind != "step" and call is not None and call.fate not in _SETTLED:
        live = turn is not None and effect.turn_id == turn.id
        stage = {"unfinished": "asked", "unresolved": "open"}.get(call.fate, "settled") if live else "settled"
    if stage == "open" and call is not None and call.name == "task":
        child = children.get((effect.call_id, effect.step_id))
        delegate = "missing" if child is None else "bare" if child.run_id in bare else "begun"
    where = place.get(effect.run_id, 0)
    within = call_of_step(effect.step_id, (each for _, each in calls)) if effect.kind == "step" else None
    return EffectState(
        tool=effect.tool,
        kind=effect.kind,
        call_id=effect.call_id if effect.kind != "step" else effect.step_id,
        call_ids=effect.call_ids,
        coordinate=(effect.coordinate.turn_id, effect.coordinate.step_index) if effect.coordinate else None,
        position=effect.position,
        before=effect.executions,
        step=home,
        child=where or None,
        protection=effect.protection,
        evidence=tuple(dict.fromkeys(e.id for e in effect.evidence)),
        certainty=effect.certainty,
        stage=stage,  # type: ignore[arg-type]  # one of its words
        durable=_is_durable(effect, durable),
        within=within,
        delegate=delegate,  # type: ignore[arg-type]  # one of its words
        late=effect.kind != "step" and call is not None and call.fate in _CUT_OFF,
    )
