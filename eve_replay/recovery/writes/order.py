"""The durable writes of a session in order: what is recorded, and what the rules imply between it.

A final journal shows events, records in their last state, and stream chunks. The local world wrote more than
that, in an order that docs/evidence/sweep.md#writes lays down (locks, earlier record states, token and
staging files). This module puts all of it into one sequence. The order within a run is that of its event
slots; runs and stream are merged by time, where concurrent writes may in truth have been the other way round
(the certainty of such a neighbourhood is *implied*).

Between durable writes lie *moments*: things that happened and are not written yet (the model answered,
a tool returned). They come from the times inside the stream events and are places a crash can hit.
A chunk is stored some time after its event was made, whole batches at once, so a tool has returned before
the first chunk of the batch that holds its result is written.

Addresses (``--after``, ``--before``, ``--at-write``):

    ==================================  ==========================================================
    ``evnt_...``                        an event, with ``--run`` where slots repeat
    ``chnk_...``                        a chunk of the session stream
    ``record:ID:STATUS[#N]``            a record's state: step, run, wait or hook; N for the N-th time
    ``lock:ID:PHASE``                   a lock file: step ``created``/``terminal``, wait ``created``/
                                        ``completed``, hook ``disposed``, run ``terminal``
    ``token:HOOK:lock|file|unlock``     the token file of a hook and the lock folder around it;
                                        ``relock``, ``removed``, ``reunlock`` when it is disposed
    ``index:HOOK:id|token|run``         index files of a hook (no influence on recovery)
    ``resume:EVENT``                    the ``hooks/resumes`` file of a delivery
    ``staged:EVENT``, ``unstaged:EVENT``  its staging file in ``.locks/runs/<run>.pending``
    ``record:RUN:attributes#N``         the run record rewritten by ``attr_set``
    ``answered:STEP[#N]:INDEX``         moment: the model has answered model step INDEX
    ``returned:CALL[#N]``               moment: the tool has returned, its result is not written
    ==================================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eve_replay.journal.model import Attempt, Session, Step
from eve_replay.recovery.writes.model import Key, Write, millis
from eve_replay.recovery.writes.python_sdk import python_writes
from eve_replay.recovery.writes.run import run_writes

__all__ = ["Write", "Writes", "session_writes"]

#: Puts a chunk after the start of its attempt when both carry one millisecond.
_EPSILON = 0.001


@dataclass(slots=True)
class Writes:
    """The sequence, with places by key and by address."""

    items: list[Write] = field(default_factory=list)
    place: dict[Key, int] = field(default_factory=dict)
    by_address: dict[str, list[int]] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.items)

    def at(self, key: Key) -> int | None:
        """Return the place of a write by key, None when there is none."""
        return self.place.get(key)


def session_writes(session: Session, *, fine: bool = True) -> Writes:
    """Return every write of a session's runs and of its stream, in order.

    Args:
        session: the joined session.
        fine: whether the world commits in the small writes of docs/evidence/sweep.md#writes (the local one);
            otherwise only events and chunks are separate writes.
    """
    starts: dict[tuple[str, int], float] = {}
    chunk_ends = _last_chunks(session)
    items: list[Write] = []
    for run in session.all_runs:
        if session.framework == "python-sdk":
            items.extend(python_writes(run, fine, starts))
        else:
            items.extend(run_writes(run, fine, starts, chunk_ends))
    items.extend(_stream_writes(session, starts))
    for order, item in enumerate(items):
        item.order = order
    items.sort(key=lambda w: (w.time, w.rank, w.order))
    writes = Writes(items=items, times=[w.time for w in items])
    for index, item in enumerate(items):
        writes.place.setdefault(item.key, index)
        writes.by_address.setdefault(item.address, []).append(index)
    return writes


def _last_chunks(session: Session) -> dict[str, float]:
    """Newest stored chunk per step, in milliseconds."""
    last: dict[str, float] = {}
    for step in session.steps:
        for attempt in step.attempts:
            for event in attempt.stream_events:
                stored = millis(event.stored_at or event.at)
                if stored is not None and stored > last.get(step.step_id, 0.0):
                    last[step.step_id] = stored
    return last


def _stream_writes(session: Session, starts: dict[tuple[str, int], float]) -> Iterator[Write]:
    owner: dict[str, tuple[Step, Attempt]] = {}
    for step in session.steps:
        for attempt in step.attempts:
            for event in attempt.stream_events:
                owner.setdefault(event.chunk_id, (step, attempt))
            yield from _moments(step, attempt, starts)
    now = 0.0
    seen: set[str] = set()
    for event in sorted(session.stream_events, key=lambda e: e.chunk_id):
        if event.chunk_id in seen:
            continue
        seen.add(event.chunk_id)
        holder = owner.get(event.chunk_id)
        least = 0.0
        if holder is not None:
            least = starts.get((holder[0].step_id, holder[1].n), 0.0) + _EPSILON
        now = max(now, millis(event.stored_at or event.at) or 0.0, least)
        index = "" if event.step_index is None else f"({event.step_index})"
        yield Write(
            address=event.chunk_id,
            kind="chunk",
            run=holder[0].run_id if holder else session.id,
            subject=event.chunk_id,
            words=f"stream event {event.type}{index}",
            time=now,
            key=("chunk", event.chunk_id),
            seen=True,
            rank=0,
        )


def _moments(step: Step, attempt: Attempt, starts: dict[tuple[str, int], float]) -> Iterator[Write]:
    """What happened inside a body, by the times inside its stream events."""
    least = starts.get((step.step_id, attempt.n), 0.0) + _EPSILON
    mark = f"#{attempt.n}" if attempt.n > 1 else ""
    for model in attempt.model_calls:
        at = millis(model.ended_at)
        if at is None or model.status != "completed":
            continue
        index = model.coordinate.step_index
        yield Write(
            address=f"answered:{step.step_id}{mark}:{index}",
            kind="moment",
            run=step.run_id,
            subject=step.step_id,
            words=f"the model has answered step {index}",
            time=max(at, least),
            key=("answered", step.step_id, attempt.n, index),
            rank=0,
        )
    for call in attempt.tool_calls:
        at = millis(call.returned_at)
        if at is None or call.deferred or call.history_only:
            continue
        yield Write(
            address=f"returned:{call.call_id}{mark}",
            kind="moment",
            run=step.run_id,
            subject=step.step_id,
            words=f"{call.name} has returned",
            time=max(at, least),
            key=("returned", step.step_id, attempt.n, call.call_id),
            rank=0,
        )
