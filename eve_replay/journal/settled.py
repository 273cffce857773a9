"""Whether a session rests, by something that was seen: an end, or its own word that it waits.

A log that merely stops says neither. After a committed step the code of the workflow runs on, and what it was
about to do has left no event: a process that dies there leaves a run in which nothing is open and yet
something is due.
"""

from __future__ import annotations

from eve_replay.journal.model import Run, Session, StreamEvent
from eve_replay.records import EventRecord

__all__ = ["between_steps", "newest_event", "open_hooks", "settled", "waiting_word"]

_ENDED = frozenset({"completed", "failed", "cancelled"})
#: After these the workflow's code is to run on.
_DUE = frozenset(
    {
        "run_created",
        "run_started",
        "step_completed",
        "step_failed",
        "hook_received",
        "hook_disposed",
        "hook_conflict",
        "wait_completed",
        "attr_set",
    }
)
#: What the stream says when a session has nothing more to do until somebody writes.
_WAITS = "session.waiting"


def newest_event(run: Run) -> EventRecord | None:
    """Return the last event that says something; a ``noop`` may carry any time."""
    events = run.events
    return next((e for e in reversed(events) if e.event_type != "noop"), events[-1] if events else None)


def between_steps(run: Run) -> EventRecord | None:
    """Return the last event of a run that was to go on after it, None where something is open or it ended.

    An open hook does not change that: the log does not say whether the code has come to wait for it.
    """
    if run.status in _ENDED or run.log_gap or any(not step.committed for step in run.steps):
        return None
    last = newest_event(run)
    sleeps = {e.correlation_id for e in run.events if e.event_type == "wait_created"}
    sleeps -= {e.correlation_id for e in run.events if e.event_type == "wait_completed"}
    return last if last is not None and last.event_type in _DUE and not sleeps else None


def open_hooks(run: Run) -> dict[str, str]:
    """Return the app's hooks that were created and not disposed: hook id to token."""
    found = {
        e.correlation_id: str(e.data.get("token") or e.correlation_id)
        for e in run.events
        if e.event_type == "hook_created"
        and e.correlation_id
        and not e.data.get("isSystem")
        and not str(e.data.get("token") or "").startswith("abrt_")
    }
    for event in run.events:
        if event.event_type == "hook_disposed" and event.correlation_id:
            found.pop(event.correlation_id, None)
    return found


def waiting_word(session: Session) -> StreamEvent | None:
    """Return the event by which the session said that it waits, after a turn whose last step is committed."""
    turn = session.turns[-1] if session.turns else None
    if turn is None or not turn.committed or turn.status not in _ENDED or session.missing("chunks"):
        return None
    began = turn.stream_events[0].position if turn.stream_events else 0
    said = [
        e
        for e in session.stream_events
        if e.type == _WAITS and e.turn_id in (None, turn.id) and e.position >= began
    ]
    return said[-1] if said else None


def settled(session: Session) -> bool:
    """Whether something seen says that nothing is due: an end, the word that it waits, an open park."""
    last = ([run for run in session.runs if run.role != "turn"] or list(session.runs))[-1]
    if last.status in _ENDED:
        return True
    if session.missing("events"):
        return False
    if any(park.open and not park.lost for park in session.parks):
        return last.role != "workflow" or between_steps(last) is None
    return waiting_word(session) is not None
