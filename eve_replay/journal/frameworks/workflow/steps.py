"""Step records and log events of one run, gathered into drafts: one per step, one per recorded start.

Drafts are the only mutable objects of this package and never leave it: the stream is joined onto them
(:mod:`eve_replay.journal.frameworks.workflow.stream_join`) before they are frozen.

Rules: docs/evidence/observed.md#budget, #throw-then-kill, #one-record, #lease, #order,
docs/evidence/sweep.md#stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.codec import Payload
from eve_replay.ids import FunctionName, parse_function_name
from eve_replay.journal.model import BodyRan, Certainty, Evidence, Outcome, StepKind, StreamEvent
from eve_replay.problems import Problem, Severity
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.times import parse_time

__all__ = ["AttemptDraft", "StepDraft", "draft_steps", "event_evidence", "is_runtime_module"]

#: Modules whose functions belong to the runtime itself, not to the app.
_RUNTIME_MODULES = frozenset({"eve", "workflow", "@workflow/core"})
#: Step functions of the SDK itself, which name no module (``__builtin_response_json``).
_BUILTIN = "__builtin_"
#: What the runtime writes when a start is refused because the budget is used up
#: (docs/evidence/observed.md#throw-then-kill). A body that throws for the last time is recorded as ``Step
#: "..." failed after N retries: ...`` instead.
_PAST_BUDGET = re.compile(r'Step ".*" exceeded max retries \(', re.DOTALL)


def is_runtime_module(module: str) -> bool:
    """Return whether a step or workflow of this module is the runtime's own."""
    return module in _RUNTIME_MODULES or module.startswith("@workflow/")


def event_evidence(event: EventRecord, note: str = "", path: str = "") -> Evidence:
    """Return a pointer to a log event."""
    return Evidence(kind="event", id=event.event_id, run_id=event.run_id, path=path, note=note)


@dataclass(slots=True, kw_only=True)
class AttemptDraft:
    """One recorded start, before the stream is joined."""

    n: int
    step: StepDraft
    start: EventRecord | None
    started_at: datetime | None
    end: EventRecord | None = None
    ended_at: datetime | None = None
    window_end: datetime | None = None
    outcome: Outcome = "running"
    certainty: Certainty = "observed"
    evidence: list[Evidence] = field(default_factory=list)
    body: BodyRan = "unknown"
    body_certainty: Certainty = "unknown"
    body_why: str = ""
    error: Payload | None = None
    retry_after: datetime | None = None
    stream: list[StreamEvent] = field(default_factory=list)
    overlaps: set[int] = field(default_factory=set)
    bodies: int = 1
    problems: list[Problem] = field(default_factory=list)

    @property
    def owner(self) -> str | None:
        """The delivery that executed this start inline, None for a queued one."""
        value = self.start.data.get("ownerMessageId") if self.start is not None else None
        return value if isinstance(value, str) else None


@dataclass(slots=True, kw_only=True)
class StepDraft:
    """One step with its events in log order."""

    step_id: str
    run: RunRecord
    name: FunctionName
    order: int
    record: StepRecord | None = None
    created: EventRecord | None = None
    starts: list[EventRecord] = field(default_factory=list)
    retries: list[EventRecord] = field(default_factory=list)
    end: EventRecord | None = None
    end_order: int | None = None
    events: list[EventRecord] = field(default_factory=list)
    attempts: list[AttemptDraft] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    #: ``attr_set`` events that name this step as their writer: attempt, event, place in the log.
    writes: list[tuple[int, EventRecord, int]] = field(default_factory=list)
    #: Stream events of another body, said after the step had ended.
    late: list[StreamEvent] = field(default_factory=list)

    @property
    def kind(self) -> StepKind:
        """Turn step, app function or runtime housekeeping."""
        if self.name.function.startswith(_BUILTIN):
            return "runtime"
        if not is_runtime_module(self.name.module):
            return "function"
        return "turn" if self.name.function == "turnStep" else "runtime"

    @property
    def run_id(self) -> str:
        """The run it belongs to."""
        return self.run.run_id

    @property
    def optimistic(self) -> bool:
        """Whether its body may have begun before its first records.

        Source: docs/evidence/observed.md#optimistic-start.
        """
        marks = self.end.data.get("optimizations") if self.end is not None else None
        if isinstance(marks, Mapping):
            return bool(marks.get("optimisticStart"))
        return isinstance(marks, (list, tuple)) and "optimisticStart" in marks

    @property
    def status(self) -> str:
        """The status by the log: only the event counts for replay (docs/evidence/sweep.md#writes)."""
        if self.end is not None:
            return {"step_completed": "completed", "step_failed": "failed"}[self.end.event_type]
        if self.record is not None and not self.events:
            return self.record.status
        if not self.starts:
            return "pending"
        if self.attempts and self.attempts[-1].outcome in ("interrupted", "cancelled"):
            return self.attempts[-1].outcome
        if self.attempts and self.attempts[-1].outcome == "failed":
            return "pending"  # a recorded error, the next start is still to come
        return "running"

    def payload(self, name: str) -> Payload | None:
        """Return ``input``, ``output`` or ``error``: from the record, else from the events.

        Source: docs/evidence/reports.md#t28.
        """
        found = self.record.payload(name) if self.record is not None else None
        if found is not None:
            return found
        if name == "input":
            sources = [self.created, *self.starts]
            return next((p for e in sources if e is not None and (p := e.data_payload("input"))), None)
        if self.end is None:
            return None
        return self.end.data_payload("result" if name == "output" else name)

    def problem(self, severity: Severity, code: str, where: str, message: str, hint: str = "") -> None:
        """Note a disagreement."""
        self.problems.append(Problem(severity=severity, code=code, where=where, message=message, hint=hint))


