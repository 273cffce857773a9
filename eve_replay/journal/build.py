"""One session, joined: records and events to drafts, the stream onto the drafts, drafts to frozen objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from eve_replay.codec import session_events
from eve_replay.journal.calls import CallIndex, read_calls
from eve_replay.journal.history import HistoryCall, history_calls
from eve_replay.journal.messages import read_messages
from eve_replay.journal.model import (
    Attempt,
    Certainty,
    Coordinate,
    Evidence,
    Message,
    Park,
    Run,
    Session,
    SessionHead,
    Step,
    StreamEvent,
    ToolCall,
    Turn,
)
from eve_replay.journal.parks import Emitted, open_parks, stream_parks, workflow_parks
from eve_replay.journal.sessions import SessionMap, parent_of
from eve_replay.journal.steps import AttemptDraft, StepDraft, draft_steps
from eve_replay.journal.stream_join import join_stream, model_coordinate, stream_event
from eve_replay.journal.turns import assign_turns, build_turns
from eve_replay.problems import Problem
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

__all__ = ["build_session"]

_ENDED = ("completed", "failed", "cancelled")


@dataclass(slots=True, kw_only=True)
class _RunDraft:
    record: RunRecord
    events: tuple[EventRecord, ...]
    others: tuple[Other, ...]
    steps: list[StepDraft]
    turns: dict[str, str] = field(default_factory=dict)
    dispatched: dict[str, list[str]] = field(default_factory=dict)


def build_session(world: World, sessions: SessionMap, head: SessionHead) -> Session:
    """Build one session with its turns, attempts, messages and parks.

    Decodes the session stream, hook payloads, and of turn steps the ``action`` and the messages they
    added; step inputs stay closed (except for a turn step that has not said anything yet).
    """
    drafts = {i: _read_run(world, sessions.records[i]) for i in (*head.run_ids, *head.child_ids)}
    owners = [drafts[i] for i in head.run_ids]
    problems: list[Problem] = []
    stream = _read_stream(world, head, drafts[head.id], problems)
    unjoined = join_stream([s for run in owners for s in run.steps], stream)
    if unjoined:
        problems.append(
            Problem(
                severity="warning",
                code="events-without-attempt",
                where=unjoined[0].chunk_id,
                message=f"{len(unjoined)} stream events lie outside every start of every step.",
            )
        )
    for draft in drafts.values():
        _note_writers(draft)
        _close_with_run(draft)
    for draft in owners:
        draft.turns = assign_turns(draft.steps)
    for draft in drafts.values():
        draft.dispatched = _dispatched(draft, sessions)
    index = CallIndex()
    frozen = {run_id: _freeze_run(draft, sessions, head, index) for run_id, draft in drafts.items()}
    runs, children = tuple(frozen[i] for i in head.run_ids), tuple(frozen[i] for i in head.child_ids)
    emitted = _emitted(runs, stream)
    parks = stream_parks(emitted, head.id)
    for run in (*runs, *children):
        parks.extend(workflow_parks(run, head.id, _turn_of_run(run)))
    turns = tuple(build_turns(runs, emitted, parks, head.id))
    messages: Sequence[Message] = ()
    if head.kind != "workflow":
        messages = read_messages(runs, turns, parks, stream, head.id)
    status, certainty, evidence = _status(runs, turns, parks)
    in_turns = {step.step_id for turn in turns for step in turn.steps}
    return Session(
        head=_with_version(head, runs),
        runs=runs,
        children=children,
        turns=turns,
        status=status,
        certainty=certainty,
        evidence=evidence,
        parks=tuple(sorted(parks, key=lambda p: (p.since is None, p.since))),
        messages=tuple(messages),
        steps_beside=tuple(s for run in runs for s in run.steps if s.step_id not in in_turns),
        stream_events=tuple(stream),
        unjoined=tuple(unjoined),
        problems=(*problems, *(p for run in (*runs, *children) for p in run.problems)),
    )


def _read_run(world: World, record: RunRecord) -> _RunDraft:
    events = tuple(world.events(record.run_id))
    return _RunDraft(
        record=record,
        events=events,
        others=tuple(world.others(record.run_id)),
        steps=draft_steps(record, events, world.steps(record.run_id)),
    )


def _read_stream(
    world: World, head: SessionHead, first: _RunDraft, problems: list[Problem]
) -> list[StreamEvent]:
    """Read the session's own stream; other streams of the run are not the session's story."""
    if head.kind == "workflow":
        return []
    name = f"strm_{head.id.removeprefix('wrun_')}_user"
    known = {other.name for other in first.others if isinstance(other, StreamRecord)}
    if known and name not in known:
        return []
    found = session_events(world.stream(head.id, name))
    events = [stream_event(n, name, chunk_id, raw) for n, (chunk_id, raw) in enumerate(found)]
    untyped = [e for e in events if not e.type]
    if untyped:
        problems.append(
            Problem(
                severity="warning",
                code="untyped-stream-event",
                where=untyped[0].chunk_id,
                message=f"{len(untyped)} stream events have no type.",
            )
        )
    return events


def _note_writers(draft: _RunDraft) -> None:
    """Use ``attr_set``: its writer names step and attempt, so that body ran (LOCAL.md section 7)."""
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


def _close_with_run(draft: _RunDraft) -> None:
    """A run that has ended leaves no attempt running."""
    status = draft.record.status
    if status not in _ENDED:
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


def _dispatched(draft: _RunDraft, sessions: SessionMap) -> dict[str, list[str]]:
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


def _freeze_run(draft: _RunDraft, sessions: SessionMap, head: SessionHead, index: CallIndex) -> Run:
    record = draft.record
    role = sessions.roles[record.run_id]
    parent = parent_of(record)
    steps = tuple(_freeze_step(step, draft, index) for step in draft.steps)
    call, tool = _tool_of(record, role)
    status, problems = _run_status(record, draft.events)
    return Run(
        run_id=record.run_id,
        role=role,
        session_id=head.id,
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


def _tool_of(record: RunRecord, role: str) -> tuple[str | None, str | None]:
    """Return the tool call a run serves and the tool's name, from its input or its attributes."""
    call, tool = record.attribute("$eve.parent_call"), record.attribute("$eve.subagent")
    given = record.payload("input") if role == "tool" else None
    if given is not None:
        found, name = given.at("$[0].callId"), given.at("$[0].toolName")
        call = found if isinstance(found, str) else call
        tool = name if isinstance(name, str) else tool
    return call, tool


