"""Calls of which the journal names nothing, and why there may be some: lists that are not whole.

Effects run ahead of the stream (docs/evidence/identity.md#open-lists): what a model asked for may have acted
before its request was durable. The list of calls of an attempt is whole only when the stream has its model's
whole answer. And what was deleted by retention was there: a purged child session had calls of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.model import Attempt, Evidence, Run, Session, Step

__all__ = ["OpenCalls", "OpenCode", "open_calls"]

OpenCode = Literal["unread-answer", "purged-child", "open-steps"]
_UNBOUNDED = Executions(min=0, max=None)
_SETTLED = frozenset({"completed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCalls:
    """A place whose list of calls is not known to be whole.

    Attributes:
        code: ``unread-answer``: the model's answer had not reached the stream whole; ``purged-child``: a
            session's payloads and stream were deleted by retention; ``open-steps``: a call that records its
            steps is open, and the one it is in has no record yet.
        run_id, step_id, attempt: where; step and attempt are empty and 0 for a whole session.
        turn_id: the turn it served, None when unknown.
        call_id: the call of the parent that the child served, empty when it is no child of this session.
        named: how many calls of that answer are named all the same.
        executions: of each effect that is not named: at least 0, no upper bound.
    """

    code: OpenCode
    run_id: str
    step_id: str = ""
    attempt: int = 0
    turn_id: str | None = None
    call_id: str = ""
    named: int = 0
    executions: Executions = _UNBOUNDED
    evidence: tuple[Evidence, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``openCalls``, see docs/json.md."""
        out: dict[str, object] = {
            "code": self.code,
            "runId": self.run_id,
            "executions": self.executions.to_json(),
            "certainty": "unknown",
            "named": self.named,
        }
        for name, value in (
            ("stepId", self.step_id),
            ("attempt", self.attempt),
            ("turnId", self.turn_id),
            ("callId", self.call_id),
        ):
            if value:
                out[name] = value
        return out


def open_calls(session: Session) -> tuple[OpenCalls, ...]:
    """Return where calls may be missing: its own answers, itself when purged, purged sessions below it."""
    found = [
        gap
        for step in session.steps
        if step.kind == "turn"
        for attempt in step.attempts
        if (gap := _unread(step, attempt)) is not None
    ]
    if session.kind != "workflow":
        found += [_purged(run, session, "") for run in session.runs if run.purged and _worked(run)]
    for child in session.below:
        found += _below(child, session)
    return tuple(found)


def _unread(step: Step, attempt: Attempt) -> OpenCalls | None:
    """Return the gap of an attempt that ended, or stands, before its model's answer was on the stream.

    In a step that has ended only such an attempt counts whose calls the re-run did not ask for again: where
    the model answers the same, the calls of the lost attempt are named by the other one.
    """
    if attempt.outcome in _SETTLED or attempt.body == "did not run":
        return None
    last = attempt is step.attempts[-1]
    if step.committed or not last:
        return None
    if attempt.whole:
        return _open_steps(step, attempt)
    whole = {e.coordinate for e in attempt.stream_events if e.type == "step.completed"}
    begun = [e.coordinate for e in attempt.stream_events if e.coordinate is not None]
    if begun and max(begun) in whole:
        return None
    if any(e.type in ("input.requested", "turn.completed", "turn.waiting") for e in attempt.stream_events):
        return None  # a person is asked after the answer is whole, and a turn ends after it
    return OpenCalls(
        code="unread-answer",
        run_id=step.run_id,
        step_id=step.step_id,
        attempt=attempt.n,
        turn_id=step.turn_id,
        named=sum(1 for call in attempt.tool_calls if not begun or call.coordinate == max(begun)),
        evidence=attempt.evidence,
    )


def _open_steps(step: Step, attempt: Attempt) -> OpenCalls | None:
    """Return the gap of a call that records its steps and has no outcome: one may be under way."""
    open_ = [call for call in attempt.tool_calls if call.durable and not call.returned]
    if not open_ or any(c.returned for c in step.tool_calls if c.call_id == open_[0].call_id):
        return None
    return OpenCalls(
        code="open-steps",
        run_id=step.run_id,
        step_id=step.step_id,
        attempt=attempt.n,
        turn_id=step.turn_id,
        call_id=open_[0].call_id,
        evidence=attempt.evidence,
    )


def _worked(run: Run) -> bool:
    """Whether a turn was worked on in a run: a session that never began has nothing to lose."""
    return any(step.kind == "turn" and step.attempts for step in run.steps) or not run.steps


def _below(child: Session, session: Session) -> list[OpenCalls]:
    gaps = [_purged(run, session, _call_of(child, session)) for run in child.runs if run.purged]
    for deeper in child.below:
        gaps += _below(deeper, session)
    return gaps


def _call_of(child: Session, session: Session) -> str:
    """Return the call that a child session serves: that of the tool's run it was started by."""
    parents = {run.parent for run in child.runs} | {run.parent_call for run in child.runs}
    bridge = next((run for run in session.children if run.run_id in parents), None)
    own = next((run.parent_call for run in child.runs if run.parent_call), None)
    return (bridge.parent_call if bridge is not None else own) or ""


def _purged(run: Run, session: Session, call_id: str) -> OpenCalls:
    return OpenCalls(
        code="purged-child",
        run_id=run.run_id,
        call_id=call_id,
        evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id, path="$.expiredAt"),),
    )