def draft_steps(
    run: RunRecord, events: Iterable[EventRecord], records: Iterable[StepRecord]
) -> list[StepDraft]:
    """Gather the steps of a run, in the order in which the log first names them.

    Steps that only have a record come last: a record without events is a half-written creation
    (docs/evidence/sweep.md#c1b) or a row whose event was lost (docs/evidence/reports.md#t19).
    """
    drafts: dict[str, StepDraft] = {}
    writes: dict[str, list[tuple[int, EventRecord, int]]] = {}
    for order, event in enumerate(events):
        writer = event.data.get("writer") if event.event_type == "attr_set" else None
        if isinstance(writer, Mapping) and isinstance(number := writer.get("attempt"), int):
            writes.setdefault(str(writer.get("stepId")), []).append((number, event, order))
        if not event.event_type.startswith("step_") or event.correlation_id is None:
            continue
        draft = drafts.get(event.correlation_id)
        if draft is None:
            draft = drafts[event.correlation_id] = StepDraft(
                step_id=event.correlation_id, run=run, name=parse_function_name(""), order=order
            )
        _take(draft, event, order)
    count = len(drafts)
    for record in records:
        draft = drafts.get(record.step_id)
        if draft is None:
            draft = drafts[record.step_id] = StepDraft(
                step_id=record.step_id, run=run, name=record.name, order=10**9 + count
            )
            count += 1
            draft.problem(
                "warning",
                "step-without-events",
                record.origin or record.step_id,
                "The step has a record and no event in the log.",
                "If the process died while creating it, the run may hang here: see doctor.",
            )
        draft.record = record
        draft.name = record.name
    for draft in drafts.values():
        draft.writes = writes.get(draft.step_id, [])
        _number(draft)
    return list(drafts.values())


def _take(draft: StepDraft, event: EventRecord, order: int) -> None:
    draft.events.append(event)
    name = event.data.get("stepName")
    if isinstance(name, str) and not draft.name.full:
        draft.name = parse_function_name(name)
    match event.event_type:
        case "step_created":
            if draft.created is None:
                draft.created = event
        case "step_started":
            draft.starts.append(event)
        case "step_retrying":
            draft.retries.append(event)
        case "step_completed" | "step_failed":
            if draft.end is None:
                draft.end, draft.end_order = event, order
            else:  # docs/evidence/reports.md#t24: the first one counts for status and time
                draft.problem(
                    "warning",
                    "second-end",
                    event.event_id,
                    f"A second {event.event_type} for this step; the first one, "
                    f"{draft.end.event_id}, is the one that counts.",
                )
        case _:
            pass


