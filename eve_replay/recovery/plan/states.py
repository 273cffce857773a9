"""What a part of a prepared turn looks like at a place: numbers compared, nothing searched."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from eve_replay.journal.commits.states import RunCode
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.model import Tokens
from eve_replay.recovery.plan.parts import FAR, PlanCall, PlanEffect, PlanRun, PlanStart, PlanStep
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    Code,
    EffectState,
    HookState,
    ModelState,
    RunState,
    StepState,
    WaitState,
)

__all__ = ["Shared", "effect_state", "run_state", "step_state"]

#: Parts by what they are made from and how many of its cuts lie before the place.
Shared = dict[tuple[int, int], StepState]


def run_state(plan: PlanRun, place: int, states: dict[int, StepState], shared: Shared | None) -> RunState:
    """Return a run's state with its steps, sleeps and hooks; the steps' states are put into ``states``."""
    state = RunState(
        index=plan.index,
        run_id=plan.run_id,
        role=plan.role,
        code=_run_code(plan, place),
        awaited=plan.awaited,
        told=plan.told < place,
        parent=plan.parent,
        workflow=plan.workflow,
        sent=None if plan.sent is None else plan.sent < place,
    )
    for step in plan.steps:
        each = step_state(step, place, shared)
        states[id(step)] = each
        state.steps.append(each)
    for wait in plan.waits:
        if wait.lock < place <= wait.event:
            state.waits.append(WaitState(wait_id=wait.wait_id, code="W1", resume_at=wait.resume_at))
        elif wait.done_lock < place <= wait.done_event:
            state.waits.append(WaitState(wait_id=wait.wait_id, code="W2", resume_at=wait.resume_at))
        elif wait.event < place <= wait.done_lock:
            state.waits.append(WaitState(wait_id=wait.wait_id, code="waiting", resume_at=wait.resume_at))
    for hook in plan.hooks:
        if hook.lock < place <= hook.unlock or hook.relock < place <= hook.reunlock:
            state.token_lock = True
        if hook.file < place <= hook.event:
            fatal = hook.awaited and hook.taken
            code = "H1" if hook.taken else "H1-free"
            deaf = place <= hook.deaf_until
            state.hooks.append(HookState(hook_id=hook.hook_id, code=code, fatal=fatal, deaf=deaf))
    if state.over:
        state.ended = plan.ended
    state.lost = sum(1 for begin, received in plan.deliveries if begin < place <= received)
    return state


def _run_code(plan: PlanRun, place: int) -> RunCode | Literal["unborn"]:
    if place <= plan.record:
        return "unborn"
    if place <= plan.created:
        return "R1"
    if place > plan.end:
        return "done"
    if place > plan.lock:
        return "ending"
    if place > plan.started:
        return "running"
    return "R2" if place > plan.running else "created"


def step_state(step: PlanStep, place: int, shared: Shared | None) -> StepState:
    """Return the step's state; it changes only at the step's own cuts, so it is made once for each."""
    if shared is None:
        return _new_step_state(step, place)
    key = (id(step), bisect_left(step.cuts, place))
    found = shared.get(key)
    if found is None:
        found = shared[key] = _new_step_state(step, place)
    return found


def _new_step_state(step: PlanStep, place: int) -> StepState:
    starts = 0
    aborted = False
    newest: PlanStart | None = None
    threw = False
    for start in step.starts:
        if start.started < place:
            starts += 1
            newest = start
            threw = threw or start.retried < place
        elif start.running < place:
            aborted = True
    later = sum(1 for start in step.starts if start.threw and start.started >= place)
    if newest is not None and newest.threw and newest.retried >= place:
        later += 1
    state = StepState(
        step_id=step.step_id,
        run=step.run,
        function=step.function,
        role=step.role,
        code=_step_code(step, place, newest, aborted),
        inline=newest.inline if newest else None,
        queued=step.queued,
        starts=starts,
        later_starts=later if place <= step.end else 0,
        later_known=step.end < FAR or later > 0,
        word=step.word,
        aborted=aborted,
        threw=threw,
        started_at=newest.at if newest else None,
        first_started_at=step.starts[0].at if starts else None,
        plans=step.plans,
        turn_id=step.turn_id,
        sent=None if step.sent is None else step.sent < place,
        messages=step.messages,
    )
    if newest is not None and place <= step.end:
        state.emitted = sum(1 for chunk in newest.chunks if chunk < place)
        state.evidence = (newest.evidence,)
    elif starts:
        state.evidence = (step.end_evidence,) if step.end_evidence else ()
    if any(start.calls for start in step.starts):
        state.model = _model_state(step, place)
    return state


def _step_code(step: PlanStep, place: int, newest: PlanStart | None, aborted: bool) -> Code:
    if place > step.end:
        return "done"
    if place > step.ended:
        return "F2"
    if place > step.terminal:
        return "F1"
    if newest is not None:
        return "R" if newest.retried < place else "D"
    if aborted:
        return "C3"
    if place > step.created:
        return "B"
    if place > step.record:
        return "C1b"
    return "C1a" if place > step.lock else "unborn"


def _model_state(step: PlanStep, place: int) -> ModelState:
    whole = max((start.calls for start in step.starts), key=len)
    state = ModelState(total=len(whole), tokens=_sum(whole))
    spent: list[PlanCall] = []
    for start in step.starts:
        if start.started >= place:
            break
        for call in start.calls:
            if call.answered < place:
                state.began += 1
                state.maybe += 1
                spent.append(call)
            elif call.begun < place:
                state.maybe += 1
                spent.append(call)
    state.again = _sum(spent)
    return state


def _sum(calls: list[PlanCall] | tuple[PlanCall, ...]) -> Tokens | None:
    counted = [call.tokens for call in calls if call.tokens is not None]
    return sum(counted[1:], counted[0]) if counted else None


def effect_state(
    effect: PlanEffect,
    place: int,
    states: dict[int, StepState],
    runs: list[RunState],
    shared: Shared | None,
) -> EffectState:
    """Return the effect's state; it changes at its own cuts and with the state of its step."""
    home = states.get(id(effect.home)) if effect.home is not None else None
    if shared is None:
        return _new_effect_state(effect, place, home, runs)
    key = (bisect_left(effect.cuts, place), id(home), sum(runs[i].code != "unborn" for i in effect.children))
    found = effect.states.get(key)
    if found is None:
        found = effect.states[key] = _new_effect_state(effect, place, home, runs)
    return found


