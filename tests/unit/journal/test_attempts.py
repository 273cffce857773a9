"""Attempts from the log alone: what each start proves.

Source: docs/evidence/observed.md#budget, #throw-then-kill, #one-record, #call-ids, #optimistic-start,
docs/evidence/sweep.md.
"""

from __future__ import annotations

import pytest

from eve_replay.journal import Step
from eve_replay.times import iso
from tests.support.runlog import RunLog, stamp

APP = "step//./workflows/orders//charge"
ORDER = "workflow//./workflows/orders//processOrder"
RUN = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
STEP = "step_01AAAAAAAAAAAAAAAAAAAAAAAA"


def plain(**run: object) -> RunLog:
    return RunLog().run(RUN, ORDER, **run)  # type: ignore[arg-type]


def only(log: RunLog) -> Step:
    (step,) = log.journal().session(RUN).steps
    return step


def codes(step: Step) -> list[str]:
    return [p.code for p in step.problems]


def outcomes(step: Step) -> list[tuple[str, str]]:
    return [(a.outcome, a.body) for a in step.attempts]


def test_completed_once() -> None:
    step = only(plain().step(STEP, APP, starts=(1,), end=2, output={"ok": True}))
    assert outcomes(step) == [("completed", "ran")]
    assert (step.status, step.kind, step.function, step.committed) == (
        "completed",
        "function",
        "charge",
        True,
    )
    (attempt,) = step.attempts
    assert attempt.certainty == "observed"
    assert [iso(t) for t in (attempt.started_at, attempt.window_end, attempt.ended_at)] == [
        stamp(1),
        stamp(2),
        stamp(2),
    ]
    assert attempt.inline
    assert [e.kind for e in attempt.evidence] == ["event", "event"]


def test_a_killed_attempt_is_interrupted_by_the_next_start_and_its_body_is_unknown() -> None:
    step = only(plain().step(STEP, APP, starts=(1, 6), end=7, output=1))
    first, second = step.attempts
    assert (first.outcome, first.certainty, first.body) == ("interrupted", "implied", "unknown")
    assert first.ended_at is None
    assert iso(first.window_end) == stamp(6)
    assert (first.inline, second.inline) == (True, False)  # docs/evidence/observed.md#one-record
    assert second.outcome == "completed"


def test_the_last_start_without_an_end_is_running_not_interrupted() -> None:
    step = only(plain().step(STEP, APP, starts=(1,)))
    assert outcomes(step) == [("running", "unknown")]
    assert step.status == "running"
    assert step.attempts[0].window_end is None


def test_recorded_errors_count_and_windows_reach_to_the_next_start() -> None:
    log = plain().event("step_created", 0, STEP, stepName=APP)
    log.event("step_started", 1, STEP, stepName=APP)
    log.event("step_retrying", 1.5, STEP, stepName=APP, error="busy", retryAfter=stamp(2.5))
    log.event("step_started", 3, STEP, stepName=APP)
    log.event("step_completed", 4, STEP, stepName=APP, result="label")
    step = only(log)
    first = step.attempts[0]
    assert outcomes(step) == [("failed", "ran"), ("completed", "ran")]
    assert [iso(t) for t in (first.ended_at, first.window_end, first.retry_after)] == [
        stamp(1.5),
        stamp(3),
        stamp(2.5),
    ]
    assert first.error is not None and first.error.value == "busy"


def test_after_a_recorded_error_the_step_is_pending() -> None:
    log = plain().event("step_created", 0, STEP, stepName=APP)
    log.event("step_started", 1, STEP).event("step_retrying", 2, STEP, error="busy")
    assert only(log).status == "pending"


@pytest.mark.parametrize(
    ("message", "body"),
    [
        ('Step "step//x//doomed" exceeded max retries (4 retries)', "did not run"),
        ('Step "step//x//doomed" failed after 3 retries: exceeded max retries (of a bank)', "ran"),
        ("exceeded max retries (said the bank)", "ran"),
    ],
)
def test_a_start_past_the_budget_runs_no_body(message: str, body: str) -> None:
    step = only(plain().step(STEP, APP, starts=(1, 2), end=3, failed=True, error={"message": message}))
    assert outcomes(step) == [("interrupted", "unknown"), ("failed", body)]
    assert step.attempts[1].bodies == (0 if body == "did not run" else 1)


def test_the_end_of_the_run_ends_what_was_running() -> None:
    failed = only(plain(status="failed", completedAt=9).step(STEP, APP, starts=(1,)))
    assert (failed.attempts[0].outcome, failed.attempts[0].certainty) == ("interrupted", "implied")
    assert failed.status == "interrupted"
    cancelled = only(plain(status="cancelled", completedAt=9).step(STEP, APP, starts=(1,)))
    assert outcomes(cancelled) == [("cancelled", "unknown")]
    assert cancelled.status == "cancelled"


