"""Does the event log agree with itself? Pure checks of one run's events (docs/formats/local.md#events)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from eve_replay.checks.finding import Finding
from eve_replay.checks.phrases import count, listed, span
from eve_replay.journal.model import Evidence, Run
from eve_replay.records import EventRecord

__all__ = ["EVENT_BUDGET", "EVENT_TYPES", "check_log"]

#: Events a run may have on the hosted world (docs/formats/hosted.md; MAX_EVENTS_EXCEEDED in the runtime).
EVENT_BUDGET = 25_000

EVENT_TYPES = frozenset(
    {
        "run_created",
        "run_started",
        "run_completed",
        "run_failed",
        "run_cancelled",
        "attr_set",
        "step_created",
        "step_started",
        "step_retrying",
        "step_completed",
        "step_failed",
        "hook_created",
        "hook_received",
        "hook_disposed",
        "hook_conflict",
        "wait_created",
        "wait_completed",
        "noop",
    }
)
#: Events about something: without its id nothing can be said of it.
_ABOUT = ("step_", "hook_", "wait_")
_RUN_END = frozenset({"run_completed", "run_failed", "run_cancelled"})
_ENDS = {"step": {"step_completed", "step_failed"}, "wait": {"wait_completed"}}
#: ``createdAt`` runs up to 80 ms backwards in healthy logs (docs/evidence/observed.md#order): only more than
#: this is odd.
_BACKWARDS = timedelta(seconds=1)


def check_log(run: Run) -> Iterator[Finding]:
    """Yield what is wrong with the order, numbering and lifecycle of one run's events."""
    events = run.events
    yield from _slots(run, events)
    yield from _lifecycle(run, events)
    yield from _after_end(run, events)
    yield from _hooks(run, events)
    yield from _clock(run, events)
    unknown = sorted({e.event_type for e in events} - EVENT_TYPES)
    for name in unknown:
        first = next(e for e in events if e.event_type == name)
        yield _finding(
            run,
            first,
            "unknown-event-type",
            "warning",
            f"The log holds events of the unknown type {name or 'without a name'!r}.",
            "A newer writer may give them a meaning that is not shown here.",
            "Update eve-replay, or look at the raw event.",
        )
    if len(events) >= EVENT_BUDGET * 0.8:
        over = len(events) > EVENT_BUDGET
        yield Finding(
            code="event-budget",
            severity="error" if over else "warning",
            where=run.run_id,
            sentence=f"The run has {len(events):,} events; the hosted world ends a run at {EVENT_BUDGET:,}.",
            why="Past the limit the run fails with MAX_EVENTS_EXCEEDED. Events are not steps: a step "
            "is three or"
            " more.",
            fix="Compact the session, or move the loop into child runs.",
            run_id=run.run_id,
            session_id=run.session_id,
        )


def _finding(
    run: Run, event: EventRecord, code: str, severity: str, sentence: str, why: str, fix: str = ""
) -> Finding:
    return Finding(
        code=code,
        severity=severity,  # type: ignore[arg-type]
        where=event.event_id,
        sentence=sentence,
        why=why,
        fix=fix,
        run_id=run.run_id,
        session_id=run.session_id,
        evidence=(Evidence(kind="event", id=event.event_id, run_id=run.run_id),),
    )


def _slots(run: Run, events: Sequence[EventRecord]) -> Iterator[Finding]:
    slots = [(e.slot, e) for e in events if e.slot is not None]
    expected = 1
    seen: set[int] = set()
    for slot, event in slots:
        if slot in seen:
            yield _finding(
                run,
                event,
                "duplicate-slot",
                "error",
                f"Slot {slot} is taken by two events.",
                "Slots are the order of the replay: two events in one slot cannot both have been read.",
                "Look at both files; one may be a copy.",
            )
        elif slot > expected:
            missing = f"slot {expected}" if slot == expected + 1 else f"slots {expected} to {slot - 1}"
            yield _finding(
                run,
                event,
                "slot-gap",
                "error",
                f"The log has a gap: {missing} missing before {event.event_type}.",
                "Slots are dense. What stood there is gone or was not readable; a replay stops or "
                "diverges here.",
                "Look whether the file exists and can be read; restore it from a backup.",
            )
        seen.add(slot)
        expected = max(expected, slot + 1)
    if events and not any(e.event_type == "run_created" for e in events) and slots:
        yield _finding(
            run,
            events[0],
            "no-run-created",
            "error",
            "The log does not begin with run_created.",
            "The runtime fails such a run with RUNTIME_ERROR (docs/evidence/sweep.md#run-record).",
            "Start the session again; a child run is started again by its parent.",
        )