def _new_effect_state(
    effect: PlanEffect, place: int, home: StepState | None, runs: list[RunState]
) -> EffectState:
    low = high = 0
    unborn = True
    for part in effect.parts:
        if part.start >= place:
            break
        unborn = False
        if place > part.close:
            count = part.final
        elif part.proof < place:
            count = ONCE
        elif part.begin < place:
            count = UNSURE if part.final.max != 0 else NEVER
        else:
            count = NEVER
        low += count.min
        high += count.max if count.max is not None else 0
    if effect.children:
        # Each child run counts, and lives from its record on (docs/evidence/sweep.md: run_created is not
        # needed for it).
        low = high = sum(1 for index in effect.children if runs[index].code != "unborn")
        unborn = low == 0
    state = EffectState(
        tool=effect.tool,
        kind=effect.kind,
        call_id=effect.call_id,
        call_ids=effect.call_ids,
        coordinate=effect.coordinate,
        position=effect.position,
        before=Executions(min=low, max=high),
        step=home if effect.each.max != 0 else None,
        child=effect.child,
        protection=effect.protection,
        evidence=effect.evidence,
        unborn=unborn,
    )
    if effect.allowed and home is not None:
        for asked, step in effect.asked:
            if asked < place <= step.end:
                state.gate = "lost"
    return state
