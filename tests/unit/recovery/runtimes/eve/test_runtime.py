"""eve's runtime on hand-made situations: what the sweep does not hold."""

from datetime import UTC, datetime, timedelta

import pytest

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import environment
from eve_replay.recovery.runtimes.eve.runtime import EveRuntime
from eve_replay.recovery.situation import (
    NEVER,
    ONCE,
    UNSURE,
    EffectState,
    ModelState,
    RunState,
    Situation,
    StepState,
    WaitState,
)

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def step(code, role="turn", function="turnStep", **fields):
    return StepState(
        step_id=f"step_{function}_{code}", run=0, function=function, role=role, code=code, **fields
    )


def situation(*steps, effects=(), children=(), **fields):
    root = RunState(index=0, run_id="wrun_root", role="session", code="running", steps=list(steps))
    runs = [root, *children]
    return Situation(session_id="wrun_root", turn_id="turn_0", runs=runs, effects=list(effects), **fields)


def recover(found, env="eve-start", model="same", **options):
    return EveRuntime().recover(found, environment(env).with_options(**options), model)


def effect(home, before=NEVER, tool="charge_card", **fields):
    return EffectState(tool=tool, kind="tool", call_id="c1", step=home, before=before, **fields)


def test_an_inline_step_waits_for_its_lease_from_its_start():
    course = recover(situation(step("D", inline=True, starts=1, started_at=NOW)), lease_seconds=20)
    assert (course.by, course.earliest) == ("lease", NOW + timedelta(seconds=20))


def test_a_step_that_was_taken_over_once_is_not_leased():
    course = recover(situation(step("D", inline=False, starts=2, started_at=NOW)))
    assert (course.by, course.earliest) == ("restart", None)


def test_kills_alone_never_use_up_the_budget():
    course = recover(situation(step("D", starts=40)))
    assert course.fates[0].attempts == Executions(min=41, max=41)
    assert "never use up" in course.fates[0].proves


def test_after_a_throw_the_start_past_the_budget_runs_no_body():
    thrown = step("D", role="function", function="doomed", starts=4, threw=True)
    course = recover(situation(thrown, effects=[effect(thrown, before=Executions(min=3, max=4))]))
    assert course.fates[0].attempts == Executions(min=5, max=5)
    assert course.fates[0].completes is False
    assert next(iter(course.futures)).after == NEVER


def test_the_retry_budget_is_an_assumption():
    thrown = step("D", role="function", function="doomed", starts=4, threw=True)
    course = recover(situation(thrown, effects=[effect(thrown)]), max_retries=9)
    # It may throw again until all ten starts are used up.
    assert next(iter(course.futures)).after == Executions(min=1, max=6)


def test_two_processes_can_run_a_step_twice():
    interrupted = step("D", starts=1)
    course = recover(situation(interrupted, effects=[effect(interrupted)]), env="two-processes")
    assert next(iter(course.futures)).after == Executions(min=1, max=2)
    assert course.fates[0].attempts == Executions(min=2, max=3)


def test_another_answer_may_not_ask_for_the_call_again():
    interrupted = step("D", starts=1)
    course = recover(situation(interrupted, effects=[effect(interrupted, before=UNSURE)]), model="other")
    assert next(iter(course.futures)).after == UNSURE


@pytest.mark.parametrize("env", ["eve-dev", "other-version", "sdk-not-started", "not-restarted"])
def test_where_nothing_comes_back_nothing_is_repeated(env):
    interrupted = step("D", starts=1)
    course = recover(situation(interrupted, effects=[effect(interrupted, before=ONCE)]), env=env)
    assert course.outcome == "needs-person"
    assert course.person
    assert next(iter(course.futures)).after == NEVER
    assert course.fates[0].attempts == Executions(min=1, max=1)


def test_a_wedge_of_a_run_nobody_waits_for_is_not_the_turns_affair():
    timeout = RunState(
        index=1,
        run_id="wrun_t",
        role="timeout",
        code="running",
        awaited=False,
        parent=0,
        waits=[WaitState(wait_id="wait_1", code="W1")],
    )
    assert recover(situation(step("D", starts=1), children=[timeout])).outcome == "recovers"


def test_a_child_that_lives_on_beside_its_double_doubles_every_effect():
    dispatch = step("D", role="dispatch", function="dispatchCoordinationStep", starts=1, plans=(1,))
    inner = StepState(step_id="s", run=1, function="reserve", role="function", code="done", starts=1)
    child = RunState(index=1, run_id="wrun_c", role="tool", code="running", parent=0, steps=[inner])
    done = EffectState(tool="reserve", kind="step", call_id="s", step=inner, before=ONCE, child=1)
    course = recover(situation(dispatch, effects=[done], children=[child]))
    assert next(iter(course.futures)).after == ONCE
    assert next(iter(course.futures)).rule == "child-again"


def test_model_calls_are_counted_at_least_and_at_most():
    model = ModelState(total=2, began=1, maybe=2)
    course = recover(situation(step("D", starts=1, model=model)))
    assert (course.calls.paid_min, course.calls.paid) == (3, 4)
    assert (course.calls.again_min, course.calls.again) == (1, 2)


def test_an_idle_session_loses_nothing():
    course = recover(situation(step("done", starts=1), open_turn=False, ends="completed"))
    assert (course.outcome, course.by, course.ends) == ("nothing-open", "nobody", "completed")


@pytest.mark.parametrize(
    ("beside", "own", "outcome"),
    [
        ("F1", "D", "needs-message"),
        ("F1", "C3", "needs-message"),
        ("F2", "D", "needs-message"),
        # Its record says running: it has begun (corpus/workshop-kills.json, 049-two).
        ("F2", "C3", "needs-message"),
        # The turn's step runs at once and the turn goes on to its end in one go; then nobody listens.
        ("F2", "B", "hangs"),
        ("F2", "done", "hangs"),
        ("C1b", None, "hangs"),
        ("C1b", "D", "hangs"),
        # Not half-committed: both run.
        ("C3", "C3", "recovers"),
        ("B", "B", "recovers"),
    ],
)
def test_a_half_committed_step_beside_the_turn(beside, own, outcome):
    side = step(beside, role="side", function="startSessionTimeoutStep")
    steps = [side] if own is None else [side, step(own, starts=int(own == "D"))]
    course = recover(situation(*steps))
    assert course.outcome == outcome
    if outcome == "hangs":
        assert course.ends != "never"
        assert "side-deaf" in [use.rule for use in course.rules]


@pytest.mark.parametrize("env", ["eve-start", "eve-dev", "other-version", "sdk-not-started", "not-restarted"])
def test_a_model_call_is_paid_again_only_where_something_comes_back(env):
    model = ModelState(total=1, began=1, maybe=1)
    course = recover(situation(step("D", starts=1, model=model)), env=env)
    assert (course.calls.paid, course.calls.again) == ((2, 1) if env == "eve-start" else (1, 0))
