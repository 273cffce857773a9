"""The seam: runtimes by name, and that a new one needs no change elsewhere."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.question import Question
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures, Runtime, scaled
from eve_replay.recovery.runtimes.registry import runtime_named, runtimes
from tests.support.recovery import turn_plan


class Optimist:
    """A runtime that loses nothing and repeats nothing."""

    name = "optimist"
    words = "nothing is ever repeated"
    source = "this test"
    environment = "eve-start"

    def recover(self, situation, environment, model):
        course = Course(outcome="recovers")
        course.fates = [
            Fate(step=s, verdict="replayed", attempts=Executions(min=s.starts, max=s.starts))
            for s in situation.steps
        ]
        course.futures = Futures((effect, Future()) for effect in situation.effects)
        return course


def test_names():
    assert list(runtimes()) == ["eve", "workflow-sdk", "python-sdk", "flue", "none"]
    assert runtime_named("sdk").name == "workflow-sdk"
    with pytest.raises(WrongUse, match="no runtime"):
        runtime_named("temporal")


def test_every_policy_keeps_the_protocol():
    assert all(isinstance(each, Runtime) for each in runtimes().values())
    assert isinstance(Optimist(), Runtime)


def test_a_policy_of_ones_own():
    sim = simulate(turn_plan("T1"), 90, Question(runtime=Optimist()))
    assert sim.outcome == "recovers"
    assert sim.assumptions.runtime == "optimist"
    assert all(e.after.max == 0 for e in sim.effects)


def test_scaled():
    one_or_two = Executions(min=1, max=2)
    assert scaled(one_or_two, Executions(min=2, max=3)) == Executions(min=2, max=6)
    assert scaled(one_or_two, Executions(min=1, max=None)).max is None
    assert scaled(one_or_two, Executions(min=0, max=0)) == Executions(min=0, max=0)
