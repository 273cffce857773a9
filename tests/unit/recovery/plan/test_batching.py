"""Regrouping steps: what a larger modelCallsPerStep would write, and what it would repeat."""

import functools

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.plan.batching import regroup
from tests.support.recovery import turn_plan


@functools.cache
def plan():
    return turn_plan("T1")


def turn_steps(plan):
    return [s for s in plan.runs[0].steps if s.role == "turn"]


@pytest.mark.parametrize(("size", "steps"), [(1, 3), (2, 2), (3, 1), (9, 1)])
def test_sizes(size, steps):
    assert len(turn_steps(regroup(plan(), size))) == steps


def test_the_plan_itself_is_left_alone():
    regroup(plan(), 3)
    assert len(turn_steps(plan())) == 3
    assert plan().batch is None


def test_a_crash_in_the_second_model_step_repeats_the_first():
    place = turn_steps(plan())[1].terminal
    one = {e.call_id: e.executions.min for e in simulate(plan(), place).effects}
    two = {e.call_id: e.executions.min for e in simulate(regroup(plan(), 2), place).effects}
    assert one == {"mock-tool-call-1-0-1": 1, "mock-tool-call-1-0-2": 1, "mock-tool-call-1-2-1": 2}
    assert two == {"mock-tool-call-1-0-1": 2, "mock-tool-call-1-0-2": 2, "mock-tool-call-1-2-1": 2}


def test_what_cannot_have_begun_is_still_certain():
    grouped = regroup(plan(), 3)
    place = turn_steps(plan())[0].terminal
    later = next(e for e in simulate(grouped, place).effects if e.call_id == "mock-tool-call-1-2-1")
    assert (later.executions.min, later.executions.max) == (1, 1)


def test_nonsense():
    with pytest.raises(WrongUse, match="makes no sense"):
        regroup(plan(), 0)
