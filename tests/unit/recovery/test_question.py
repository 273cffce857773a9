"""What is assumed: one frozen value, every mistake met with a sentence that names the choices."""

import functools
from dataclasses import FrozenInstanceError, replace

import pytest

from eve_replay import Question, WrongUse, matrix, simulate
from eve_replay.recovery import ENVIRONMENTS
from tests.support.recovery import baseline


@functools.cache
def the_session():
    return baseline("T1").session


def test_names_are_looked_up_at_once():
    question = Question(runtime="Flue", environment="eve dev", strategies={"charge_card": "set-nx"})
    assert (question.runtime.name, question.environment.name) == ("flue", "eve-dev")
    assert question.strategies["charge_card"].name == "claim"
    assert Question(environment=ENVIRONMENTS["hosted"]).surroundings.name == "hosted"
    assert Question().environment is None and Question().surroundings.name == "eve-start"


def test_it_is_frozen_equal_by_content_and_hashable():
    question = Question(model="new-ids", lease_seconds=20)
    assert question == Question(lease_seconds=20, model="new-ids") != Question()
    assert len({question, Question(lease_seconds=20, model="new-ids"), Question()}) == 2
    with pytest.raises(FrozenInstanceError):
        question.model = "other"
    with pytest.raises(TypeError):
        question.strategies["*"] = None


def test_replace_changes_one_assumption_and_keeps_the_others():
    question = Question(environment="eve-dev", lease_seconds=20, strategies={"*": "claim"})
    other = replace(question, model="other")
    assert (other.model, other.surroundings.lease_seconds, other.strategies["*"].name) == (
        "other",
        20,
        "claim",
    )
    assert replace(question, lease_seconds=None).surroundings.lease_seconds == 860


def test_it_shows_itself_as_it_is_written():
    assert repr(Question()) == "Question()"
    shown = repr(Question(environment="hosted", strategies={"*": "claim"}, model_calls_per_step=2))
    assert shown == "Question(environment='hosted', strategies={'*': 'claim'}, model_calls_per_step=2)"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"runtime": "temporal"},
            "no runtime 'temporal'. Use one of eve, workflow-sdk, python-sdk, flue, none",
        ),
        ({"runtime": 3}, "protocol Runtime, not 3. Names: eve, workflow-sdk, python-sdk, flue, none"),
        ({"environment": "moon"}, "no environment 'moon'. Use one of eve-start"),
        ({"environment": 3}, "a name or an Environment, not 3"),
        ({"model": "luck"}, "Use same, new-ids or other"),
        ({"strategies": "claim"}, "a dict from tool to strategy"),
        ({"strategies": {"pay": "luck"}}, "no strategy 'luck'"),
        ({"strategies": {"pay": 3}}, "cannot be 3. Use one of"),
        ({"lease_seconds": -1}, "lease_seconds cannot be -1"),
        ({"lease_seconds": "20"}, "lease_seconds cannot be '20'. Give a number from 0 up"),
        ({"lease_seconds": float("nan")}, "lease_seconds cannot be nan"),
        ({"max_retries": 1.5}, "Give a whole number from 0 up"),
        ({"max_retries": True}, "max_retries cannot be True"),
        ({"model_calls_per_step": 0}, "Give a whole number from 1 up"),
        ({"retention_days": float("inf")}, "retention_days cannot be inf"),
    ],
)
def test_every_mistake_is_met_with_a_sentence(wrong, said):
    with pytest.raises(WrongUse) as caught:
        Question(**wrong)
    assert said in str(caught.value)


def test_what_is_no_question_is_said_where_it_is_given():
    for wrong in ("turn_0", {"model": "other"}, 3):
        with pytest.raises(WrongUse, match="A question is a Question, not"):
            simulate(the_session(), "in-tool", question=wrong)
        with pytest.raises(WrongUse, match='name a turn with turn="turn_0"'):
            matrix(the_session(), question=wrong)
