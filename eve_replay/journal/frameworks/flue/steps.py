"""Model messages and step memos as steps of the model, with the attempts that worked on them."""

from __future__ import annotations

from eve_replay.codec import Payload
from eve_replay.ids import FunctionName
from eve_replay.journal.frameworks.flue.calls import (
    calls_of,
    coordinate_of,
    evidence,
    step_id_of,
    working_attempts,
)
from eve_replay.journal.frameworks.flue.fold import (
    CallDraft,
    MessageDraft,
    SubmissionDraft,
    owner_at,
    place_of,
    time_of,
)
from eve_replay.journal.frameworks.flue.kept import Kept
from eve_replay.journal.frameworks.flue.records import mapping, text
from eve_replay.journal.model import Attempt, Certainty, ModelCall, Outcome, Step, Tokens
from eve_replay.records import EventRecord

__all__ = ["memo_steps", "message_step", "tokens_of"]

_MESSAGE = FunctionName(full="model turn", kind="", module="", version=None, function="model turn")
_DOUBT = (
    "its attempt died before this step was recorded: the function may have run there too "
    "(docs/evidence/flue.md#unknown)"
)


def message_step(
    message: MessageDraft, submission: SubmissionDraft, turn_id: str, kept: Kept | None = None
) -> tuple[tuple[int, int], Step]:
    """Return the step of a model message and its place in the stream; ``kept`` is the state around it."""
    owners = working_attempts(message)
    over = submission.settled is not None
    end = message.end
    if over and end is None:
        end = submission.settled
    attempts = [
        _attempt(message, submission, turn_id, owner, n, owners, over=over, end=end)
        for n, owner in enumerate(owners, start=1)
    ]
    aborted = message.recovered is not None or message.stop in ("aborted",)
    failed = message.stop == "error"
    status = "running"
    if end is not None:
        status = (
            "interrupted" if aborted or end is submission.settled else "failed" if failed else "completed"
        )
    step = Step(
        step_id=step_id_of(message),
        run_id=message.conversation,
        name=_MESSAGE,
        kind="turn",
        status=status,
        evidence=(evidence(message.started), *((evidence(end),) if end is not None else ())),
        started_events=(message.started,),
        end_event=end,
        events=tuple(event for _, event in message.events),
        created_at=time_of(message.started),
        started_at=time_of(message.started),
        ended_at=time_of(end),
        attempts=tuple(attempts),
        action=message.stop or None,
        coordinates=(coordinate_of(message, turn_id),),
        turn_id=turn_id,
        dispatched=tuple(call.child for call in message.calls if call.child is not None),
        kept=kept,
    )
    return place_of(message.started), step


def _attempt(
    message: MessageDraft,
    submission: SubmissionDraft,
    turn_id: str,
    owner: str,
    n: int,
    owners: list[str],
    *,
    over: bool,
    end: EventRecord | None,
) -> Attempt:
    last = n == len(owners)
    maker = n == 1
    mine = [event for who, event in message.events if who == owner or (maker and not who)]
    first, newest = (mine[0], mine[-1]) if mine else (message.started, message.started)
    outcome: Outcome = "running"
    certainty: Certainty = "observed"
    died = _died(message, submission, owner)
    if last and end is not None and message.recovered is None and end is not submission.settled:
        outcome = "failed" if message.stop == "error" else "completed"
    elif died or over or end is not None:
        outcome, certainty = "interrupted", "implied"
    return Attempt(
        n=n,
        step_id=step_id_of(message),
        run_id=message.conversation,
        started_at=time_of(first),
        ended_at=time_of(end) if outcome in ("completed", "failed") else None,
        window_end=time_of(end) if last else time_of(_first_of(message, owners[n])),
        last_sign_at=time_of(newest),
        outcome=outcome,
        certainty=certainty,
        evidence=(evidence(first, f"attempt {owner}" if owner else ""),),
        body="ran",
        body_certainty="observed",
        body_why="its records are in the stream",
        owner=owner or None,
        started_event=first,
        end_event=end if last else None,
        model_calls=(_model_call(message, turn_id),) if maker else (),
        tool_calls=calls_of(message, owner, n, turn_id, later=owners[1:]),
        whole=True,
    )


def _first_of(message: MessageDraft, owner: str) -> EventRecord | None:
    return next((event for who, event in message.events if who == owner), None)


