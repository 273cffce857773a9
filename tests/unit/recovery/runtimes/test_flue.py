"""Flue's runtime, as docs/evidence/flue.md#after-a-crash states it."""

from eve_replay.recovery.engine import simulate
from eve_replay.recovery.question import Question
from tests.support.recovery import turn_plan


def flue(place):
    return simulate(turn_plan("T1"), place, Question(runtime="flue"))


def by_call(sim):
    return {e.call_id: (e.executions.min, e.executions.max, e.missed.max) for e in sim.effects}


def place(klass):
    from eve_replay.recovery.address import place_of

    return place_of(turn_plan("T1"), klass, "after")


def test_a_finished_call_is_kept_and_an_open_one_is_never_run_again():
    found = by_call(flue(place("in-tool")))
    assert found["mock-tool-call-1-0-2"] == (1, 1, 0)
    assert found["mock-tool-call-1-0-1"] == (0, 1, 1)
    assert found["mock-tool-call-1-2-1"] == (1, 1, 0)


def test_after_all_results_nothing_is_repeated():
    found = by_call(flue(place("tools-returned")))
    assert all(low == high == 1 for low, high, _ in found.values())


def test_takeover_needs_thirty_seconds():
    sim = flue(place("in-tool"))
    assert sim.outcome == "recovers"
    assert (sim.earliest - sim.point.at).total_seconds() == 30


def test_there_is_no_wedge():
    assert flue(place("step-ending")).outcome == "recovers"


def test_after_the_turn_nothing_is_open():
    plan = turn_plan("T1")
    assert flue(len(plan.writes)).outcome == "nothing-open"
