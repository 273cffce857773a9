"""One session, joined: records and events to drafts, the stream onto the drafts, drafts to frozen objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from eve_replay.codec import KeyRing, session_events
from eve_replay.errors import NotFound
from eve_replay.journal.frameworks.workflow.calls import CallIndex
from eve_replay.journal.frameworks.workflow.messages import read_messages
from eve_replay.journal.frameworks.workflow.parks import Emitted, open_parks, stream_parks, workflow_parks
from eve_replay.journal.frameworks.workflow.run_build import (
    ENDED,
    RunDraft,
    assign_all_turns,
    close_drafts,
    freeze_run,
    read_run,
)
from eve_replay.journal.frameworks.workflow.sessions import SessionMap
from eve_replay.journal.frameworks.workflow.stream_join import join_stream, stream_event
from eve_replay.journal.frameworks.workflow.turns import build_turns
from eve_replay.journal.model import (
    Attempt,
    Certainty,
    Evidence,
    Message,
    Park,
    Run,
    Session,
    SessionHead,
    Step,
    StreamEvent,
    Turn,
)
from eve_replay.problems import Gap, Problem
from eve_replay.records import StreamRecord
from eve_replay.worlds.base import World

__all__ = ["build_session"]

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def build_session(
    world: World, sessions: SessionMap, head: SessionHead, *, keys: KeyRing | None = None
) -> Session:
    """Build one session with its turns, attempts, messages and parks.

    Decodes the session stream, hook payloads, and of turn steps the ``action`` and the messages they
    added; step inputs stay closed (except for a turn step that has not said anything yet).
    """
    drafts = {i: read_run(world, sessions.records[i]) for i in (*head.run_ids, *head.child_ids)}
    owners = [drafts[i] for i in head.run_ids]
    problems: list[Problem] = []
    stream = _read_stream(world, head, drafts[head.id], keys, problems)
    unjoined = join_stream([s for run in owners for s in run.steps], stream)
    if unjoined:
        problems.append(
            Problem(
                severity="warning",
                code="events-without-attempt",
                where=unjoined[0].chunk_id,
                message=f"{len(unjoined)} stream events lie outside every start of every step.",
            )
        )
    for draft in drafts.values():
        close_drafts(draft, sessions)
    assign_all_turns(owners, sessions)
    index = CallIndex()
    frozen = {run_id: freeze_run(draft, sessions, head.id, index) for run_id, draft in drafts.items()}
    runs, children = tuple(frozen[i] for i in head.run_ids), tuple(frozen[i] for i in head.child_ids)
    emitted = _emitted(runs, stream)
    parks = stream_parks(emitted, head.id)
    for run in (*runs, *children):
        parks.extend(workflow_parks(run, head.id, _turn_of_run(run)))
    turns = tuple(build_turns(runs, emitted, parks, head.id))
    messages: Sequence[Message] = ()
    if head.kind != "workflow":
        messages = read_messages(runs, turns, parks, stream, head.id)
    status, certainty, evidence = _status(runs, turns, parks)
    own = _in_order(runs)
    in_turns = {step.step_id for turn in turns for step in turn.steps}
    return Session(
        head=_with_version(head, runs),
        runs=runs,
        children=children,
        turns=turns,
        status=status,
        certainty=certainty,
        evidence=evidence,
        parks=tuple(sorted(parks, key=lambda p: (p.since is None, p.since))),
        messages=tuple(messages),
        ordered=(*own, *(step for run in children for step in run.steps)),
        steps_beside=tuple(step for step in own if step.step_id not in in_turns),
        stream_events=tuple(stream),
        unjoined=tuple(unjoined),
        problems=(*problems, *(p for run in (*runs, *children) for p in run.problems)),
        gaps=_gaps(world, head, (*runs, *children), problems),
        store=str(world.about.get("of") or world.kind),
        queued=_queued(world, runs),
    )


def _gaps(
    world: World, head: SessionHead, runs: Sequence[Run], problems: Sequence[Problem]
) -> tuple[Gap, ...]:
    """Return which lists of the session are not whole: of its runs, its stream, the store's list of runs."""
    name = _stream_name(head)
    own = (
        gap
        for gap in world.receipt.gaps
        if gap.of == "runs" or (gap.of == "chunks" and gap.name in ("", name) and head.kind != "workflow")
    )
    damage = (
        Gap(of="chunks", why=f"its stream: {problem.message.rstrip('.')}", run_id=head.id, name=name)
        for problem in problems
        if problem.severity == "error"
    )
    return tuple(dict.fromkeys((*(gap for run in runs for gap in run.gaps), *own, *damage)))


