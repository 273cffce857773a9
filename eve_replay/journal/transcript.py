"""The session as a person reads it: who said what, which tools ran, with every attempt marked.

An entry that a later attempt of the same step said again is ``superseded``: it was on the stream, perhaps
on a screen, and is not what the session remembers. Its tool calls may have happened all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol

from eve_replay.brief import Brief
from eve_replay.journal.model import (
    Attempt,
    Certainty,
    Evidence,
    Message,
    ModelCall,
    Park,
    Session,
    Step,
    Tokens,
    ToolCall,
    Turn,
)
from eve_replay.values import UNDEFINED, preview

__all__ = ["EntryKind", "TranscriptEntry", "taken_by", "transcript"]

EntryKind = Literal["user", "assistant", "reasoning", "tool", "park", "note", "error"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TranscriptEntry(Brief):
    """One thing a reader sees.

    Attributes:
        kind: user (a message), assistant (model text), reasoning, tool (a call and its result), park (a wait
            and what released it), note (attempt boundaries, commands, turn ends), error.
        text: what to show: the text, the prompt asked, the note. May be long and hold any character.
        at: when it was said.
        turn_id, step_id, attempt: where it belongs; ``attempts`` is how many that step has.
        superseded: said by an attempt that was not committed and repeated by a later one.
        name, input, output, is_error, returned: of a tool call.
        call: the tool call itself, ``park`` the park, ``message`` the delivery, for details.
    """

    _told: ClassVar[tuple[str, ...]] = ("kind", "name", "text", "attempt", "returned", "superseded", "at")

    kind: EntryKind
    text: str
    at: datetime | None
    turn_id: str | None = None
    step_id: str | None = None
    attempt: int | None = None
    attempts: int = 1
    superseded: bool = False
    name: str = ""
    input: object = None
    output: object = None
    is_error: bool = False
    returned: bool = False
    tokens: Tokens | None = None
    call: ToolCall | None = None
    park: Park | None = None
    message: Message | None = None
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()


def transcript(session: Session, turn_id: str | None = None) -> Iterator[TranscriptEntry]:
    """Yield the session's entries in reading order.

    Args:
        session: the session.
        turn_id: only this turn.
    """
    placed: set[int] = set()
    for turn in session.turns:
        if turn_id is not None and turn.id != turn_id:
            continue
        yield from _turn(session, turn, placed)
    for number, message in enumerate(session.messages):
        if (
            number not in placed
            and turn_id is None
            and message.role in ("pending", "late", "command", "unknown")
        ):
            yield _message(message)


class _Stated(Protocol):
    """A fact with its certainty and its evidence."""

    @property
    def certainty(self) -> Certainty: ...

    @property
    def evidence(self) -> tuple[Evidence, ...]: ...


def _entry(kind: EntryKind, text: str, of: _Stated, at: datetime | None, **more: Any) -> TranscriptEntry:
    """Return an entry that is as certain as the fact it tells, with the fact's evidence."""
    known: dict[str, Any] = {"certainty": of.certainty, "evidence": of.evidence}
    return TranscriptEntry(kind=kind, text=text, at=at, **(known | more))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where in a turn something was said; ``attempts`` is how many the step has."""

    turn: Turn
    step: Step
    attempt: Attempt
    attempts: int
    superseded: bool

    def entry(
        self, kind: EntryKind, text: str, of: _Stated, at: datetime | None, **more: Any
    ) -> TranscriptEntry:
        """Return an entry that stands here."""
        return _entry(
            kind,
            text,
            of,
            at,
            turn_id=self.turn.id,
            step_id=self.step.step_id,
            attempt=self.attempt.n,
            attempts=self.attempts,
            superseded=self.superseded,
            **more,
        )


def _turn(session: Session, turn: Turn, placed: set[int]) -> Iterator[TranscriptEntry]:
    mine = [(n, m) for n, m in enumerate(session.messages) if m.turn_id == turn.id and m.role != "task"]
    placed.update(n for n, _ in mine)
    waiting = [m for _, m in mine]
    openers = [m for m in waiting if m.role in ("opened", "queued")]
    if not openers and turn.message is not None:
        yield _entry("user", turn.message, turn, turn.started_at, turn_id=turn.id, certainty="observed")
    for message in openers:
        waiting.remove(message)
        yield _message(message)
    entries: list[TranscriptEntry] = []
    for step in turn.steps:
        if step.kind == "runtime":
            entries += _yields(step, turn)
        if step.kind != "turn":
            continue
        for message in [m for m in waiting if m.role == "steered" and taken_by(m, turn) is step]:
            waiting.remove(message)
            # Not where it arrived: what ran before this step was asked for without knowing of it.
            entries.append(replace(_message(message), at=step.started_at, step_id=step.step_id))
        entries += _step(step, turn)
    extra = [_message(m) for m in waiting] + [e for p in turn.parks for e in _park(p)]
    yield from _merge(entries, extra)
    if turn.status in ("failed", "cancelled"):
        said = turn.error.get("message") if turn.error is not None else None
        text = f"The turn {turn.status}" + (f": {said}" if isinstance(said, str) else "")
        kind: EntryKind = "error" if turn.status == "failed" else "note"
        yield _entry(kind, text, turn, turn.ended_at, turn_id=turn.id)


def _yields(step: Step, turn: Turn) -> Iterator[TranscriptEntry]:
    """Yield what a workflow tool gave out while it ran: the runtime relays each value beside the turn."""
    for attempt in step.attempts:
        for call in attempt.tool_calls:
            if call.returned or call.requested_at is not None or call.partial is UNDEFINED:
                continue
            text = f"{call.name} yields {preview(call.partial, 200)}"
            place = _Place(turn=turn, step=step, attempt=attempt, attempts=1, superseded=False)
            yield place.entry(
                "note", text, call, attempt.started_at, name=call.name, output=call.partial, call=call
            )


def taken_by(message: Message, turn: Turn) -> Step | None:
    """Return the turn step that took a message into its turn: the first that names its delivery.

    None when no step names it: it was not taken yet, or the version names no deliveries.
    """
    if message.delivery_id is None:
        return None
    for step in turn.turn_steps:
        for attempt in step.attempts:
            if any(message.delivery_id in event.delivery_ids for event in attempt.stream_events):
                return step
    return None


def _merge(entries: list[TranscriptEntry], extra: list[TranscriptEntry]) -> Iterator[TranscriptEntry]:
    """Put parks and later messages between the entries by time; the entries keep their own order."""
    extra.sort(key=lambda e: (e.at is None, e.at))
    for entry in entries:
        while extra and extra[0].at is not None and entry.at is not None and extra[0].at <= entry.at:
            yield extra.pop(0)
        yield entry
    yield from extra


def _step(step: Step, turn: Turn) -> Iterator[TranscriptEntry]:
    count = len(step.attempts)
    # Of two bodies at once the older one may be the one that committed.
    kept = [a.n for a in step.attempts if step.committed and a.end_event is step.end_event]
    last = kept[0] if kept else step.attempts[-1].n if step.attempts else 0
    for attempt in step.attempts:
        if count > 1:
            text = f"attempt {attempt.n} of {count}: {attempt.outcome}"
            place = _Place(turn=turn, step=step, attempt=attempt, attempts=count, superseded=False)
            yield place.entry("note", text, attempt, attempt.started_at)
        yield from _attempt(
            _Place(turn=turn, step=step, attempt=attempt, attempts=count, superseded=attempt.n != last)
        )


def _attempt(place: _Place) -> Iterator[TranscriptEntry]:
    attempt = place.attempt
    calls = list(attempt.tool_calls)
    for early in [c for c in calls if c.requested_at is None and not c.history_only]:
        calls.remove(early)  # the result of a call that an earlier step asked for
        yield _tool(early, place)
    for model in attempt.model_calls:
        yield from _model(model, place)
        for call in [c for c in calls if c.coordinate == model.coordinate]:
            calls.remove(call)
            yield _tool(call, place)
    for call in calls:
        yield _tool(call, place)


def _tool(call: ToolCall, place: _Place) -> TranscriptEntry:
    return place.entry(
        "tool",
        call.name,
        call,
        call.requested_at or call.returned_at or place.attempt.started_at,
        name=call.name,
        input=call.input,
        output=call.output,
        is_error=call.is_error,
        returned=call.returned,
        call=call,
    )


def _model(model: ModelCall, place: _Place) -> Iterator[TranscriptEntry]:
    said: list[tuple[EntryKind, str]] = []
    if model.reasoning:
        said.append(("reasoning", model.reasoning))
    if model.text:
        said.append(("assistant", model.text))
    if model.status == "failed":
        message = (model.error or {}).get("message")
        said.append(("error", message if isinstance(message, str) else "The model call failed"))
    elif model.status in ("interrupted", "running") and not model.text:
        said.append(("note", f"model call {model.status}"))
    for kind, text in said:
        tokens = model.tokens if kind != "reasoning" else None
        yield place.entry(kind, text, model, model.started_at, tokens=tokens)


def _message(message: Message) -> TranscriptEntry:
    commands = message.role in ("command", "cancelled")
    text = message.text if message.text is not None else _answer_text(message)
    return _entry(
        "note" if commands else "user",
        f"{text} requested" if commands else text,
        message,
        message.at,
        turn_id=message.turn_id,
        message=message,
    )


def _answer_text(message: Message) -> str:
    body = message.payload
    responses = body.get("inputResponses") if isinstance(body, dict) else None
    said = []
    for response in responses if isinstance(responses, list) else []:
        if isinstance(response, dict):
            option, text = response.get("optionId"), response.get("text")
            said.append(": ".join(p for p in (option, text) if isinstance(p, str)))
    return "; ".join(said) or message.role


def _park(park: Park) -> Iterator[TranscriptEntry]:
    asked = _entry(
        "park",
        park.asked,
        park,
        park.since,
        turn_id=park.turn_id,
        step_id=park.step_id,
        name=park.kind,
        park=park,
    )
    yield asked
    if not park.open and park.released_by:
        text = f"{park.kind} released: {park.released_by}"
        yield replace(asked, kind="note", text=text, at=park.until, evidence=park.evidence[-1:])
