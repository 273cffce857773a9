"""Calls of a model message, attempt by attempt: what each attempt's records say of the tool's function.

Rules: docs/evidence/flue.md#after-a-crash. A call's function runs in the attempt that made the message, once
the message is complete; only a durable call (or a delegated task) runs again, in the attempts after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from eve_replay.journal.frameworks.flue.fold import CallDraft, MessageDraft, time_of
from eve_replay.journal.frameworks.flue.records import NEVER_RAN, text, text_of
from eve_replay.journal.model import Certainty, Coordinate, Evidence, Ran, ToolCall
from eve_replay.records import EventRecord
from eve_replay.values import UNDEFINED

__all__ = ["calls_of", "coordinate_of", "evidence", "step_id_of", "working_attempts"]

_UNKNOWN = "asked for, no outcome: recovery never runs it again, and whether it acted is not recorded"


def evidence(event: EventRecord, note: str = "", path: str = "") -> Evidence:
    """Return a pointer to one record."""
    return Evidence(kind="event", id=event.event_id, run_id=event.run_id, path=path, note=note)


def step_id_of(message: MessageDraft) -> str:
    """Return the id of the step a model message becomes: its own id, unique in the store."""
    return message.message_id


def coordinate_of(message: MessageDraft, turn_id: str) -> Coordinate:
    """Return the place of a message: its number among those of its submission."""
    return Coordinate(turn_id=turn_id, step_index=message.index)


def working_attempts(message: MessageDraft) -> list[str]:
    """Return the attempts that did work of a message, its maker first: not those that only closed it."""
    found = [message.owner]
    for owner, event in message.events:
        works = event.event_type == "tool_step_settled" or (
            event.event_type == "tool_outcome" and _real(event)
        )
        if works and owner and owner not in found:
            found.append(owner)
    return found


def _real(outcome: EventRecord) -> bool:
    return (outcome.text("recordId") or "").startswith("record_tool_outcome_")


def _outcome_owner(call: CallDraft) -> str:
    return next((owner for owner, event in call.message.events if event is call.outcome), "")


def _memo_owners(call: CallDraft) -> list[str]:
    return [owner for owner, event in call.message.events if any(event is memo for memo in call.memos)]


def calls_of(
    message: MessageDraft, owner: str, number: int, turn_id: str, *, later: Sequence[str] = ()
) -> tuple[ToolCall, ...]:
    """Return the calls of a message as one attempt shows them.

    Args:
        message: the message.
        owner: the attempt.
        number: the attempt's number within the step, from 1.
        turn_id: the turn it serves.
        later: the attempts that worked on the message after its maker.
    """
    maker = owner == message.owner
    out = []
    for call in message.calls:
        if not maker and not _works(call, owner):
            continue
        out.append(_call(call, owner, number, turn_id, maker=maker, later=later))
    return tuple(out)


def _works(call: CallDraft, owner: str) -> bool:
    real = call.outcome is not None and _real(call.outcome) and _outcome_owner(call) == owner
    return real or owner in _memo_owners(call)


def _call(
    call: CallDraft, owner: str, number: int, turn_id: str, *, maker: bool, later: Sequence[str]
) -> ToolCall:
    message, outcome, fate = call.message, call.outcome, call.fate
    here = outcome is not None and (
        (_real(outcome) and (_outcome_owner(call) or message.owner) == owner)
        or (maker and not _real(outcome) and fate == "truncated")
    )
    ran = _ran(call, owner, here=here, maker=maker, later=later)
    answer = outcome.data.get("output", UNDEFINED) if here and outcome is not None else UNDEFINED
    failed = here and outcome is not None and outcome.data.get("isError") is True
    if here and outcome is not None and answer is UNDEFINED:
        answer = text_of(outcome.data.get("content"))
    found = [evidence(call.event, "asked for")] if maker else []
    found += [evidence(memo, "a step of it") for memo in call.memos if _owner_of(message, memo) == owner]
    if outcome is not None and (here or maker):
        found.append(evidence(outcome, f"outcome: {fate}"))
    return ToolCall(
        call_id=call.call_id,
        name=call.name,
        coordinate=coordinate_of(message, turn_id),
        position=call.position,
        step_id=step_id_of(message),
        attempt=number,
        run_id=message.conversation,
        input=call.arguments,
        requested_at=time_of(call.event) if maker else None,
        returned_at=time_of(outcome) if here else None,
        status=("failed" if failed else "completed") if here else None,
        output=answer if here else None,
        error={"code": fate, "message": text_of(outcome.data.get("content"))[:400]}
        if failed and outcome is not None
        else None,
        is_error=bool(failed),
        began="observed" if ran.min else "unknown",
        certainty="observed",
        evidence=tuple(found),
        fate=fate,
        ran=ran,
        durable=call.durable,
    )


def _owner_of(message: MessageDraft, event: EventRecord) -> str:
    return next((owner for owner, each in message.events if each is event), "")


def _ran(call: CallDraft, owner: str, *, here: bool, maker: bool, later: Sequence[str]) -> Ran:
    fate = call.fate
    if fate in NEVER_RAN:
        why = {
            "truncated": "its message was cut by the output limit, so it was not executed",
            "aborted": "its message was closed before it was complete: no tool of it was started",
        }.get(fate, "tools start only when their message is complete")
        return Ran(min=0, max=0, certainty="implied", why=why)
    if here and fate in ("abandoned", "timed_out"):
        return Ran(
            min=0,
            max=1,
            certainty="unknown",
            why="it was cut off while it ran: its function may have acted, or act later",
        )
    if here:
        return Ran(min=1, max=1, certainty="observed", why="its outcome is recorded")
    if owner in _memo_owners(call):
        return Ran(min=1, max=1, certainty="observed", why="a step of it is recorded by this attempt")
    if call.name == "task" and call.child is None and text(call.event, "view"):
        return Ran(min=0, max=1, certainty="unknown", why="what its delegate did is not in the HTTP view")
    if call.name == "task" and call.child is None:
        certainty: Certainty = "implied"
        return Ran(
            min=0, max=0, certainty=certainty, why="the delegate's conversation was never created", lost=True
        )
    lost = fate in ("interrupted", "delegate_gone")
    if not maker:
        return Ran(min=0, max=1, certainty="unknown", why="this attempt may have begun it again", lost=lost)
    if later and any(_works(call, each) for each in later):
        why = "its attempt died before an outcome; a later one ran it again"
        return Ran(min=0, max=1, certainty="unknown", why=why)
    return Ran(min=0, max=1, certainty="unknown", why=_UNKNOWN, lost=lost)
