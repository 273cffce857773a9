"""Worlds that commit in one transaction know no half-written states."""

from eve_replay.recovery.address import place_of
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.matrix import matrix_of
from eve_replay.recovery.question import Question
from tests.support.recovery import turn_plan

HOSTED = Question(environment="hosted")


def test_no_point_hangs_and_nothing_is_without_bound():
    for turn in ("T1", "T2", "T3"):
        for sim in matrix_of(turn_plan(turn), HOSTED).points:
            assert sim.outcome not in ("hangs", "fails"), sim.point.label
            assert all(e.executions.max is not None for e in sim.effects)


def test_inside_a_commit_is_before_the_commit():
    plan = turn_plan("T1")
    inside = simulate(plan, place_of(plan, "step-ending:2", "after"), HOSTED)
    before = simulate(plan, place_of(plan, "tools-returned", "after"), HOSTED)
    assert [e.executions for e in inside.effects] == [e.executions for e in before.effects]
    assert inside.outcome == before.outcome == "recovers"


def test_shared_verdicts_are_not_mixed_up():
    plan = turn_plan("T1")
    found = matrix_of(plan, HOSTED)
    for sim in found.points[::5]:
        assert simulate(plan, sim.point.position, HOSTED) == sim