def _died(message: MessageDraft, submission: SubmissionDraft, owner: str) -> bool:
    """Whether a later attempt shows that this one is dead."""
    place = owner_at(submission, owner)
    return 0 <= place < len(submission.attempts) - 1


def _model_call(message: MessageDraft, turn_id: str) -> ModelCall:
    info = mapping(message.started.data.get("modelInfo"))
    usage = mapping(message.completed.data.get("usage")) if message.completed is not None else {}
    model = info.get("model")
    said = "".join(message.texts)
    status = "running"
    if message.completed is not None:
        status = "failed" if message.stop == "error" else "completed"
    elif message.recovered is not None:
        status = "interrupted"
    failure = message.completed.data.get("error") if message.completed is not None else None
    error = None
    if status == "failed":
        error = {
            "code": "model-error",
            "message": failure if isinstance(failure, str) else str(failure or ""),
        }
    end = message.completed
    return ModelCall(
        coordinate=coordinate_of(message, turn_id),
        attempt=1,
        status=status,  # type: ignore[arg-type]  # one of the four words above
        model_id=model if isinstance(model, str) else None,
        started_at=time_of(message.started),
        ended_at=time_of(end),
        tokens=tokens_of(usage),
        text=said or None,
        partial=bool(said) and status in ("running", "interrupted"),
        reasoning="".join(message.thoughts) or None,
        finish_reason=message.stop or None,
        call_ids=tuple(call.call_id for call in message.calls),
        error=error,
        evidence=(evidence(message.started), *((evidence(end),) if end is not None else ())),
    )


def tokens_of(usage: object) -> Tokens | None:
    """Return a message's usage; Flue counts cached input beside ``input``."""
    found = mapping(usage)
    if not found:
        return None

    def count(name: str) -> int:
        value = found.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    return Tokens(
        input=count("input"),
        output=count("output"),
        cache_read=count("cacheRead"),
        cache_write=count("cacheWrite"),
    )


def memo_steps(
    message: MessageDraft, submission: SubmissionDraft, turn_id: str
) -> list[tuple[tuple[int, int], Step]]:
    """Return the recorded steps of a message's durable calls, in the order in which they were recorded."""
    out = []
    for call in message.calls:
        previous = message.owner
        for memo in call.memos:
            owner = next((who for who, event in message.events if event is memo), "") or previous
            out.append((place_of(memo), _memo(call, memo, submission, turn_id, previous, owner)))
            previous = owner
    return sorted(out, key=lambda pair: pair[0])


def _memo(
    call: CallDraft,
    memo: EventRecord,
    submission: SubmissionDraft,
    turn_id: str,
    previous: str,
    owner: str,
) -> Step:
    name = text(memo, "stepName")
    step_id = f"{call.call_id}:{name}"
    lost = 0
    if owner != previous:
        # It is the first that this attempt recorded: those before may have run it and died.
        lost = max(1, owner_at(submission, owner) - owner_at(submission, previous)) + submission.unseen
    attempts = [
        Attempt(
            n=n,
            step_id=step_id,
            run_id=memo.run_id,
            started_at=None,
            window_end=time_of(memo),
            outcome="interrupted",
            certainty="implied",
            evidence=(evidence(memo, "recorded by a later attempt than the step before it"),),
            body="unknown",
            body_certainty="unknown",
            body_why=_DOUBT,
            whole=True,
        )
        for n in range(1, lost + 1)
    ]
    attempts.append(
        Attempt(
            n=lost + 1,
            step_id=step_id,
            run_id=memo.run_id,
            started_at=time_of(memo),
            ended_at=time_of(memo),
            window_end=time_of(memo),
            last_sign_at=time_of(memo),
            outcome="completed",
            evidence=(evidence(memo),),
            body="ran",
            body_certainty="observed",
            body_why="its record is in the stream",
            owner=owner or None,
            started_event=memo,
            end_event=memo,
            whole=True,
        )
    )
    return Step(
        step_id=step_id,
        run_id=memo.run_id,
        name=FunctionName(
            full=f"{call.name} > {name}", kind="step", module=call.name, version=None, function=name
        ),
        kind="function",
        status="completed",
        evidence=(evidence(memo),),
        started_events=(memo,),
        end_event=memo,
        events=(memo,),
        created_at=time_of(memo),
        started_at=time_of(memo),
        ended_at=time_of(memo),
        attempts=tuple(attempts),
        turn_id=turn_id,
        output=Payload.plain(memo.data.get("value"), where=f"step {name}", run_id=memo.run_id),
    )
