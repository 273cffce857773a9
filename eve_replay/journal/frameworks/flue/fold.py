"""One stream put together: its records as submissions, model messages, calls and step memos.

Drafts only: mutable, built once per stream, never handed out. Order is batch, then place in the batch, over
all conversations of the stream together. Records of children, of repairs and of settlements name no
submission or attempt; what they belong to is told by their place and by the epoch of their writer
(docs/formats/flue.md#model).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.journal.frameworks.flue.records import (
    CallFate,
    attempt_of,
    fate_of_outcome,
    is_recovery,
    message_of,
    mine,
    submission_of,
    text,
)
from eve_replay.records import EventRecord, StepRecord

__all__ = ["CallDraft", "Fold", "MessageDraft", "Starter", "SubmissionDraft", "fold", "owner_at"]


@dataclass(slots=True, kw_only=True)
class Starter:
    """One attempt of a submission as its records show it: the attempt's id, or its writer's epoch."""

    name: str
    epoch: int
    events: list[EventRecord] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class CallDraft:
    """One call of a model message."""

    call_id: str
    name: str
    event: EventRecord
    message: MessageDraft
    position: int
    outcome: EventRecord | None = None
    memos: list[EventRecord] = field(default_factory=list)
    child: str | None = None

    @property
    def arguments(self) -> object:
        """What it was asked with."""
        return self.event.data.get("arguments")

    @property
    def fate(self) -> CallFate:
        """What became of it, as far as the stream goes."""
        if self.outcome is not None:
            return fate_of_outcome(self.outcome)
        if self.message.recovered is not None:
            return "aborted"
        if self.message.completed is None:
            return "unfinished"
        return "unresolved" if self.message.stop in ("toolUse", "") else "aborted"

    @property
    def delegates(self) -> bool:
        """Whether it starts a conversation of its own (a ``task``)."""
        return self.child is not None or self.name == "task"

    @property
    def durable(self) -> bool | None:
        """Whether it is proved to be durable: a step of it is recorded. None when nothing tells."""
        return True if self.memos else None


@dataclass(slots=True, kw_only=True)
class MessageDraft:
    """One model message: one request to the model, and the calls it asked for."""

    message_id: str
    conversation: str
    submission: SubmissionDraft | None
    started: EventRecord
    owner: str
    calls: list[CallDraft] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    completed: EventRecord | None = None
    recovered: EventRecord | None = None
    committed: EventRecord | None = None
    events: list[tuple[str, EventRecord]] = field(default_factory=list)
    index: int = 0

    @property
    def stop(self) -> str:
        """Why the model stopped: ``stop``, ``toolUse``, ``length``, ``error``, ``aborted``."""
        return text(self.completed, "stopReason") if self.completed is not None else ""

    @property
    def end(self) -> EventRecord | None:
        """What closes it: the commit of its results, its end without calls, or recovery's end."""
        if self.recovered is not None:
            return self.recovered
        if self.committed is not None or (self.calls and self.stop in ("toolUse", "")):
            return self.committed
        return self.completed

    @property
    def open_calls(self) -> list[CallDraft]:
        """Its calls that may be at work: asked for in a complete message, no outcome."""
        return [call for call in self.calls if call.fate == "unresolved"]


@dataclass(slots=True, kw_only=True)
class SubmissionDraft:
    """One accepted input and the work it caused."""

    submission_id: str
    record: StepRecord | None = None
    opened: EventRecord | None = None
    started: EventRecord | None = None
    settled: EventRecord | None = None
    messages: list[MessageDraft] = field(default_factory=list)
    signals: list[EventRecord] = field(default_factory=list)
    attempts: list[Starter] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    joined: list[SubmissionDraft] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The row's word, else what the stream says."""
        if self.record is not None and self.record.status:
            return self.record.status
        return "settled" if self.settled is not None else "running"

    @property
    def unseen(self) -> int:
        """Attempts that the row counts and no record shows: they died before their first record."""
        counted = self.record.attempt if self.record is not None else None
        return max(0, (counted or 0) - len(self.attempts))


@dataclass(slots=True, kw_only=True)
class Fold:
    """A stream put together."""

    submissions: list[SubmissionDraft]
    messages: dict[tuple[str, str], MessageDraft]
    state: dict[str, list[EventRecord]]
    beside: list[EventRecord]


def place_of(event: EventRecord) -> tuple[int, int]:
    """Return batch and index of a record."""
    batch, index = event.fields.get("batch"), event.fields.get("index")
    return (batch if isinstance(batch, int) else 0, index if isinstance(index, int) else 0)


def epoch_of(event: EventRecord) -> int:
    """Return the epoch of the process that wrote a record."""
    value = event.fields.get("epoch")
    return value if isinstance(value, int) else 0


def fold(root: str, events: Iterable[EventRecord], rows: Sequence[StepRecord]) -> Fold:
    """Put a stream together.

    Args:
        root: the id of the root conversation.
        events: the records of all its conversations.
        rows: the submissions, in the order in which they were accepted.
    """
    maker = _Folder(root, rows)
    for event in sorted(events, key=place_of):
        maker.take(event)
    return maker.done()


