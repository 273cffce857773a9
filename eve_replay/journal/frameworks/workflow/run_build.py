"""One run: read, closed where its end closes it, its children found, frozen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.journal.frameworks.workflow.calls import CallIndex
from eve_replay.journal.frameworks.workflow.freeze import freeze_step
from eve_replay.journal.frameworks.workflow.sessions import SessionMap, parent_of
from eve_replay.journal.frameworks.workflow.steps import StepDraft, draft_steps
from eve_replay.journal.frameworks.workflow.turns import assign_turns
from eve_replay.journal.model import Evidence, Run, RunRole, Step
from eve_replay.problems import Gap, Problem
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Other,
    RunRecord,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.base import World

__all__ = ["ENDED", "RunDraft", "assign_all_turns", "close_drafts", "freeze_run", "read_run"]

#: Run states from which nothing goes on.
ENDED = ("completed", "failed", "cancelled")


@dataclass(slots=True, kw_only=True)
class RunDraft:
    """A run before it is frozen: ``turns`` by step id, ``dispatched`` child runs by step id."""

    record: RunRecord
    events: tuple[EventRecord, ...]
    others: tuple[Other, ...]
    steps: list[StepDraft]
    gaps: tuple[Gap, ...] = ()
    turns: dict[str, str] = field(default_factory=dict)
    dispatched: dict[str, list[str]] = field(default_factory=dict)


def read_run(world: World, record: RunRecord) -> RunDraft:
    """Read a run's log, steps and other records from the world."""
    events = tuple(world.events(record.run_id))
    others = tuple(world.others(record.run_id))
    steps = draft_steps(record, events, world.steps(record.run_id))
    # Only now has everything of the run been looked at.
    lists = ("events", "steps", "others")
    gaps = tuple(g for g in world.receipt.gaps if g.of in lists and g.run_id in ("", record.run_id))
    return RunDraft(record=record, events=events, others=others, steps=steps, gaps=gaps)


def close_drafts(draft: RunDraft, sessions: SessionMap) -> None:
    """Add what the run as a whole says about its steps: writers of attributes, its end, its children."""
    _note_writers(draft)
    _close_with_run(draft)
    draft.dispatched = _dispatched(draft, sessions)


def _note_writers(draft: RunDraft) -> None:
    """Use ``attr_set``: its writer names step and attempt, so that body ran.

    Source: docs/formats/local.md#events.
    """
    steps = {step.step_id: step for step in draft.steps}
    for event in draft.events:
        writer = event.data.get("writer") if event.event_type == "attr_set" else None
        if not isinstance(writer, Mapping):
            continue
        step = steps.get(str(writer.get("stepId")))
        number = writer.get("attempt")
        if step is None or not isinstance(number, int) or not 0 < number <= len(step.attempts):
            continue
        attempt = step.attempts[number - 1]
        if attempt.body == "unknown":
            attempt.body, attempt.body_certainty = "ran", "observed"
            attempt.body_why = "it wrote run attributes"


def _close_with_run(draft: RunDraft) -> None:
    """A run that has ended leaves no attempt running."""
    status = draft.record.status
    if status not in ENDED:
        return
    for step in draft.steps:
        for attempt in step.attempts:
            if attempt.outcome == "running":
                attempt.outcome = "cancelled" if status == "cancelled" else "interrupted"
                attempt.certainty = "implied"
                attempt.window_end = attempt.window_end or draft.record.time("completedAt")
                attempt.evidence.append(
                    Evidence(
                        kind="record",
                        id=draft.record.run_id,
                        run_id=draft.record.run_id,
                        path="$.status",
                        note=f"the run is {status}, and the step has no end",
                    )
                )


def assign_all_turns(owners: Sequence[RunDraft], sessions: SessionMap) -> None:
    """Find the turn of every step; a turn's own run (eve 0.20 to 0.50) and its dispatch serve that turn."""
    of_run: dict[str, str] = {}
    for draft in owners:
        draft.turns = assign_turns(draft.steps)
        if sessions.roles[draft.record.run_id] == "turn" and draft.turns:
            of_run[draft.record.run_id] = turn = next(iter(draft.turns.values()))
            for step in draft.steps:
                draft.turns.setdefault(step.step_id, turn)
    for draft in owners:
        for step_id, started in draft.dispatched.items():
            turns = [of_run[run_id] for run_id in started if run_id in of_run]
            if turns:
                draft.turns.setdefault(step_id, turns[0])


