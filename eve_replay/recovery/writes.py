"""The durable writes of a session in order: what is recorded, and what the rules imply between it.

A final journal shows events, records in their last state, and stream chunks. The local world wrote more than
that, in an order that formats/SWEEP.md section 1 lays down (locks, earlier record states, token and staging
files). This module puts all of it into one sequence. The order within a run is that of its event slots;
runs and stream are merged by time, where concurrent writes may in truth have been the other way round (the
certainty of such a neighbourhood is *implied*).

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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from eve_replay.journal.model import Attempt, Run, Session, Step
from eve_replay.records import EventRecord, MarkRecord

__all__ = ["Write", "Writes", "session_writes"]

Key = tuple[object, ...]

#: A stream chunk may be flushed a little after its step's end was decided; beyond this it is not the step's.
_FLUSH = 250.0
_EPSILON = 0.001
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Write:
    """One durable write, or one moment between two.

    Attributes:
        address: see the module's table.
        kind: ``event``, ``record``, ``lock``, ``token``, ``index``, ``resume``, ``stage``, ``chunk``,
            ``moment``.
        run: the run's id; ``subject``: step, wait, hook, event or chunk id it is about.
        words: what a person calls it.
        time: milliseconds since 1970, never running backwards within a run.
        seen: whether the final journal shows this very write (else the rules imply it).
    """

    address: str
    kind: str
    run: str
    subject: str
    words: str
    time: float
    key: Key
    seen: bool = False
    rank: int = 1
    order: int = 0

    @property
    def durable(self) -> bool:
        """Whether it is a write, not a moment."""
        return self.kind != "moment"

    @property
    def at(self) -> datetime:
        """The time as an instant."""
        return _EPOCH + timedelta(milliseconds=self.time)


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
        fine: whether the world commits in the small writes of SWEEP.md section 1 (the local one); otherwise
            only events and chunks are separate writes.
    """
    starts: dict[tuple[str, int], float] = {}
    chunk_ends = _last_chunks(session)
    items: list[Write] = []
    for run in session.all_runs:
        items.extend(_run_writes(run, fine, starts, chunk_ends))
    items.extend(_stream_writes(session, starts))
    for order, item in enumerate(items):
        item.order = order
    items.sort(key=lambda w: (w.time, w.rank, w.order))
    writes = Writes(items=items, times=[w.time for w in items])
    for index, item in enumerate(items):
        writes.place.setdefault(item.key, index)
        writes.by_address.setdefault(item.address, []).append(index)
    return writes


def _millis(at: datetime | None) -> float | None:
    return None if at is None else (at - _EPOCH) / timedelta(milliseconds=1)


def _last_chunks(session: Session) -> dict[str, float]:
    """Newest stored chunk per step, in milliseconds."""
    last: dict[str, float] = {}
    for step in session.steps:
        for attempt in step.attempts:
            for event in attempt.stream_events:
                stored = _millis(event.stored_at or event.at)
                if stored is not None and stored > last.get(step.step_id, 0.0):
                    last[step.step_id] = stored
    return last


