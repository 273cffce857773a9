"""Attempts paired and compared: calls by place, then by id, then by what was asked."""

import dataclasses
from datetime import UTC, datetime

import pytest

from eve_replay.diff.attempts import attempt_of, diff_attempts, pair_calls
from eve_replay.errors import NotFound
from eve_replay.journal import Coordinate, ToolCall
from tests.unit.views._sessions import explorer, turn_step

PLACE = Coordinate(turn_id="turn_0", step_index=0)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def call(id_, name="charge", position=0, place=PLACE, **fields):
    return ToolCall(
        call_id=id_, name=name, coordinate=place, position=position, step_id="step_1", attempt=1, **fields
    )


def verdicts(first, second):
    return [(c.name, c.request, c.result) for c in pair_calls(first, second)]


def test_minted_ids_are_other_ids_not_other_calls():
    one = call("a1", input={"cents": 5}, returned_at=NOW, status="completed", output={"id": "ch_1"})
    two = call("b9", input={"cents": 5}, returned_at=NOW, status="completed", output={"id": "ch_2"})
    assert verdicts([one], [two]) == [("charge", "other ids", "changed")]


def test_another_input_is_a_changed_request():
    assert verdicts([call("a", input={"cents": 5})], [call("a", input={"cents": 6})]) == [
        ("charge", "changed", "unknown")
    ]


def test_calls_without_a_place_are_paired_by_id_then_by_input():
    one = [
        call("x", position=None, place=None, input={"n": 1}),
        call("y", position=None, place=None, input={"n": 2}),
    ]
    two = [
        call("q", position=None, place=None, input={"n": 2}),
        call("x", position=None, place=None, input={"n": 1}),
    ]
    assert verdicts(one, two) == [("charge", "same", "unknown"), ("charge", "other ids", "unknown")]


def test_calls_on_one_side_only():
    assert verdicts([call("a")], [call("b", name="mail", position=1)]) == [
        ("charge", "only first", "unknown"),
        ("mail", "only second", "unknown"),
    ]


def test_errors_are_results_too():
    one = call("a", returned_at=NOW, status="failed", is_error=True, error={"message": "no"})
    two = call("a", returned_at=NOW, status="completed", output="ok")
    (pair,) = pair_calls([one], [two])
    assert pair.result == "changed"


def test_repeats_are_those_with_a_sign_in_both_attempts():
    diff = diff_attempts(turn_step("crash-in-tool"), 1, 2, effects=explorer("crash-in-tool").effects)
    assert [(r.effect.tool, r.proven, r.same_result) for r in diff.repeats] == [
        ("charge_card", False, None),
        ("send_email", True, True),
    ]
    assert diff_attempts(turn_step("crash-in-tool"), 1, 2).repeats == ()


def test_a_reading_tool_is_never_a_repeat():
    from eve_replay.journal.effects.build import effects_of

    session = explorer("crash-in-tool").session
    effects = effects_of(session, {"charge_card": "read-only", "send_email": "read-only"})
    assert diff_attempts(turn_step("crash-in-tool"), 1, 2, effects=effects).repeats == ()


def test_errors_recorded_for_attempts_are_compared():
    step = next(
        s for s in explorer("attempts-exhausted-throw-then-kill").session.steps if s.function == "doomed"
    )
    facts = {f.name: f for f in diff_attempts(step, 1, 5).facts}
    assert facts["error"].verdict == "changed"
    assert facts["body"].before == "ran"
    assert facts["body"].after == "did not run"
    assert {f.name: f.verdict for f in diff_attempts(step, 1, 2).facts}["error"] == "only first"


def test_partial_text_is_unknown_not_changed():
    step = turn_step("crash-before-commit")
    one, two = step.attempts
    cut = dataclasses.replace(one.model_calls[0], text="Charg", partial=True)
    step = dataclasses.replace(step, attempts=(dataclasses.replace(one, model_calls=(cut,)), two))
    (model,) = diff_attempts(step, 1, 2).models
    assert model.text == "unknown"
    other = dataclasses.replace(cut, text="Something else", partial=False)
    step = dataclasses.replace(step, attempts=(dataclasses.replace(one, model_calls=(other,)), two))
    (model,) = diff_attempts(step, 1, 2).models
    assert model.text == "changed"


def test_attempts_by_number():
    assert attempt_of(turn_step("crash-in-tool"), 2).n == 2
    with pytest.raises(NotFound, match=r"Its attempts: 1, 2\."):
        attempt_of(turn_step("crash-in-tool"), 0)