def test_a_record_without_any_event_is_shown_and_reported() -> None:
    """docs/evidence/reports.md#t19, docs/evidence/sweep.md#c1b: the row is there, the event is not."""
    log = plain().record(STEP, APP, status="running", startedAt=1, attempt=1)
    step = only(log)
    assert (step.status, outcomes(step)) == ("running", [("running", "unknown")])
    assert step.certainty == "implied"
    assert codes(step) == ["step-without-events"]
    pending = only(plain().record(STEP, APP, status="pending", attempt=0))
    assert (pending.status, pending.attempts) == ("pending", ())


def test_a_start_without_created_event_is_an_attempt_with_its_input() -> None:
    """T28: the start carries the input."""
    log = plain().event("step_started", 1, STEP, stepName=APP, input={"args": [1]})
    log.event("step_completed", 2, STEP, result=3)
    step = only(log)
    assert outcomes(step) == [("completed", "ran")]
    assert step.input is not None and step.input.value == {"args": [1]}
    assert step.output is not None and step.output.value == 3


def test_a_completed_record_without_its_event_is_not_a_commit() -> None:
    """F2 of docs/evidence/sweep.md: only the event counts for replay."""
    log = plain().step(STEP, APP, starts=(1,))
    log.record(STEP, APP, status="completed", attempt=1, output={"ok": 1}, startedAt=1, completedAt=2)
    step = only(log)
    assert (step.status, step.committed) == ("running", False)
    (attempt,) = step.attempts
    assert (attempt.outcome, attempt.certainty) == ("completed", "implied")
    assert attempt.body == "ran"
    assert codes(step) == ["record-ahead-of-log"]


def test_a_record_may_count_a_start_that_has_no_event() -> None:
    """C3 of docs/evidence/sweep.md: nothing ran."""
    log = plain().step(STEP, APP, starts=(1,), end=3, output=1)
    log.record(STEP, APP, status="completed", attempt=2)
    step = only(log)
    assert len(step.attempts) == 1
    assert codes(step) == ["start-without-event"]


def test_a_second_end_is_marked_and_does_not_count() -> None:
    """T24."""
    log = plain().step(STEP, APP, starts=(1,), end=2, output=1)
    log.event("step_completed", 5, STEP, stepName=APP, result=2)
    step = only(log)
    assert iso(step.ended_at) == stamp(2)
    assert outcomes(step) == [("completed", "ran")]
    assert "second-end" in codes(step)


def test_a_start_after_the_end_is_kept_as_unknown() -> None:
    log = plain().step(STEP, APP, starts=(1,), end=2, output=1).event("step_started", 3, STEP)
    step = only(log)
    assert [(a.outcome, a.certainty) for a in step.attempts] == [
        ("completed", "observed"),
        ("interrupted", "unknown"),
    ]
    assert step.status == "completed"
    assert "start-after-end" in codes(step)


def test_an_end_without_a_start_is_reported() -> None:
    log = plain().event("step_created", 1, STEP, stepName=APP).event("step_completed", 2, STEP, result=1)
    step = only(log)
    assert (step.status, step.attempts) == ("completed", ())
    assert codes(step) == ["end-without-start"]


def test_optimistic_starts_are_named() -> None:
    log = plain().step(STEP, APP, starts=(1,), end=2, output=1, optimizations=["optimisticStart"])
    assert only(log).attempts[0].optimistic
    assert not only(plain().step(STEP, APP, starts=(1,), end=2, output=1)).attempts[0].optimistic


def test_log_order_counts_not_created_at() -> None:
    """docs/evidence/observed.md#order: a start may carry an earlier time than its predecessor."""
    log = plain().event("step_created", 1.06, STEP, stepName=APP).event("step_started", 1.0, STEP)
    log.event("step_completed", 0.99, STEP, result=1)
    step = only(log)
    assert outcomes(step) == [("completed", "ran")]
    assert step.created_event is not None and step.created_event.slot == 1


def test_attr_set_proves_that_its_attempt_ran() -> None:
    log = plain().event("step_created", 0, STEP, stepName=APP)
    log.event("step_started", 1, STEP, stepName=APP)
    log.event("attr_set", 1.5, changes=[], writer={"type": "step", "stepId": STEP, "attempt": 1})
    log.event("step_started", 3, STEP, stepName=APP)
    step = only(log)
    assert outcomes(step) == [("interrupted", "ran"), ("running", "unknown")]
    assert step.attempts[0].body_certainty == "observed"


def test_unknown_events_and_slots_are_skipped() -> None:
    log = plain().event("noop", 0, None, sealed=True).event("step_dreamt", 0, STEP, stepName=APP)
    log.step(STEP, APP, starts=(1,), end=2, output=1)
    assert outcomes(only(log)) == [("completed", "ran")]
