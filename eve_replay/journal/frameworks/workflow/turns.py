"""Which turn a step works for, and how each turn stands.

A turn's end on the stream counts only when the step that said it is committed
(docs/evidence/observed.md#no-commit-on-the-stream). A failed turn is a completed step, a cancelled one has no
results (surprise 11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eve_replay.codec import Payload
from eve_replay.journal.frameworks.workflow.calls import chunk_evidence
from eve_replay.journal.frameworks.workflow.parks import Emitted
from eve_replay.journal.frameworks.workflow.steps import StepDraft
from eve_replay.journal.frameworks.workflow.stream_join import model_coordinate, turn_of
from eve_replay.journal.model import (
    Certainty,
    Evidence,
    Outcome,
    Park,
    Run,
    Step,
    StreamEvent,
    Tokens,
    Turn,
    TurnStatus,
)

__all__ = ["assign_turns", "build_turns", "turn_from_state"]

_ENDS: dict[str, TurnStatus] = {
    "turn.completed": "completed",
    "turn.failed": "failed",
    "turn.cancelled": "cancelled",
}


def turn_from_state(step_input: Payload | None) -> str | None:
    """Return the turn a turn step is about to work for, from the state it was given.

    Used only where the stream says nothing yet: the state names the open turn, or the number the next
    one gets. A step that carries out a control (clear, compact) belongs to no turn.
    """
    if step_input is None:
        return None
    if step_input.at("$.args[0].input.control"):
        return None
    session = step_input.at("$.args[0].sessionState.snapshot.session.state")
    state: Mapping[str, object] = session if isinstance(session, Mapping) else {}
    projection = state.get("eve.harness.sessionProjection")
    if isinstance(projection, Mapping):
        active = projection.get("activeTurnId")
        if isinstance(active, str):
            return active
        following = projection.get("nextSequence")
        return f"turn_{following}" if isinstance(following, int) else None
    emission = step_input.at("$.args[0].sessionState.emissionState")  # eve before 0.66
    if isinstance(emission, Mapping):
        turn, following = emission.get("turnId"), emission.get("sequence")
        if isinstance(turn, str) and turn:
            return turn
        return f"turn_{following}" if isinstance(following, int) else None
    if step_input.at("$.args[0].sessionState.sessionId"):
        return "turn_0"
    return None


def assign_turns(drafts: Sequence[StepDraft]) -> dict[str, str]:
    """Return the turn of every step of one run that works for one, by step id.

    Turn steps: by their stream events, else by the state they were given. Runtime steps: by their own
    events, else, when they were created between the ends of two turn steps of one turn, that turn.
    """
    found: dict[str, str] = {}
    for draft in drafts:
        events = [e for a in draft.attempts for e in a.stream]
        modelled = [c.turn_id for e in events if (c := model_coordinate(e)) is not None]
        named = [t for e in events if (t := turn_of(e)) is not None]
        if draft.kind == "function" or (events and not named):
            continue
        if modelled or named:
            found[draft.step_id] = (modelled or named)[-1]
        elif draft.kind == "turn" and (turn := turn_from_state(draft.payload("input"))) is not None:
            found[draft.step_id] = turn
    steps = [d for d in drafts if d.kind == "turn"]
    for draft in drafts:
        if draft.kind != "runtime" or draft.step_id in found:
            continue
        before = [d for d in steps if d.order < draft.order]
        after = [d for d in steps if d.order > draft.order]
        if not before or not after or before[-1].end_order is None:
            continue
        # Created while a turn step still runs: work beside the turn (docs/evidence/sweep.md#side-step).
        if before[-1].end_order > draft.order:
            continue
        turn = found.get(before[-1].step_id)
        if turn is not None and turn == found.get(after[0].step_id):
            found[draft.step_id] = turn
    return found


@dataclass(slots=True)
class _Work:
    """What belongs to one turn while it is gathered."""

    steps: list[Step] = field(default_factory=list)
    events: list[Emitted] = field(default_factory=list)


def build_turns(
    runs: Iterable[Run], emitted: Sequence[Emitted], parks: Sequence[Park], session_id: str
) -> list[Turn]:
    """Build the turns of a session, in the order in which their first step was recorded."""
    work: dict[str, _Work] = {}
    run_status: dict[str, str] = {}
    for run in runs:
        run_status[run.run_id] = run.status
        for step in run.steps:
            if step.turn_id is not None:
                work.setdefault(step.turn_id, _Work()).steps.append(step)
    for item in emitted:
        turn = turn_of(item.event)
        if turn is not None:
            work.setdefault(turn, _Work()).events.append(item)
    turns = [_turn(id_, w, parks, session_id, run_status) for id_, w in work.items()]
    turns.sort(key=lambda t: (t.sequence is None, t.sequence or 0))
    later = False
    for index in range(len(turns) - 1, -1, -1):
        turns[index] = _superseded(turns[index]) if later else turns[index]
        later = later or bool(turns[index].turn_steps)
    return turns


def _superseded(turn: Turn) -> Turn:
    """Close a turn whose end is not on the stream, but whose session has gone on to another turn."""
    if turn.status not in ("parked", "running") or not all(s.committed for s in turn.turn_steps):
        return turn
    return replace(turn, status="completed", certainty="implied", committed=True)


def _turn(
    id_: str, work: _Work, parks: Sequence[Park], session_id: str, run_status: Mapping[str, str]
) -> Turn:
    events = [item.event for item in work.events]
    own = tuple(p for p in parks if p.turn_id == id_)
    started = next((e for e in events if e.type == "turn.started"), None)
    status, certainty, evidence, end, committed = _status(work, own, session_id, run_status)
    calls = [c for s in work.steps for c in s.model_calls]
    starts = [s.started_at or s.created_at for s in work.steps]
    ends = [s.ended_at for s in work.steps if s.ended_at is not None]
    ended = end.at if end is not None else max(ends, default=None)
    sequences = [e.sequence for e in events if e.sequence is not None]
    return Turn(
        id=id_,
        sequence=sequences[0] if sequences else _sequence_of(id_),
        session_id=session_id,
        status=status,
        message=_first_message(events),
        delivery_ids=tuple(dict.fromkeys(i for e in events for i in e.delivery_ids)),
        steps=tuple(work.steps),
        run_ids=tuple(dict.fromkeys(s.run_id for s in work.steps)),
        started_at=started.at if started is not None else min((s for s in starts if s), default=None),
        ended_at=ended if status in ("completed", "failed", "cancelled") else None,
        committed=committed,
        error=_error(end),
        parks=own,
        tokens=_sum(c.tokens for c in calls),
        tokens_again=_sum(c.tokens for c in calls if c.paid_again),
        stream_events=tuple(events),
        certainty=certainty,
        evidence=evidence,
        problems=tuple(p for s in work.steps for p in s.problems),
    )


def _status(
    work: _Work, parks: Sequence[Park], session_id: str, run_status: Mapping[str, str]
) -> tuple[TurnStatus, Certainty, tuple[Evidence, ...], StreamEvent | None, bool]:
    ends = [i for i in work.events if i.event.type in _ENDS]
    steps = [s for s in work.steps if s.kind == "turn"]
    last = steps[-1] if steps else None
    if ends:
        end = ends[-1]
        evidence: tuple[Evidence, ...] = (chunk_evidence(end.event, session_id),)
        if end.committed or end.step is None:
            certainty: Certainty = "observed" if end.committed else "implied"
            return _ENDS[end.event.type], certainty, evidence, end.event, end.committed
    if last is None:
        return "running", "unknown", (), None, False
    where = (Evidence(kind="record", id=last.step_id, run_id=last.run_id, note="its last turn step"),)
    if last.action == "cancelled":
        return "cancelled", "observed", where, None, True
    if last.committed and last.output is not None:
        settled = last.output.at("$.settled")
        if isinstance(settled, Mapping):
            failed = bool(settled.get("isError"))
            return ("failed" if failed else "completed"), "implied", where, None, True
    waiting = [p for p in parks if p.open and not p.lost]
    if waiting or (last.committed and _holds(last)):
        evidence = waiting[0].evidence if waiting else where
        return "parked", "observed" if waiting else "implied", evidence, None, False
    ended = run_status.get(last.run_id)
    if ended in ("failed", "cancelled"):
        status: TurnStatus = "failed" if ended == "failed" else "cancelled"
        return status, "implied", where, None, False
    newest: Outcome = last.attempts[-1].outcome if last.attempts else "running"
    return ("interrupted" if newest == "interrupted" else "running"), "observed", where, None, False


def _holds(step: Step) -> bool:
    """Whether a committed turn step says that its turn waits for somebody (eve before 0.66: two flags)."""
    if step.action == "held":
        return True
    flags = ("$.hasPendingInputBatch", "$.hasPendingAuthorization")
    return step.output is not None and any(step.output.at(flag) is True for flag in flags)


def _first_message(events: Iterable[StreamEvent]) -> str | None:
    for event in events:
        text = event.data.get("message")
        if event.type == "message.received" and isinstance(text, str):
            return text
    return None


def _error(end: StreamEvent | None) -> Mapping[str, object] | None:
    if end is None or end.type != "turn.failed":
        return None
    return {k: end.data[k] for k in ("code", "message", "details") if k in end.data}


def _sequence_of(turn_id: str) -> int | None:
    number = turn_id.rpartition("_")[2]
    return int(number) if number.isascii() and number.isdigit() else None


def _sum(counted: Iterable[Tokens | None]) -> Tokens | None:
    found = [tokens for tokens in counted if tokens is not None]
    return sum(found[1:], found[0]) if found else None
