from eve_replay.journal.effects.judge import Twice
from eve_replay.views.session.effect_marks import EffectMarks, mark_tone, twice_among
from tests.unit.views._sessions import explorer, turn_step


def test_calls_know_what_became_of_their_effect():
    marks = explorer("crash-in-tool").marks
    calls = turn_step("crash-in-tool").tool_calls
    assert [marks.of_call(call).judgement.said for call in calls] == [
        "may have run twice",
        "ran twice, same key",
    ] * 2
    assert [marks.of_call(call).harmful for call in calls] == [True, False] * 2
    assert marks.worst(turn_step("crash-in-tool").step_id).effect.tool == "charge_card"
    assert twice_among(marks.of_step(turn_step("crash-in-tool").step_id) * 2) == Twice(possible=1)
    assert marks.worst("step_nothing") is None


def test_an_open_range_without_a_sign_is_unknown_not_harm():
    (effect,) = [e for e in explorer("crash-in-model").effects if e.tool == "charge_card"]
    assert effect.executions.max == 2
    assert mark_tone(effect) == "unknown"


def test_reading_tools_are_no_effects():
    marks = explorer("approval-hold").marks
    calls = [call for call in turn_step("approval-hold").tool_calls if call.name == "get_weather"]
    assert marks.of_call(calls[0]) is None
    assert EffectMarks().of_step("x") == []
