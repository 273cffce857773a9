"""Commit states: every half-written state of docs/evidence/sweep.md from records, events and marks alone."""

import pytest

from eve_replay.journal.commits.rules import run_commits
from eve_replay.records import EventRecord, MarkRecord, RunRecord, StepRecord, WaitRecord

RUN = "wrun_01M8NYB5ZAAN9B770WWYRE9ZWP"
STEP = "step_01M8NYB5ZACDFRGZ7SXNSZQ7ZB"


def event(slot, kind, subject=None, **data):
    fields = {"eventType": kind, "runId": RUN, "eventId": f"evnt_{slot:026d}", "eventData": data}
    if subject:
        fields["correlationId"] = subject
    return EventRecord(fields, f"events/{slot}")


def log(*kinds, name="step//eve@0.80.1//turnStep"):
    first = [event(1, "run_created"), event(2, "run_started")]
    return first + [event(n, kind, STEP, stepName=name) for n, kind in enumerate(kinds, 3)]


def mark(phase, subject=STEP, kind="step", **fields):
    return MarkRecord(
        fields, f".locks/{subject}.{phase}", kind=kind, phase=phase, subject=subject, of_run=RUN
    )


def record(status, attempt=0, **fields):
    return StepRecord(
        {
            "stepId": STEP,
            "runId": RUN,
            "status": status,
            "attempt": attempt,
            "stepName": "step//eve@0.80.1//turnStep",
            **fields,
        },
        "steps/x",
    )


def state(events, steps=(), marks=()):
    run = RunRecord({"runId": RUN, "status": "running"}, "runs/x")
    return run_commits(run, events, steps, marks)


def step(*args, **kwargs):
    return state(*args, **kwargs).step(STEP)


@pytest.mark.parametrize(
    ("code", "events", "records", "marks", "wedged"),
    [
        ("C1a", [], [], ["created"], True),
        ("C1b", [], [record("pending")], ["created"], True),
        ("B", ["step_created"], [record("pending")], ["created"], False),
        ("C3", ["step_created"], [record("running", 1)], ["created"], False),
        ("D", ["step_created", "step_started"], [record("running", 1)], ["created"], False),
        ("R", ["step_created", "step_started", "step_retrying"], [record("pending", 1)], ["created"], False),
        ("F1", ["step_created", "step_started"], [record("running", 1)], ["created", "terminal"], True),
        ("F2", ["step_created", "step_started"], [record("completed", 1)], ["created", "terminal"], True),
        (
            "done",
            ["step_created", "step_started", "step_completed"],
            [record("completed", 1)],
            ["created", "terminal"],
            False,
        ),
    ],
)
def test_the_commit_of_a_step(code, events, records, marks, wedged):
    found = step(log(*events), records, [mark(phase) for phase in marks])
    assert found.code == code
    assert found.wedged is wedged
    assert bool(found.missing) is (code in ("C1a", "C1b", "F1", "F2"))
    assert bool(found.repair) is wedged


def test_only_f1_repeats_without_end():
    found = step(
        log("step_created", "step_started"), [record("running", 1)], [mark("created"), mark("terminal")]
    )
    assert found.repeats
    assert ".terminal lock" in found.repair


def test_a_failed_record_without_its_event_is_f2_too():
    assert step(log("step_created", "step_started"), [record("failed", 1)]).code == "F2"


def test_a_start_that_left_no_event_is_counted_by_the_record():
    found = step(log("step_created", "step_started"), [record("running", 2)])
    assert (found.code, found.starts, found.aborted_start) == ("D", 1, True)


def test_a_queued_step_survives_c1b_while_its_hook_is_not_created():
    pending = record("pending", stepName="step//eve@0.80.1//createSessionStep")
    found = step(log(), [pending], [mark("created")])
    assert (found.code, found.queued, found.wedged) == ("C1b", True, False)
    hooked = [*log(), event(3, "hook_created", "hook_1", token="eve:inbox:v1:x")]
    assert step(hooked, [pending], [mark("created")]).wedged


