"""Turns, steps and attempts: what a session did, as the model holds it. Read them as ``journal.model``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from eve_replay.brief import Brief
from eve_replay.codec import Payload
from eve_replay.ids import FunctionName
from eve_replay.journal.asked import Asked
from eve_replay.journal.model_parts import (
    BodyRan,
    Budget,
    Certainty,
    Coordinate,
    Evidence,
    ModelCall,
    Outcome,
    Park,
    StepKind,
    StreamEvent,
    Tokens,
    ToolCall,
    TurnStatus,
)
from eve_replay.problems import Problem
from eve_replay.records import EventRecord, StepRecord

__all__ = ["Attempt", "Step", "Turn"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attempt(Asked, Brief):
    """One recorded start of a step body.

    Attributes:
        n: 1-based, in log order.
        started_at: time of its ``step_started``.
        ended_at: when its end was recorded; None for interrupted and running attempts.
        window_end: where its window closes: next start, or end of the step; None when open.
        last_sign_at: time of its last stream event, None without any.
        outcome: see docs/words.md; ``interrupted`` needs a later start (or another proof of death).
        body: whether this start proves that the body ran; ``body_why`` says it in words.
        inline: whether the start carries ``ownerMessageId`` (executed by the delivery that scheduled it).
        owner: that message id.
        optimistic: the body may have begun before the start was recorded
            (docs/evidence/observed.md#optimistic-start).
        error: payload of ``step_retrying`` / ``step_failed`` (a plain record before spec 5).
        retry_after: when a recorded retry was allowed.
        overlaps: numbers of attempts whose bodies provably ran at the same time
            (docs/evidence/reports.md#t49).
        bodies: how many times the body evidently began under this one start: more than 1 when the stream
            repeats what one body says once, 0 when it provably did not run.
        started_event, end_event: the log events; ``started_event`` is None for a synthetic attempt of a
            record without events.
        whole: its list of calls is known to be whole: what it does not name it did not run.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "n",
        "outcome",
        "certainty",
        "started_at",
        "ended_at",
        "model_calls",
        "tool_calls",
        "step_id",
    )

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
    whole: bool = False

    @property
    def tokens(self) -> Tokens | None:
        """Tokens of its model calls that are recorded, None when none is."""
        counted = [call.tokens for call in self.model_calls if call.tokens is not None]
        return sum(counted[1:], counted[0]) if counted else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Step(Asked, Brief):
    """One workflow step: the checkpoint boundary. Not the same as a model step (``coordinates``).

    Attributes:
        kind: ``turn`` (eve's turnStep), ``function`` (a ``use step`` function of the app), ``runtime``
            (eve's own housekeeping).
        status: completed / failed / cancelled / running / interrupted / pending, by the EVENT log (only the
            event counts for replay); ``record.status`` may differ when a commit was torn.
        action: of a turn step's output: continue, done, held, park, cancelled, steered ...
        coordinates: turn and step indexes its stream events name, in order. A compaction names the index
            that the next model step will have.
        turn_id: the turn it works for, None for steps beside a turn.
        input, output, error: payloads (from the record, else from its events).
        dispatched: run ids that this step started (children), where the journal says so.
        kept: state that is recorded beside the step (Flue): named values as it found them, and as it left
            them (None while it is not committed). None where its input and output hold the state.
        problems: disagreements between log, record and stream.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "function",
        "kind",
        "status",
        "action",
        "turn_id",
        "attempts",
        "certainty",
        "step_id",
    )

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
    kept: tuple[Mapping[str, object], Mapping[str, object] | None] | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def function(self) -> str:
        """The function's short name, what people say; documents hold ``name``, which may be empty."""
        return self.name.function or "unnamed step"

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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Turn(Asked, Brief):
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
        budget: attempts, deadline and lease of the turn, where the framework keeps a row about it.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "status",
        "certainty",
        "message",
        "steps",
        "started_at",
        "ended_at",
        "id",
    )

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
    budget: Budget | None = None

    @property
    def turn_steps(self) -> tuple[Step, ...]:
        """Only the turn steps."""
        return tuple(step for step in self.steps if step.kind == "turn")