def _lifecycle(run: Run, events: Sequence[EventRecord]) -> Iterator[Finding]:
    """Duplicates, starts after an end, and starts that nothing in the log explains."""
    state: dict[str, str] = {}
    created: set[str] = set()
    firsts: dict[tuple[str, str], EventRecord] = {}
    # Worlds before event sourcing had no step_created, and lazily created steps bring their input with the
    # start (wf#2478): there a start without a creation is normal.
    creations = {e.correlation_id for e in events if e.event_type == "step_created"}
    recorded = {step.step_id for step in run.steps if step.record is not None}
    for event in events:
        subject = event.correlation_id or ""
        family = event.event_type.partition("_")[0]
        if not subject and event.event_type.startswith(_ABOUT):
            yield _finding(
                run,
                event,
                "no-subject",
                "warning",
                f"This {event.event_type} does not say what it is about: it has no correlationId.",
                "It is shown in the log and counts for no step, hook or wait.",
                "Look at the raw event: the record may be damaged.",
            )
        if family not in ("step", "wait") or not subject:
            continue
        if event.event_type.endswith("_created"):
            if subject in created:
                yield _duplicate(run, event, firsts.get((subject, event.event_type)))
            created.add(subject)
        ended = state.get(subject) in _ENDS.get(family, ())
        if event.event_type in _ENDS.get(family, ()):
            if ended:
                yield _duplicate(run, event, firsts.get((subject, state[subject])))
                continue
        elif ended and event.event_type in ("step_started", "step_retrying"):
            yield _finding(
                run,
                event,
                "start-after-end",
                "error",
                f"A {event.event_type} of {_name(event)} comes after its {state[subject]}.",
                "A committed step is replayed, never started. This start came from outside the log: a queue "
                "message delivered again, or one that somebody forged at an open flow route.",
                "Check who can reach the workflow routes, and compare with a ledger: the body may "
                "have run again.",
            )
            continue
        # An optimistic start stands before its creation in logs of spec 5 to 7; a torn creation of a
        # queued step is told by the record check.
        known = subject in created or subject in creations or subject in recorded
        if event.event_type == "step_started" and not known and _needs_creation(event, creations):
            yield _finding(
                run,
                event,
                "start-unexplained",
                "warning",
                f"{_name(event)} was started, and no step_created of it is in the log.",
                "Nothing in the log asked for this step: its creation was torn off by a crash "
                "(docs/evidence/sweep.md#c1b of "
                "a queued step), or the delivery that started it did not come from this run.",
                "Compare with the step record and with a ledger.",
            )
            created.add(subject)
        state[subject] = event.event_type
        firsts.setdefault((subject, event.event_type), event)


def _needs_creation(event: EventRecord, creations: set[str | None]) -> bool:
    return bool(creations) and event.data_payload("input") is None


def _name(event: EventRecord) -> str:
    name = event.data.get("stepName")
    return str(name).rpartition("//")[2] if isinstance(name, str) else "a step"


def _duplicate(run: Run, event: EventRecord, first: EventRecord | None) -> Finding:
    which = f"; the first is {first.event_id}" if first is not None else ""
    if event.event_type.endswith("_created"):
        return _finding(
            run,
            event,
            "duplicate-event",
            "info",
            f"{event.event_type} of {event.correlation_id} is in the log twice{which}.",
            "Two deliveries created it at once; the replay skips the second.",
        )
    return _finding(
        run,
        event,
        "duplicate-event",
        "warning",
        f"{event.event_type} of {event.correlation_id} is in the log twice{which}.",
        "Only the first counts: the replay skips the second, and so do status and times shown here. "
        "The step's "
        "body may have run twice all the same.",
        "Compare with a ledger.",
    )


def _after_end(run: Run, events: Sequence[EventRecord]) -> Iterator[Finding]:
    end = next((i for i, e in enumerate(events) if e.event_type in _RUN_END), None)
    if end is None:
        return
    late = [e for e in events[end + 1 :] if e.event_type not in ("hook_disposed", "noop")]
    if late:
        kinds = listed(sorted({e.event_type for e in late}))
        again = [e for e in late if e.event_type in _RUN_END]
        yield _finding(
            run,
            late[0],
            "event-after-end",
            "warning",
            f"{count(len(late), 'event')} ({kinds}) after {events[end].event_type}.",
            "The run had ended: nothing reads these events any more."
            + (" The run was ended twice." if again else ""),
            "Look what was still at work: a step that outlived its run may have had its effect.",
        )


def _hooks(run: Run, events: Sequence[EventRecord]) -> Iterator[Finding]:
    disposed: dict[str, EventRecord] = {}
    for event in events:
        subject = event.correlation_id or ""
        if event.event_type == "hook_disposed":
            disposed[subject] = event
        elif event.event_type == "hook_created":
            disposed.pop(subject, None)
        elif event.event_type == "hook_received" and subject in disposed:
            yield _finding(
                run,
                event,
                "hook-after-disposal",
                "warning",
                f"A delivery to hook {subject} came after the hook had been disposed.",
                "Nobody waits for it: the workflow never sees this delivery.",
                "Send it again to the session's present hook.",
            )


def _clock(run: Run, events: Sequence[EventRecord]) -> Iterator[Finding]:
    latest: EventRecord | None = None
    for event in events:
        if event.created_at is None:
            continue
        if latest is not None and latest.created_at is not None:
            back = latest.created_at - event.created_at
            if back > _BACKWARDS:
                yield _finding(
                    run,
                    event,
                    "clock-backwards",
                    "warning",
                    f"{event.event_type} says it was made {span(back)} before the {latest.event_type} "
                    "in front "
                    "of it.",
                    "Slots are the order, times are not. A jump this large means two machines with different "
                    "clocks, or a clock that was set: windows and leases reckoned from it are wrong "
                    "by as much.",
                )
                latest = event
                continue
            if back.total_seconds() > 0:
                continue
        latest = event
