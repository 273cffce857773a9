"""The log against itself."""

import pytest

from eve_replay.checks.log import EVENT_BUDGET, check_log
from tests.support.synthetic import RUN, event, events, iso, journal, run, slot, step_record

STEP = "step_A"
HEAD = ("run_created", "run_started")


def codes(log, **fields):
    book = journal([run(**fields)], log, [step_record(STEP)])
    return [(f.code, f.where) for f in check_log(book.session(RUN).runs[0])]


def test_a_healthy_log():
    assert (
        codes(events(*HEAD, ("step_created", STEP), ("step_started", STEP), ("step_completed", STEP))) == []
    )
    assert codes(events(*HEAD, ("hook_created", "h"), ("hook_received", "h"), ("hook_disposed", "h"))) == []


def test_starts_after_an_end_come_from_outside_the_log():
    """A forged or replayed delivery at an open flow route looks like this."""
    log = events(
        *HEAD,
        ("step_created", STEP),
        ("step_started", STEP),
        ("step_completed", STEP),
        ("step_started", STEP),
    )
    assert codes(log) == [("start-after-end", slot(6))]


def test_an_event_about_nothing_is_told():
    log = events(*HEAD, "attr_set", "noop", "step_completed", "hook_received", "wait_created")
    assert codes(log) == [("no-subject", slot(number)) for number in (5, 6, 7)]


def test_a_start_that_nothing_explains():
    log = events(*HEAD, ("step_created", "step_B"), ("step_started", "step_C"))
    assert codes(log) == [("start-unexplained", slot(4))]


def test_an_optimistic_start_stands_before_its_creation():
    assert codes(events(*HEAD, ("step_started", STEP), ("step_created", STEP))) == []


def test_events_after_the_end():
    log = events(*HEAD, "run_completed", ("step_started", STEP), "run_completed", ("hook_disposed", "h"))
    found = codes(log, status="completed")
    assert ("event-after-end", slot(4)) in found


def test_a_delivery_after_disposal():
    log = events(*HEAD, ("hook_created", "h"), ("hook_disposed", "h"), ("hook_received", "h"))
    assert codes(log) == [("hook-after-disposal", slot(5))]


def test_unknown_types_and_the_missing_beginning():
    assert codes(events("run_started", "moon_landed")) == [
        ("no-run-created", slot(1)),
        ("unknown-event-type", slot(2)),
    ]


def test_ulid_logs_have_no_slots():
    log = [
        event(n, kind, eventId=f"evnt_01M8NVET2Q9XT7ZZ1AMCAAJ64{n}") for n, kind in enumerate(HEAD, start=1)
    ]
    assert codes(log) == []


@pytest.mark.parametrize(
    ("number", "severity"), [(EVENT_BUDGET - 4000, "warning"), (EVENT_BUDGET + 1, "error")]
)
def test_the_event_budget(number, severity):
    log = [*events(*HEAD), *(event(n, "noop") for n in range(3, number + 1))]
    book = journal([run()], log)
    found = [f for f in check_log(book.session(RUN).runs[0]) if f.code == "event-budget"]
    assert [f.severity for f in found] == [severity]


def test_one_finding_per_jump_of_the_clock():
    log = [event(n, "noop", seconds=s) for n, s in enumerate((100, 100.01, 99.99, 3, 4, 5), start=1)]
    found = [code for code, _ in codes([event(1, "run_created", seconds=99), *log[1:]])]
    assert found.count("clock-backwards") == 1
    assert iso(3)
