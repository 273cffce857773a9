from eve_replay.codec import Payload
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.views.inspect.records import event_row, run_rows, step_rows

RUN = "wrun_1"


def run(run_id, parent=None, **fields):
    attributes = {"$parentRunId": parent} if parent else {}
    return RunRecord({"runId": run_id, "status": "running", "attributes": attributes} | fields)


def event(slot, kind, step=None, at="2026-11-30T09:00:00.000Z", **data):
    fields = {
        "runId": RUN,
        "eventId": f"evnt_{slot:026d}",
        "eventType": kind,
        "createdAt": at,
        "eventData": data,
    }
    return EventRecord(fields | ({"correlationId": step} if step else {}))


def step(step_id, status, **fields):
    return StepRecord(
        {"runId": RUN, "stepId": step_id, "status": status, "stepName": "step//m@1.0.0//f"} | fields
    )


def test_children_stand_below_their_parents_and_circles_hide_nothing():
    rows = run_rows([run("a"), run("b"), run("c", "a"), run("d", "c"), run("e", "gone")])
    assert [(row.run_id, row.depth) for row in rows] == [("a", 0), ("c", 1), ("d", 2), ("b", 0), ("e", 0)]
    circle = run_rows([run("x", "y"), run("y", "x"), run("z", "z")])
    assert {row.run_id for row in circle} == {"x", "y", "z"}


def test_run_facts():
    row = run_rows(
        [
            run(
                "a",
                workflowName="workflow//eve//workflowEntry",
                startedAt="2026-11-30T09:00:00.000Z",
                completedAt="2026-11-30T09:00:02.500Z",
                executionContext={"workflowCoreVersion": "5.2.0"},
                specVersion=8,
            )
        ]
    )[0]
    assert (row.function, row.core_version, row.spec_version, row.took) == ("workflowEntry", "5.2.0", 8, 2.5)


def test_the_log_decides_and_differences_are_said():
    events = [
        event(1, "run_created"),
        event(2, "step_created", "s1", stepName="step//m@1.0.0//f", input=Payload(b"devl[1]")),
        event(3, "step_started", "s1"),
        event(4, "step_started", "s1", at="2026-11-30T09:00:05.000Z"),
        event(5, "step_completed", "s1", at="2026-11-30T09:00:06.000Z", result=Payload(b"devl[22]")),
        event(6, "step_completed", "s1", at="2026-11-30T09:00:09.000Z"),
        event(7, "step_created", "s2", stepName="step//m@1.0.0//g"),
        event(8, "step_started", "s2"),
        event(9, "step_created", "s3", stepName="h"),
        event(10, "step_retrying", "s3"),
    ]
    rows = step_rows(
        [step("s2", "completed"), step("s1", "completed", attempt=2), step("s4", "running")], events
    )
    one, two, three, four = rows
    assert [row.step_id for row in rows] == ["s1", "s2", "s3", "s4"]
    assert (one.status, one.starts, one.recorded_attempt, one.took, one.note) == ("completed", 2, 2, 6.0, "")
    assert (one.input_size, one.output_size) == (7, 8)
    assert two.status == "running"
    assert "only the log counts" in two.note
    assert (three.status, three.retries, three.record_status) == ("pending", 1, None)
    assert four.note == "The log has no event of it."


def test_an_end_without_record_and_a_record_that_differs():
    events = [event(1, "step_started", "s1"), event(2, "step_failed", "s1"), event(3, "step_completed", "s2")]
    one, two = step_rows([step("s1", "running")], events)
    assert (one.status, one.has_error, one.note) == ("failed", True, "The record says running.")
    assert two.note == "It has no record, only events."


def test_cancelled_and_empty():
    (row,) = step_rows([step("s1", "cancelled")], [event(1, "step_started", "s1")])
    assert (row.status, row.note) == ("cancelled", "")
    assert step_rows([], []) == ()


def test_events_say_what_they_are_about_and_when_time_runs_back():
    first = event(1, "step_created", "s1", at="2026-11-30T09:00:00.080Z", stepName="step//m//turnStep")
    second = event(2, "hook_created", "h1", token="abc")
    third = event(3, "attr_set", changes=[{"key": "a"}, {"key": "b"}, "odd"])
    fourth = event(4, "wait_created", "w1", resumeAt="2026-12-01T00:00:00.000Z")
    assert event_row(first).about == "turnStep"
    row = event_row(second, first)
    assert (row.about, round(row.back, 3), row.slot) == ("abc", 0.08, 2)
    assert event_row(third).about == "a, b"
    assert event_row(fourth).about == "until 2026-12-01 00:00:00 UTC"
    assert event_row(EventRecord({"eventData": "odd"})).about == ""
