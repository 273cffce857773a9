"""Runs, steps and events as a list shows them, straight from the records: nothing is decoded.

These views need no model of sessions and turns, so they work on every world and every version. The
event log decides the status of a step, because only its events count for replay
(docs/evidence/sweep.md#writes); where the record says something else, the row says both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from eve_replay.codec import Payload
from eve_replay.ids import FunctionName, parse_function_name
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.times import parse_time
from eve_replay.views.kit.base import View
from eve_replay.views.kit.words import duration

__all__ = ["EventRow", "RunRow", "StepRow", "event_row", "run_row", "run_rows", "step_rows"]

_ENDS = {"step_completed": "completed", "step_failed": "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(View):
    """One run in a list.

    Attributes:
        status: the record's own word.
        function: the workflow's short name; ``workflow_name`` as stored.
        eve_version: ``$eve.version``; ``core_version`` the Workflow SDK's; either may be None.
        title: ``$eve.title``, empty when there is none. Holds what the user wrote.
        kind: ``$eve.type`` (``session``, ``subagent`` ...), empty for plain runs.
        parent, root: run ids from the attributes, None for a run nobody started.
        depth: 0, or how deep below its root the run is (``run_rows`` sets it).
        purged: retention deleted its payloads.
    """

    run_id: str
    status: str
    function: str
    workflow_name: str
    eve_version: str | None
    core_version: str | None
    spec_version: int | None
    title: str
    kind: str
    parent: str | None
    root: str | None
    created_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime | None
    purged: bool
    depth: int = 0

    @property
    def took(self) -> float | None:
        """Seconds from start to end, None while it has no end."""
        if self.started_at is None or self.completed_at is None:
            return None
        return (self.completed_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow(View):
    """One step of a run.

    Attributes:
        number: 1-based, in the order the log first names it.
        status: by the event log; ``record_status`` is what the record says, None without record.
        starts: how many ``step_started`` events there are: executions that were begun.
        recorded_attempt: the attempt number in the record, None when it has none.
        retries: how many ``step_retrying`` events there are: errors that used up the budget.
        input_size, output_size: stored bytes, None where there is no payload.
        note: what does not fit together, one sentence, empty when all is well.
    """

    number: int
    step_id: str
    run_id: str
    name: FunctionName
    status: str
    record_status: str | None
    starts: int
    recorded_attempt: int | None
    retries: int
    created_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    input_size: int | None
    output_size: int | None
    has_error: bool
    note: str = ""

    @property
    def took(self) -> float | None:
        """Seconds from the first start to the end, interruptions included; None while it has no end."""
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow(View):
    """One event of a log.

    Attributes:
        slot: its number; None in worlds that number events by ULID.
        about: the step's or workflow's function, the hook's token or the attribute keys: a few words.
        correlation_id: the step, hook or wait it is about.
        payloads: ``(name, stored bytes)`` of what it carries.
        back: seconds by which its time lies before its predecessor's; 0 normally. Slots are the order,
            times are not (docs/evidence/observed.md#order).
        occurred_at: when it happened, if the event says so (docs/formats/local.md#files: ``occurredAt``) and
            that is another time than ``at``, when it was written. ``about`` says so too.
    """

    event_id: str
    run_id: str
    slot: int | None
    event_type: str
    at: datetime | None
    correlation_id: str | None
    about: str
    payloads: tuple[tuple[str, int], ...]
    back: float = 0.0
    occurred_at: datetime | None = None


def run_row(record: RunRecord, *, depth: int = 0) -> RunRow:
    """Return the row of one run record."""
    context = record.fields.get("executionContext")
    core = context.get("workflowCoreVersion") if isinstance(context, dict) else None
    return RunRow(
        run_id=record.run_id,
        status=record.status,
        function=record.workflow.function,
        workflow_name=record.workflow.full,
        eve_version=record.attribute("$eve.version"),
        core_version=core if isinstance(core, str) else None,
        spec_version=record.spec_version,
        title=record.attribute("$eve.title") or "",
        kind=record.attribute("$eve.type") or "",
        parent=record.attribute("$parentRunId"),
        root=record.attribute("$rootRunId"),
        created_at=record.created_at,
        started_at=record.time("startedAt"),
        completed_at=record.time("completedAt"),
        updated_at=record.time("updatedAt"),
        purged=record.purged,
        depth=depth,
    )


def run_rows(records: Iterable[RunRecord]) -> tuple[RunRow, ...]:
    """Return rows with children below their parents, roots in the given order."""
    rows = [run_row(record) for record in records]
    ids = {row.run_id for row in rows}
    below: dict[str, list[RunRow]] = {}
    roots: list[RunRow] = []
    for row in rows:
        if row.parent and row.parent in ids and row.parent != row.run_id:
            below.setdefault(row.parent, []).append(row)
        else:
            roots.append(row)
    out: list[RunRow] = []
    placed: set[str] = set()
    stack = [(row, 0) for row in reversed(roots)]
    while stack or len(placed) < len(rows):
        if not stack:  # parents in a circle: a forged or damaged attribute must not hide a run
            stack = [(next(row for row in rows if row.run_id not in placed), 0)]
        row, depth = stack.pop()
        if row.run_id in placed:
            continue
        placed.add(row.run_id)
        out.append(replace(row, depth=depth) if depth else row)
        stack.extend((child, depth + 1) for child in reversed(below.get(row.run_id, [])))
    return tuple(out)


@dataclass(slots=True)
class _Log:
    """What the events say about one step."""

    name: str = ""
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    end: str = ""
    starts: int = 0
    retries: int = 0
    input: Payload | None = None
    output: Payload | None = None
    error: bool = False


def _read_log(events: Iterable[EventRecord]) -> dict[str, _Log]:
    logs: dict[str, _Log] = {}
    for event in events:
        kind, step_id = event.event_type, event.correlation_id
        if not kind.startswith("step_") or not step_id:
            continue
        log = logs.setdefault(step_id, _Log())
        name = event.data.get("stepName")
        log.name = log.name or (name if isinstance(name, str) else "")
        log.input = log.input or event.data_payload("input")
        if kind == "step_created":
            log.created_at = log.created_at or event.created_at
        elif kind == "step_started":
            log.starts += 1
            log.started_at = log.started_at or event.created_at
        elif kind == "step_retrying":
            log.retries += 1
        elif kind in _ENDS and not log.end:  # a second end: docs/evidence/reports.md#t24
            log.end = _ENDS[kind]
            log.ended_at = event.created_at
            log.output = event.data_payload("result")
            log.error = kind == "step_failed"
    return logs


def _status(log: _Log | None, record: StepRecord | None) -> tuple[str, str]:
    """The status by the log, and a note where the record differs."""
    said = record.status if record else ""
    if log is None and record is not None and record.text("format"):
        # A row of the framework's own (a submission): no step's events belong to it.
        return said or "unknown", ""
    if log is None:
        return said or "unknown", "The log has no event of it."
    status = log.end or ("running" if log.starts else "pending")
    if log.end and record is None:
        return status, "It has no record, only events."
    if not log.end and said in ("completed", "failed", "cancelled"):
        if said == "cancelled":
            return said, ""
        return status, f"The record says {said}, the log has no end: only the log counts for replay."
    if log.end and said and said != log.end:
        return status, f"The record says {said}."
    return status, ""


def step_rows(steps: Iterable[StepRecord], events: Sequence[EventRecord]) -> tuple[StepRow, ...]:
    """Return the steps of one run in log order, those the log does not name last.

    Steps without a record and records without events both appear (docs/evidence/reports.md#t19,
    docs/evidence/reports.md#t28 of the reader's list).
    """
    records = {step.step_id: step for step in steps}
    logs = _read_log(events)
    rows = []
    for number, step_id in enumerate([*logs, *(each for each in records if each not in logs)], start=1):
        record, log = records.get(step_id), logs.get(step_id)
        status, note = _status(log, record)
        payload_in = (record.payload("input") if record else None) or (log.input if log else None)
        payload_out = (record.payload("output") if record else None) or (log.output if log else None)
        rows.append(
            StepRow(
                number=number,
                step_id=step_id,
                run_id=events[0].run_id if events else (record.run_id if record else ""),
                name=record.name if record else parse_function_name(log.name if log else ""),
                status=status,
                record_status=record.status or None if record else None,
                starts=log.starts if log else 0,
                recorded_attempt=record.attempt if record else None,
                retries=log.retries if log else 0,
                created_at=(log.created_at if log else None) or (record.created_at if record else None),
                started_at=(log.started_at if log else None)
                or (record.time("startedAt") if record else None),
                ended_at=(log.ended_at if log else None) or (record.time("completedAt") if record else None),
                input_size=payload_in.size if payload_in else None,
                output_size=payload_out.size if payload_out else None,
                has_error=bool((log and log.error) or (record and record.fields.get("error") is not None)),
                note=note,
            )
        )
    return tuple(rows)


def _about(event: EventRecord) -> str:
    data = event.data
    for name in ("stepName", "workflowName"):
        value = data.get(name)
        if isinstance(value, str):
            return value.rsplit("//", 1)[-1]
    token = data.get("token")
    if isinstance(token, str):
        return token
    changes = data.get("changes")
    if isinstance(changes, list):
        keys = [change.get("key") for change in changes if isinstance(change, dict)]
        return ", ".join(key for key in keys if isinstance(key, str))
    resume = data.get("resumeAt")
    if not isinstance(resume, str):
        return ""
    due = parse_time(resume)
    return f"until {due:%Y-%m-%d %H:%M:%S} UTC" if due is not None else f"until {resume!r}, which is no time"


def event_row(event: EventRecord, before: EventRecord | None = None) -> EventRow:
    """Return the row of one event; ``before`` is its predecessor in the log."""
    at = event.created_at
    earlier = before.created_at if before is not None else None
    back = (earlier - at).total_seconds() if at is not None and earlier is not None and earlier > at else 0.0
    occurred = event.occurred_at
    occurred = None if occurred == at else occurred
    return EventRow(
        event_id=event.event_id,
        run_id=event.run_id,
        slot=event.slot,
        event_type=event.event_type,
        at=at,
        correlation_id=event.correlation_id,
        about=", ".join(filter(None, (_about(event), _happened(occurred, at)))),
        payloads=tuple((name, payload.size) for name, payload in event.payloads()),
        back=back,
        occurred_at=occurred,
    )


def _happened(occurred: datetime | None, written: datetime | None) -> str:
    if occurred is None or written is None:
        return ""
    seconds = (written - occurred).total_seconds()
    return f"happened {duration(abs(seconds))} {'earlier' if seconds > 0 else 'later'}"