def _number(draft: StepDraft) -> None:
    """Make one attempt per start and close each with what the log says next."""
    current: AttemptDraft | None = None
    ended = False
    for event in draft.events:
        if event.event_type == "step_started":
            if current is not None and current.window_end is None:
                current.window_end = event.created_at
            if current is not None and current.outcome == "running":
                current.outcome, current.certainty = "interrupted", "implied"
                current.evidence.append(event_evidence(event, "a later start, and no end before it"))
            current = AttemptDraft(
                n=len(draft.attempts) + 1, step=draft, start=event, started_at=event.created_at
            )
            current.evidence.append(event_evidence(event))
            draft.attempts.append(current)
            if ended:
                current.outcome, current.certainty = "interrupted", "unknown"
                draft.problem(
                    "warning",
                    "start-after-end",
                    event.event_id,
                    "A start is recorded after the end of the step; whether its body ran is not recorded.",
                )
        elif event.event_type == "step_retrying":
            _close(draft, current, event, "failed")
        elif event is draft.end:
            _close(draft, current, event, "completed" if event.event_type == "step_completed" else "failed")
            ended = True
    _from_record(draft)
    for attempt in draft.attempts:
        _body(draft, attempt)


def _close(draft: StepDraft, attempt: AttemptDraft | None, event: EventRecord, outcome: Outcome) -> None:
    if attempt is None or attempt.end is not None:
        draft.problem(
            "warning",
            "end-without-start",
            event.event_id,
            f"The log has {event.event_type} without a start before it.",
        )
        return
    attempt.end, attempt.outcome, attempt.certainty = event, outcome, "observed"
    attempt.ended_at = event.created_at
    # A failed attempt's window stays open until the next start: late chunks are still its own.
    attempt.window_end = event.created_at if event is draft.end else None
    attempt.error = event.data_payload("error")
    attempt.retry_after = parse_time(event.data.get("retryAfter"))
    attempt.evidence.append(event_evidence(event))


def _from_record(draft: StepDraft) -> None:
    """Add what only the record knows: an attempt without events, a result without its event."""
    record = draft.record
    if record is None:
        return
    where = Evidence(kind="record", id=draft.step_id, run_id=draft.run_id)
    if not draft.starts and not draft.events and record.time("startedAt") is not None:
        attempt = AttemptDraft(
            n=1, step=draft, start=None, started_at=record.time("startedAt"), certainty="implied"
        )
        attempt.evidence.append(where)
        draft.attempts.append(attempt)
        if record.status in ("completed", "failed", "cancelled"):
            attempt.outcome = record.status  # type: ignore[assignment]  # narrowed by the test above
            attempt.ended_at = attempt.window_end = record.time("completedAt")
            attempt.error = record.payload("error")
        return
    last = draft.attempts[-1] if draft.attempts else None
    if draft.end is None and last is not None and last.outcome == "running":
        if record.status in ("completed", "failed"):
            last.outcome = record.status  # type: ignore[assignment]  # narrowed by the test above
            last.certainty = "implied"
            last.ended_at = record.time("completedAt")
            last.error = record.payload("error")
            last.evidence.append(where)
            draft.problem(
                "error",
                "record-ahead-of-log",
                record.origin or draft.step_id,
                f"The record says {record.status}, the log has no end of this step: "
                "only the event counts for replay.",
                "See doctor: the run may hang here.",
            )
        elif record.status == "cancelled":
            last.outcome, last.certainty = "cancelled", "observed"
            last.ended_at = record.time("completedAt")
            last.evidence.append(where)
    if record.attempt is not None and draft.starts and record.attempt > len(draft.starts):
        draft.problem(
            "info",
            "start-without-event",
            record.origin or draft.step_id,
            f"The record counts {record.attempt} attempts, the log has {len(draft.starts)} starts: "
            "a start was begun whose event was never written, or the log is not whole.",
        )


def _body(draft: StepDraft, attempt: AttemptDraft) -> None:
    """Say what this start proves about its body, before the stream is looked at."""
    if attempt.outcome == "completed":
        attempt.body, attempt.body_certainty = "ran", "observed"
        attempt.body_why = "its result is recorded"
    elif attempt.outcome == "failed":
        if _PAST_BUDGET.match(_error_text(attempt.error)):
            attempt.body, attempt.body_certainty, attempt.bodies = "did not run", "implied", 0
            attempt.body_why = "the start was refused because the retries were used up"
        else:
            attempt.body, attempt.body_certainty = "ran", "observed"
            attempt.body_why = "what it threw is recorded"
    else:
        attempt.body_why = "only its start is recorded"


def _error_text(error: Payload | None) -> str:
    if error is None:
        return ""
    value = error.shared
    message = getattr(value, "message", None)
    if isinstance(value, Mapping):
        message = value.get("message")
    return message if isinstance(message, str) else value if isinstance(value, str) else ""
