"""simulate: single crashes, schedules, no crash, and what the answer carries."""

import functools

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.address import place_of
from eve_replay.recovery.engine import environments_for, simulate
from eve_replay.recovery.question import Question
from tests.support.recovery import turn_plan


@functools.cache
def the_plan():
    return turn_plan("T1")


def at(text):
    return place_of(the_plan(), text, "after")


def counts(sim):
    return {e.call_id: (e.executions.min, e.executions.max) for e in sim.effects}


def test_no_crash_equals_the_recording():
    sim = simulate(the_plan(), None)
    assert counts(sim) == dict.fromkeys(counts(sim), (1, 1))
    assert all(s.attempts.min == s.attempts.max == 1 for s in sim.steps)
    assert (sim.outcome, sim.assumptions.crashes) == ("nothing-open", 0)
    assert simulate(the_plan(), []).effects == sim.effects


def test_a_schedule_adds_up():
    once = simulate(the_plan(), at("tools-returned"))
    twice = simulate(the_plan(), [at("tools-returned"), at("tools-returned")])
    thrice = simulate(the_plan(), [at("in-tool"), at("tools-returned"), at("tools-returned")])
    assert counts(once)["mock-tool-call-1-0-1"] == (2, 2)
    assert counts(twice)["mock-tool-call-1-0-1"] == (3, 3)
    assert counts(thrice)["mock-tool-call-1-0-1"] == (3, 4)
    assert [s.attempts.max for s in twice.steps if s.verdict == "re-executed"] == [3]
    assert twice.assumptions.crashes == 2


def test_a_schedule_in_two_steps():
    sim = simulate(the_plan(), [at("tools-returned"), at("tools-returned:2")])
    assert sum(low for low, _ in counts(sim).values()) == 6


def test_nothing_recovers_from_a_wedge():
    sim = simulate(the_plan(), [at("step-ending:2"), at("tools-returned:2")])
    assert sim.outcome == "hangs"


def test_a_schedule_cannot_go_back():
    with pytest.raises(WrongUse, match="goes back"):
        simulate(the_plan(), [at("tools-returned:2"), at("in-model")])


def test_a_point_that_does_not_exist():
    with pytest.raises(WrongUse, match="no crash point"):
        simulate(the_plan(), 10**6)


def test_strategies_by_tool_and_for_all():
    question = Question(strategies={"charge_card": "business-id", "*": "none"})
    sim = simulate(the_plan(), at("tools-returned"), question)
    assert {e.tool: e.strategy for e in sim.effects} == {"charge_card": "business-id", "send_email": "none"}
    assert {e.tool: e.outside.max for e in sim.effects if e.executions.max == 2} == {
        "charge_card": 1,
        "send_email": 2,
    }


def test_a_wrong_assumption_is_said():
    with pytest.raises(WrongUse, match="model assumption"):
        Question(model="luck")


def test_the_answer_as_json_is_the_contract():
    document = simulate(the_plan(), at("tools-returned")).to_json()
    assert set(document) >= {
        "point", "assumptions", "steps", "effects", "modelCalls", "tokens", "events", "recovery", "turn",
        "outcome", "sentence",
    }  # fmt: skip
    assert set(document["effects"][0]) >= {
        "tool",
        "callId",
        "executions",
        "outside",
        "missed",
        "certainty",
        "rule",
    }
    assert set(document["steps"][0]) >= {"stepId", "function", "verdict", "attempts"}
    assert set(document["recovery"]) >= {"by", "earliest", "person"}
    assert document["point"].keys() >= {"class", "address", "sentence"}
    assert document["turn"] == {"ends": "completed"}
    assert document["events"]["again"] == 9
    assert "steps" not in simulate(the_plan(), 3).to_json(steps=False)


def test_evidence_and_rules_are_carried():
    sim = simulate(the_plan(), at("tools-returned"))
    assert {r.rule for r in sim.rules} >= {"D", "lease", "replayed"}
    assert all(r.text and r.source for r in sim.rules)
    assert all(e.evidence for e in sim.effects)


def test_another_answer_says_that_call_ids_do_not_protect():
    sim = simulate(the_plan(), at("tools-returned"), Question(model="new-ids"))
    assert any("call ids stable" in text for text in sim.told)


def test_environments():
    assert "eve-start" in environments_for(False) and "sdk-started" not in environments_for(False)
    assert environments_for(True)[0] == "sdk-started"
