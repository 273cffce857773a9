"""The public functions of the package."""

import functools
from datetime import timedelta

import pytest

import eve_replay
from eve_replay.errors import NotFound
from eve_replay.recovery import Question, crash_points, matrix, plan_of, simulate
from tests.support.recovery import TURNS, baseline, scenario, turn_plan


@functools.cache
def the_session():
    return baseline("T1").session


def test_the_names_are_public():
    assert eve_replay.simulate is simulate
    assert eve_replay.matrix is matrix
    assert eve_replay.crash_points is crash_points


def test_a_session_with_one_turn_needs_no_turn():
    assert len(crash_points(the_session())) == len(crash_points(turn_plan("T1")))
    assert len(crash_points(the_session(), moments=False)) < len(crash_points(the_session()))
    with pytest.raises(NotFound, match="Which turn"):
        crash_points(baseline("T2").session)


@pytest.mark.parametrize("turn", TURNS)
def test_a_plan_plans_and_a_session_mean_the_same(turn):
    plans = baseline(turn)
    assert plan_of(plans, TURNS[turn]) is plan_of(turn_plan(turn))
    assert len(plan_of(plans.session, TURNS[turn]).effects) == len(turn_plan(turn).effects)


def test_every_way_to_name_a_point():
    point = next(p for p in crash_points(the_session()) if p.klass == "tools-returned")
    expected = simulate(the_session(), point).effects
    for crash in (point, point.position, "tools-returned", f"after:{point.address}", [point]):
        assert simulate(the_session(), crash, turn="turn_0").effects == expected
    before = simulate(the_session(), f"before:{point.before}")
    assert before.effects == expected
    later = simulate(the_session(), point.at + timedelta(milliseconds=1))
    assert later.point.position >= point.position


def test_what_if():
    four = simulate(the_session(), "tools-returned:2", question=Question(model_calls_per_step=4))
    assert four.assumptions.model_calls_per_step == 4
    protected = simulate(
        the_session(), "tools-returned", question=Question(strategies={"*": "business-id"}, model="other")
    )
    assert all(e.outside.max == 1 for e in protected.effects)
    assert (
        simulate(the_session(), "in-model", question=Question(environment="eve dev")).outcome
        == "needs-person"
    )
    assert (
        simulate(the_session(), "in-model", question=Question(lease_seconds=2)).assumptions.lease_seconds == 2
    )


def test_a_matrix_with_options():
    found = matrix(
        the_session(),
        question=Question(strategies={"*": "business-id"}, model_calls_per_step=2),
        moments=False,
    )
    assert found.totals.outside_worst == 0


def test_a_plain_run():
    session = scenario("sdk4-crash").session()
    sim = simulate(session, "in-tool:chargeCard", question=Question(environment="sdk-started"))
    charge = next(e for e in sim.effects if e.tool == "chargeCard")
    assert (charge.executions.min, charge.executions.max) == (1, 2)
    assert sim.turn_id is None
