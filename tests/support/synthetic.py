"""Small journals made by hand: records for a MemoryWorld, and model objects for rules that need no world."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from eve_replay.codec import Payload
from eve_replay.ids import parse_function_name
from eve_replay.journal import Journal
from eve_replay.journal.model import (
    Attempt,
    Coordinate,
    Run,
    Session,
    SessionHead,
    Step,
    StreamEvent,
    ToolCall,
)
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord
from eve_replay.worlds.memory import MemoryWorld

T0 = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
RUN = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
CHARGE = "step//./app//chargeCard"


def at(seconds: float) -> datetime:
    """Return an instant that many seconds after the start of every synthetic journal."""
    return T0 + timedelta(seconds=seconds)


def iso(seconds: float) -> str:
    """Return the instant as records write it."""
    return at(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def slot(number: int) -> str:
    """Return an event id by slot."""
    return f"evnt_{number:026d}"


def run(run_id: str = RUN, *, status: str = "running", **fields: Any) -> RunRecord:
    """Return a run record of a plain SDK app."""
    base = {
        "runId": run_id,
        "workflowName": "workflow//./app//order",
        "status": status,
        "specVersion": 8,
        "createdAt": iso(0),
        "updatedAt": iso(0),
    }
    return RunRecord(base | fields, f"runs/{run_id}.json")


def event(
    number: int,
    kind: str,
    subject: str | None = None,
    *,
    seconds: float | None = None,
    run_id: str = RUN,
    data: dict[str, Any] | None = None,
    **fields: Any,
) -> EventRecord:
    """Return a log event; step events get a step name unless ``data`` has one."""
    inside = dict(data or {})
    if kind.startswith("step_"):
        inside.setdefault("stepName", CHARGE)
    base: dict[str, Any] = {
        "eventId": slot(number),
        "eventType": kind,
        "runId": run_id,
        "specVersion": 8,
        "createdAt": iso(number if seconds is None else seconds),
        "eventData": inside,
    }
    if subject is not None:
        base["correlationId"] = subject
    return EventRecord(base | fields, f"events/{run_id}/{run_id}-{slot(number)}.json")


def events(*kinds: str | tuple[str, str], run_id: str = RUN) -> list[EventRecord]:
    """Return a dense log of the given kinds, ``(kind, subject)`` for those about something."""
    out = []
    for number, kind in enumerate(kinds, start=1):
        name, subject = (kind, None) if isinstance(kind, str) else kind
        out.append(event(number, name, subject, run_id=run_id))
    return out


def step_record(
    step_id: str, *, status: str = "completed", run_id: str = RUN, name: str = CHARGE, **fields: Any
) -> StepRecord:
    """Return a step record."""
    base = {
        "runId": run_id,
        "stepId": step_id,
        "stepName": name,
        "status": status,
        "attempt": 1,
        "createdAt": iso(0),
    }
    return StepRecord(base | fields, f"steps/{run_id}/{run_id}-{step_id}.json")


def journal(
    runs: Iterable[RunRecord],
    log: Iterable[EventRecord] = (),
    steps: Iterable[StepRecord] = (),
    others: Iterable[Other] = (),
) -> Journal:
    """Return the journal of records in memory."""
    return Journal(MemoryWorld(runs=runs, events=log, steps=steps, others=others))


def value(data: object) -> Payload:
    """Return a payload that holds ``data`` as a plain record."""
    return Payload.plain(data)


# --- model objects ---------------------------------------------------------------------------------


def call(
    call_id: str,
    name: str = "charge_card",
    *,
    attempt: int = 1,
    step_id: str = "step_A",
    position: int | None = 0,
    index: int = 0,
    turn: str = "turn_0",
    requested: float | None = 1,
    returned: float | None = None,
    **fields: Any,
) -> ToolCall:
    """Return one occurrence of a tool call."""
    fields.setdefault("status", "completed" if returned is not None else None)
    return ToolCall(
        call_id=call_id,
        name=name,
        coordinate=Coordinate(turn_id=turn, step_index=index),
        position=position,
        step_id=step_id,
        attempt=attempt,
        run_id=RUN,
        requested_at=at(requested) if requested is not None else None,
        returned_at=at(returned) if returned is not None else None,
        **fields,
    )


def attempt(n: int, *calls: ToolCall, outcome: str = "completed", start: float = 0, **fields: Any) -> Attempt:
    """Return one attempt; its window is ten seconds long unless said otherwise."""
    fields.setdefault("window_end", at(start + 10))
    fields.setdefault("step_id", "step_A")
    fields.setdefault("run_id", RUN)
    if outcome == "completed":
        fields.setdefault("ended_at", at(start + 9))
    return Attempt(
        n=n,
        started_at=at(start),
        outcome=outcome,  # type: ignore[arg-type]
        tool_calls=calls,
        **fields,
    )


def stream_event(
    kind: str, *, index: int | None = 0, turn: str = "turn_0", seconds: float = 1
) -> StreamEvent:
    """Return one event of the session stream."""
    return StreamEvent(
        chunk_id="chnk_1",
        position=0,
        stream="strm_1_user",
        type=kind,
        meta_id=None,
        at=at(seconds),
        stored_at=None,
        turn_id=turn,
        step_index=index,
        sequence=0,
        delivery_ids=(),
        data={},
    )


def turn_step(*attempts: Attempt, step_id: str = "step_A", turn: str = "turn_0", **fields: Any) -> Step:
    """Return a turn step."""
    return Step(
        step_id=step_id,
        run_id=RUN,
        name=parse_function_name("step//eve@0.80.1//turnStep"),
        kind="turn",
        status=attempts[-1].outcome if attempts else "pending",
        attempts=attempts,
        turn_id=turn,
        coordinates=(Coordinate(turn_id=turn, step_index=0),),
        **fields,
    )


def function_step(*attempts: Attempt, step_id: str = "step_F", name: str = CHARGE, **fields: Any) -> Step:
    """Return a ``use step`` function of the app."""
    fields.setdefault("run_id", RUN)
    return Step(
        step_id=step_id,
        name=parse_function_name(name),
        kind="function",
        status=attempts[-1].outcome if attempts else "pending",
        attempts=attempts,
        **fields,
    )


def model_run(*steps: Step, run_id: str = RUN, role: str = "session", **fields: Any) -> Run:
    """Return a run of the model."""
    record = run(run_id)
    return Run(
        run_id=run_id,
        role=role,  # type: ignore[arg-type]
        session_id=RUN,
        record=record,
        workflow=record.workflow,
        status=fields.pop("status", "running"),
        steps=steps,
        **fields,
    )


def session(*runs: Run, children: Iterable[Run] = (), **fields: Any) -> Session:
    """Return a session over runs."""
    head = SessionHead(id=RUN, kind="session", run_ids=tuple(r.run_id for r in runs))
    return Session(head=head, runs=runs, children=tuple(children), **fields)
