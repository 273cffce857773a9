"""Drafts to the frozen steps, attempts and calls of the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from eve_replay.codec import Payload
from eve_replay.journal.frameworks.workflow.calls import CallIndex, read_calls
from eve_replay.journal.frameworks.workflow.history import HistoryCall, history_calls
from eve_replay.journal.frameworks.workflow.steps import AttemptDraft, StepDraft
from eve_replay.journal.model import (
    Attempt,
    Coordinate,
    Evidence,
    ModelCall,
    Step,
    StreamEvent,
    ToolCall,
)
from eve_replay.values import UNDEFINED, same

__all__ = ["freeze_step"]


def freeze_step(
    draft: StepDraft, index: CallIndex, *, turn_id: str | None = None, dispatched: Sequence[str] = ()
) -> Step:
    """Freeze one step.

    Args:
        draft: the step with the stream joined onto it.
        index: tool calls asked for so far; those of this step are added.
        turn_id: the turn it works for.
        dispatched: runs it started.
    """
    output = draft.payload("output")
    told = output if draft.kind == "turn" else None
    action = told.at("$.action") if told is not None else None
    added = history_calls(told) if told is not None else []
    attempts = _freeze_attempts(draft, index, added, _handed_over(told))
    coordinates = sorted({c for a in draft.attempts for e in a.stream if (c := _of_turn_step(draft, e))})
    return Step(
        step_id=draft.step_id,
        run_id=draft.run_id,
        name=draft.name,
        kind=draft.kind,
        status=draft.status,
        certainty="observed" if draft.events else "implied",
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
        turn_id=turn_id,
        input=draft.payload("input"),
        output=output,
        error=draft.payload("error"),
        dispatched=tuple(dispatched),
        problems=(*draft.problems, *(p for a in draft.attempts for p in a.problems)),
    )


def _of_turn_step(draft: StepDraft, event: StreamEvent) -> Coordinate | None:
    return event.coordinate if draft.kind == "turn" else None


def _record_time(draft: StepDraft, name: str) -> datetime | None:
    return draft.record.time(name) if draft.record is not None else None


def _step_evidence(draft: StepDraft) -> Iterator[Evidence]:
    event = draft.end or draft.created or (draft.starts[0] if draft.starts else None)
    if event is not None:
        yield Evidence(kind="event", id=event.event_id, run_id=draft.run_id, note=event.event_type)
    if draft.record is not None:
        yield Evidence(kind="record", id=draft.step_id, run_id=draft.run_id)


def _handed_over(output: Payload | None) -> set[str]:
    """Return call ids that a turn step left to a dispatch: their results come in a later step."""
    found: set[str] = set()
    if output is None:
        return found
    for path in ("$.pendingCoordinationCallIds", "$.pendingTaskToolCalls"):
        value = output.at(path)
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
        missing = [c for c in added if c.call_id not in index.latest and c.call_id not in index.told]
        index.told.update(c.call_id for c in missing)  # eve before 0.66 repeats the whole history
        tools = tuple(_from_history(c, draft, made[-1]) for c in missing)
        made[-1] = replace(made[-1], tool_calls=made[-1].tool_calls + tools)
    return tuple(_tell_calls(draft, made, handed_over))


def _attempt(
    attempt: AttemptDraft, draft: StepDraft, models: tuple[ModelCall, ...], tools: tuple[ToolCall, ...]
) -> Attempt:
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


def _from_history(call: HistoryCall, draft: StepDraft, attempt: Attempt) -> ToolCall:
    """Make a tool call of which the stream says nothing, from the history that the step committed.

    Where the attempt has a stream, such a call was refused before it could run
    (docs/evidence/observed.md#refused-calls). Where there is none (purged, or not exported) the history is
    all that is left of an ordinary call.
    """
    models = [m.coordinate for m in attempt.model_calls]
    place = models[call.answer] if call.answer < len(models) and call.answers == len(models) else None
    if place is None and len(set(models)) == 1:
        place = models[0]
    refused = bool(attempt.stream_events)
    returned = call.output is not UNDEFINED
    status = ("failed" if call.is_error else "completed") if returned else None
    return ToolCall(
        call_id=call.call_id,
        name=call.name,
        coordinate=place,
        position=call.position if not refused else None,
        step_id=draft.step_id,
        attempt=attempt.n,
        run_id=draft.run_id,
        input=call.input,
        output=call.output,
        status="rejected" if refused else status,
        is_error=call.is_error,
        history_only=refused,
        began="implied" if returned and not refused else "unknown",
        certainty="observed" if refused else "implied",
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


def _tell_calls(draft: StepDraft, made: list[Attempt], handed_over: set[str]) -> Iterator[Attempt]:
    """Say of each call in which attempts it occurs and whether it was left to a later step."""
    where: dict[tuple[Coordinate | None, str], list[int]] = {}
    for attempt in made:
        for call in attempt.tool_calls:
            where.setdefault((call.coordinate, call.call_id), []).append(attempt.n)
    held = [c for a in made for c in a.tool_calls if c.call_id in handed_over or _is_asked(c, _asked(a))]
    for attempt in made:
        asked = _asked(attempt)
        calls = tuple(
            replace(
                call,
                attempts=tuple(dict.fromkeys(where[call.coordinate, call.call_id])),
                deferred=not call.returned
                and (call.call_id in handed_over or _is_asked(call, asked) or _left_later(call, held)),
            )
            for call in attempt.tool_calls
        )
        yield replace(attempt, tool_calls=calls)


def _is_asked(call: ToolCall, asked: set[tuple[Coordinate | None, str]]) -> bool:
    return (call.coordinate, call.call_id) in asked or (None, call.call_id) in asked


def _left_later(call: ToolCall, held: Sequence[ToolCall]) -> bool:
    """Whether another attempt left this call to a later step: same place, tool and input."""
    return any(
        call.key == other.key and call.name == other.name and same(call.input, other.input) for other in held
    )


def _asked(attempt: Attempt) -> set[tuple[Coordinate | None, str]]:
    """Return the calls for which this attempt asked a person: place and id."""
    found: set[tuple[Coordinate | None, str]] = set()
    for event in attempt.stream_events:
        requests = event.data.get("requests") if event.type == "input.requested" else None
        for request in requests if isinstance(requests, list) else []:
            action = request.get("action") if isinstance(request, dict) else None
            call = action.get("callId") if isinstance(action, dict) else None
            if isinstance(call, str):
                found.add((event.coordinate, call))
    return found
