"""A recorded turn (or plain run) prepared for crashing: every part with the places of its writes.

Built once; :meth:`Plan.situation` then gives what lies there at any place, by comparing numbers only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.journal.commit_states import RunCode
from eve_replay.journal.executions import Executions
from eve_replay.journal.model import Park, Tokens
from eve_replay.journal.policy import Protection
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    Code,
    EffectState,
    HookState,
    ModelState,
    ParkState,
    RunState,
    Situation,
    StepRole,
    StepState,
    WaitState,
)
from eve_replay.recovery.writes import Write, Writes

__all__ = [
    "Plan",
    "PlanCall",
    "PlanEffect",
    "PlanHook",
    "PlanPark",
    "PlanPart",
    "PlanRun",
    "PlanStart",
    "PlanStep",
    "PlanWait",
]

#: Beyond every place: never written in this recording.
FAR = 1 << 60
#: Milliseconds within which concurrent writes may have been the other way round (OBSERVED.md, 14).
CONCURRENT = 80.0


@dataclass(slots=True, kw_only=True)
class PlanCall:
    """One model call of one attempt: its step index, begun no earlier than, answered at, tokens."""

    index: int
    begun: int
    answered: int
    tokens: Tokens | None = None


@dataclass(slots=True, kw_only=True)
class PlanStart:
    """One start of a step body.

    Attributes:
        running, started: places of the record ``running`` and of ``step_started``.
        threw: whether this start ended with ``step_retrying``; ``retried`` its place.
        chunks: places of its stream events, ascending.
    """

    running: int
    started: int
    at: datetime | None = None
    inline: bool = False
    threw: bool = False
    retried: int = FAR
    chunks: tuple[int, ...] = ()
    calls: tuple[PlanCall, ...] = ()
    evidence: str = ""


@dataclass(slots=True, kw_only=True)
class PlanStep:
    """One step with the places of its writes."""

    step_id: str
    run: int
    function: str
    role: StepRole
    queued: bool
    lock: int
    record: int
    created: int
    starts: tuple[PlanStart, ...] = ()
    terminal: int = FAR
    ended: int = FAR
    end: int = FAR
    plans: tuple[int, ...] = ()
    turn_id: str | None = None
    optimistic: bool = False
    created_evidence: str = ""
    end_evidence: str = ""
    _cuts: list[int] | None = None

    @property
    def cuts(self) -> list[int]:
        """Places of everything that changes the step's state, ascending."""
        if self._cuts is None:
            found = {self.lock, self.record, self.created, self.terminal, self.ended, self.end}
            for start in self.starts:
                found |= {start.running, start.started, start.retried, *start.chunks}
                for call in start.calls:
                    found |= {call.begun, call.answered}
            self._cuts = sorted(found)
        return self._cuts


@dataclass(slots=True, kw_only=True)
class PlanWait:
    """One durable sleep."""

    wait_id: str
    lock: int
    event: int
    done_lock: int = FAR
    done_event: int = FAR
    resume_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class PlanHook:
    """One hook's creation: between lock and unlock, and between file and event, something is half written."""

    hook_id: str
    lock: int
    file: int
    unlock: int
    event: int
    awaited: bool = False
    taken: bool = False
    relock: int = FAR
    reunlock: int = FAR


@dataclass(slots=True, kw_only=True)
class PlanRun:
    """One run with the places of its own writes."""

    index: int
    run_id: str
    role: str
    workflow: str
    awaited: bool = True
    parent: int | None = None
    record: int = 0
    created: int = 0
    running: int = 0
    started: int = 0
    lock: int = FAR
    end: int = FAR
    told: int = FAR
    steps: list[PlanStep] = field(default_factory=list)
    waits: list[PlanWait] = field(default_factory=list)
    hooks: list[PlanHook] = field(default_factory=list)
    #: Deliveries as (first write, hook_received): in between the client believes in vain.
    deliveries: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class PlanPart:
    """What one attempt did to one effect.

    Attributes:
        start: place of its ``step_started``; ``begin`` no earlier than; ``proof`` when it had certainly run.
        close: place at which the attempt was over (next start or terminal lock).
        final: executions as the recording says, once the attempt is over.
    """

    start: int
    begin: int
    proof: int
    close: int
    final: Executions
    step: PlanStep


@dataclass(slots=True, kw_only=True)
class PlanEffect:
    """One effect of the turn."""

    tool: str
    kind: str
    call_id: str | None
    call_ids: tuple[str, ...]
    coordinate: tuple[str, int] | None
    position: int | None
    parts: list[PlanPart]
    home: PlanStep | None
    child: int | None = None
    protection: Protection | None = None
    #: Place from which a person's approval is durable; 0 when none is needed.
    allowed: int = 0
    #: Requests (asked at, step): an answer to one whose step is not committed is lost.
    asked: list[tuple[int, PlanStep]] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    evidence: tuple[str, ...] = ()
    #: Whole executions one future run of the step makes of it.
    each: Executions = ONCE
    states: dict[tuple[int, int, int], EffectState] = field(default_factory=dict)
    _cuts: list[int] | None = None

    @property
    def cuts(self) -> list[int]:
        """Places of everything that changes the effect's own state, ascending."""
        if self._cuts is None:
            found = {
                place for part in self.parts for place in (part.start, part.begin, part.proof, part.close)
            }
            for asked, step in self.asked:
                found |= {asked, step.end}
            self._cuts = sorted(found)
        return self._cuts


@dataclass(slots=True, kw_only=True)
class PlanPark:
    """One park: since and until as places."""

    park: Park
    since: int
    until: int