class _Sequence:
    """Collects the writes of one run with times that never run backwards."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.items: list[Write] = []
        self.now = 0.0
        self.repeats: dict[str, int] = {}

    def advance(self, at: datetime | None, least: float = 0.0) -> None:
        self.now = max(self.now, _millis(at) or 0.0, least)

    def add(self, address: str, kind: str, subject: str, words: str, key: Key, *, seen: bool = False) -> None:
        count = self.repeats[address] = self.repeats.get(address, 0) + 1
        full = address if count == 1 or kind == "event" else f"{address}#{count}"
        self.items.append(
            Write(
                address=full,
                kind=kind,
                run=self.run.run_id,
                subject=subject,
                words=words,
                time=self.now,
                key=key,
                seen=seen,
            )
        )

    def event(self, event: EventRecord, words: str) -> None:
        self.add(
            event.event_id, "event", event.correlation_id or "", words, ("event", self.run.run_id,
            event.event_id), seen=True,
        )  # fmt: skip


def _run_writes(
    run: Run, fine: bool, starts: dict[tuple[str, int], float], chunk_ends: dict[str, float]
) -> list[Write]:
    out = _Sequence(run)
    steps = {step.step_id: step for step in run.steps}
    counts: dict[str, int] = {}
    locks = (run.record.spec_version or 8) >= 7
    tokens = {
        str(mark.fields.get("hookId")): mark
        for mark in run.marks
        if mark.kind == "token" and mark.phase == "file"
    }
    for event in run.events:
        kind = event.event_type
        subject = event.correlation_id or ""
        family, _, word = kind.partition("_")
        if family == "step":
            _step_event(out, event, word, subject, steps, counts, starts, chunk_ends, fine, locks)
        elif family == "run":
            _run_event(out, event, word, fine)
        elif family == "wait":
            _wait_event(out, event, word, subject, fine)
        elif family == "hook":
            _hook_event(out, event, word, subject, fine, tokens)
        else:
            out.advance(event.created_at)
            if kind == "attr_set" and fine:
                out.add(
                    f"record:{run.run_id}:attributes", "record", run.run_id, "run record rewritten",
                    ("attributes", run.run_id, event.event_id),
                )  # fmt: skip
            out.event(event, f"event {kind}")
    return out.items


def _step_event(
    out: _Sequence,
    event: EventRecord,
    word: str,
    step_id: str,
    steps: dict[str, Step],
    counts: dict[str, int],
    starts: dict[tuple[str, int], float],
    chunk_ends: dict[str, float],
    fine: bool,
    locks: bool,
) -> None:
    step = steps.get(step_id)
    name = step.function if step else step_id
    least = 0.0
    if word in ("completed", "failed"):
        stored = chunk_ends.get(step_id, 0.0)
        own = _millis(event.created_at) or 0.0
        least = min(stored, own + _FLUSH) if stored else 0.0
    out.advance(event.created_at, least)
    if word == "created":
        if fine and locks:
            out.add(f"lock:{step_id}:created", "lock", step_id, f"created lock of {name}", ("lock", step_id))
        if fine:
            out.add(f"record:{step_id}:pending", "record", step_id, f"{name} pending", ("pending", step_id))
        out.event(event, f"event step_created of {name}")
        out.items[-1].key = ("created", step_id)
    elif word == "started":
        n = counts[step_id] = counts.get(step_id, 0) + 1
        if fine:
            out.add(
                f"record:{step_id}:running", "record", step_id, f"{name} running, attempt {n}",
                ("running", step_id, n),
            )  # fmt: skip
        out.event(event, f"event step_started of {name}")
        out.items[-1].key = ("started", step_id, n)
        starts[step_id, n] = out.now
    elif word == "retrying":
        if fine:
            out.add(
                f"record:{step_id}:pending",
                "record",
                step_id,
                f"{name} pending again",
                ("repending", step_id),
            )
        out.event(event, f"event step_retrying of {name}")
        out.items[-1].key = ("retrying", step_id, counts.get(step_id, 0))
    elif word in ("completed", "failed"):
        if fine:
            out.add(
                f"lock:{step_id}:terminal", "lock", step_id, f"terminal lock of {name}", ("terminal", step_id)
            )
            out.add(
                f"record:{step_id}:{word}", "record", step_id, f"{name} {word}", ("ended", step_id), seen=True
            )
        out.event(event, f"event step_{word} of {name}")
        out.items[-1].key = ("end", step_id)
    else:
        out.event(event, f"event {event.event_type} of {name}")


def _run_event(out: _Sequence, event: EventRecord, word: str, fine: bool) -> None:
    run_id = out.run.run_id
    name = out.run.workflow.function or run_id
    out.advance(event.created_at)
    if word == "created":
        if fine:
            out.add(f"record:{run_id}:pending", "record", run_id, f"run {name} pending", ("run", run_id))
        out.event(event, f"event run_created of {name}")
        out.items[-1].key = ("run-created", run_id)
    elif word == "started":
        if fine:
            out.add(
                f"record:{run_id}:running", "record", run_id, f"run {name} running", ("run-running", run_id)
            )
        out.event(event, f"event run_started of {name}")
        out.items[-1].key = ("run-started", run_id)
    elif word in ("completed", "failed", "cancelled"):
        if fine:
            out.add(
                f"lock:{run_id}:terminal", "lock", run_id, f"terminal lock of {name}", ("run-lock", run_id)
            )
            out.add(f"record:{run_id}:{word}", "record", run_id, f"run {name} {word}", ("run-ended", run_id))
        out.event(event, f"event run_{word} of {name}")
        out.items[-1].key = ("run-end", run_id)
    else:
        out.event(event, f"event {event.event_type}")


def _wait_event(out: _Sequence, event: EventRecord, word: str, wait_id: str, fine: bool) -> None:
    out.advance(event.created_at)
    if fine:
        status = "waiting" if word == "created" else "completed"
        out.add(
            f"lock:{wait_id}:{word}", "lock", wait_id, f"{word} lock of a sleep", ("wait-lock", wait_id, word)
        )
        out.add(f"record:{wait_id}:{status}", "record", wait_id, f"sleep {status}", ("wait", wait_id, word))
    out.event(event, f"event {event.event_type}")
    out.items[-1].key = ("wait-event", wait_id, word)


def _hook_event(
    out: _Sequence, event: EventRecord, word: str, hook_id: str, fine: bool, tokens: dict[str, MarkRecord]
) -> None:
    out.advance(event.created_at)
    run_id = out.run.run_id
    if word == "created" and fine:
        out.add(f"token:{hook_id}:lock", "token", hook_id, "token lock taken", ("token-lock", hook_id))
        out.add(f"token:{hook_id}:file", "token", hook_id, "token file", ("token", hook_id))
        out.add(f"token:{hook_id}:unlock", "token", hook_id, "token lock released", ("token-unlock", hook_id))
        out.add(f"index:{hook_id}:id", "index", hook_id, "index of a hook", ("index", hook_id, "id"))
        out.add(f"index:{hook_id}:token", "index", hook_id, "index of a hook", ("index", hook_id, "token"))
        out.event(event, "event hook_created")
        out.items[-1].key = ("hook-created", hook_id)
        mark = tokens.get(hook_id)
        claimed = mark.text("eventId") if mark is not None else None
        if claimed is not None and claimed != event.event_id:
            # The claim names a slot that another event took: a crash before this event can never be mended.
            out.items[-1].key = ("hook-created", hook_id)
            out.add(f"index:{hook_id}:run", "index", hook_id, "index of a hook", ("slot-taken", hook_id))
        else:
            out.add(f"index:{hook_id}:run", "index", hook_id, "index of a hook", ("index", hook_id, "run"))
        out.add(f"record:{hook_id}:open", "record", hook_id, "hook record", ("hook", hook_id))
        return
    if word == "received" and fine and event.text("resumeId"):
        id_ = event.event_id
        out.add(f"resume:{id_}", "resume", id_, "a delivery's resume file", ("resume", run_id, id_))
        out.add(f"staged:{id_}", "stage", id_, "a delivery staged", ("staged", run_id, id_))
        out.event(event, "event hook_received")
        out.items[-1].key = ("received", run_id, id_)
        out.add(f"unstaged:{id_}", "stage", id_, "the staging file removed", ("unstaged", run_id, id_))
        return
    if word == "disposed" and fine:
        out.add(f"lock:{hook_id}:disposed", "lock", hook_id, "disposed lock of a hook", ("disposed", hook_id))
        out.add(f"token:{hook_id}:relock", "token", hook_id, "token lock taken", ("token-relock", hook_id))
        out.add(f"token:{hook_id}:removed", "token", hook_id, "token removed", ("token-removed", hook_id))
        out.add(
            f"token:{hook_id}:reunlock", "token", hook_id, "token lock released", ("token-reunlock", hook_id)
        )
        out.add(
            f"record:{hook_id}:removed", "record", hook_id, "hook record removed", ("hook-removed", hook_id)
        )
    out.event(event, f"event {event.event_type}")
    if word == "received":
        out.items[-1].key = ("received", run_id, event.event_id)


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
        now = max(now, _millis(event.stored_at or event.at) or 0.0, least)
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
        at = _millis(model.ended_at)
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
        at = _millis(call.returned_at)
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


def ordered(places: Iterable[int | None]) -> Sequence[int]:
    """Return the places that exist, ascending."""
    return sorted(place for place in places if place is not None)