def _turn_of_run(run: Run) -> str | None:
    """Return the turn of the caller that a workflow tool's run serves."""
    given = run.record.payload("input") if run.role == "tool" else None
    turn = given.at("$[0].session.turn.id") if given is not None else None
    return turn if isinstance(turn, str) else None


def _version_of(steps: Sequence[StepDraft]) -> str | None:
    return next((s.name.version for s in steps if s.kind == "turn" and s.name.version), None) or next(
        (s.name.version for s in steps if s.kind == "runtime" and s.name.version), None
    )


def _with_version(head: SessionHead, runs: Sequence[Run]) -> SessionHead:
    if head.eve_version is not None or head.kind == "workflow":
        return head
    version = next((r.eve_version for r in reversed(runs) if r.eve_version is not None), None)
    return replace(head, eve_version=version)


def _freeze_step(draft: StepDraft, run: _RunDraft, index: CallIndex) -> Step:
    output = draft.payload("output")
    action = output.at("$.action") if output is not None and draft.kind == "turn" else None
    added = history_calls(output) if output is not None and draft.kind == "turn" else []
    attempts = _freeze_attempts(draft, index, added, _handed_over(output))
    coordinates = sorted({c for a in draft.attempts for e in a.stream if (c := _of_turn_step(draft, e))})
    certainty: Certainty = "observed" if draft.events else "implied"
    return Step(
        step_id=draft.step_id,
        run_id=draft.run_id,
        name=draft.name,
        kind=draft.kind,
        status=draft.status,
        certainty=certainty,
        evidence=tuple(_step_evidence(draft)),
        record=draft.record,
        created_event=draft.created,
        started_events=tuple(draft.starts),
        retrying_events=tuple(draft.retries),
        end_event=draft.end,
        events=tuple(draft.events),
        created_at=draft.created.created_at if draft.created else _record_time(draft, "createdAt"),
        started_at=draft.attempts[0].started_at if draft.attempts else None,
        ended_at=draft.end.created_at if draft.end else None,
        attempts=attempts,
        action=action if isinstance(action, str) else None,
        coordinates=tuple(coordinates),
        turn_id=run.turns.get(draft.step_id),
        input=draft.payload("input"),
        output=output,
        error=draft.payload("error"),
        dispatched=tuple(run.dispatched.get(draft.step_id, ())),
        problems=(*draft.problems, *(p for a in draft.attempts for p in a.problems)),
    )


