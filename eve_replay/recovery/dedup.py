"""The deduplication lesson: what a key keeps and what it loses, on the effects or events of a recorded crash.

Effects have to be deduplicated by what survives a re-run, stored content by ``meta.id``. The wrong way round
loses the attempt that completed, or protects nothing (docs/evidence/observed.md#said-again).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eve_replay.errors import WrongUse
from eve_replay.journal.model import Session, StreamEvent, ToolCall

__all__ = ["KEYS", "Dedup", "DedupRow", "dedup_effects", "dedup_events"]

Key = Literal["coordinates", "call-id", "meta-id", "business"]
KEYS: tuple[Key, ...] = ("coordinates", "call-id", "meta-id", "business")


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupRow:
    """One effect execution or stored event, and what the key does to it.

    Attributes:
        what: tool or event type; ``attempt`` which attempt made it; ``completed`` whether that attempt
            committed.
        key: the key it got, None when it has none.
        kept: whether it is kept (the first of its key is).
        because: why it is dropped, empty when kept.
    """

    what: str
    key: tuple[object, ...] | None
    attempt: int | None
    completed: bool
    kept: bool
    because: str = ""
    id: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the row."""
        return {
            "what": self.what,
            "key": None if self.key is None else [str(part) for part in self.key],
            "attempt": self.attempt,
            "completed": self.completed,
            "kept": self.kept,
            "because": self.because,
            "id": self.id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Dedup:
    """The outcome of a key.

    Attributes:
        by: the key; ``of`` ``effects`` or ``events``.
        rows: everything in order.
        repeats: executions (or stored copies) that remain beyond the first of what is really one thing.
        lost: things of the attempt that committed which the key throws away.
        verdict: one sentence.
    """

    by: Key
    of: Literal["effects", "events"]
    rows: tuple[DedupRow, ...]
    repeats: int
    lost: int
    verdict: str

    @property
    def kept(self) -> tuple[DedupRow, ...]:
        """What remains."""
        return tuple(row for row in self.rows if row.kept)

    def to_json(self) -> dict[str, object]:
        """Return the outcome."""
        return {
            "by": self.by,
            "of": self.of,
            "kept": len(self.kept),
            "dropped": len(self.rows) - len(self.kept),
            "repeats": self.repeats,
            "lost": self.lost,
            "verdict": self.verdict,
            "rows": [row.to_json() for row in self.rows],
        }


def dedup_effects(session: Session, by: Key, turn: str | None = None) -> Dedup:
    """Return what a key keeps of the executions that the journal proves (one per result and attempt).

    Args:
        session: a session with a crash in it.
        by: ``coordinates`` (turn, step, position), ``call-id``, ``meta-id`` (of the result event),
            ``business`` (tool and input).
        turn: only this turn.

    Raises:
        WrongUse: no such key.
    """
    seen: dict[tuple[object, ...], DedupRow] = {}
    rows: list[DedupRow] = []
    executions = _executions(session, turn)
    for call, committed, meta in executions:
        key = _effect_key(call, by, meta)
        first = seen.get(key) if key is not None else None
        row = DedupRow(
            what=call.name,
            key=key,
            attempt=call.attempt,
            completed=committed,
            kept=first is None,
            because="" if first is None else f"same key as attempt {first.attempt}",
            id=call.call_id,
        )
        rows.append(row)
        if key is not None:
            seen.setdefault(key, row)
    things = {(call.name, _thing(call)) for call, _, _ in executions}
    kept = sum(1 for row in rows if row.kept)
    repeats = max(0, kept - len(things))
    missing = max(0, len(things) - kept)
    if repeats:
        verdict = f"{by} protects nothing here: {repeats} repeated executions have keys of their own."
    elif missing:
        verdict = f"{by} merges different effects: {missing} of them would never happen."
    else:
        verdict = f"{by} works here: each effect happens once, whichever attempt asked for it."
    return Dedup(by=by, of="effects", rows=tuple(rows), repeats=repeats, lost=missing, verdict=verdict)


def _executions(session: Session, turn: str | None) -> Sequence[tuple[ToolCall, bool, str]]:
    out = []
    metas: dict[str, str] = {}
    for event in session.stream_events:
        if event.type == "action.result":
            metas[event.chunk_id] = event.meta_id or event.chunk_id
    for step in session.steps:
        if turn is not None and step.turn_id != turn:
            continue
        for attempt in step.attempts:
            for call in attempt.tool_calls:
                if not call.returned or call.history_only or call.deferred:
                    continue
                chunk = next((e.id for e in reversed(call.evidence) if e.kind == "chunk"), "")
                meta = metas.get(chunk, chunk)
                out.append((call, attempt.outcome == "completed", meta))
    return out


def _thing(call: ToolCall) -> tuple[object, ...]:
    """What is really one effect: its place in the turn."""
    return (call.coordinate, call.position if call.position is not None else call.call_id)


def _effect_key(call: ToolCall, by: Key, meta: str) -> tuple[object, ...] | None:
    if by == "call-id":
        return (call.call_id,)
    if by == "meta-id":
        return (meta,)
    if by == "business":
        return (call.name, repr(call.input))
    if by == "coordinates":
        if call.coordinate is None:
            return None
        return (call.coordinate.turn_id, call.coordinate.step_index, call.position, call.name)
    raise WrongUse(f"There is no key {by!r}.", hint="Use coordinates, call-id, meta-id or business.")


def dedup_events(session: Session, by: Key, turn: str | None = None) -> Dedup:
    """Return what a key keeps of the stored stream events, the first of each key being kept.

    ``meta-id`` keeps every emission (a re-run emits under new ids) and drops only the same event stored or
    delivered twice. ``coordinates`` (type, turn, step, call) keeps the *first* attempt's words and throws
    the attempt that completed away.
    """
    committed = {
        e.chunk_id
        for step in session.steps
        for attempt in step.attempts
        if attempt.outcome == "completed"
        for e in attempt.stream_events
    }
    attempts = {
        e.chunk_id: attempt.n
        for step in session.steps
        for attempt in step.attempts
        for e in attempt.stream_events
    }
    seen: dict[tuple[object, ...], DedupRow] = {}
    rows: list[DedupRow] = []
    for event in session.stream_events:
        if turn is not None and event.turn_id != turn:
            continue
        key = _event_key(event, by)
        first = seen.get(key) if key is not None else None
        row = DedupRow(
            what=event.type,
            key=key,
            attempt=attempts.get(event.chunk_id),
            completed=event.chunk_id in committed,
            kept=first is None,
            because="" if first is None else f"same key as the event of attempt {first.attempt}",
            id=event.chunk_id,
        )
        rows.append(row)
        if key is not None:
            seen.setdefault(key, row)
    lost = sum(1 for row in rows if not row.kept and row.completed)
    if lost:
        verdict = f"{by} keeps the dead attempt's words and loses {lost} events of the one that completed."
    else:
        verdict = f"{by} loses nothing of the attempt that completed."
    return Dedup(by=by, of="events", rows=tuple(rows), repeats=0, lost=lost, verdict=verdict)


def _event_key(event: StreamEvent, by: Key) -> tuple[object, ...] | None:
    if by == "meta-id":
        return (event.meta_id,) if event.meta_id else None
    result = event.data.get("result")
    call = result.get("callId") if isinstance(result, dict) else event.data.get("callId")
    if by == "coordinates":
        return (event.type, event.turn_id, event.step_index, call)
    if by == "call-id":
        return (event.type, call) if call else None
    if by == "business":
        return (event.type, repr(event.data))
    raise WrongUse(f"There is no key {by!r}.", hint="Use coordinates, call-id, meta-id or business.")
