"""What a second body of a step said after that step had ended, brought home from where it lies.

Two processes on one store can work on one step. When the first one commits, the run goes on; the other one
does not know, and speaks on: its events lie in the windows of later steps, or in none. They repeat what their
own step has said, and that is how they are told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from eve_replay.journal.frameworks.workflow.steps import StepDraft
from eve_replay.journal.model import Coordinate, StreamEvent

__all__ = [
    "AFTERWARDS",
    "OF_CALL",
    "Said",
    "call_ids",
    "events_of",
    "gather_late",
    "place_of",
    "said_once",
    "time_of",
]

#: What a body says once: type, turn, model step, calls.
Said = tuple[object, ...]

#: What one body says at most once per turn, model step or call.
_ONCE = frozenset(
    {
        "session.started", "turn.started", "turn.completed", "turn.failed", "turn.cancelled", "turn.waiting",
        "step.started", "step.completed", "step.failed", "action.result", "actions.requested",
    }
)  # fmt: skip
#: Said about a call, possibly by a later step than the one that asked for it.
OF_CALL = frozenset({"action.result", "action.partial"})
#: Said about a model step by a later workflow step than the one that began it.
AFTERWARDS = OF_CALL | {
    "input.requested", "input.resolved", "approval.candidate", "approval.settled", "authorization.required",
    "authorization.completed",
}  # fmt: skip
_CONTROL = frozenset({"context.cleared", "compaction.requested", "compaction.completed"})


def said_once(event: StreamEvent) -> Said | None:
    """Return what one body says only once, None for events that may repeat."""
    if event.type not in _ONCE:
        return None
    calls = call_ids(event)
    if not calls and event.type in ("action.result", "actions.requested"):
        return None
    return (event.type, event.turn_id, event.step_index, *calls)


def call_ids(event: StreamEvent) -> tuple[str, ...]:
    """Return the ids of the calls that an event asks for or gives a result of."""
    if event.type in OF_CALL:
        result = event.data.get("result")
        call = result.get("callId") if isinstance(result, Mapping) else None
        return (call,) if isinstance(call, str) else ()
    if event.type == "actions.requested":
        actions = event.data.get("actions")
        found = (
            [a.get("callId") for a in actions if isinstance(a, Mapping)] if isinstance(actions, list) else []
        )
        return tuple(call for call in found if isinstance(call, str))
    return ()


def place_of(event: StreamEvent) -> Coordinate | None:
    """Return the model step an event is about, None for controls and turn-wide events."""
    return None if event.type in _CONTROL else event.coordinate


def time_of(event: StreamEvent) -> datetime | None:
    """Return when an event was made, else about when it was stored."""
    return event.at or event.stored_at


def gather_late(steps: Sequence[StepDraft], left: list[StreamEvent]) -> list[StreamEvent]:
    """Bring home what a second body of a step said after that step had ended; return what is still left.

    Such events lie in the windows of later steps, or in none. They repeat what their own step has said.
    """
    turns = [step for step in steps if step.kind == "turn" and step.attempts]
    owners: dict[Coordinate, StepDraft] = {}
    begun: dict[str, StepDraft] = {}
    said: dict[int, set[Said]] = {}
    for step in turns:
        known = said[id(step)] = set()
        for event in events_of(step):
            place = place_of(event)
            if place is not None and event.type == "step.started":
                owners.setdefault(place, step)
            if event.type == "turn.started" and event.turn_id is not None:
                begun.setdefault(event.turn_id, step)
            if (key := said_once(event)) is not None:
                known.add(key)
    for step in turns:
        for attempt in step.attempts:
            homes = [(event, _home(event, step, owners, begun, said)) for event in attempt.stream]
            moved = {
                id(home) for event, home in homes if home is not None and event.type != "session.started"
            }
            for event, home in homes:
                if (
                    home is None
                    or home is step
                    or (event.type == "session.started" and id(home) not in moved)
                ):
                    continue  # old versions say session.started in every turn: it moves only with its turn
                attempt.stream.remove(event)
                _add(home, event)
    rest = []
    for event in left:
        place = place_of(event)
        home = owners.get(place) if place is not None else None
        if home is not None and event.type in AFTERWARDS and said_once(event) not in said[id(home)]:
            home = None
        if home is None:
            rest.append(event)
        else:
            _add(home, event)
    return rest


def events_of(step: StepDraft) -> list[StreamEvent]:
    """Return what all attempts of a step said, in stored order."""
    return sorted((event for a in step.attempts for event in a.stream), key=lambda e: e.position)


def _add(step: StepDraft, event: StreamEvent) -> None:
    step.attempts[-1].stream.append(event)
    step.late.append(event)


def _home(
    event: StreamEvent,
    step: StepDraft,
    owners: Mapping[Coordinate, StepDraft],
    begun: Mapping[str, StepDraft],
    said: Mapping[int, set[Said]],
) -> StepDraft | None:
    """Return the step, ended before, that an event in this step's window repeats; None when it is its own."""
    place = place_of(event)
    if place is not None:
        home = owners.get(place)
        if home is None or not _ended_before(home, event):
            return None
        key = said_once(event)
        if event.type in AFTERWARDS:
            return home if key is not None and key in said[id(home)] else None
        whole = ("step.completed", place.turn_id, place.step_index) in said[id(home)]
        own = ("step.started", place.turn_id, place.step_index) in said[id(step)]
        repeated = key is not None and key in said[id(home)]
        return home if repeated or (whole and not own) else None
    if event.type not in ("session.started", "turn.started", "message.received"):
        return None
    if event.type == "session.started":
        home = next((s for s in begun.values() if ("session.started", None, None) in said[id(s)]), None)
    else:
        home = begun.get(event.turn_id or "")
    if home is None or not _ended_before(home, event):
        return None
    if event.type == "message.received":
        same = any(
            e.type == event.type and e.data == event.data and e.delivery_ids == event.delivery_ids
            for e in events_of(home)
        )
        return home if same else None
    return home


def _ended_before(step: StepDraft, event: StreamEvent) -> bool:
    at = time_of(event)
    end = step.end.created_at if step.end is not None else None
    return end is not None and at is not None and end < at
