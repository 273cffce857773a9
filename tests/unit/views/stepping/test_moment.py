"""Every moment as it was: nothing of the future, and at the end what the whole journal says."""

import itertools

import pytest

import eve_replay as er
from eve_replay.codec import payload as payloads
from eve_replay.views.stepping.moment import moments
from eve_replay.views.stepping.past import ABSENT
from tests.support.corpus import names, scenario

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]


@pytest.fixture
def decodes(monkeypatch):
    """Count how many payloads are opened."""
    count = itertools.count()
    real = payloads.open_envelope
    monkeypatch.setattr(payloads, "open_envelope", lambda *a, **k: (next(count), real(*a, **k))[1])
    return lambda: next(count)


def test_a_condition_on_names_decodes_nothing(decodes):
    session = er.open_journal("sample:crash-in-tool").session()
    joined = decodes()
    found = [m for m in moments(session) if m.tool == "charge_card"]
    assert [(m.type, m.attempt.n) for m in found] == [
        ("actions.requested", 1),
        ("actions.requested", 2),
        ("action.result", 2),
    ]
    assert decodes() == joined + 1  # the question itself
    assert found[0].state.at("$.history") == [] and decodes() == joined + 3


def test_what_was_open_and_done_at_the_crash():
    walk = moments("sample:crash-in-tool")
    asked, again = [m for m in walk if m.label == "charge_card requested"]
    dead = walk[again.index - 1]
    assert [call.name for call in asked.open_calls] == ["charge_card"]
    assert dead.open_calls == ()  # the process died, and the next attempt has not asked yet
    told = {each.tool: (each.executions.min, each.executions.max) for each in dead.effects}
    assert told == {"charge_card": (0, 1), "send_email": (1, 1)}
    told = {each.tool: (each.executions.min, each.executions.max) for each in walk[-1].effects}
    assert told == {"charge_card": (1, 2), "send_email": (2, 2)}


def test_messages_tell_nothing_of_later():
    walk = moments("sample:crash-in-tool")
    asked = next(m for m in walk if m.tool == "charge_card")
    said = asked.messages
    assert [entry.kind for entry in said] == ["user", "assistant", "tool"]
    assert not said[-1].returned and said[-1].output is None
    assert not any(entry.superseded for entry in said)
    begun = next(m for m in walk if m.type == "step.started")
    assert [entry.kind for entry in begun.messages] == ["user"]
    assert len(walk[-1].messages) > len(said)


def test_state_of_a_workflow_is_its_input_and_what_its_steps_gave():
    session = er.open_journal(scenario("local-sdk/local5_rich")).session()
    walk = moments(session)
    first = next(m for m in walk if m.type == "step_completed")
    assert list(walk[0].state.parts["results"]) == []
    assert list(first.state.parts["results"]) == [first.tool]
    assert first.state.at(f"$.{first.tool}") == first.step.output.value
    assert walk[0].state.at("$.input") is not ABSENT


def test_what_is_not_there_is_neither_more_nor_less():
    there = moments("sample:crash-in-tool")[3].state
    nothing = there.at("$.cart.total")
    assert nothing is ABSENT and not nothing
    assert not (nothing > 100 or nothing < 100 or nothing == 100) and nothing != 100
    with pytest.raises(er.WrongUse):
        there.at("cart total")


def test_flue_calls_are_found_by_their_id():
    walk = moments("sample:flue-durable-end")
    own = [m for m in walk if m.tool == "provision_workspace"]
    assert own[0].type == "assistant_tool_call" and own[-1].type == "tool_outcome"
    assert [call.name for call in own[0].open_calls] == ["provision_workspace"]
    assert own[-1].open_calls == ()


@pytest.mark.parametrize("name", [*SMALL, "sample:flue-durable-end"])
def test_the_last_moment_says_what_the_journal_says(name):
    walk = moments(name if ":" in name else er.open_journal(scenario(name)))
    then = {id(each.effect): each.executions for each in walk[-1].effects} if len(walk) else {}
    for effect in walk.view.effects:
        signs = [part for part in effect.by_attempt if part.executions.max != 0 and part.reached]
        assert (id(effect) in then) or not signs
        if signs:
            whole = [part.executions for part in effect.by_attempt if part.executions.max != 0]
            assert then[id(effect)].min == sum(each.min for each in whole)
    counts = [sum(each.executions.min for each in m.effects) for m in walk]
    assert counts == sorted(counts)  # what has happened stays


def test_a_walk_is_a_sequence():
    walk = moments("sample:crash-in-tool")
    assert walk[-1].index == len(walk) - 1 and [m.index for m in walk[2:4]] == [2, 3]
    assert "charge_card" in repr(next(m for m in walk if m.tool)) and "moments of" in repr(walk)
    with pytest.raises(IndexError):
        walk[len(walk)]