def _dispatched(draft: RunDraft, sessions: SessionMap) -> dict[str, list[str]]:
    """Find the step that started each child run: the one whose output names it, else by time."""
    found: dict[str, list[str]] = {}
    children = list(sessions.children.get(draft.record.run_id, ()))
    runtime = [s for s in draft.steps if s.kind == "runtime"]
    for step in runtime:
        output = step.payload("output")
        for path in ("$.runId", "$.sessionId"):
            value = output.at(path) if output is not None else None
            if isinstance(value, str) and value in children:
                found.setdefault(step.step_id, []).append(value)
                children.remove(value)
    for child in children:
        created = sessions.records[child].created_at
        holding = [s for s in runtime if created is not None and _holds(s, created)]
        if holding:
            # The narrowest window: a dispatch is short, and what runs beside it is not.
            step = max(holding, key=lambda s: (s.attempts[0].started_at, s.order))
            found.setdefault(step.step_id, []).append(child)
    return found


def _holds(step: StepDraft, at: datetime) -> bool:
    return any(
        a.started_at is not None and a.started_at <= at and (a.window_end is None or at <= a.window_end)
        for a in step.attempts
    )


def freeze_run(draft: RunDraft, sessions: SessionMap, session_id: str, index: CallIndex) -> Run:
    """Freeze a run with its steps. ``index`` holds the tool calls that earlier runs asked for."""
    record = draft.record
    role = sessions.roles[record.run_id]
    parent = parent_of(record)
    steps = tuple(_frozen(step, draft, index) for step in draft.steps)
    call, tool = _tool_of(record, role)
    status, problems = _run_status(record, draft.events)
    return Run(
        run_id=record.run_id,
        role=role,
        session_id=session_id,
        record=record,
        workflow=record.workflow,
        status=status,
        eve_version=record.attribute("$eve.version") or _version_of(draft.steps),
        parent=parent if parent in sessions.records else None,
        parent_call=call,
        tool=tool,
        children=tuple(sorted(sessions.children.get(record.run_id, ()))),
        events=draft.events,
        steps=steps,
        hooks=tuple(o for o in draft.others if isinstance(o, HookRecord)),
        waits=tuple(o for o in draft.others if isinstance(o, WaitRecord)),
        streams=tuple(o for o in draft.others if isinstance(o, StreamRecord)),
        marks=tuple(o for o in draft.others if isinstance(o, MarkRecord)),
        created_at=record.created_at,
        started_at=record.time("startedAt"),
        ended_at=record.time("completedAt"),
        error=record.payload("error"),
        purged=record.purged,
        problems=(*problems, *(p for s in steps for p in s.problems)),
        gaps=draft.gaps,
    )


def _frozen(step: StepDraft, draft: RunDraft, index: CallIndex) -> Step:
    return freeze_step(
        step,
        index,
        turn_id=draft.turns.get(step.step_id),
        dispatched=draft.dispatched.get(step.step_id, ()),
    )


def _run_status(record: RunRecord, events: Iterable[EventRecord]) -> tuple[str, list[Problem]]:
    """Return the record's status; the log may be ahead of it or behind it."""
    ends = [e for e in events if e.event_type in ("run_completed", "run_failed", "run_cancelled")]
    said = ends[0].event_type.removeprefix("run_") if ends else None
    if said is not None and record.status != said:
        problem = Problem(
            severity="warning",
            code="run-record-against-log",
            where=record.run_id,
            message=f"The run's record says {record.status or 'nothing'}, its log says {said}.",
        )
        return said, [problem]
    return record.status, []


def _tool_of(record: RunRecord, role: RunRole) -> tuple[str | None, str | None]:
    """Return the tool call a run serves and the tool's name, from its input or its attributes."""
    call, node = record.attribute("$eve.parent_call"), record.attribute("$eve.subagent")
    tool = node.rpartition("/")[2] if node else None
    given = record.payload("input") if role == "tool" else None
    if given is not None:
        found, name = given.at("$[0].callId"), given.at("$[0].toolName")
        call = found if isinstance(found, str) else call
        tool = name if isinstance(name, str) else tool
    return call, tool


def _version_of(steps: Sequence[StepDraft]) -> str | None:
    return next((s.name.version for s in steps if s.kind == "turn" and s.name.version), None) or next(
        (s.name.version for s in steps if s.kind == "runtime" and s.name.version), None
    )
