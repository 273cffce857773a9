"""In which half of a commit a run lies: pure functions from records, events and marks to commit states.

The states and what they mean are in :mod:`eve_replay.journal.commits.states`. Used by the doctor (what is
wedged now) and by the recovery engine (what would be, after a crash here)::

    states = run_commits(record, events, steps, others)
    states.wedged          # what keeps this run from going on by itself
    states.open_steps      # steps without a terminal event, with their codes C1a ... F2

Everything takes plain records and is linear in them; no payload is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from eve_replay.journal.commits.hooks import Log, deliveries, hook_commits
from eve_replay.journal.commits.states import (
    Delivery,
    HookCode,
    HookCommit,
    RunCode,
    RunCommit,
    RunCommits,
    StepCode,
    StepCommit,
    WaitCode,
    WaitCommit,
)
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Other,
    RunRecord,
    StepRecord,
    WaitRecord,
)
from eve_replay.times import parse_time

__all__ = [
    "MAX_INLINE_STEPS",
    "Delivery",
    "HookCode",
    "HookCommit",
    "RunCode",
    "RunCommit",
    "RunCommits",
    "StepCode",
    "StepCommit",
    "WaitCode",
    "WaitCommit",
    "run_commits",
]

#: Steps the runtime starts inline per suspension; the rest are queued (@workflow/core runtime/constants).
MAX_INLINE_STEPS = 3

#: The step the runtime schedules together with a hook whose creation it awaits: it is queued, never inline
#: (192 of 192 recorded first starts of ``createSessionStep`` carry no ``ownerMessageId``).
_QUEUED_WITH_HOOK = frozenset({"createSessionStep"})

_TERMINAL = frozenset({"completed", "failed", "cancelled"})
_STEP_END = frozenset({"step_completed", "step_failed"})
_RUN_END = frozenset({"run_completed", "run_failed", "run_cancelled"})


def run_commits(
    record: RunRecord | None,
    events: Sequence[EventRecord],
    steps: Iterable[StepRecord],
    others: Iterable[Other],
    *,
    run_id: str = "",
) -> RunCommits:
    """Return the commit states of one run from what lies there.

    Args:
        record: the run's record, None when it is missing.
        events: the run's log in order.
        steps: its step records.
        others: its hooks, waits and marks; worlds without marks (Postgres) give states from records and
            events alone, where a step can be B, C3, D, R, F2 or done.
        run_id: needed only when there is no record and no event.
    """
    run_id = run_id or (record.run_id if record else "") or (events[0].run_id if events else "")
    marks: dict[tuple[str, str, str], MarkRecord] = {}
    waits: dict[str, WaitRecord] = {}
    hooks: dict[str, HookRecord] = {}
    for other in others:
        if isinstance(other, MarkRecord):
            marks[other.kind, other.phase, other.subject] = other
        elif isinstance(other, WaitRecord):
            waits[other.correlation_id] = other
        elif isinstance(other, HookRecord):
            hooks[other.hook_id] = other
    by_subject = Log.read(events)
    return RunCommits(
        run=_run_commit(run_id, record, events, marks),
        steps=_step_commits(run_id, by_subject, {s.step_id: s for s in steps}, marks),
        waits=_wait_commits(run_id, by_subject, waits, marks),
        hooks=hook_commits(run_id, by_subject, hooks, marks),
        deliveries=deliveries(run_id, by_subject, marks),
        staged=tuple(m.origin for (k, p, _), m in marks.items() if k == "run" and p == "pending"),
        token_locks=tuple(m.origin for (k, p, _), m in marks.items() if k == "token" and p == "lock"),
    )


def _run_commit(
    run_id: str,
    record: RunRecord | None,
    events: Sequence[EventRecord],
    marks: dict[tuple[str, str, str], MarkRecord],
) -> RunCommit:
    types = {event.event_type: event for event in events}
    end = next((types[name] for name in _RUN_END if name in types), None)
    lock = marks.get(("run", "terminal", run_id))
    status = record.status if record else ""
    code: RunCode
    if end is not None:
        code = "done"
    elif status in _TERMINAL or lock is not None:
        code = "ending"
    elif "run_created" not in types and not (events and events[0].slot is None):
        # Worlds of the first spec versions had no run_created; they number events by ULID.
        code = "R1" if record is not None else "created"
    elif "run_started" in types:
        code = "running"
    else:
        code = "R2" if status == "running" else "created"
    evidence = [record.origin] if record and record.origin else []
    evidence += [event.event_id for event in events[:1]]
    if lock is not None:
        evidence.append(lock.origin)
    return RunCommit(
        run_id=run_id,
        code=code,
        status=status,
        end_event=end.event_type if end else "",
        created_at=record.created_at if record else None,
        evidence=tuple(evidence),
    )


def _step_commits(
    run_id: str,
    log: Log,
    records: dict[str, StepRecord],
    marks: dict[tuple[str, str, str], MarkRecord],
) -> tuple[StepCommit, ...]:
    ids = dict.fromkeys(log.steps)
    locked = [subject for kind, _, subject in marks if kind == "step"]
    ids.update(dict.fromkeys(sorted({*records, *locked} - set(ids))))
    awaiting_hook = not any(
        event.event_type == "hook_created" for events in log.hooks.values() for _, event in events
    )
    uncreated = 0
    out = []
    for step_id in ids:
        record = records.get(step_id)
        commit = _step_commit(
            run_id,
            step_id,
            log.steps.get(step_id, []),
            record,
            marks.get(("step", "created", step_id)),
            marks.get(("step", "terminal", step_id)),
        )
        if commit.code in ("C1a", "C1b"):
            uncreated += 1
            queued = (commit.function in _QUEUED_WITH_HOOK and awaiting_hook) or uncreated > MAX_INLINE_STEPS
            # Without a created lock nothing refuses to create the step again: SDK 4 takes none
            # (docs/evidence/fates.md#sdk-4).
            queued = queued or (commit.code == "C1b" and ("step", "created", step_id) not in marks)
            if queued:
                commit = replace(commit, queued=True)
        out.append(commit)
    return tuple(out)


def _step_commit(
    run_id: str,
    step_id: str,
    events: list[tuple[int, EventRecord]],
    record: StepRecord | None,
    created_lock: MarkRecord | None,
    terminal_lock: MarkRecord | None,
) -> StepCommit:
    created = end = None
    starts: list[EventRecord] = []
    retrying = False
    last = ""
    for place, event in events:
        if event.event_type == "step_created":
            created = created or (place, event)
        elif event.event_type == "step_started":
            starts.append(event)
        elif event.event_type == "step_retrying":
            retrying = True
        elif event.event_type in _STEP_END:
            end = end or (place, event)
        last = event.event_type
    status = record.status if record else None
    attempt = record.attempt if record else None
    code = _step_code(
        created is not None, len(starts), last, end is not None, status, terminal_lock is not None
    )
    inline = None
    if starts:
        inline = isinstance(starts[-1].data.get("ownerMessageId"), str)
    evidence = [
        *([created_lock.origin] if created_lock else []),
        *(event.event_id for _, event in events),
        *([record.origin] if record and record.origin else []),
        *([terminal_lock.origin] if terminal_lock else []),
    ]
    names = [event.data.get("stepName") for _, event in events]
    full = (record.text("stepName") if record else None) or next((n for n in names if isinstance(n, str)), "")
    return StepCommit(
        run_id=run_id,
        step_id=step_id,
        code=code,
        function=full.rpartition("//")[2],
        step_name=full,
        starts=len(starts),
        inline=inline,
        # A step whose starts never carried an owner is run by the queue; it is known from its first start on.
        queued=bool(starts) and not isinstance(starts[0].data.get("ownerMessageId"), str),
        record_status=status,
        record_attempt=attempt,
        aborted_start=attempt is not None and attempt > len(starts) and end is None,
        threw=retrying or (record is not None and record.fields.get("error") is not None),
        created_at=created[1].created_at if created else (record.created_at if record else None),
        last_started_at=starts[-1].created_at if starts else None,
        first_started_at=starts[0].created_at if starts else None,
        end_event=end[1].event_type if end else "",
        created_slot=created[0] if created else None,
        end_slot=end[0] if end else None,
        evidence=tuple(evidence),
    )


def _step_code(
    created: bool, starts: int, last: str, ended: bool, status: str | None, terminal_lock: bool
) -> StepCode:
    if ended:
        return "done"
    if status in _TERMINAL:
        return "F2"
    if terminal_lock:
        return "F1"
    if starts:
        # The step_retrying event comes last in its commit: record pending with the old start is still D.
        return "R" if last == "step_retrying" else "D"
    if status == "running":
        return "C3"
    if created:
        return "B"
    return "C1b" if status is not None else "C1a"


def _wait_commits(
    run_id: str,
    log: Log,
    records: dict[str, WaitRecord],
    marks: dict[tuple[str, str, str], MarkRecord],
) -> tuple[WaitCommit, ...]:
    ids = dict.fromkeys(log.waits)
    locked = {subject for kind, _, subject in marks if kind == "wait"}
    ids.update(dict.fromkeys(sorted({*records, *locked} - set(ids))))
    out = []
    for wait_id in ids:
        events = log.waits.get(wait_id, [])
        types = {event.event_type: event for _, event in events}
        record = records.get(wait_id)
        locks = [
            marks[key] for key in (("wait", p, wait_id) for p in ("created", "completed")) if key in marks
        ]
        code: WaitCode
        if "wait_completed" in types:
            code = "done"
        elif ("wait", "completed", wait_id) in marks or (record is not None and record.status == "completed"):
            code = "W2"
        else:
            code = "waiting" if "wait_created" in types else "W1"
        created = types.get("wait_created")
        resume = created.data.get("resumeAt") if created else None
        out.append(
            WaitCommit(
                run_id=run_id,
                wait_id=wait_id,
                code=code,
                resume_at=parse_time(resume) or (record.time("resumeAt") if record else None),
                created_at=created.created_at if created else (record.created_at if record else None),
                evidence=(*(m.origin for m in locks), *(event.event_id for _, event in events)),
            )
        )
    return tuple(out)
