"""A world as it was: cut in time, records worked out again."""

from datetime import timedelta

import pytest

from eve_replay.errors import NotFound
from eve_replay.journal.facade import Journal
from eve_replay.proof.asof import as_of
from eve_replay.recovery.forecast import forecast
from eve_replay.times import parse_time
from eve_replay.worlds.base import World
from tests.support.recovery import facts, scenario


def kill(name, n=0):
    kills = [t for t in facts(name)["timeline"] if t["action"].startswith("kill")]
    return parse_time(kills[n]["at"])


def cut(name, n=0):
    return as_of(scenario(name).world, kill(name, n))


def test_it_is_a_world():
    assert isinstance(cut("crash-in-tool"), World)
    assert "as of" in cut("crash-in-tool").label


def test_nothing_later_is_seen():
    world = cut("crash-in-tool")
    when = world.at + timedelta(milliseconds=80)
    for run in world.runs():
        assert run.status in ("running", "pending")
        assert all(e.created_at <= when for e in world.events(run.run_id))
        for step in world.steps(run.run_id):
            assert step.time("completedAt") is None or step.time("completedAt") <= when


def test_records_are_worked_out_again():
    world = cut("crash-in-tool")
    steps = [s for r in world.runs() for s in world.steps(r.run_id)]
    turn = next(s for s in steps if s.name.function == "turnStep")
    assert (turn.status, turn.attempt, turn.payload("output")) == ("running", 1, None)


def test_a_run_that_did_not_exist_yet():
    world = as_of(scenario("crash-in-tool").world, kill("crash-in-tool") - timedelta(hours=1))
    assert list(world.runs()) == []
    with pytest.raises(NotFound, match="did not exist"):
        world.run(scenario("crash-in-tool").heads[0].id)


def test_the_world_below_is_untouched():
    before = len(scenario("crash-in-tool").session().stream_events)
    Journal(cut("crash-in-tool")).session()
    assert len(scenario("crash-in-tool").session().stream_events) == before


def test_throws_before_the_moment_count():
    journal = Journal(cut("attempts-exhausted-throw-then-kill", 2))
    answer = next(f for f in forecast(journal) if f.kind == "session").answer
    doomed = next(s for s in answer.steps if s.function == "doomed")
    assert doomed.rule == "budget"
    assert (doomed.attempts.min, doomed.attempts.max) == (5, 5)


def test_a_durable_sleep_at_the_moment():
    answer = next(f for f in forecast(Journal(cut("workflow-tool"))) if f.kind == "session").answer
    assert (answer.outcome, answer.by) == ("recovers", "timer")