def _of_turn_step(draft: StepDraft, event: StreamEvent) -> Coordinate | None:
    return model_coordinate(event) if draft.kind == "turn" else None


def _record_time(draft: StepDraft, name: str) -> datetime | None:
    return draft.record.time(name) if draft.record is not None else None


def _step_evidence(draft: StepDraft) -> Iterable[Evidence]:
    event = draft.end or draft.created or (draft.starts[0] if draft.starts else None)
    if event is not None:
        yield Evidence(kind="event", id=event.event_id, run_id=draft.run_id, note=event.event_type)
    if draft.record is not None:
        yield Evidence(kind="record", id=draft.step_id, run_id=draft.run_id)


def _handed_over(output: object) -> set[str]:
    """Return call ids that a turn step left to a dispatch: their results come in a later step."""
    found: set[str] = set()
    at = getattr(output, "at", None)
    if at is None:
        return found
    for path in ("$.pendingCoordinationCallIds", "$.pendingTaskToolCalls"):
        value = at(path)
        for item in value if isinstance(value, list) else []:
            call = item.get("callId") if isinstance(item, Mapping) else item
            if isinstance(call, str):
                found.add(call)
    return found


def _freeze_attempts(
    draft: StepDraft, index: CallIndex, added: Sequence[HistoryCall], handed_over: set[str]
) -> tuple[Attempt, ...]:
    made: list[Attempt] = []
    for attempt in draft.attempts:
        models, tools = read_calls(
            attempt.stream,
            attempt=attempt.n,
            step_id=draft.step_id,
            run_id=draft.run_id,
            alive=attempt.outcome == "running",
            index=index,
        )
        paid = {c.coordinate for earlier in made for c in earlier.model_calls}
        models = tuple(replace(m, paid_again=True) if m.coordinate in paid else m for m in models)
        made.append(_attempt(attempt, draft, models, tools))
    if made and made[-1].outcome == "completed":
        missing = [c for c in added if c.call_id not in index.ids]
        tools = tuple(_from_history(c, draft, made[-1], n) for n, c in enumerate(missing))
        made[-1] = replace(made[-1], tool_calls=made[-1].tool_calls + tools)
    return tuple(_tell_calls(draft, made, handed_over))


def _attempt(attempt: AttemptDraft, draft: StepDraft, models: tuple, tools: tuple) -> Attempt:  # type: ignore[type-arg]
    signs = [e.at for e in attempt.stream if e.at is not None]
    return Attempt(
        n=attempt.n,
        step_id=draft.step_id,
        run_id=draft.run_id,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        window_end=attempt.window_end,
        last_sign_at=max(signs, default=None),
        outcome=attempt.outcome,
        certainty=attempt.certainty,
        evidence=tuple(attempt.evidence),
        body=attempt.body,
        body_certainty=attempt.body_certainty,
        body_why=attempt.body_why,
        inline=attempt.owner is not None,
        owner=attempt.owner,
        optimistic=draft.optimistic,
        error=attempt.error,
        retry_after=attempt.retry_after,
        overlaps=tuple(sorted(attempt.overlaps)),
        bodies=attempt.bodies,
        started_event=attempt.start,
        end_event=attempt.end,
        stream_events=tuple(attempt.stream),
        model_calls=models,
        tool_calls=tools,
        problems=tuple(attempt.problems),
    )