@dataclass(slots=True)
class Plan:
    """One turn or plain run, ready to be crashed anywhere.

    Attributes:
        first, last: places between which the turn is written: a crash at ``first`` has nothing of it.
        opened: place from which the turn is open (its message is durable); ``closed`` where it is over.
    """

    session_id: str
    turn_id: str | None
    writes: Writes
    runs: list[PlanRun]
    effects: list[PlanEffect]
    first: int
    last: int
    opened: int
    closed: int
    parks: list[PlanPark] = field(default_factory=list)
    plain: bool = False
    eve_version: str | None = None
    ends: str = "completed"
    title: str = ""
    fine: bool = True
    #: False when the recorded turn is itself not finished: what comes after its last write is not known.
    complete: bool = True
    #: ``modelCallsPerStep`` of a what-if, None for the turn as recorded.
    batch: int | None = None
    #: Step states by step and cut: shared by the situations of all places.
    _shared: dict[tuple[int, int], StepState] = field(default_factory=dict, repr=False)
    #: What simulations of this plan have worked out, by question (see ``engine``).
    memo: dict[object, dict[object, object]] = field(default_factory=dict, repr=False)

    def situation(self, place: int, *, fresh: bool = False) -> Situation:
        """Return what lies there when exactly the first ``place`` entries of ``writes`` have happened.

        Args:
            place: how many entries have happened.
            fresh: whether the caller is going to change the parts; otherwise parts that did not change since
                another place are shared with that one's situation.
        """
        shared = None if fresh else self._shared
        states: dict[int, StepState] = {}
        runs = [_run_state(plan, place, states, shared) for plan in self.runs]
        # A child's word that is half delivered is delivered again by its own step, which runs again.
        telling = any(s.role == "handover" and s.open for run in runs[1:] for s in run.steps)
        items = self.writes.items
        situation = Situation(
            session_id=self.session_id,
            turn_id=self.turn_id,
            runs=runs,
            effects=[_effect_state(e, place, states, runs, shared) for e in self.effects],
            open_turn=self.opened <= place < self.closed,
            message_lost=runs[0].lost > 0 and not telling,
            at=items[min(place, len(items)) - 1].at if place > 0 and items else None,
            plain=self.plain,
            eve_version=self.eve_version,
            complete=self.complete,
            ends=self.ends,
            title=self.title,
        )
        self._near(place, states, situation)
        if self.parks:
            self._parked(place, situation)
        return situation

    def _parked(self, place: int, situation: Situation) -> None:
        for park in self.parks:
            waiting = ParkState(
                kind=park.park.kind,
                of_whom=park.park.of_whom,
                due=park.park.due,
                asked=park.park.asked,
                tool=park.park.tool,
            )
            if park.since < place <= park.until:
                situation.parked.append(waiting)
            if park.until >= place:
                situation.future_parks.append(waiting)
        people = any(p.kind in ("approval", "question", "sign-in") for p in situation.parked)
        if people and not any(s.open and s.role != "side" for s in situation.steps):
            # Every step written so far is committed: the session only waits.
            situation.open_turn = False

    def _near(self, place: int, states: dict[int, StepState], situation: Situation) -> None:
        """Note steps whose writes are concurrent with the newest one, a moment before and after."""
        items = self.writes.items
        if not 0 < place <= len(items):
            return
        anchor = items[place - 1]
        times = self.writes.times
        low = bisect_left(times, anchor.time - CONCURRENT)
        high = bisect_right(times, anchor.time + CONCURRENT)
        for run in self.runs:
            if anchor.kind == "chunk" and run.run_id == anchor.run:
                continue
            for step in run.steps:
                if step.step_id == anchor.subject or step.lock >= high or step.end < low:
                    continue
                if not self._concurrent(step, run, anchor):
                    continue
                state = states[id(step)]
                near = tuple(
                    other
                    for other in (_step_state(step, low, self._shared), _step_state(step, high, self._shared))
                    if other is not state
                )
                if near:
                    situation.near[id(state)] = near

    @staticmethod
    def _concurrent(step: PlanStep, run: PlanRun, anchor: Write) -> bool:
        """Whether the anchor's write and the step's are made by different tasks."""
        if run.run_id != anchor.run:
            return True
        return step.role == "side" or anchor.kind in ("token", "index", "record", "lock", "event")

    def step_of(self, step_id: str) -> PlanStep | None:
        """Return a step of the plan by id."""
        return next((s for run in self.runs for s in run.steps if s.step_id == step_id), None)


#: Parts by what they are made from and how many of its cuts lie before the place.
_Shared = dict[tuple[int, int], StepState]


def _run_state(plan: PlanRun, place: int, states: dict[int, StepState], shared: _Shared | None) -> RunState:
    state = RunState(
        index=plan.index,
        run_id=plan.run_id,
        role=plan.role,
        code=_run_code(plan, place),
        awaited=plan.awaited,
        told=plan.told < place,
        parent=plan.parent,
        workflow=plan.workflow,
    )
    for step in plan.steps:
        each = _step_state(step, place, shared)
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
            state.hooks.append(HookState(hook_id=hook.hook_id, code=code, fatal=fatal))
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


def _step_state(step: PlanStep, place: int, shared: _Shared | None) -> StepState:
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
        aborted=aborted,
        threw=threw,
        started_at=newest.at if newest else None,
        first_started_at=step.starts[0].at if starts else None,
        plans=step.plans,
        turn_id=step.turn_id,
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


def _effect_state(
    effect: PlanEffect,
    place: int,
    states: dict[int, StepState],
    runs: list[RunState],
    shared: dict[tuple[int, int], StepState] | None,
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
        # Each child run counts, and lives from its record on (SWEEP.md: run_created is not needed for it).
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
