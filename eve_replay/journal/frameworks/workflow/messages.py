"""Deliveries to a session and what became of each.

A delivery is durable with its ``hook_received`` event (the first one with the run's input). What it did is
read from the session stream: ``meta.deliveryIds`` names the deliveries a turn took, ``input.resolved`` the
requests that were answered. Sources: docs/evidence/observed.md#said-again, #deltas,
docs/evidence/sweep.md#approval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest

from eve_replay.journal.frameworks.workflow.calls import chunk_evidence
from eve_replay.journal.frameworks.workflow.steps import event_evidence
from eve_replay.journal.model import Evidence, Message, Park, Run, StreamEvent, Turn
from eve_replay.records import EventRecord

__all__ = ["read_messages", "recorded_answer"]

_COMMANDS = frozenset({"clear", "compact", "reset"})


@dataclass(slots=True, kw_only=True)
class _Delivery:
    """One delivered thing before it is known what it did."""

    run_id: str
    kind: str
    body: object
    delivery_id: str | None = None
    text: str | None = None
    answers: list[str] = field(default_factory=list)
    at: datetime | None = None
    event: EventRecord | None = None
    policy: str | None = None
    note: str = ""

    @property
    def evidence(self) -> Evidence:
        if self.event is not None:
            return event_evidence(self.event, self.note, "$.payload")
        return Evidence(kind="payload", id=self.run_id, run_id=self.run_id, path="$[0].input", note=self.note)


def recorded_answer(messages: Sequence[Message], request_id: str | None) -> str | None:
    """Return the option a recorded delivery chose for a request, None when the log holds no answer to it.

    The log is ahead of the stream: an answer counts from its ``hook_received`` on, and the step that takes it
    can have run its tool before the first word of that is on the stream (docs/evidence/sweep.md#stream).

    Args:
        messages: the session's deliveries.
        request_id: the request.
    """
    for message in reversed(messages):
        if request_id is None or not message.event_id or request_id not in message.request_ids:
            continue
        responses = message.payload.get("inputResponses") if isinstance(message.payload, Mapping) else None
        for response in responses if isinstance(responses, list) else []:
            if isinstance(response, Mapping) and response.get("requestId") == request_id:
                option = response.get("optionId")
                return option if isinstance(option, str) else ""
    return None


def read_messages(
    runs: Sequence[Run],
    turns: Sequence[Turn],
    parks: Sequence[Park],
    stream: Sequence[StreamEvent],
    session_id: str,
) -> list[Message]:
    """Return the session's deliveries in the order in which they were recorded.

    Args:
        runs: the owning runs in order; the first one's input holds the first message.
        turns: its turns.
        parks: its parks.
        stream: its stream.
        session_id: whose they are.
    """
    story = _Story(turns, parks, stream, session_id)
    found = [d for run in runs for d in _deliveries(run, first=run is runs[0])]
    found.sort(key=lambda d: (d.at is None, d.at))  # stable: log order within one run
    return [story.message(d) for d in found]


def _deliveries(run: Run, *, first: bool) -> Iterator[_Delivery]:
    if run.role == "turn":
        return
    if first:
        yield from _initial(run)
    system = {
        e.correlation_id
        for e in run.events
        if e.event_type == "hook_created" and (e.data.get("isSystem") or not _is_inbox(e))
    }
    for event in run.events:
        if event.event_type != "hook_received" or event.correlation_id in system:
            continue
        if not _is_inbox(event):
            continue
        payload = event.data_payload("payload")
        if payload is not None:
            yield from _unpack(run.run_id, payload.shared, event)


def _is_inbox(event: EventRecord) -> bool:
    """Whether a hook takes deliveries for the conversation: not abort signals, sign-ins or handoffs."""
    token = event.data.get("token")
    if not isinstance(token, str):
        return True
    return not (
        token.startswith("abrt_")
        or token.endswith((":auth", ":anchor", ":handoff", ":cancel"))
        or ":turn-control:" in token
    )


def _initial(run: Run) -> Iterator[_Delivery]:
    payload = run.record.payload("input")
    if payload is None:
        return
    text = _message_text(payload.at("$[0].input.message"))
    if text is None:  # a session created before its first message, or a successor
        return
    delivery = payload.at('$[0].serializedContext["eve.channelDelivery"].deliveryId')
    yield _Delivery(
        run_id=run.run_id,
        kind="send",
        body={"message": text},
        delivery_id=delivery if isinstance(delivery, str) else None,
        text=text,
        at=run.created_at,
        note="the message that created the session",
    )


def _unpack(run_id: str, payload: object, event: EventRecord) -> Iterator[_Delivery]:
    if not isinstance(payload, Mapping):
        yield _Delivery(run_id=run_id, kind="unknown", body=payload, at=event.created_at, event=event)
        return
    kind = payload.get("kind")
    kind = kind if isinstance(kind, str) else "unknown"
    base = _Delivery(run_id=run_id, kind=kind, body=payload, at=event.created_at, event=event)
    policy = payload.get("turnPolicy")
    base.policy = policy if isinstance(policy, str) else None
    if kind == "send":
        yield _with_body(base, payload.get("payload"), _delivery_id(payload.get("delivery")))
    elif kind == "deliver":
        metadata = payload.get("deliveryMetadata")
        ids = {
            m.get("payloadIndex", 0): _delivery_id(m)
            for m in (metadata if isinstance(metadata, list) else [])
            if isinstance(m, Mapping)
        }
        bodies = payload.get("payloads")
        for index, body in enumerate(bodies if isinstance(bodies, list) else [None]):
            yield _with_body(base, body, ids.get(index))
    else:
        yield base


def _with_body(base: _Delivery, body: object, delivery_id: str | None) -> _Delivery:
    answers: list[str] = []
    text = None
    if isinstance(body, Mapping):
        text = _message_text(body.get("message"))
        responses = body.get("inputResponses")
        for response in responses if isinstance(responses, list) else []:
            request = response.get("requestId") if isinstance(response, Mapping) else None
            if isinstance(request, str):
                answers.append(request)
    return replace(base, body=body, delivery_id=delivery_id, text=text, answers=answers)


def _delivery_id(value: object) -> str | None:
    found = value.get("deliveryId") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else None


def _message_text(value: object) -> str | None:
    """Return the text of a message: a string, or the text parts of structured content."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [p.get("text") for p in value if isinstance(p, Mapping)]
        return "".join(p for p in parts if isinstance(p, str))
    return None


class _Story:
    """What the stream says about deliveries."""

    def __init__(
        self, turns: Sequence[Turn], parks: Sequence[Park], stream: Sequence[StreamEvent], session_id: str
    ) -> None:
        self.turns, self.parks, self.session_id = turns, parks, session_id
        self.opened: dict[str, StreamEvent] = {}  # delivery id -> the turn.started that names it
        self.together: dict[str, tuple[str, ...]] = {}
        self.received: dict[str, StreamEvent] = {}
        self.ends: dict[str, StreamEvent] = {}
        self.resolved: dict[str, StreamEvent] = {}
        self.answering: dict[str, StreamEvent] = {}  # delivery id -> the request its text answered
        for event, following in zip_longest(stream, stream[1:]):
            if event.type == "turn.started":
                for delivery in event.delivery_ids:
                    self.opened.setdefault(delivery, event)
                    self.together.setdefault(delivery, event.delivery_ids)
            elif event.type == "message.received":
                new = [i for i in event.delivery_ids if i not in self.received]
                for delivery in new:
                    self.received[delivery] = event
                    # A text that answers a question is streamed just before what it resolves.
                    if following is not None and _answers(following) and delivery not in self.opened:
                        self.answering[delivery] = following
            elif event.type in ("turn.completed", "turn.failed", "turn.cancelled") and event.turn_id:
                self.ends[event.turn_id] = event
            elif event.type == "input.resolved":
                for request in _resolved_ids(event):
                    self.resolved.setdefault(request, event)

    def message(self, d: _Delivery) -> Message:
        """Say what one delivery did."""
        base = Message(
            delivery_id=d.delivery_id,
            session_id=self.session_id,
            run_id=d.run_id,
            role="unknown",
            text=d.text,
            payload=d.body,
            at=d.at,
            event_id=d.event.event_id if d.event is not None else "",
            request_ids=tuple(d.answers),
            evidence=(d.evidence,),
        )
        if d.kind == "cancel":
            return self._cancelled(base, d)
        if d.kind in _COMMANDS:
            return replace(base, role="command", text=d.kind)
        if isinstance(d.body, Mapping) and isinstance(d.body.get("from"), Mapping):
            return self._task(base, d)
        if d.kind not in ("send", "deliver"):
            return replace(base, certainty="unknown")
        if d.answers:
            return self._answer(base, d)
        return self._sent(base, d)

    def _sent(self, base: Message, d: _Delivery) -> Message:
        answer = self.answering.get(d.delivery_id) if d.delivery_id is not None else None
        if answer is not None:
            return replace(
                base,
                role="answered",
                turn_id=answer.turn_id,
                request_ids=tuple(_resolved_ids(answer)),
                evidence=(*base.evidence, chunk_evidence(answer, self.session_id)),
            )
        opened = self.opened.get(d.delivery_id) if d.delivery_id is not None else None
        received = self.received.get(d.delivery_id) if d.delivery_id is not None else None
        if opened is not None:
            waited = any(
                d.at < end.at <= opened.at and turn != opened.turn_id
                for turn, end in self.ends.items()
                if d.at is not None and end.at is not None and opened.at is not None
            )
            folded = tuple(i for i in self.together.get(d.delivery_id or "", ()) if i != d.delivery_id)
            return replace(
                base,
                role="queued" if waited and d.event is not None else "opened",
                turn_id=opened.turn_id,
                folded=folded,
                evidence=(*base.evidence, chunk_evidence(opened, self.session_id)),
            )
        if received is not None:
            return replace(
                base,
                role="steered",
                turn_id=received.turn_id,
                evidence=(*base.evidence, chunk_evidence(received, self.session_id)),
            )
        return self._by_text(base, d)

    def _by_text(self, base: Message, d: _Delivery) -> Message:
        """Place a message without delivery ids (eve 0.20, subagents) by what a turn says it got."""
        for turn in self.turns:
            if d.text is not None and turn.message == d.text and _not_before(turn.started_at, d.at):
                return replace(base, role="opened", turn_id=turn.id, certainty="implied")
        if d.event is None and self.turns:
            return replace(base, role="opened", turn_id=self.turns[0].id, certainty="implied")
        return replace(base, role="pending", certainty="implied")

    def _answer(self, base: Message, d: _Delivery) -> Message:
        parks = [p for p in self.parks if p.request_id in d.answers]
        evidence = [
            chunk_evidence(self.resolved[r], self.session_id) for r in d.answers if r in self.resolved
        ]
        live = [p for p in parks if not p.lost and (p.until is None or _not_before(p.until, d.at))]
        if live:
            return replace(
                base,
                role="answered" if not live[0].open else "pending",
                turn_id=live[0].turn_id,
                certainty="observed" if evidence else "implied",
                evidence=(*base.evidence, *evidence),
            )
        opened = self.opened.get(d.delivery_id) if d.delivery_id is not None else None
        received = self.received.get(d.delivery_id) if d.delivery_id is not None else None
        taken = opened or received
        return replace(
            base,
            role="late",
            turn_id=taken.turn_id if taken is not None else None,
            certainty="observed" if parks else "implied",
            evidence=(*base.evidence, *([chunk_evidence(taken, self.session_id)] if taken else [])),
        )

    def _cancelled(self, base: Message, d: _Delivery) -> Message:
        ends = [e for e in self.ends.values() if e.type == "turn.cancelled" and _not_before(e.at, d.at)]
        if ends:
            end = min(ends, key=lambda e: e.position)
            return replace(
                base,
                role="cancelled",
                turn_id=end.turn_id,
                text="cancel",
                evidence=(*base.evidence, chunk_evidence(end, self.session_id)),
            )
        running = [t for t in self.turns if _not_before(d.at, t.started_at) and t.id not in self.ends]
        return replace(
            base,
            role="cancelled" if running else "late",
            turn_id=running[-1].id if running else None,
            text="cancel",
            certainty="implied",
        )

    def _task(self, base: Message, d: _Delivery) -> Message:
        source = d.body.get("from") if isinstance(d.body, Mapping) else None
        turn = source.get("turnId") if isinstance(source, Mapping) else None
        name = source.get("toolName") if isinstance(source, Mapping) else None
        return replace(
            base,
            role="task",
            turn_id=turn if isinstance(turn, str) else None,
            text=f"{name}: {d.kind}" if isinstance(name, str) else d.kind,
        )


def _answers(event: StreamEvent) -> bool:
    """Whether an event resolves a request by an answer, not by withdrawing it."""
    found = event.data.get("resolutions")
    outcomes = [r.get("outcome") for r in (found if isinstance(found, list) else []) if isinstance(r, dict)]
    return event.type == "input.resolved" and any(o in ("answered", "approved", "denied") for o in outcomes)


def _resolved_ids(event: StreamEvent) -> list[str]:
    found = event.data.get("resolutions")
    ids = [r.get("requestId") for r in (found if isinstance(found, list) else []) if isinstance(r, dict)]
    return [i for i in ids if isinstance(i, str)]


def _not_before(later: datetime | None, earlier: datetime | None) -> bool:
    """Whether ``later`` is not before ``earlier``; unknown times do not speak against it."""
    return later is None or earlier is None or later >= earlier
