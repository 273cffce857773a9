"""Which step runs a call that a person was asked about.

Rules, as recorded (docs/evidence/identity.md#several-answers):
the requests of one answer of the model are a batch. The step that asks ends ``held``. Every answer starts
another turn step; while an answer of the batch is missing that step ends ``held`` too and runs nothing. All
approved calls of the batch run together in the turn step that follows the last answer; a denied one is an
answer like any other and runs nowhere. A tool of the same answer that needs no approval runs in the step that
asked, before anybody is asked, and again when that step is run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from eve_replay.journal.frameworks.workflow.messages import recorded_answer
from eve_replay.journal.model import Park, Session, Step

__all__ = ["Asked", "approvals_of", "executing_steps", "is_approved"]

_WAITS = ("approval", "question")


class Asked(Protocol):
    """What these rules need to know of a call."""

    tool: str
    turn_id: str | None
    call_ids: list[str]
    steps: list[Step]


def approvals_of(call: Asked, session: Session) -> list[Park]:
    """Return the requests for approval of a call. Ids may restart: tool, turn and asking step must agree."""
    steps = {step.step_id for step in call.steps}
    return [
        park
        for park in session.parks
        if park.kind == "approval"
        and park.call_id in call.call_ids
        and park.turn_id in (None, call.turn_id)
        and (park.tool is None or park.tool == call.tool)
        and (park.step_id is None or park.step_id in steps)
    ]


def is_approved(park: Park, session: Session) -> bool:
    """Whether it was approved: the stream says so, or the log holds the answer and the stream not yet."""
    if park.open and not park.lost:
        return (recorded_answer(session.messages, park.request_id) or "").startswith("approve")
    return (park.released_by or "").startswith("approve")


def executing_steps(call: Asked, session: Session) -> list[Step]:
    """Return the step that runs an approved call: none while an answer is missing or its step not begun."""
    approved = [park for park in approvals_of(call, session) if is_approved(park, session)]
    if not approved:
        return []
    asker = next((s for s in call.steps if s.step_id == approved[-1].step_id), call.steps[0])
    batch = [p for p in session.parks if p.kind in _WAITS and p.step_id == asker.step_id and not p.lost]
    answers = [_answered_at(park, session) for park in batch or approved]
    if any(known is False for known, _ in answers):
        return []
    last = max((at for _, at in answers if at is not None), default=None)
    return [step for step in _following(asker, call.turn_id, session.steps) if _takes(step, last)][:1]


def _answered_at(park: Park, session: Session) -> tuple[bool, datetime | None]:
    """Whether the log or the stream holds the answer, and since when: the log is ahead of the stream."""
    for message in reversed(session.messages):
        if park.request_id is not None and message.event_id and park.request_id in message.request_ids:
            return True, message.at
    return not park.open, park.until


def _following(asker: Step, turn_id: str | None, steps: Sequence[Step]) -> list[Step]:
    """Turn steps after the one that asked; where that one ended its turn (before eve 0.66), of any turn."""
    place = next((i for i, step in enumerate(steps) if step.step_id == asker.step_id), len(steps))
    anywhere = asker.action not in (None, "held")
    return [s for s in steps[place + 1 :] if s.kind == "turn" and (anywhere or s.turn_id == turn_id)]


def _takes(step: Step, last: datetime | None) -> bool:
    if step.action == "held":
        return False
    began = step.created_at or step.started_at
    return last is None or began is None or began >= last
