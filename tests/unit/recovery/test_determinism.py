"""Determinism of a workflow body, as far as the log can show it."""

from dataclasses import replace

from eve_replay.ids import parse_function_name
from eve_replay.journal.model import Run
from eve_replay.records import EventRecord, RunRecord
from eve_replay.recovery.determinism import check_determinism
from tests.support.recovery import baseline, scenario

RUN = "wrun_01M8NYB5ZAAN9B770WWYRE9ZWP"


def tool_run(session):
    return next(r for r in session.children if r.role == "tool")


def made(*events):
    return Run(
        run_id=RUN,
        role="workflow",
        session_id=RUN,
        record=RunRecord({"runId": RUN}),
        workflow=parse_function_name("workflow//x//y"),
        status="running",
        events=tuple(
            EventRecord(
                {
                    "eventType": kind,
                    "runId": RUN,
                    "eventId": f"evnt_{n:026d}",
                    "correlationId": subject,
                    "eventData": data,
                }
            )
            for n, (kind, subject, data) in enumerate(events, 1)
        ),
    )


def test_a_body_that_was_replayed_and_agreed():
    found = check_determinism(tool_run(baseline("T3").session))
    assert found.verdict == "same"
    assert found.order == ("hook", "step reserveStock", "sleep", "step shipParcel", "step resumeHookStep")
    assert "unknown" in found.sentence


def test_ids_come_from_the_seed_or_the_clock():
    codes = {s.code for s in check_determinism(tool_run(baseline("T3").session)).signs}
    assert "seeded-ids" in codes


def test_the_same_id_under_another_name_is_a_divergence():
    found = check_determinism(
        made(
            ("step_created", "step_1", {"stepName": "step//a//charge"}),
            ("step_started", "step_1", {"stepName": "step//a//mail"}),
        )
    )
    assert found.verdict == "differs"
    assert found.signs[0].code == "same-id-other-step"


def test_the_runtimes_own_verdict():
    found = check_determinism(made(("run_failed", "", {"errorCode": "CORRUPTED_EVENT_LOG"})))
    assert (found.verdict, found.signs[0].code) == ("differs", "replay-failed")


def test_a_single_pass_tells_nothing():
    assert check_determinism(made(("run_created", "", {}))).verdict == "unknown"


def test_two_runs_of_one_workflow():
    run = tool_run(baseline("T3").session)
    assert "same-order" in {s.code for s in check_determinism(run, run).signs}
    shorter = replace(run, events=run.events[:8])
    assert "other-length" in {s.code for s in check_determinism(run, shorter).signs}
    other = replace(run, events=tuple(e for e in run.events if e.event_type != "wait_created"))
    assert check_determinism(run, other).verdict == "differs"


def test_as_json():
    document = check_determinism(tool_run(scenario("workflow-tool").session())).to_json()
    assert document["verdict"] in ("same", "unknown", "differs")
    assert document["order"]
