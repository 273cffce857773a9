"""The shapes everything above the records works with: sessions, runs, turns, steps, attempts.

Plain frozen data, built once by the modules beside this one. A fact about *execution* (what ran, what came
back, what released a park) carries a ``certainty`` and the ``evidence`` it stands on. Payloads stay payloads:
nothing here is decoded until ``.value`` or ``.at()`` of one is asked for.

Words are those of UX.md. Times are aware datetimes in UTC, None where the journal has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.codec import Payload
from eve_replay.ids import FunctionName
from eve_replay.problems import Problem
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    RunRecord,
    StepRecord,
    StreamRecord,
    WaitRecord,
)

__all__ = [
    "Attempt",
    "BodyRan",
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
    "Run",
    "RunRole",
    "Session",
    "SessionHead",
    "SessionKind",
    "Step",
    "StepKind",
    "StreamEvent",
    "Tokens",
    "ToolCall",
    "Turn",
    "TurnStatus",
]

#: observed: the journal records it; implied: it follows from what is recorded and the rules;
#: unknown: the journal cannot tell.
Certainty = Literal["observed", "implied", "unknown"]
EvidenceKind = Literal["event", "record", "chunk", "payload", "attribute", "mark", "rule"]

Outcome = Literal["completed", "failed", "interrupted", "running", "cancelled"]
#: Whether a recorded start proves that the step body ran (OBSERVED.md, surprises 2 and 6b).
BodyRan = Literal["ran", "did not run", "unknown"]
StepKind = Literal["turn", "function", "runtime"]
RunRole = Literal["session", "turn", "timeout", "tool", "workflow"]
SessionKind = Literal["session", "subagent", "workflow"]
TurnStatus = Literal["completed", "failed", "cancelled", "parked", "interrupted", "running"]
ParkKind = Literal["approval", "question", "sign-in", "tasks", "timer", "webhook"]
MessageRole = Literal[
    "opened", "steered", "queued", "answered", "cancelled", "late", "command", "task", "pending", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
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

    It survives a re-run, unlike call ids and ``meta.id`` (OBSERVED.md, 5 and 8).
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
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
class ToolCall:
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
        history_only: it appears in the committed message history and in no stream event (unknown tool,
            invalid input: OBSERVED.md, 9). It never executed.
        kind: ``tool-call`` or another action kind as recorded.
        attempts: attempt numbers of this step in which a call of this id was asked for or returned.
        deferred: asked for here, executed elsewhere (held for approval, or run as a task or child run).
        began: how sure it is that the tool began: observed with a result, implied when something else
            proves it, unknown when only the request is recorded and for a rejected call.
    """

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
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()

    @property
    def returned(self) -> bool:
        """Whether a result is recorded for this occurrence."""
        return self.returned_at is not None or self.status is not None

    @property
    def key(self) -> tuple[Coordinate | None, int | None]:
        """Coordinates and position: what survives a re-run when the model asks for the same things."""
        return (self.coordinate, self.position)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One recorded start of a step body.

    Attributes:
        n: 1-based, in log order.
        started_at: time of its ``step_started``.
        ended_at: when its end was recorded; None for interrupted and running attempts.
        window_end: where its window closes: next start, or end of the step; None when open.
        last_sign_at: time of its last stream event, None without any.
        outcome: see UX.md; ``interrupted`` needs a later start (or another proof of death).
        body: whether this start proves that the body ran; ``body_why`` says it in words.
        inline: whether the start carries ``ownerMessageId`` (executed by the delivery that scheduled it).
        owner: that message id.
        optimistic: the body may have begun before the start was recorded (OBSERVED.md, 6b).
        error: payload of ``step_retrying`` / ``step_failed`` (a plain record before spec 5).
        retry_after: when a recorded retry was allowed.
        overlaps: numbers of attempts whose bodies provably ran at the same time (T49).
        bodies: how many times the body evidently began under this one start: more than 1 when the stream
            repeats what one body says once, 0 when it provably did not run.
        started_event, end_event: the log events; ``started_event`` is None for a synthetic attempt of a
            record without events.
    """

    n: int
    step_id: str
    run_id: str
    started_at: datetime | None
    ended_at: datetime | None = None
    window_end: datetime | None = None
    last_sign_at: datetime | None = None
    outcome: Outcome = "running"
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    body: BodyRan = "unknown"
    body_certainty: Certainty = "unknown"
    body_why: str = ""
    inline: bool = False
    owner: str | None = None
    optimistic: bool = False
    error: Payload | None = None
    retry_after: datetime | None = None
    overlaps: tuple[int, ...] = ()
    bodies: int = 1
    started_event: EventRecord | None = None
    end_event: EventRecord | None = None
    stream_events: tuple[StreamEvent, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def tokens(self) -> Tokens | None:
        """Tokens of its model calls that are recorded, None when none is."""
        counted = [call.tokens for call in self.model_calls if call.tokens is not None]
        return sum(counted[1:], counted[0]) if counted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One workflow step: the checkpoint boundary. Not the same as a model step (``coordinates``).

    Attributes:
        kind: ``turn`` (eve's turnStep), ``function`` (a ``use step`` function of the app), ``runtime``
            (eve's own housekeeping).
        status: completed / failed / cancelled / running / interrupted / pending, by the EVENT log (only the
            event counts for replay); ``record.status`` may differ when a commit was torn.
        action: of a turn step's output: continue, done, held, park, cancelled, steered ...
        coordinates: model steps it holds, in order of appearance: from the stream, else from its state.
        turn_id: the turn it works for, None for steps beside a turn.
        input, output, error: payloads (from the record, else from its events).
        dispatched: run ids that this step started (children), where the journal says so.
        problems: disagreements between log, record and stream.
    """

    step_id: str
    run_id: str
    name: FunctionName
    kind: StepKind
    status: str
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    record: StepRecord | None = None
    created_event: EventRecord | None = None
    started_events: tuple[EventRecord, ...] = ()
    retrying_events: tuple[EventRecord, ...] = ()
    end_event: EventRecord | None = None
    events: tuple[EventRecord, ...] = ()
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempts: tuple[Attempt, ...] = ()
    action: str | None = None
    coordinates: tuple[Coordinate, ...] = ()
    turn_id: str | None = None
    input: Payload | None = None
    output: Payload | None = None
    error: Payload | None = None
    dispatched: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def function(self) -> str:
        """The function's short name, what people say."""
        return self.name.function

    @property
    def committed(self) -> bool:
        """Whether the log holds its terminal event (it will be replayed, never run again)."""
        return self.end_event is not None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of all its attempts, in order."""
        return tuple(call for attempt in self.attempts for call in attempt.tool_calls)

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """The model calls of all its attempts, in order."""
        return tuple(call for attempt in self.attempts for call in attempt.model_calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Park:
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
            this one does nothing (SWEEP.md section 2, T2).
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One user message and the work it caused.

    Attributes:
        id: ``turn_0`` ...
        sequence: the turn's number in the session.
        status: completed, failed, cancelled, parked (``parks`` says for whom), interrupted, running.
        message: text of the message that opened it.
        delivery_ids: all deliveries it took.
        steps: its turn steps and the runtime steps that worked for it, in log order.
        run_ids: runs its steps lie in (more than one after a handoff or with turn runs of eve 0.50).
        ended_at: time of the end on the stream or of its last commit; None while open.
        committed: whether the step that ended it is committed (a ``turn.completed`` on the stream is no
            proof).
        error: ``{code, message, details}`` of a failed turn.
        tokens: recorded tokens of all attempts; ``tokens_again`` of those paid more than once.
    """

    id: str
    sequence: int | None
    session_id: str
    status: TurnStatus
    message: str | None = None
    delivery_ids: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    run_ids: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    committed: bool = False
    error: Mapping[str, object] | None = None
    parks: tuple[Park, ...] = ()
    tokens: Tokens | None = None
    tokens_again: Tokens | None = None
    stream_events: tuple[StreamEvent, ...] = ()
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def turn_steps(self) -> tuple[Step, ...]:
        """Only the turn steps."""
        return tuple(step for step in self.steps if step.kind == "turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One workflow execution with all it holds.

    Attributes:
        role: ``session`` (owns a conversation), ``turn`` (a turn's own run, eve 0.20 to 0.50), ``timeout``,
            ``tool`` (a workflow tool or the bridge to a subagent), ``workflow`` (plain SDK).
        session_id: the session it belongs to, its own id for plain SDK runs.
        parent: the run that started it; ``parent_call`` the tool call it serves, ``tool`` that tool's name.
        children: ids of runs it started, oldest first.
        status: the record's status; ``status_certainty`` is implied when only events tell.
        events: the log in order; ``hooks`` and ``waits`` what is on disk now.
    """

    run_id: str
    role: RunRole
    session_id: str
    record: RunRecord
    workflow: FunctionName
    status: str
    eve_version: str | None = None
    parent: str | None = None
    parent_call: str | None = None
    tool: str | None = None
    children: tuple[str, ...] = ()
    events: tuple[EventRecord, ...] = field(default=(), repr=False)
    steps: tuple[Step, ...] = ()
    hooks: tuple[HookRecord, ...] = ()
    waits: tuple[WaitRecord, ...] = ()
    streams: tuple[StreamRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = field(default=(), repr=False)
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    error: Payload | None = None
    purged: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """What a list shows without reading events or payloads.

    Attributes:
        id: the id of the first run that owned the session (the run id for plain SDK runs).
        kind: ``session``, ``subagent`` (a session started by another) or ``workflow`` (plain SDK run).
        run_ids: its owning runs in order, turn runs included; ``child_ids``: runs below it that are no
            sessions themselves (timeouts, workflow tools).
        subagents: sessions started by it.
        parent: session id of the caller of a subagent.
        status: the newest owning run's record status (running, completed, failed, cancelled).
        title: ``$eve.title``, else the workflow's function name.
    """

    id: str
    kind: SessionKind
    run_ids: tuple[str, ...]
    child_ids: tuple[str, ...] = ()
    subagents: tuple[str, ...] = ()
    parent: str | None = None
    status: str = ""
    title: str = ""
    eve_version: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    purged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation (or one plain workflow run), fully joined.

    Attributes:
        head: the listing facts.
        runs: owning runs in order; ``children`` the runs below that are no sessions themselves.
        status: in UX words: completed, failed, cancelled, running, interrupted, ``parked: KIND``, or idle
            (settled, a next message would start a turn).
        steps_beside: steps of its runs that belong to no turn.
        stream_events: the whole session stream; ``unjoined`` those no attempt claimed.
    """

    head: SessionHead
    runs: tuple[Run, ...]
    children: tuple[Run, ...] = ()
    turns: tuple[Turn, ...] = ()
    status: str = ""
    certainty: Certainty = "observed"
    evidence: tuple[Evidence, ...] = ()
    parks: tuple[Park, ...] = ()
    messages: tuple[Message, ...] = ()
    steps_beside: tuple[Step, ...] = ()
    stream_events: tuple[StreamEvent, ...] = field(default=(), repr=False)
    unjoined: tuple[StreamEvent, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """The session's id."""
        return self.head.id

    @property
    def kind(self) -> SessionKind:
        """session, subagent or workflow."""
        return self.head.kind

    @property
    def title(self) -> str:
        """What a person calls it."""
        return self.head.title

    @property
    def eve_version(self) -> str | None:
        """The eve version that wrote its newest run."""
        return self.head.eve_version

    @property
    def subagents(self) -> tuple[str, ...]:
        """Ids of the sessions it started."""
        return self.head.subagents

    @property
    def all_runs(self) -> tuple[Run, ...]:
        """Owning runs and the runs below."""
        return self.runs + self.children

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of its owning runs in log order, then those of the runs below."""
        return tuple(step for run in self.all_runs for step in run.steps)

    def turn(self, id_: str) -> Turn | None:
        """Return a turn by id, None when there is none."""
        return next((turn for turn in self.turns if turn.id == id_), None)