def _queued(world: World, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return what the store's queue holds for runs that go on; most worlds keep no queue."""
    jobs = getattr(world, "jobs", None)
    if not callable(jobs):
        return ()
    return tuple(job.sentence for run in runs if run.status not in ENDED for job in jobs(run.run_id))


def _stream_name(head: SessionHead) -> str:
    return f"strm_{head.id.removeprefix('wrun_')}_user"


def _read_stream(
    world: World, head: SessionHead, first: RunDraft, keys: KeyRing | None, problems: list[Problem]
) -> list[StreamEvent]:
    """Read the session's own stream; other streams of the run are not the session's story."""
    if head.kind == "workflow":
        return []
    name = _stream_name(head)
    known = {other.name for other in first.others if isinstance(other, StreamRecord)}
    if known and name not in known:
        return []
    try:
        found = session_events(world.stream(head.id, name), keys=keys, run_id=head.id, where=name)
    except NotFound:  # nothing has been said yet
        return []
    problems.extend(found.problems)
    events = [stream_event(n, name, chunk_id, raw) for n, (chunk_id, raw) in enumerate(found)]
    untyped = [e for e in events if not e.type]
    if untyped:
        problems.append(
            Problem(
                severity="warning",
                code="untyped-stream-event",
                where=untyped[0].chunk_id,
                message=f"{len(untyped)} stream events have no type.",
            )
        )
    return events


def _turn_of_run(run: Run) -> str | None:
    """Return the turn of the caller that a workflow tool's run serves."""
    given = run.record.payload("input") if run.role == "tool" else None
    turn = given.at("$[0].session.turn.id") if given is not None else None
    return turn if isinstance(turn, str) else None


def _with_version(head: SessionHead, runs: Sequence[Run]) -> SessionHead:
    if head.eve_version is not None or head.kind == "workflow":
        return head
    version = next((r.eve_version for r in reversed(runs) if r.eve_version is not None), None)
    return replace(head, eve_version=version)


def _emitted(runs: Iterable[Run], stream: Sequence[StreamEvent]) -> list[Emitted]:
    """Put the emitting step and attempt beside every stream event."""
    makers: dict[int, tuple[Step, Attempt]] = {}
    for run in runs:
        for step in run.steps:
            for attempt in step.attempts:
                for event in attempt.stream_events:
                    makers[event.position] = (step, attempt)
    found = []
    for event in stream:
        maker = makers.get(event.position)
        if maker is None:
            found.append(Emitted(event=event))
            continue
        step, attempt = maker
        committed = step.end_event is not None and attempt.end_event is step.end_event
        found.append(Emitted(event=event, step=step, attempt=attempt.n, committed=committed))
    return found


def _in_order(runs: Sequence[Run]) -> list[Step]:
    """Merge the steps of runs that took turns: by time between runs, by log order within each."""
    keyed: list[tuple[datetime, int, int, Step]] = []
    for number, run in enumerate(runs):
        latest = _LONG_AGO
        for position, step in enumerate(run.steps):
            latest = max(latest, step.created_at or step.started_at or latest)
            keyed.append((latest, number, position, step))
    return [step for *_, step in sorted(keyed, key=lambda k: k[:3])]


def _status(
    runs: Sequence[Run], turns: Sequence[Turn], parks: Sequence[Park]
) -> tuple[str, Certainty, tuple[Evidence, ...]]:
    """Say in the words of docs/words.md how the session stands."""
    newest = next((r for r in reversed(runs) if r.role != "turn"), runs[-1])
    where = (Evidence(kind="record", id=newest.run_id, run_id=newest.run_id, path="$.status"),)
    if newest.status in ENDED:
        return newest.status, "observed", where
    waiting = open_parks(parks)
    last = turns[-1] if turns else None
    if newest.role == "workflow" or last is None:
        steps = [s for r in runs for s in r.steps]
        if waiting and not any(s.status == "running" for s in steps):
            return f"parked: {waiting[0].kind}", waiting[0].certainty, waiting[0].evidence
        if newest.role == "workflow" or any(s.status == "running" for s in steps):
            return newest.status or "running", "observed", where
        # Nothing says that it waits: no turn has ended, and none has begun.
        return newest.status or "running", "unknown", where
    if last.status == "parked":
        own = [p for p in waiting if p.turn_id == last.id]
        return f"parked: {own[0].kind if own else 'tasks'}", last.certainty, last.evidence
    if last.status in ("running", "interrupted"):
        return last.status, last.certainty, last.evidence
    asked = [p for p in waiting if p.turn_id == last.id]
    if asked:  # before eve 0.66 a turn ended when it asked
        return f"parked: {asked[0].kind}", asked[0].certainty, asked[0].evidence
    return "idle", "observed" if last.committed else "implied", last.evidence
