"""The plain loop: nothing is recovered, the whole turn is done again by hand."""

from eve_replay.recovery.address import place_of
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.question import Question
from tests.support.recovery import turn_plan


def test_everything_done_so_far_is_done_again():
    plan = turn_plan("T1")
    sim = simulate(plan, place_of(plan, "committed:4", "after"), Question(runtime="none"))
    assert sim.outcome == "needs-person"
    counts = {e.call_id: (e.executions.min, e.executions.max) for e in sim.effects}
    assert counts["mock-tool-call-1-0-1"] == (2, 2)
    assert counts["mock-tool-call-1-2-1"] == (1, 1)


def test_after_the_turn_nothing_is_open():
    plan = turn_plan("T1")
    sim = simulate(plan, len(plan.writes), Question(runtime="none"))
    assert sim.outcome == "nothing-open"
    assert all(e.executions.max == 1 for e in sim.effects)