class _Folder:
    def __init__(self, root: str, rows: Sequence[StepRecord]) -> None:
        self.root = root
        self.by_id: dict[str, SubmissionDraft] = {}
        self.hosts: dict[str, str] = {}
        for row in sorted(rows, key=_sequence):
            self.by_id[row.step_id] = SubmissionDraft(submission_id=row.step_id, record=row)
            into = row.text("joinedInto")
            if into:
                self.hosts[row.step_id] = into
        self.live: SubmissionDraft | None = None
        self.messages: dict[tuple[str, str], MessageDraft] = {}
        self.calls: dict[str, CallDraft] = {}
        self.state: dict[str, list[EventRecord]] = {}
        self.beside: list[EventRecord] = []
        self.of_epoch: dict[tuple[str, int], str] = {}

    def take(self, event: EventRecord) -> None:
        """Take one record."""
        named = submission_of(event)
        if named is not None:
            own = self.by_id.setdefault(named, SubmissionDraft(submission_id=named))
            host = self.by_id.get(self.hosts.get(named, ""))
            self.live = host or own
            if event.event_type == "submission_settled":
                own.settled = event
            elif event.event_type in ("user_message", "signal") and mine(event, "record_d"):
                own.opened = own.opened or event
        live = self.live
        if live is None:
            self.beside.append(event)
            return
        live.events.append(event)
        owner = self._owner(live, event)
        self._dispatch(event, live, owner)

    def _owner(self, live: SubmissionDraft, event: EventRecord) -> str:
        """Return the attempt that a record belongs to; repairs before a settlement are no attempt's."""
        attempt, epoch = attempt_of(event), epoch_of(event)
        key = (live.submission_id, epoch)
        if attempt is not None:
            if event.event_type != "submission_settled":
                self.of_epoch[key] = attempt
                self._note(live, attempt, epoch, event)
            return attempt
        known = self.of_epoch.get(key)
        if known is not None:
            self._note(live, known, epoch, event)
        return known or ""

    @staticmethod
    def _note(live: SubmissionDraft, name: str, epoch: int, event: EventRecord) -> None:
        found = next((each for each in live.attempts if each.name == name), None)
        if found is None:
            found = Starter(name=name, epoch=epoch)
            live.attempts.append(found)
        found.events.append(event)

    def _dispatch(self, event: EventRecord, live: SubmissionDraft, owner: str) -> None:
        conversation = event.run_id
        kind = event.event_type
        if kind == "agent_start_run" and live.started is None:
            live.started = event
        elif kind == "signal":
            live.signals.append(event)
        elif kind == "state_write":
            self.state.setdefault(text(event, "name"), []).append(event)
        elif kind == "child_session_retained":
            self._child(event)
        elif kind == "tool_step_settled":
            call = self.calls.get(text(event, "toolCallId"))
            if call is not None:
                call.memos.append(event)
                call.message.events.append((owner, event))
        message_id = message_of(event)
        if message_id is None or not kind.startswith(("assistant_", "tool_outcome", "tool_results")):
            return
        key = (conversation, message_id)
        message = self.messages.get(key)
        if message is None:
            message = MessageDraft(
                message_id=message_id,
                conversation=conversation,
                submission=live,
                started=event,
                owner=owner,
                index=len(live.messages),
            )
            self.messages[key] = message
            live.messages.append(message)
        message.events.append((owner, event))
        self._feed(message, event)

    def _feed(self, message: MessageDraft, event: EventRecord) -> None:
        match event.event_type:
            case "assistant_text_delta":
                message.texts.append(text(event, "delta"))
            case "assistant_text_started":
                if message.texts:
                    message.texts.append("\n")
            case "assistant_reasoning_delta":
                message.thoughts.append(text(event, "delta"))
            case "assistant_tool_call":
                call = CallDraft(
                    call_id=text(event, "toolCallId"),
                    name=text(event, "name"),
                    event=event,
                    message=message,
                    position=len(message.calls),
                )
                message.calls.append(call)
                self.calls[call.call_id] = call
            case "assistant_message_completed":
                if is_recovery(event):
                    message.recovered = event
                else:
                    message.completed = event
            case "tool_outcome":
                wanted = text(event, "toolCallId")
                for call in message.calls:
                    if call.call_id == wanted and call.outcome is None:
                        call.outcome = event
                        break
            case "tool_results_committed":
                message.committed = message.committed or event
            case _:
                pass

    def _child(self, event: EventRecord) -> None:
        child = event.data.get("child")
        if not isinstance(child, dict):
            return
        message = self.messages.get((event.run_id, str(child.get("parentAssistantEntryId"))))
        wanted = child.get("parentToolCallId")
        for call in message.calls if message is not None else ():
            if call.call_id == wanted:
                call.child = str(child.get("conversationId"))

    def done(self) -> Fold:
        """Return the fold; deliveries that joined another's response hang below it."""
        for name, host in self.hosts.items():
            into = self.by_id.get(host)
            if into is not None:
                into.joined.append(self.by_id[name])
        return Fold(
            submissions=[each for name, each in self.by_id.items() if self.hosts.get(name) not in self.by_id],
            messages=self.messages,
            state=self.state,
            beside=self.beside,
        )


def _sequence(row: StepRecord) -> tuple[int, str]:
    value = row.fields.get("sequence")
    return (value if isinstance(value, int) else 0, row.step_id)


def owner_at(submission: SubmissionDraft, name: str) -> int:
    """Return the number of an attempt among those seen, counted from 0; -1 for one that is not seen."""
    return next((n for n, each in enumerate(submission.attempts) if each.name == name), -1)


def time_of(event: EventRecord | None) -> datetime | None:
    """Return when a record was made."""
    return event.created_at if event is not None else None
