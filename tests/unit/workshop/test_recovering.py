"""The toy journal asks the product's policies; what they say is obeyed, and asked once per shape."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import DEFAULT_LEASE
from eve_replay.recovery.policy import policy_named
from eve_replay.workshop.recovering import Lies, Recovery, StepPlan

OPEN = Lies("D", 1, True, 10.0, 1, 1, ("returned", "began", "waits"))


def recovery(policy="eve", where="eve-start", model="same", **more):
    return Recovery(policy, where, model, **more)


def test_an_interrupted_step_runs_again_whole_when_its_lease_is_out():
    plan = recovery().plan([Lies("done", 1), OPEN], more=True)
    assert [step.do for step in plan.steps] == ["keep", "run"]
    assert plan.asks
    assert plan.wait == DEFAULT_LEASE - 10
    assert (plan.by, plan.ended) == ("lease", None)


def test_a_start_that_is_not_leased_runs_at_once():
    plan = recovery().plan([Lies("D", 2, False, 10.0, 2, 1, ())], more=True)
    assert (plan.wait, plan.by) == (0.0, "restart")


def test_states_inside_a_commit():
    locked = recovery().plan([Lies("F1", 1, True, 1.0, 1)], more=True)
    assert (locked.steps[0].do, locked.ended) == ("endless", None)
    recorded = recovery().plan([Lies("F2", 1, True, 1.0, 1)], more=True)
    assert (recorded.steps[0].do, recorded.ended) == ("stuck", "hangs")
    whole = recovery(where="hosted").plan([Lies("F2", 1, True, 1.0, 1)], more=True)
    assert (whole.steps[0].do, whole.ended) == ("run", None)


def test_flue_keeps_what_is_done_and_leaves_what_had_begun():
    plan = recovery("flue", "flue").plan([OPEN], more=True)
    assert plan.steps == (StepPlan("run", ("keep", "unknown", "run")),)
    assert not plan.asks
    assert plan.wait == 30
    assert recovery("flue", "flue").plan([Lies("D", 1, True, 1.0, 1)], more=True).asks


def test_without_durability_all_is_done_again():
    plan = recovery("none").plan([Lies("done", 1, True, 0.0, 1, 1, ("returned",)), OPEN], more=True)
    assert [step.do for step in plan.steps] == ["run", "run"]
    assert plan.asks
    assert plan.person


@pytest.mark.parametrize("where", ["not-restarted", "eve-dev", "other-version"])
def test_environments_that_recover_nothing(where):
    assert recovery(where=where).plan([OPEN], more=True).ended == "dormant"
    assert recovery(where=where).plan([Lies("done", 1)], more=True).ended == "dormant"


def test_a_throw_makes_kills_count():
    thrown = Lies("D", 4, False, 1.0, threw=True, calls=("began",))
    plan = recovery(plain=True).plan([thrown], more=True)
    assert plan.steps[0].do == "fail"
    assert "budget" in plan.rules
    assert recovery(plain=True).plan([Lies("D", 9, False, 1.0)], more=True).steps[0].do == "run"


def test_a_sleep_keeps_its_end():
    plan = recovery(plain=True).plan([Lies("done", 1)], more=True, waits=25.0)
    assert (plan.wait, plan.by) == (25.0, "timer")
    assert recovery(plain=True).plan([], more=True, asked=True).ended is None


def test_a_shape_is_asked_once(monkeypatch):
    asked = recovery()
    calls = []
    real = policy_named("eve").recover

    class Counting:
        name = "eve"

        def recover(self, *args):
            calls.append(args)
            return real(*args)

    monkeypatch.setattr(asked, "policy", Counting())
    first = asked.plan([OPEN], more=True)
    assert asked.plan([OPEN], more=True) is first
    assert len(calls) == 1
    asked.plan([Lies("D", 2, False, 10.0, 2, 1, ())], more=True)
    assert len(calls) == 2


def test_wrong_names_are_said():
    with pytest.raises(WrongUse):
        recovery("evil")
    with pytest.raises(WrongUse):
        recovery(where="moon")
