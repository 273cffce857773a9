"""Promises: a pass needs every run, a lost effect is found, the simplest way is told first."""

import pytest

from eve_replay.crashtest.implied import differences
from eve_replay.crashtest.model import Point, Promise, Result
from eve_replay.crashtest.report.story import story
from eve_replay.crashtest.verdict import agreement, judge

ONCE = Promise(effect="charge", kind="once", by="order")


def run(count, when="in", outcome="recovers", label="POST pay/charge", kind="act", key="", **more):
    counts = {"charge": {"o1": count}} if count else {}
    act = {"name": "charge", "label": label, "key": key, "effect": True, "pid": 1, "by": "o1", "status": 200}
    point = Point(when=when, k=1, label=label, kind=kind)
    return Result(point=point, died=True, outcome=outcome, counts=counts, acts=(act,), **more)


BASE = run(1)


def state(*results, promise=ONCE):
    (verdict,) = judge([promise], results, BASE)
    return verdict


def test_twice_is_broken_and_lost_is_broken():
    assert state(run(2)).state == "broken"
    assert "twice for order o1" in state(run(2)).broken[0].how
    lost = state(run(0))
    assert lost.state == "broken" and "never for order o1, and nobody is told" in lost.broken[0].how
    assert state(run(3), promise=Promise(effect="charge", kind="at least once", by="order")).state == "kept"
    assert state(run(0), promise=Promise(effect="charge", kind="at most once", by="order")).state == "kept"


def test_another_answer_of_the_model_may_leave_an_effect_out_but_not_double_it():
    assert state(run(0, variant="other")).state == "kept"
    assert state(run(2, variant="other")).state == "broken"


def test_an_inconclusive_run_is_never_a_pass():
    assert state(run(1), run(1, outcome="inconclusive")).state == "not shown"
    assert state(run(2), run(1, outcome="inconclusive")).state == "broken"
    assert state().state == "not shown"


def test_what_the_turn_never_does_is_not_promised_away():
    assert state(run(1), promise=Promise(effect="mail", kind="once")).state == "not shown"


def test_a_pass_without_a_key_says_so():
    assert "this pass shows little" in state(run(1)).note
    assert "something else kept it" in state(run(1), run(1, when="late")).note
    assert state(run(1, key="k")).note == ""


def test_a_session_that_fails_has_told_a_person():
    told = Promise(effect="charge", kind="person told", by="order")
    assert state(run(0, outcome="fails"), promise=told).state == "kept"
    assert state(run(0, outcome="hangs"), promise=told).state == "broken"


def test_the_simplest_way_comes_first():
    found = state(run(2, when="after", label="E step x", kind="write"), run(2, when="late"), run(2)).broken
    assert [each.result.point.when for each in found] == ["in", "late", "after"]


def test_the_story_ends_with_how_it_broke():
    first = {"name": "charge", "label": "POST pay/charge", "effect": True, "lost": True, "pid": 1, "by": "o1"}
    result = Result(
        point=Point(when="in", k=1, label="POST pay/charge", kind="act"), died=True, outcome="recovers",
        counts={"charge": {"o1": 2}}, acts=(first, {**first, "lost": False, "pid": 2}),
    )  # fmt: skip
    lines = story(state(result).broken[0])
    assert "dies" in lines[1] and "charge twice for order o1" in lines[-1]


@pytest.mark.parametrize(
    ("implied", "outcome", "bodies", "wrong"),
    [
        ({"outcome": "recovers", "tools": {"pay": [1, 2]}}, "recovers", {"pay": 2}, 0),
        ({"outcome": "recovers", "tools": {"pay": [1, 1]}}, "recovers", {"pay": 2}, 1),
        ({"outcome": "hangs", "tools": {"pay": [2, None]}}, "hangs", {"pay": 9}, 0),
        ({"outcome": "hangs", "tools": {}}, "recovers", {}, 1),
        ({"outcome": "nothing-open", "tools": {}}, "recovers", {}, 0),
    ],
)
def test_implied_and_observed(implied, outcome, bodies, wrong):
    assert len(differences(implied, outcome, bodies)) == wrong
    result = Result(
        point=Point(when="in", k=1, label="x"), died=True, outcome=outcome, implied=implied, bodies=bodies
    )
    assert agreement([result]) == (1 - wrong, 1)


def test_a_result_survives_its_file():
    result = run(2)
    assert Result.from_json(result.to_json()) == result
