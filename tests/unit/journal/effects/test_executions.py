"""What one attempt says about one effect."""

import pytest

from eve_replay.journal.effects.executions import Executions, function_part, not_run, seen_part, unseen_part
from eve_replay.journal.model import Coordinate, ModelCall
from eve_replay.records import MarkRecord
from tests.support.synthetic import attempt, call, function_step, model_run, stream_event, turn_step

PLACE = Coordinate(turn_id="turn_0", step_index=0)


def bounds(part):
    return None if part is None else (part.executions.min, part.executions.max)


def test_executions_add_up_and_an_open_end_stays_open():
    assert Executions(min=1, max=2) + Executions(min=1, max=1) == Executions(min=2, max=3)
    assert (Executions(min=1, max=None) + Executions(min=0, max=1)).max is None


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [("interrupted", (0, 1)), ("running", (0, 1)), ("completed", (0, 1)), ("failed", (0, 1))],
)
def test_a_request_without_a_result(outcome, expected):
    made = attempt(1, call("c1"), outcome=outcome)
    part = seen_part(made.tool_calls[0], turn_step(made), made)
    assert bounds(part) == expected
    assert part.certainty == "unknown" and part.requested and not part.returned


def test_a_result_is_observed_and_an_error_is_an_execution_too():
    made = attempt(1, call("c1", returned=2, is_error=True, status="failed"))
    part = seen_part(made.tool_calls[0], turn_step(made), made)
    assert bounds(part) == (1, 1) and part.is_error and part.certainty == "observed"


def test_what_other_evidence_proves_counts():
    made = attempt(1, call("c1", began="implied"), outcome="interrupted")
    part = seen_part(made.tool_calls[0], turn_step(made), made)
    assert bounds(part) == (1, 1) and part.certainty == "implied"


def test_not_run_by_the_result_itself():
    assert not_run(call("c1", output={"tool": {"result": "not_run"}}))
    assert not_run(call("c1", error={"code": "TOOL_EXECUTION_DENIED"}))
    assert not not_run(call("c1", error={"code": "ACTION_RESULT_FAILED"}))


def test_an_attempt_that_completed_says_nothing_of_a_call_it_does_not_show():
    made = attempt(1)
    assert unseen_part(PLACE, 0, turn_step(made), made) is None


def test_an_interrupted_attempt_may_have_come_so_far():
    made = attempt(1, outcome="interrupted")
    part = unseen_part(PLACE, 0, turn_step(made), made)
    assert bounds(part) == (0, 1) and not part.reached


def test_the_models_answer_is_a_sign_that_the_call_was_due():
    made = attempt(1, outcome="interrupted", stream_events=(stream_event("message.completed"),))
    assert unseen_part(PLACE, 0, turn_step(made), made).reached
    waiting = attempt(1, outcome="interrupted", stream_events=(stream_event("step.started"),))
    assert not unseen_part(PLACE, 0, turn_step(waiting), waiting).reached


def test_a_model_step_that_could_not_have_begun():
    """batch-crash: killed in the third model call, so the calls of the fourth cannot have run."""
    started = attempt(1, outcome="interrupted", stream_events=(stream_event("step.started", index=2),))
    step = turn_step(started)
    third = Coordinate(turn_id="turn_0", step_index=2)
    fourth = Coordinate(turn_id="turn_0", step_index=3)
    assert bounds(unseen_part(third, 0, step, started)) == (0, 1)
    part = unseen_part(fourth, 0, step, started)
    assert bounds(part) == (0, 0) and part.certainty == "implied"
    ended = attempt(1, outcome="interrupted", stream_events=(stream_event("step.completed", index=2),))
    assert bounds(unseen_part(fourth, 0, turn_step(ended), ended)) == (0, 1)


def test_the_first_model_step_is_always_in_reach():
    """T2 before-134: an approved call stands before the step's first model call, under an earlier index."""
    later = ModelCall(coordinate=Coordinate(turn_id="turn_0", step_index=1), attempt=2, status="completed")
    first = attempt(1, outcome="interrupted", stream_events=(stream_event("approval.settled", index=0),))
    second = attempt(2, start=10, model_calls=(later,))
    step = turn_step(first, second)
    assert bounds(unseen_part(later.coordinate, 0, step, first)) == (0, 1)


def test_another_call_in_its_place_rules_it_out():
    made = attempt(1, call("x", name="other", position=0), outcome="interrupted")
    assert bounds(unseen_part(PLACE, 0, turn_step(made), made)) == (0, 0)


@pytest.mark.parametrize(
    ("outcome", "expected", "certainty"),
    [("completed", (1, 1), "observed"), ("failed", (1, 1), "observed"), ("interrupted", (0, 1), "unknown")],
)
def test_step_functions(outcome, expected, certainty):
    made = attempt(1, outcome=outcome)
    step = function_step(made)
    part = function_part(step, made, model_run(step))
    assert bounds(part) == expected and part.certainty == certainty


def test_a_terminal_lock_proves_that_a_body_ended():
    made = attempt(1, outcome="running")
    step = function_step(made)
    lock = MarkRecord({}, "", kind="step", phase="terminal", subject=step.step_id)
    part = function_part(step, made, model_run(step, marks=(lock,)))
    assert bounds(part) == (1, 1) and part.certainty == "implied"
