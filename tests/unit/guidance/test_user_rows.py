"""Inputs that broke other readers (docs/evidence/reports.md): reading and judging a journal."""

import pytest

from eve_replay.checks import check_session
from eve_replay.codec import Payload
from eve_replay.guidance import why
from eve_replay.journal import open_journal
from tests.support.corpus import data
from tests.support.runlog import RunLog, stamp
from tests.support.synthetic import (
    RUN,
    at,
    event,
    events,
    iso,
    journal,
    run,
    slot,
    step_record,
    value,
)

NOW = at(3600)
STEP = "step_01M8NVET2Q1207NWPAG2NV4SKF"
HEAD = ("run_created", "run_started")


def findings(book, session=RUN):
    return {f.code: f for f in check_session(book.session(session), now=NOW)}


def verdicts(book, session=RUN):
    return {v.code: v for v in why(book.session(session), now=NOW).verdicts}


def test_t5_a_failed_run_with_an_error_object_hides_nothing():
    other = "wrun_01M8NVFJKWJWZSF7CF2NQDN43T"
    failed = run(status="failed", error=value({"message": "boom", "stack": "at x", "code": "E_BOOM"}))
    book = journal([failed, run(other, status="completed")], events(*HEAD, "run_failed"))
    assert len(book.sessions) == 2
    verdict = verdicts(book)["failed-run"]
    assert "boom" in verdict.sentence and "E_BOOM" in verdict.sentence
    assert "completed" in verdicts(book, other)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"error": Payload.plain({"message": "old era", "stack": "s", "code": "USER_ERROR"})}, "old era"),
        (
            {"error": Payload(b'devl[["TypeError",1],{"message":2},"new era"]'), "errorCode": "USER_ERROR"},
            "new era",
        ),
        ({"errorCode": "USER_ERROR"}, "USER_ERROR"),
        ({}, "an error"),
    ],
)
def test_t6_one_field_in_three_eras(fields, words):
    book = journal([run(status="failed", **fields)], events(*HEAD, "run_failed"))
    assert words in verdicts(book)["failed-run"].sentence


def test_t19_a_step_row_without_its_creation_event():
    log = [
        *events(*HEAD),
        event(3, "step_created", "step_other"),
        event(4, "step_started", STEP),
        event(5, "step_completed", STEP),
    ]
    book = journal([run()], log, [step_record(STEP)])
    found = findings(book)
    assert found["step-created-missing"].where == STEP
    assert "wedged-c1b" not in found
    assert [s.function for s in book.session(RUN).steps if s.step_id == STEP] == ["chargeCard"]


def test_t24_a_second_completion_is_marked_and_not_counted():
    log = [
        *events(*HEAD),
        event(3, "step_created", STEP),
        event(4, "step_started", STEP),
        event(5, "step_completed", STEP),
        event(9, "step_completed", STEP, seconds=60),
        event(6, "run_completed"),
    ]
    book = journal([run(status="completed")], sorted(log, key=lambda e: e.event_id), [step_record(STEP)])
    step = book.step(STEP)
    assert len(step.attempts) == 1 and step.ended_at == at(5)
    assert findings(book)["duplicate-event"].where == slot(9)


def test_t26_a_gap_in_the_slots_is_a_gap():
    log = [event(1, "run_created"), event(2, "run_started"), event(5, "step_created", STEP)]
    found = findings(journal([run()], log))
    assert found["slot-gap"].severity == "error"
    assert "slots 3 to 4" in found["slot-gap"].sentence


def test_t26_two_events_in_one_slot():
    log = [event(1, "run_created"), event(2, "run_started"), event(2, "attr_set")]
    world = journal([run()], log)
    assert "duplicate-slot" in findings(world) or any(
        p.code == "duplicate-event" for p in world.receipt.problems
    )


def test_t27_the_same_id_in_two_runs_is_two_steps():
    other = "wrun_01M8NVFJKWJWZSF7CF2NQDN43T"
    log = []
    for run_id, tries in ((RUN, 1), (other, 2)):
        log += events(*HEAD, ("step_created", STEP), run_id=run_id)
        log += [event(4 + n, "step_started", STEP, run_id=run_id) for n in range(tries)]
    book = journal([run(), run(other)], log, [step_record(STEP), step_record(STEP, run_id=other)])
    assert [len(book.session(r).steps[0].attempts) for r in (RUN, other)] == [1, 2]
    assert "re-executed" not in verdicts(book) and "re-executed" in verdicts(book, other)


