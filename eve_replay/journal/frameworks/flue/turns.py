"""Submissions as turns and messages: status, budget, what was said, what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from eve_replay.journal.frameworks.flue.calls import evidence
from eve_replay.journal.frameworks.flue.fold import SubmissionDraft, time_of
from eve_replay.journal.frameworks.flue.records import mapping, text, text_of
from eve_replay.journal.model import Budget, Evidence, Message, Step, Tokens, Turn, TurnStatus
from eve_replay.records import StepRecord

__all__ = ["message_of_submission", "said_by", "turn_id_of", "turn_of_submission"]

_OUTCOMES: Mapping[str, TurnStatus] = {"completed": "completed", "failed": "failed", "aborted": "cancelled"}


def turn_id_of(number: int) -> str:
    """Return the id under which a submission is a turn: its number in the conversation, from 0."""
    return f"submission_{number}"


def said_by(row: StepRecord | None, submission: SubmissionDraft) -> str | None:
    """Return what was sent: of the input record, else of the row, which holds it before there is one."""
    if submission.opened is not None:
        said = text_of(submission.opened.data.get("content"))
        if said:
            return said
        if submission.opened.event_type == "signal":
            return text(submission.opened, "content") or text(submission.opened, "signalType") or None
    payload = row.payload("input") if row is not None else None
    message = mapping(mapping(payload.value if payload is not None else None).get("message"))
    body = message.get("body")
    if isinstance(body, str):
        return body
    kind = message.get("type")
    return kind if isinstance(kind, str) else None


def turn_of_submission(
    submission: SubmissionDraft, number: int, session_id: str, steps: tuple[Step, ...]
) -> Turn:
    """Return the turn of a submission with its own steps (those of children hang below it)."""
    row, settled = submission.record, submission.settled
    outcome = text(settled, "outcome") if settled is not None else ""
    if not outcome and row is not None:
        outcome = _from_row(row)
    status: TurnStatus = _OUTCOMES.get(outcome, "running")
    error = None
    if status in ("failed", "cancelled") and settled is not None:
        found = mapping(settled.data.get("error"))
        error = {
            "code": found.get("type") or outcome,
            "message": found.get("message") or "",
            "details": found.get("details"),
            "meta": found.get("meta"),
        }
    tokens, again = _tokens(steps)
    ids = [submission.submission_id, *(each.submission_id for each in submission.joined)]
    seen = [evidence(each) for each in (submission.opened, settled) if each is not None]
    if row is not None:
        seen.append(Evidence(kind="record", id=row.step_id, run_id=session_id, note="submission"))
    return Turn(
        id=turn_id_of(number),
        sequence=number,
        session_id=session_id,
        status=status,
        message=said_by(row, submission),
        delivery_ids=tuple(ids),
        steps=steps,
        run_ids=(session_id,),
        started_at=_started(submission),
        ended_at=time_of(settled) or (row.time("completedAt") if row is not None else None),
        committed=settled is not None,
        error=error,
        tokens=tokens,
        tokens_again=again,
        evidence=tuple(seen),
        budget=_budget(submission),
    )


def _from_row(row: StepRecord) -> str:
    """A settled row whose settlement is not in the stream: the row holds it, or only that it failed."""
    payload = row.payload("output")
    found = mapping(payload.value if payload is not None else None).get("outcome")
    if row.status != "settled":
        return ""
    if isinstance(found, str):
        return found
    return "failed" if row.text("errorText") else "completed"


def _started(submission: SubmissionDraft) -> datetime | None:
    row = submission.record
    return (row.created_at if row is not None else None) or time_of(submission.opened)


def _tokens(steps: tuple[Step, ...]) -> tuple[Tokens | None, Tokens | None]:
    total: Tokens | None = None
    for step in steps:
        for call in step.model_calls:
            if call.tokens is not None:
                total = call.tokens if total is None else total + call.tokens
    return total, None


def _budget(submission: SubmissionDraft) -> Budget:
    row = submission.record
    if row is None:
        return Budget(
            status=submission.status,
            attempts=max(1, len(submission.attempts)),
            record_id=submission.submission_id,
        )
    most = row.fields.get("maxAttempts")
    return Budget(
        status=row.status,
        attempts=row.attempt or 0,
        max_attempts=most if isinstance(most, int) else None,
        deadline=row.time("timeoutAt"),
        lease_until=row.time("leaseExpiresAt"),
        owner=row.text("ownerId"),
        abort_asked_at=row.time("abortRequestedAt"),
        record_id=row.step_id,
    )


def message_of_submission(submission: SubmissionDraft, number: int, session_id: str) -> Iterator[Message]:
    """Yield the delivery that opened a turn, and those that were taken into it."""
    for each in (submission, *submission.joined):
        row = each.record
        host = each is submission
        waiting = host and each.opened is None and each.status == "queued"
        at = row.created_at if row is not None else time_of(each.opened)
        yield Message(
            delivery_id=each.submission_id,
            session_id=session_id,
            run_id=session_id,
            role="pending" if waiting else "opened" if host else "steered",
            turn_id=turn_id_of(number),
            text=said_by(row, each),
            at=at,
            event_id=each.opened.event_id if each.opened is not None else "",
            evidence=(Evidence(kind="record", id=each.submission_id, run_id=session_id),),
        )
