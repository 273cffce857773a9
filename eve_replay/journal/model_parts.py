"""The small shapes of the model: evidence, stream events, calls, deliveries and parks.

Import them from :mod:`eve_replay.journal.model`, which names everything in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal

from eve_replay.brief import Brief
from eve_replay.journal.asked import Asked
from eve_replay.values import UNDEFINED

__all__ = [
    "BodyRan",
    "Budget",
    "Certainty",
    "Coordinate",
    "Evidence",
    "EvidenceKind",
    "Message",
    "MessageRole",
    "ModelCall",
    "Outcome",
    "Park",
    "ParkKind",
    "Ran",
    "RunRole",
    "SessionKind",
    "StepKind",
    "StreamEvent",
    "Tokens",
    "ToolCall",
    "TurnStatus",
]

#: observed: the journal records it; implied: it follows from what is recorded and the rules;
#: unknown: the journal cannot tell.
Certainty = Literal["observed", "implied", "unknown"]
EvidenceKind = Literal["event", "record", "chunk", "payload", "attribute", "mark", "rule"]

#: refused: it worked beside the body that committed the step, so that its own result counted for nothing.
Outcome = Literal["completed", "failed", "interrupted", "running", "cancelled", "refused"]
#: Whether a recorded start proves that the step body ran (docs/evidence/observed.md#throw-then-kill,
#: #optimistic-start).
BodyRan = Literal["ran", "did not run", "unknown"]
StepKind = Literal["turn", "function", "runtime"]
RunRole = Literal["session", "turn", "timeout", "tool", "workflow"]
SessionKind = Literal["session", "subagent", "workflow"]
TurnStatus = Literal["completed", "failed", "cancelled", "parked", "interrupted", "running"]
ParkKind = Literal["approval", "question", "sign-in", "tasks", "timer", "webhook"]
MessageRole = Literal[
    "opened", "steered", "queued", "answered", "cancelled", "late", "command", "task", "pending", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Evidence(Brief):
    """Where a statement can be checked.

    Attributes:
        kind: ``event`` (log event), ``record`` (run, step, hook or wait record), ``chunk`` (session stream),
            ``payload`` (a field inside one), ``attribute``, ``mark`` (lock file) or ``rule`` (a sentence of
            the format notes, named in ``note``).
        id: event id, chunk id, step id, run id, attribute name or rule name.
        run_id: the run that scopes ``id``; slots repeat between runs.
        path: JSON path inside the thing, ``$`` style, empty for the whole.
        note: a few plain words, may be empty.
    """

    kind: EvidenceKind
    id: str
    run_id: str = ""
    path: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Coordinate:
    """The place of a model step.

    It survives a re-run, unlike call ids and ``meta.id`` (docs/evidence/observed.md#call-ids, #said-again).
    """

    turn_id: str
    step_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens as counted by the provider."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )

    @property
    def total(self) -> int:
        """Input and output together (cached input is part of input)."""
        return self.input + self.output


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StreamEvent(Brief):
    """One event of eve's session stream.

    Attributes:
        chunk_id: the stored chunk, ``chnk_...``: what ``--after`` and ``--before`` take.
        position: 0-based place in the stream.
        stream: the stream's name.
        type: for example ``action.result``.
        meta_id: ``meta.id``, new for every emission; None before eve 0.50.
        at: ``meta.at``, when the event was made (not when it was stored).
        stored_at: the time in the chunk's ULID, about when it was stored.
        turn_id, step_index, sequence: coordinates, None when the event has none.
        delivery_ids: ``meta.deliveryIds``: the messages that this work belongs to.
        data: the event's ``data``, as parsed JSON.
    """

    chunk_id: str
    position: int
    stream: str
    type: str
    meta_id: str | None
    at: datetime | None
    stored_at: datetime | None
    turn_id: str | None
    step_index: int | None
    sequence: int | None
    delivery_ids: tuple[str, ...]
    data: Mapping[str, object] = field(repr=False)

    @property
    def coordinate(self) -> Coordinate | None:
        """Turn and step index, None when the event does not name both."""
        if self.turn_id is None or self.step_index is None:
            return None
        return Coordinate(turn_id=self.turn_id, step_index=self.step_index)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelCall(Brief):
    """One call of the model in one attempt.

    Attributes:
        coordinate: turn and step index.
        attempt: number of the attempt that made it.
        status: ``completed``, ``failed``, or ``interrupted`` / ``running`` when no end is on the stream.
        model_id: as the stream says, None in eve 0.20.
        started_at, ended_at: first and last sign of this call itself (tool execution excluded).
        tokens: usage, None when no usage reached the stream (an interrupted call may still have been paid).
        text: the text the model gave, None when none is recorded (``partial`` says if it is cut).
        partial: True when the text is only what had been streamed so far.
        reasoning: reasoning text, None when none is recorded.
        finish_reason: as recorded, for example ``stop`` or ``tool-calls``.
        call_ids: tool calls it asked for, in order.
        error: ``{code, message, details}`` of a failed call.
        paid_again: True when another attempt of the same step already made this call.
    """

    coordinate: Coordinate
    attempt: int
    status: Literal["completed", "failed", "interrupted", "running"]
    model_id: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    tokens: Tokens | None = None
    text: str | None = None
    partial: bool = False
    reasoning: str | None = None
    finish_reason: str | None = None
    call_ids: tuple[str, ...] = ()
    error: Mapping[str, object] | None = None
    paid_again: bool = False
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What the framework's own records say about the executions of one call in one attempt.

    Attributes:
        min, max: how often the tool's function ran.
        certainty: how sure that is; ``why`` the reason in words.
        lost: the conversation that goes on has no result of it: the model may ask again.
    """

    min: int
    max: int
    certainty: Certainty
    why: str
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Budget(Brief):
    """How far recovery of a turn may go, where the framework keeps a row about it.

    Attributes:
        status: the row's own word: ``queued``, ``running``, ``settled`` ...
        attempts: how often the work was taken up, as counted by the framework (attempts that died before
            they left a record are in it).
        max_attempts: how often it may be; ``deadline`` when no attempt begins any more.
        lease_until: until when its owner holds it; a dead owner's work is taken over after that.
        abort_asked_at: when somebody asked to stop it.
        record_id: the id of the row.
    """

    status: str
    attempts: int
    max_attempts: int | None = None
    deadline: datetime | None = None
    lease_until: datetime | None = None
    owner: str | None = None
    abort_asked_at: datetime | None = None
    record_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolCall(Asked, Brief):
    """One tool call as one attempt made it.

    Attributes:
        call_id: the model's id for the call. The same in another attempt only if the model says so.
        name: tool name.
        coordinate: turn and model step that asked for it, None for calls known from history without one.
        position: 0-based place among the calls of that model step; None when only the result is here.
        step_id, attempt: where this occurrence was executed (or asked for).
        input: the input as JSON values.
        requested_at: when ``actions.requested`` named it, None when this attempt holds only the result (an
            approved call executes in the next workflow step).
        returned_at: when ``action.result`` came, None when no result is recorded.
        status: as recorded: ``completed``, ``failed``, ``rejected`` ...; None without a result.
        output: the result's output; UNDEFINED when the result has none.
        error: ``{code, message}`` of a failed call, None otherwise.
        is_error: whether the result is an error.
        history_only: it appears in the committed message history and in no stream event but
            ``action.invalid`` (unknown tool, invalid input). It never executed:
            docs/evidence/observed.md#refused-calls.
        kind: ``tool-call`` or another action kind as recorded.
        attempts: attempt numbers of this step in which a call of this id was asked for or returned.
        partial: the last value it yielded before its result (``action.partial``), UNDEFINED when none.
        deferred: asked for here, executed elsewhere (held for approval, or run as a task or child run).
        began: how sure it is that the tool began: observed with a result, implied when something else
            proves it, unknown when only the request is recorded and for a rejected call.
        fate: the framework's own word for what became of it (Flue: ``ok``, ``interrupted``, ``timed_out``
            ...), empty where it has none.
        ran: what its records say of executions; None where results and attempts tell.
        durable: whether it may run again with its recorded steps replayed; None when nothing tells.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "name",
        "status",
        "is_error",
        "attempt",
        "input",
        "output",
        "requested_at",
        "returned_at",
        "call_id",
    )

    call_id: str
    name: str
    coordinate: Coordinate | None
    position: int | None
    step_id: str
    attempt: int
    run_id: str = ""
    input: object = None
    requested_at: datetime | None = None
    returned_at: datetime | None = None
    status: str | None = None
    output: object = None
    error: Mapping[str, object] | None = None
    is_error: bool = False
    history_only: bool = False
    kind: str = "tool-call"
    attempts: tuple[int, ...] = ()
    deferred: bool = False
    began: Certainty = "unknown"
    partial: object = UNDEFINED
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    fate: str = ""
    ran: Ran | None = None
    durable: bool | None = None

    @property
    def returned(self) -> bool:
        """Whether a result is recorded for this occurrence."""
        return self.returned_at is not None or self.status is not None

    @property
    def key(self) -> tuple[Coordinate | None, int | None]:
        """Coordinates and position: what survives a re-run when the model asks for the same things."""
        return (self.coordinate, self.position)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Message(Brief):
    """One delivery to the session: a message, an answer, a command, a task's word.

    Attributes:
        delivery_id: as in ``meta.deliveryIds``; None where the runtime gave none.
        role: opened / steered / queued (behind a running turn, opened a later one) / answered (a park) /
            cancelled (a turn) / late (an answer nobody waited for any more) / command (clear, compact) /
            task (a child's word) / pending (recorded, not yet taken) / unknown.
        turn_id: the turn it opened, joined, answered or cancelled.
        text: the message text, None when it has none.
        payload: what was delivered, decoded JS value.
        at: when it was recorded.
        event_id: its ``hook_received`` event, empty for the message in the run's input.
        request_ids: the questions it answers.
        folded: delivery ids folded into the same turn opening with it.
    """

    delivery_id: str | None
    session_id: str
    run_id: str
    role: MessageRole
    turn_id: str | None = None
    text: str | None = None
    payload: object = field(default=None, repr=False)
    at: datetime | None = None
    event_id: str = ""
    request_ids: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Park(Brief):
    """One wait by design.

    Attributes:
        kind: approval, question, sign-in, tasks, timer (durable sleep) or webhook.
        of_whom: ``person``, ``task NAME``, ``clock`` or ``caller``: who has to act.
        asked: what was asked, one line of text.
        request_id: for approvals and questions.
        call_id, tool: the tool call it is about.
        since: when it was asked.
        until: when it was released; None while open. A timer also has ``due``.
        due: when a timer ends by itself.
        released_by: words: ``approve by anonymous``, ``task settled``, ``time passed`` ...; None while open.
        answer: the answer as recorded.
        open: still waiting.
        lost: asked by an attempt that was never committed and asked again under another id: an answer to
            this one does nothing (docs/evidence/sweep.md#approval).
    """

    kind: ParkKind
    session_id: str
    run_id: str
    since: datetime | None
    of_whom: str = ""
    asked: str = ""
    request_id: str | None = None
    call_id: str | None = None
    tool: str | None = None
    turn_id: str | None = None
    step_id: str | None = None
    due: datetime | None = None
    until: datetime | None = None
    released_by: str | None = None
    answer: object = None
    open: bool = True
    lost: bool = False
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
