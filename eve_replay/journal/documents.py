"""The journal as plain JSON data, in the shapes that docs/json.md fixes."""

from __future__ import annotations

from collections.abc import Iterable

from eve_replay.journal.facade import Journal
from eve_replay.journal.model import Attempt, Session, Step, Tokens, ToolCall, Turn
from eve_replay.journal.state import StepState
from eve_replay.journal.transcript import taken_by
from eve_replay.records import HookRecord, WaitRecord
from eve_replay.times import iso
from eve_replay.values import to_tagged

__all__ = [
    "attempts_document",
    "hook_document",
    "state_document",
    "step_document",
    "turn_document",
    "wait_document",
]


def attempts_document(
    journal: Journal, *, run: str | None = None, session: str | None = None
) -> list[dict[str, object]]:
    """Return the ``steps`` of the ``attempts`` document (docs/json.md).

    Args:
        journal: the journal.
        run: only steps of this run.
        session: only steps of this session, its children included.

    Raises:
        NotFound: no such run or session.
    """
    if run is not None:
        return [step_document(step) for step in journal.run(run).steps]
    sessions: Iterable[Session] = [journal.session(session)] if session is not None else journal.sessions
    return [step_document(step) for one in sessions for step in one.steps]


def step_document(step: Step) -> dict[str, object]:
    """Return one entry of ``steps``; times are ISO 8601 UTC, None where the journal has none.

    ``endedAt`` of an attempt is where its window closes: the end of the step, or the next start. Whether an
    interrupted body lived that long is not recorded: ``recordedEndAt`` is the end that is, and ``lastSignAt``
    the last thing the attempt is known to have done.

    ``requested`` and ``returned`` of a call are what the stream shows of this attempt. A call that only the
    history names (unknown tool, invalid input) never got as far: both are false, and its refusal is the
    ``output``.
    """
    return {
        "runId": step.run_id,
        "stepId": step.step_id,
        "stepName": step.name.full,
        "function": step.name.function,
        "kind": step.kind,
        "status": step.status,
        "action": step.action,
        "turnId": step.turn_id,
        "turnSteps": [{"turnId": c.turn_id, "stepIndex": c.step_index} for c in step.coordinates],
        "attempts": [_attempt(attempt) for attempt in step.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, object]:
    return {
        "n": attempt.n,
        "startedAt": iso(attempt.started_at),
        "endedAt": iso(attempt.window_end),
        "recordedEndAt": iso(attempt.ended_at),
        "lastSignAt": iso(attempt.last_sign_at),
        "outcome": attempt.outcome,
        "certainty": attempt.certainty,
        "body": attempt.body,
        "bodyCertainty": attempt.body_certainty,
        "inline": attempt.inline,
        "toolCalls": [_call(call) for call in attempt.tool_calls],
        "modelCalls": len(attempt.model_calls),
        "tokens": _tokens(attempt.tokens),
    }


def _call(call: ToolCall) -> dict[str, object]:
    return {
        "callId": call.call_id,
        "toolName": call.name,
        "kind": call.kind,
        "turnId": call.coordinate.turn_id if call.coordinate else None,
        "stepIndex": call.coordinate.step_index if call.coordinate else None,
        "position": call.position,
        "requested": call.requested_at is not None,
        "requestedAt": iso(call.requested_at),
        "returned": call.returned and not call.history_only,
        "returnedAt": iso(call.returned_at),
        "status": call.status,
        "isError": call.is_error,
        "historyOnly": call.history_only,
        "deferred": call.deferred,
        "input": to_tagged(call.input),
        "output": to_tagged(call.output) if call.returned else None,
    }


def _tokens(tokens: Tokens | None) -> dict[str, int] | None:
    if tokens is None:
        return None
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cacheRead": tokens.cache_read,
        "cacheWrite": tokens.cache_write,
    }


def turn_document(session: Session, turn: Turn) -> dict[str, object]:
    """Return one entry of ``turns`` and the ``turn`` of the ``turn`` document."""
    tokens, again = turn.tokens, turn.tokens_again
    return {
        "sessionId": session.id,
        "turnId": turn.id,
        "sequence": turn.sequence,
        "status": turn.status,
        "certainty": turn.certainty,
        "message": turn.message,
        "messages": [
            {
                "role": message.role,
                "text": message.text,
                "at": iso(message.at),
                "deliveryId": message.delivery_id,
                "takenBy": step.step_id if (step := taken_by(message, turn)) is not None else None,
            }
            for message in session.messages
            if message.turn_id == turn.id and message.role in ("opened", "queued", "steered")
        ],
        "deliveryIds": list(turn.delivery_ids),
        "runIds": list(turn.run_ids),
        "stepIds": [step.step_id for step in turn.steps],
        "attempts": sum(len(step.attempts) for step in turn.turn_steps),
        "stepsAgain": sum(len(step.attempts) > 1 for step in turn.steps),
        "startedAt": iso(turn.started_at),
        "endedAt": iso(turn.ended_at),
        "committed": turn.committed,
        "parks": [
            {
                "kind": park.kind,
                "ofWhom": park.of_whom,
                "asked": park.asked,
                "requestId": park.request_id,
                "callId": park.call_id,
                "since": iso(park.since),
                "until": iso(park.until),
                "due": iso(park.due),
                "releasedBy": park.released_by,
                "open": park.open,
                "lost": park.lost,
            }
            for park in turn.parks
        ],
        "tokens": None if tokens is None else {"input": tokens.input, "output": tokens.output},
        "tokensAgain": None if again is None else {"input": again.input, "output": again.output},
    }


def state_document(state: StepState) -> dict[str, object]:
    """Return one entry of ``steps`` of the ``state`` document: how the state around a step grew."""
    after = state.after or state.before
    return {
        "runId": state.step.run_id,
        "stepId": state.step.step_id,
        "function": state.step.name.function,
        "status": state.step.status,
        "messages": len(after.history) if after is not None else 0,
        "added": len(state.added),
        "law": [
            {"path": change.path, "expected": change.expected, "why": change.why} for change in state.law
        ],
    }


def hook_document(hook: HookRecord) -> dict[str, object]:
    """Return one entry of ``hooks`` of the ``show`` document."""
    metadata = hook.payload("metadata")
    return {
        "hookId": hook.hook_id,
        "token": hook.text("token"),
        "createdAt": iso(hook.created_at),
        "hidden": hook.hidden,
        "metadata": to_tagged(metadata.shared) if metadata else None,
    }


def wait_document(wait: WaitRecord) -> dict[str, object]:
    """Return one entry of ``waits`` of the ``show`` document."""
    return {
        "waitId": wait.correlation_id,
        "status": wait.status,
        "resumeAt": iso(wait.time("resumeAt")),
        "createdAt": iso(wait.created_at),
    }