def _from_history(call: HistoryCall, draft: StepDraft, attempt: Attempt, n: int) -> ToolCall:
    """Make a tool call that only the committed history knows (OBSERVED.md, 9)."""
    models = [m.coordinate for m in attempt.model_calls]
    place = models[call.answer] if call.answer < len(models) and call.answers == len(models) else None
    if place is None and len(set(models)) == 1:
        place = models[0]
    return ToolCall(
        call_id=call.call_id,
        name=call.name,
        coordinate=place,
        position=None,
        step_id=draft.step_id,
        attempt=attempt.n,
        run_id=draft.run_id,
        input=call.input,
        output=call.output,
        status="rejected" if call.is_error else None,
        is_error=call.is_error,
        history_only=True,
        attempts=(attempt.n,),
        began="unknown",
        evidence=(
            Evidence(
                kind="payload",
                id=draft.step_id,
                run_id=draft.run_id,
                path=call.path,
                note="only the committed history has it",
            ),
        ),
    )


def _tell_calls(draft: StepDraft, made: list[Attempt], handed_over: set[str]) -> Iterable[Attempt]:
    """Say of each call in which attempts it occurs and whether it was left to a later step."""
    where: dict[str, list[int]] = {}
    for attempt in made:
        for call in attempt.tool_calls:
            where.setdefault(call.call_id, []).append(attempt.n)
    held = {
        (c.coordinate, c.position)
        for a in made
        for c in a.tool_calls
        if c.call_id in handed_over or c.call_id in _asked(a)
    }
    for attempt in made:
        asked = _asked(attempt) | handed_over
        calls = tuple(
            replace(
                call,
                attempts=tuple(dict.fromkeys(where[call.call_id])),
                deferred=not call.returned and (call.call_id in asked or call.key in held),
            )
            for call in attempt.tool_calls
        )
        yield replace(attempt, tool_calls=calls)


def _asked(attempt: Attempt) -> set[str]:
    """Return the calls for which this attempt asked a person."""
    found: set[str] = set()
    for event in attempt.stream_events:
        requests = event.data.get("requests") if event.type == "input.requested" else None
        for request in requests if isinstance(requests, list) else []:
            action = request.get("action") if isinstance(request, dict) else None
            call = action.get("callId") if isinstance(action, dict) else None
            if isinstance(call, str):
                found.add(call)
    return found


def _emitted(runs: Iterable[Run], stream: Sequence[StreamEvent]) -> list[Emitted]:
    """Put the emitting step and attempt beside every stream event."""
    makers: dict[int, tuple[Step, Attempt]] = {}
    for run in runs:
        for step in run.steps:
            for attempt in step.attempts:
                for event in attempt.stream_events:
                    makers[event.position] = (step, attempt)
    found = []
    for event in stream:
        step, attempt = makers.get(event.position, (None, None))
        committed = step is not None and attempt is not None and attempt.end_event is step.end_event
        found.append(
            Emitted(
                event=event,
                step=step,
                attempt=attempt.n if attempt else None,
                committed=committed and step is not None and step.committed,
            )
        )
    return found


def _status(
    runs: Sequence[Run], turns: Sequence[Turn], parks: Sequence[Park]
) -> tuple[str, Certainty, tuple[Evidence, ...]]:
    """Say in UX words how the session stands."""
    newest = next((r for r in reversed(runs) if r.role != "turn"), runs[-1])
    where = (Evidence(kind="record", id=newest.run_id, run_id=newest.run_id, path="$.status"),)
    if newest.status in _ENDED:
        return newest.status, "observed", where
    waiting = open_parks(p for p in parks)
    last = turns[-1] if turns else None
    if newest.role == "workflow" or last is None:
        steps = [s for r in runs for s in r.steps]
        if waiting and not any(s.status == "running" for s in steps):
            return f"parked: {waiting[0].kind}", waiting[0].certainty, waiting[0].evidence
        if newest.role == "workflow" or any(s.status == "running" for s in steps):
            return newest.status or "running", "observed", where
        return "idle", "implied", where
    if last.status == "parked":
        own = [p for p in waiting if p.turn_id == last.id]
        return f"parked: {own[0].kind if own else 'tasks'}", last.certainty, last.evidence
    if last.status in ("running", "interrupted"):
        return last.status, last.certainty, last.evidence
    return "idle", "observed" if last.committed else "implied", last.evidence
