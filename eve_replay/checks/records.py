"""Does the log agree with the step and run records, and with what each start proves?"""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.checks.finding import Finding
from eve_replay.checks.phrases import count, listed
from eve_replay.ids import parse_function_name
from eve_replay.journal.effects.unlogged import unlogged_starts
from eve_replay.journal.model import Evidence, Run, Step
from eve_replay.problems import Severity

__all__ = ["check_records"]

_STATUS_OF_END = {"step_completed": "completed", "step_failed": "failed"}
_RUN_STATUS = {"run_completed": "completed", "run_failed": "failed", "run_cancelled": "cancelled"}


def check_records(run: Run) -> Iterator[Finding]:
    """Yield disagreements between a run's records and its log."""
    yield from _run_record(run)
    for step in run.steps:
        yield from _step(run, step)
    yield from _versions(run)


def _make(
    run: Run, code: str, severity: Severity, where: str, sentence: str, why: str, fix: str = ""
) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        where=where,
        sentence=sentence,
        why=why,
        fix=fix,
        run_id=run.run_id,
        session_id=run.session_id,
        evidence=(Evidence(kind="record", id=where, run_id=run.run_id),),
    )


def _run_record(run: Run) -> Iterator[Finding]:
    end = next((e for e in run.events if e.event_type in _RUN_STATUS), None)
    status = run.record.status
    if end is not None and status and status != _RUN_STATUS[end.event_type]:
        yield _make(
            run,
            "run-status-differs",
            "warning",
            run.run_id,
            f"The run record says {status}, the log ends with {end.event_type}.",
            "The log counts: the record was written before, or by something else.",
        )
    sourced = any(e.event_type == "run_created" for e in run.events)
    if end is None and status in _RUN_STATUS.values() and sourced:
        yield _make(
            run,
            "run-end-missing",
            "warning",
            run.run_id,
            f"The run record says {status}, and the log has no event that ended it.",
            "The end was torn between record and event. "
            + (
                "The record decides: the run has ended."
                if run.record.fields.get("deploymentId") == "" and run.role == "workflow"
                else "The runtime ends such a run again by itself."
            ),
        )


def _step(run: Run, step: Step) -> Iterator[Finding]:
    record, where = step.record, step.step_id
    starts = len(step.started_events)
    if record is None:
        if step.events and not run.purged:
            yield _make(
                run,
                "step-record-missing",
                "warning",
                where,
                f"The log tells of {step.function}, and there is no step record of it.",
                "Input and output are shown from the events where they hold them.",
            )
        return
    lazy = any(e.data_payload("input") is not None for e in step.started_events)
    eager = any(e.event_type == "step_created" for e in run.events)
    if run.events and step.created_event is None and not lazy and (eager or not starts):
        yield _make(
            run,
            "step-created-missing",
            "warning",
            where,
            f"{step.function} has a record and {count(len(step.events), 'event')}, but no step_created.",
            "Seen when a crash tore the creation of a queued step (docs/evidence/sweep.md#c1b), and "
            "on Postgres (docs/evidence/reports.md#t19). The step itself is fine.",
        )
    if step.end_event is not None:
        said = _STATUS_OF_END.get(step.end_event.event_type)
        if said is not None and record.status and record.status != said:
            yield _make(
                run,
                "step-status-differs",
                "warning",
                where,
                f"The record of {step.function} says {record.status}, the log says {said}.",
                "The log counts for the replay.",
            )
    if record.attempt is not None and starts and record.attempt < starts:
        yield _make(
            run,
            "attempt-differs",
            "info",
            where,
            f"The record of {step.function} counts {count(record.attempt, 'attempt')}, the log has "
            f"{count(starts, 'start')}.",
            "Each start in the log is an attempt; the record holds only what the last writer knew.",
        )
    missing = unlogged_starts(step, run)
    if missing is not None and missing.counted:
        yield _make(
            run,
            "start-lost",
            "warning",
            where,
            f"The record of {step.function} counts {count(record.attempt or 0, 'attempt')}, the log has "
            f"{count(starts, 'start')}.",
            f"What the missing starts did is not recorded: {step.function} may have run in each of them. "
            "The log was cut, or an event was lost.",
            "Compare with a ledger; read the log again from the store itself.",
        )
    elif record.attempt is not None and starts and record.attempt > starts and step.committed:
        yield _make(
            run,
            "start-lost",
            "info",
            where,
            f"The record of {step.function} counts {count(record.attempt, 'attempt')}, the log has "
            f"{count(starts, 'start')}.",
            "A start died between its record and its event (docs/evidence/sweep.md#c3): nothing ran in it.",
        )
    for attempt in step.attempts:
        if attempt.overlaps:
            others = listed(str(n) for n in attempt.overlaps)
            yield _make(
                run,
                "overlapping-attempts",
                "error",
                where,
                f"Attempt {attempt.n} of {step.function} ran while attempt {others} was still at work.",
                "Two bodies of one step at once: two processes share the store, or a delivery was sent again "
                "(wf#2780). Every effect in the overlap may have happened twice.",
                "Make sure that one process owns the store; compare with a ledger.",
            )


def _versions(run: Run) -> Iterator[Finding]:
    found: dict[str, str] = {}
    for step in run.steps:
        name = parse_function_name(step.name.full)
        if name.version and name.module == "eve":
            found.setdefault(name.version, step.step_id)
    own = run.eve_version
    if own is not None and own not in found and found:
        found[own] = run.run_id
    if len(found) > 1:
        versions = listed(sorted(found))
        yield _make(
            run,
            "mixed-versions",
            "warning",
            run.run_id,
            f"One run holds steps of eve {versions}.",
            "A step is found again by its name, and the name holds the version: another version "
            "looks for other "
            "steps, and the replay diverges (eve#2866).",
            f"Continue the run only with the version that wrote it ({own or 'see the steps'}).",
        )
