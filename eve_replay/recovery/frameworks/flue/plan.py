"""A submission prepared for crashing: its stream cut after every append, and read as it lies there.

A crash point of Flue is a gap between two appends. What lies there is not computed from the whole: the stream
is cut, built and observed by the code that reads a stream after a real crash, so that both cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from eve_replay.errors import NotFound
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.frameworks.flue.build import Stream, build_from
from eve_replay.journal.model import Session, Turn
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.recovery.frameworks.flue.observe import call_of_step, effect_key, situation_from
from eve_replay.recovery.frameworks.flue.points import classify
from eve_replay.recovery.plan.model import FAR, Plan
from eve_replay.recovery.situation import NEVER, UNSURE, EffectState, RunState, Situation, StepState
from eve_replay.recovery.writes.model import Write
from eve_replay.recovery.writes.order import Writes
from eve_replay.times import iso, later

__all__ = ["FluePlan", "FluePlans"]

_LEASE = timedelta(seconds=30)


@dataclass(slots=True)
class FluePlan(Plan):
    """One submission, ready to be crashed between any two appends."""

    stream: Stream | None = None
    turn: Turn | None = None
    whole: Session | None = None
    known: tuple[Effect, ...] = ()
    rules: EffectsPolicy = field(default_factory=EffectsPolicy)
    batches: tuple[int, ...] = ()

    def situation(self, place: int, *, fresh: bool = False) -> Situation:
        """Return what lies there when exactly the first ``place`` appends have happened."""
        del fresh  # every situation is built anew
        assert self.stream is not None and self.turn is not None and self.whole is not None
        cut = self.batches[place - 1] if place else -1
        session = build_from(_cut(self.stream, cut, self.turn, self.writes, place))
        turn = next((t for t in session.turns if t.id == self.turn.id), None)
        open_ = turn if turn is not None and not turn.committed else None
        there = effects_of(session, self.rules)
        found = situation_from(session, there, open_)
        found.turn_id = self.turn.id
        found.complete, found.ends = self.complete, self.ends if open_ is None or found.settling else ""
        found.open_turn = self.opened <= place < self.closed
        item = self.writes.items[place - 1] if place else None
        found.at = item.at if item is not None else None
        self._same_shape(found, there)
        return found

    def _same_shape(self, found: Situation, there: Sequence[Effect]) -> None:
        """Give every situation of the turn the same runs, steps and effects, in the same order."""
        assert self.whole is not None and self.turn is not None
        by_run = {run.run_id: run for run in found.runs}
        runs: list[RunState] = []
        states: dict[str, StepState] = {}
        above = {run.run_id: index for index, run in enumerate(self.whole.all_runs)}
        for index, run in enumerate(self.whole.all_runs):
            state = by_run.get(run.run_id)
            if state is None:
                state = RunState(
                    index=index,
                    run_id=run.run_id,
                    role=run.role,
                    code="unborn",
                    workflow=run.workflow.function,
                    call=run.parent_call or "",
                )
            state.index = index
            state.parent = above.get(run.parent or "", 0) if index else None
            known = {step.step_id: step for step in state.steps}
            state.steps = []
            for step in run.steps:
                if step.kind != "turn" or step.turn_id != self.turn.id:
                    continue
                there_now = known.get(step.step_id)
                if there_now is None:
                    there_now = StepState(
                        step_id=step.step_id,
                        run=index,
                        function=step.function,
                        role="turn",
                        code="unborn",
                        turn_id=step.turn_id,
                    )
                there_now.run = index
                states[step.step_id] = there_now
                state.steps.append(there_now)
            runs.append(state)
        made = {effect_key(effect): state for effect, state in zip(there, found.effects, strict=True)}
        place = {run.run_id: n for n, run in enumerate(self.whole.all_runs)}
        calls = {call: effect.step_id for effect in self.known for call in effect.call_ids}
        out: list[EffectState] = []
        for effect in self.known:
            one = made.get(effect_key(effect))
            if one is None:
                one = _unborn(effect, place, states, calls)
            elif one.step is not None:
                one.step = states.get(one.step.step_id or "")
            one.child = place.get(effect.run_id, 0) or None
            out.append(one)
        found.runs, found.effects = runs, out
        _windows(found)


def _windows(found: Situation) -> None:
    """The step after the last recorded one of an open call may have run, its record not landed."""
    for call in found.effects:
        if call.kind == "step" or call.stage != "open":
            continue
        mine = [e for e in found.effects if e.within == call.call_id and e.kind == "step"]
        call.durable = bool(mine) or call.durable is True
        ahead = next((e for e in mine if e.stage == "unborn"), None)
        if ahead is not None:
            ahead.before = UNSURE


def _unborn(
    effect: Effect, place: dict[str, int], states: dict[str, StepState], calls: Mapping[str, str]
) -> EffectState:
    within = call_of_step(effect.step_id, calls) if effect.kind == "step" else None
    home = states.get(calls.get(within or "", ""))
    return EffectState(
        tool=effect.tool,
        kind=effect.kind,
        call_id=effect.call_id if effect.kind != "step" else effect.step_id,
        call_ids=effect.call_ids,
        coordinate=(effect.coordinate.turn_id, effect.coordinate.step_index) if effect.coordinate else None,
        position=effect.position,
        before=NEVER,
        step=states.get(effect.step_id) or home,
        child=place.get(effect.run_id, 0) or None,
        protection=effect.protection,
        unborn=True,
        stage="unborn",
        durable=effect.protection.klass == "durable",
        within=within,
    )


class FluePlans:
    """The submissions of one conversation, prepared when they are asked for."""

    def __init__(self, session: Session, effects: EffectsLike = None) -> None:
        self.session = session
        self._rules = EffectsPolicy.load(effects)
        self._effects = effects_of(session, self._rules)
        self._plans: dict[str, FluePlan] = {}
        self._events = sorted(
            (event for run in session.all_runs for event in run.events), key=lambda e: (_batch(e), _index(e))
        )
        self.writes = _writes(self._events)

    def default_turn(self) -> str | None:
        """Return the only submission. Raises NotFound when there are several, or none."""
        turns = self.session.turns
        if len(turns) == 1:
            return turns[0].id
        known = ", ".join(t.id for t in turns[:8]) or "none yet"
        raise NotFound("Which submission?", hint=f"The conversation's: {known}.")

    def plan(self, turn_id: str | None) -> Plan:
        """Return the plan of one submission. Raises NotFound."""
        wanted = turn_id if turn_id is not None else self.default_turn()
        turn = self.session.turn_called(wanted or "")
        if turn is None:
            known = ", ".join(t.id for t in self.session.turns[:8]) or "none"
            raise NotFound(f"The conversation has no submission {wanted!r}.", hint=f"It has: {known}.")
        if turn.id not in self._plans:
            self._plans[turn.id] = self._turn(turn)
        return self._plans[turn.id]

    def _turn(self, turn: Turn) -> FluePlan:
        session = self.session
        events = self._events
        batches = sorted({_batch(event) for event in events})
        own = {_batch(e) for e in events if e.text("submissionId") == turn.delivery_ids[0]}
        mine = [batch for batch in batches if batch in own]
        place = {batch: n for n, batch in enumerate(batches)}
        first = place[mine[0]] if mine else len(batches)
        last = place[mine[-1]] + 1 if mine else len(batches)
        if turn.sequence == 0:
            first = 0
        rows = list(session.runs[0].units) if session.runs else []
        stream = Stream(
            session.head,
            [run.record for run in session.all_runs],
            {run.run_id: run.events for run in session.all_runs},
            rows,
        )
        return FluePlan(
            session_id=session.id,
            turn_id=turn.id,
            writes=self.writes,
            runs=[],
            effects=[],
            first=first,
            last=last,
            opened=first,
            closed=last if turn.committed else FAR,
            ends={"cancelled": "aborted"}.get(turn.status, turn.status),
            title=session.title,
            complete=turn.committed,
            teller=classify,
            framework="flue",
            stream=stream,
            turn=turn,
            whole=session,
            known=tuple(e for e in self._effects if e.turn_id == turn.id),
            rules=self._rules,
            batches=tuple(batches),
        )


def _batch(event: EventRecord) -> int:
    value = event.fields.get("batch")
    return value if isinstance(value, int) else 0


def _index(event: EventRecord) -> int:
    value = event.fields.get("index")
    return value if isinstance(value, int) else 0


def _writes(events: Sequence[EventRecord]) -> Writes:
    items: list[Write] = []
    for event in events:
        if _index(event) and items and items[-1].subject == str(_batch(event)):
            continue
        at = event.created_at
        items.append(
            Write(
                key=("event", event.event_id),
                address=event.event_id,
                words=event.event_type,
                kind="event",
                run=event.run_id,
                subject=str(_batch(event)),
                time=at.timestamp() * 1000 if at is not None else 0.0,
                seen=True,
            )
        )
    writes = Writes(items=items, times=[item.time for item in items])
    for number, item in enumerate(items):
        writes.place[item.key] = number
        writes.by_address.setdefault(item.address, []).append(number)
    for event in events:
        for found in (n for n, item in enumerate(items) if item.subject == str(_batch(event))):
            for name in (event.event_id, event.text("recordId")):
                if name and found not in writes.by_address.setdefault(name, []):
                    writes.by_address[name].append(found)
    return writes


def _cut(stream: Stream, last: int, turn: Turn, writes: Writes, place: int) -> Stream:
    """Return the stream as it was after batch ``last``; rows as they stood then."""
    events = {
        run_id: tuple(event for event in found if _batch(event) <= last)
        for run_id, found in stream.events.items()
    }
    runs = [run for run in stream.runs if events.get(run.run_id) or run.run_id == stream.head.id]
    everything = [event for found in events.values() for event in found]
    settled = {e.text("submissionId") for e in everything if e.event_type == "submission_settled"}
    at = writes.items[place - 1].at if place else None
    rows = [_row(row, everything, settled, at) for row in stream.rows if _had(row, turn, stream)]
    return Stream(stream.head, [_open(run) for run in runs], events, rows)


def _open(run: RunRecord) -> RunRecord:
    return replace(run, fields={**run.fields, "status": "running"})


def _had(row: StepRecord, turn: Turn, stream: Stream) -> bool:
    """Whether a submission had been accepted before the turn's end: later ones are not told of."""
    order = [each.step_id for each in stream.rows]
    own = turn.delivery_ids[0]
    return (
        own not in order or order.index(row.step_id) <= order.index(own) or row.step_id in turn.delivery_ids
    )


def _row(
    row: StepRecord, events: Sequence[EventRecord], settled: set[str | None], at: datetime | None
) -> StepRecord:
    if row.step_id in settled:
        return row
    attempts = dict.fromkeys(e.text("attemptId") for e in events if e.text("submissionId") == row.step_id)
    seen = len([each for each in attempts if each])
    fields = {
        name: value
        for name, value in row.fields.items()
        if name
        not in ("completedAt", "output", "errorText", "settlementRecordId", "leaseExpiresAt", "settledAt")
    }
    asked = row.time("abortRequestedAt")
    if asked is not None and at is not None and asked > at:
        fields.pop("abortRequestedAt", None)
    fields["status"] = "running"
    fields["attempt"] = max(1, seen)
    if at is not None:
        fields["leaseExpiresAt"] = iso(later(at, _LEASE))
    return replace(row, fields=fields)
