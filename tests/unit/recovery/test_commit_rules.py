"""The rules of docs/evidence/sweep.md, one by one, on the folders as the killed process left them."""

import pytest

from eve_replay.recovery.address import place_of
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.forecast import forecast
from eve_replay.recovery.question import Question
from tests.support.recovery import crash_journal, turn_plan


def lying(turn, point, **question):
    found = [
        f for f in forecast(crash_journal(turn, point), question=Question(**question)) if f.kind != "workflow"
    ]
    return found[0].answer


def effect(sim, tool, call=""):
    return next(e for e in sim.effects if e.tool == tool and (not call or (e.call_id or "").endswith(call)))


def counts(found):
    return found.executions.min, found.executions.max


def starts(sim, function):
    step = [s for s in sim.steps if s.function == function][-1]
    return step.verdict, step.attempts.min, step.attempts.max


@pytest.mark.parametrize(
    ("turn", "point", "outcome"),
    [
        ("T1", "before-084", "recovers"),  # A: nothing half-written
        ("T1", "after-086", "recovers"),  # B
        ("T1", "before-088", "recovers"),  # C3
        ("T1", "before-092", "recovers"),  # D
        ("T1", "after-084", "hangs"),  # C1a
        ("T1", "before-086", "hangs"),  # C1b
        ("T1", "before-082", "hangs"),  # F1
        ("T1", "after-082", "hangs"),  # F2
        ("T1", "before-012", "recovers"),  # C1b of the queued createSessionStep
        ("T1", "before-006", "fails"),  # run record without run_created
        ("T1", "before-016", "fails"),  # inbox token whose slot is taken
        ("T1", "after-060", "needs-message"),  # F1 beside the turn
        ("T1", "after-052", "needs-message"),  # F2 beside the turn
        ("T2", "before-080", "needs-message"),  # a message on its way
        ("T2", "before-120", "needs-person"),  # parked for approval
        ("T3", "before-162", "hangs"),  # sleep: created lock without its event
        ("T3", "before-166", "hangs"),  # sleep: completed lock without its event
        ("T3", "before-164", "recovers"),  # in the sleep
        ("T3", "before-122", "recovers"),  # interrupted dispatch
        ("T3", "before-124", "hangs"),  # F1 of a dispatch
        ("T3", "before-126", "hangs"),  # F2 of a dispatch
        ("T3", "before-160", "hangs"),  # F2 in the child: the parent waits
        ("T3", "before-186", "recovers"),  # F1 of the child's word: the parent has it
        ("T3", "before-188", "recovers"),  # F2 of the same
        ("T3", "before-228", "nothing-open"),  # the child's end is not the parent's affair
    ],
)
def test_what_happens_by_itself(turn, point, outcome):
    assert lying(turn, point).outcome == outcome


def test_class_d_runs_the_whole_step_again():
    sim = lying("T1", "after-080")
    assert starts(sim, "turnStep") == ("re-executed", 2, 2)
    assert counts(effect(sim, "charge_card")) == (2, 2)
    assert counts(effect(sim, "send_email")) == (2, 2)
    assert sim.model_calls.again == 1
    assert sim.events_again == 11


def test_a_result_that_is_not_durable_leaves_the_count_open():
    # And nothing tells yet that the tool asks nobody: its request to a person would come after the results.
    assert counts(effect(lying("T1", "before-068"), "send_email")) == (0, 2)


def test_c3_counts_an_aborted_start_in_the_record_only():
    sim = lying("T1", "before-088")
    step = [s for s in sim.steps if s.function == "turnStep"][-1]
    assert (step.code, step.verdict) == ("C3", "never-reached")
    assert (step.attempts.min, step.record_attempt.min) == (1, 2)


def test_f1_repeats_without_end_and_f2_does_not():
    f1, f2 = lying("T1", "before-082"), lying("T1", "after-082")
    assert counts(effect(f1, "charge_card")) == (2, None)
    assert f1.model_calls.unbounded
    assert counts(effect(f2, "charge_card")) == (1, 1)
    assert f2.model_calls.again == 0
    assert starts(f1, "turnStep")[0] == starts(f2, "turnStep")[0] == "stuck"
    assert "delete the" in " ".join(s.person for s in (f1, f2)) or "by hand" in f1.person


def test_an_interrupted_dispatch_starts_a_second_child():
    sim = lying("T3", "before-122")
    assert counts(effect(sim, "ship_order")) == (2, 2)


def test_a_dispatch_in_f1_starts_children_without_end():
    assert counts(effect(lying("T3", "before-124"), "ship_order")) == (2, None)


def test_an_approval_asked_by_an_uncommitted_step_may_be_lost():
    sim = lying("T2", "before-116")
    found = effect(sim, "restart_service")
    assert counts(found) == (0, 1)
    assert found.rule == "gate-lost"
    assert any(rule.rule == "D" for rule in sim.rules)


def test_an_approved_tool_runs_in_the_next_step_and_again_when_that_dies():
    assert counts(effect(lying("T2", "before-124"), "restart_service")) == (1, 1)
    assert counts(effect(lying("T2", "before-142"), "restart_service")) == (2, 2)


def test_a_sleep_keeps_its_end_and_its_run_goes_on_by_the_clock():
    sim = lying("T3", "before-164")
    assert sim.by == "timer"
    assert sim.earliest is not None


def test_a_left_token_lock_costs_half_a_minute():
    # The recording's copies of the folders hold no empty folders, so the point is asked of the baseline.
    plan = turn_plan("T1")
    sim = simulate(plan, place_of(plan, "hook-lock", "after"))
    assert sim.outcome == "recovers"
    assert "23 to 29 s" in sim.delay


def test_without_a_run_record_there_is_nothing_to_forecast():
    assert forecast(crash_journal("T1", "before-004")) == ()


def test_the_tutorial_is_contradicted_with_both_sides():
    told = " ".join(lying("T1", "before-082").told)
    assert "The tutorial says" in told
    assert "Seen:" in told