def test_a_fourth_parallel_step_is_queued():
    marks = [mark("created", subject=f"step_{n}") for n in range(4)]
    records = [
        StepRecord({"stepId": f"step_{n}", "runId": RUN, "status": "pending", "attempt": 0}, "")
        for n in range(4)
    ]
    assert [s.queued for s in state(log(), records, marks).steps] == [False, False, False, True]


def test_inline_starts_carry_their_owner():
    events = log("step_created")
    events.append(event(9, "step_started", STEP, ownerMessageId="msg_1"))
    assert step(events, [record("running", 1)]).inline is True
    assert step(log("step_created", "step_started"), [record("running", 1)]).inline is False


@pytest.mark.parametrize(
    ("code", "kinds", "phases"),
    [
        ("W1", [], ["created"]),
        ("waiting", ["wait_created"], ["created"]),
        ("W2", ["wait_created"], ["created", "completed"]),
        ("done", ["wait_created", "wait_completed"], ["created", "completed"]),
    ],
)
def test_the_commit_of_a_sleep(code, kinds, phases):
    events = [*log(), *(event(n, kind, "wait_1") for n, kind in enumerate(kinds, 5))]
    marks = [mark(phase, subject="wait_1", kind="wait") for phase in phases]
    found = state(events, (), marks).waits
    assert [w.code for w in found] == [code]
    assert found[0].wedged is (code in ("W1", "W2"))


def test_a_completed_wait_record_alone_is_w2():
    waiting = WaitRecord({"waitId": f"{RUN}-wait_1", "runId": RUN, "status": "completed"}, "")
    found = state([*log(), event(5, "wait_created", "wait_1")], (), [waiting]).waits
    assert found[0].code == "W2"


def test_an_inbox_token_whose_slot_is_taken_is_fatal():
    token = mark(
        "file", "hash", "token", hookId="hook_1", runId=RUN, token="eve:inbox:v1:x", eventId=f"evnt_{2:026d}"
    )
    hook = state(log(), (), [token]).hooks[0]
    assert (hook.code, hook.awaited, hook.fatal) == ("H1", True, True)
    free = mark(
        "file", "hash", "token", hookId="hook_1", runId=RUN, token="eve:inbox:v1:x", eventId=f"evnt_{9:026d}"
    )
    assert state(log(), (), [free]).hooks[0].code == "H1-free"
    system = mark(
        "file", "hash", "token", hookId="hook_1", runId=RUN, token="abrt_1", eventId=f"evnt_{2:026d}"
    )
    assert not state(log(), (), [system]).hooks[0].fatal


def test_a_resume_file_without_its_event_is_a_lost_delivery():
    lost = mark("file", "sha", "resume", runId=RUN, resumeId="r1", hookId="hook_1", eventId=f"evnt_{9:026d}")
    found = state(log(), (), [lost])
    assert [(d.received, d.resume_id) for d in found.deliveries] == [(False, "r1")]
    received = EventRecord(
        {
            "eventType": "hook_received",
            "runId": RUN,
            "eventId": f"evnt_{9:026d}",
            "correlationId": "hook_1",
            "resumeId": "r1",
            "eventData": {},
        },
        "",
    )
    assert [d.received for d in state([*log(), received], (), [lost]).deliveries] == [True]


@pytest.mark.parametrize(
    ("code", "kinds", "status"),
    [
        ("R1", [], "pending"),
        ("created", ["run_created"], "pending"),
        ("R2", ["run_created"], "running"),
        ("running", ["run_created", "run_started"], "running"),
        ("ending", ["run_created", "run_started"], "completed"),
        ("done", ["run_created", "run_started", "run_completed"], "completed"),
    ],
)
def test_the_commit_of_a_run(code, kinds, status):
    run = RunRecord({"runId": RUN, "status": status}, "runs/x")
    found = run_commits(run, [event(n, kind) for n, kind in enumerate(kinds, 1)], (), ())
    assert found.run.code == code


def test_an_ended_run_is_wedged_by_nothing():
    run = RunRecord({"runId": RUN, "status": "completed"}, "")
    events = [event(1, "run_created"), event(2, "run_completed")]
    assert run_commits(run, events, (), [mark("created")]).wedged == ()


def test_nothing_at_all():
    found = run_commits(None, (), (), (), run_id=RUN)
    assert (found.run.run_id, found.steps, found.wedged) == (RUN, (), ())