def test_t30_the_time_of_an_event_is_not_its_order():
    log = [
        event(1, "run_created", seconds=10),
        event(2, "run_started", seconds=10.02),
        event(3, "step_created", STEP, seconds=9.95),
        event(4, "step_started", STEP, seconds=10.5, occurredAt=iso(3)),
        event(5, "step_completed", STEP, seconds=2),
    ]
    book = journal([run()], log, [step_record(STEP)])
    found = findings(book)
    assert [e.event_type for e in book.session(RUN).runs[0].events] == [e.event_type for e in log]
    assert found["clock-backwards"].where == slot(5)  # 80 ms are normal, eight seconds are not


def test_t43_a_purged_run_is_listed_and_told_as_such():
    with open_journal(str(data("retention-0"))) as book:
        session = book.sessions[0]
        told = {v.code: v for v in why(session, now=NOW).verdicts}
        found = {f.code for f in check_session(session, now=NOW)}
    assert "$eve.title" in told["purged"].sentence
    assert "purged" in found and not any(code.startswith("payload-") for code in found)
    assert len(session.steps) > 1


def test_t48_more_effects_than_starts():
    log = RunLog().run("wrun_A", workflow="workflow//./app//order", status="completed")
    log.event("run_created", 0).event("run_started", 0)
    log.step("step_A", "step//./app//chargeCard", starts=(1,), end=20).event("run_completed", 21)
    rows = [{"at": stamp(2), "effect": "charge"}, {"at": stamp(12), "effect": "charge"}]
    session = log.journal().session("wrun_A")
    verdict = next(v for v in why(session, now=NOW, ledger=rows).verdicts if v.code == "hidden-execution")
    assert "more effects than starts" in verdict.sentence
    assert "twice" in verdict.sentence and "1 start" in verdict.sentence
    assert verdict.severity == "error"


def test_t49_two_starts_at_once():
    log = RunLog().run("wrun_A", status="running").stream("wrun_A")
    log.event("run_created", 0).event("run_started", 0)
    log.step("step_A", starts=(1, 3), end=9)
    for second, delivery in ((1.1, "one"), (3.1, "two")):
        log.say("turn.started", second, "turn_0", deliveries=(delivery,))
        log.say("step.started", second + 0.1, "turn_0", 0, deliveries=(delivery,), modelId="m")
    # The first body is still at work after the second began.
    log.say("message.completed", 4, "turn_0", 0, message="from one", finishReason="stop")
    log.say("message.completed", 5, "turn_0", 0, message="from two", finishReason="stop")
    log.say("step.completed", 6, "turn_0", 0, finishReason="stop")
    log.say("step.completed", 7, "turn_0", 0, finishReason="stop")
    found = {f.code for f in check_session(log.journal().session("wrun_A"), now=NOW)}
    assert "overlapping-attempts" in found


CORRUPTED = (
    "Replay could not consume event: eventType=step_created, correlationId=step_X, "
    f"eventId={slot(3)}. The workflow event log contains orphaned or mismatched events"
)


@pytest.mark.parametrize("code", ["CORRUPTED_EVENT_LOG", "REPLAY_DIVERGENCE"])
def test_t52_a_corrupted_log_leads_to_the_event_it_names(code):
    error = value({"name": "ReplayDivergenceError", "message": CORRUPTED})
    log = [*events(*HEAD, ("step_created", STEP)), event(4, "run_failed", data={"errorCode": code})]
    book = journal([run(status="failed", error=error, errorCode=code)], log)
    verdict = verdicts(book)["corrupted-event-log"]
    assert code in verdict.sentence
    assert verdict.evidence[0].id == slot(3)
    assert "step_created of chargeCard (slot 3" in verdict.sentence


def test_t52_an_event_that_is_not_there_is_said_to_be_missing():
    error = value({"message": f"orphaned event eventId={slot(77)}"})
    book = journal(
        [run(status="failed", error=error, errorCode="CORRUPTED_EVENT_LOG")], events(*HEAD, "run_failed")
    )
    assert "is not in the log" in verdicts(book)["corrupted-event-log"].sentence


def test_t38_steps_of_two_eve_versions_in_one_history():
    log = [
        *events(*HEAD),
        event(3, "step_created", "step_A", data={"stepName": "step//eve@0.79.0//turnStep"}),
        event(4, "step_created", "step_B", data={"stepName": "step//eve@0.80.1//turnStep"}),
    ]
    found = findings(journal([run()], log))
    assert "0.79.0 and 0.80.1" in found["mixed-versions"].sentence


def test_an_overdue_retry_is_found():
    """wf#1806: step_retrying with a retryAfter, then silence."""
    log = [
        *events(*HEAD),
        event(3, "step_created", STEP),
        event(4, "step_started", STEP),
        event(5, "step_retrying", STEP, data={"retryAfter": iso(30)}),
    ]
    book = journal([run()], log, [step_record(STEP, status="pending")])
    verdict = verdicts(book)["overdue"]
    assert "threw at 09:00:05" in verdict.sentence and "60 min" in verdict.sentence
