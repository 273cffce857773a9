"""crashtest.toml: what it says, what it refuses, and the draft that is read back."""

import tomllib

import pytest

from eve_replay import open_journal
from eve_replay.crashtest.config import config_from
from eve_replay.crashtest.draft import draft
from eve_replay.crashtest.model import Point, Result
from eve_replay.crashtest.points import chosen, points_of, second_points
from eve_replay.crashtest.recorded import turns_of
from eve_replay.errors import WrongUse


def test_promises_and_stubs_are_read():
    config = config_from({
        "turn": [{"message": "Pay.", "reply": [{"text": "Done."}]}],
        "stub": [{"name": "charge", "request": "POST api.pay.example/charge", "does": "key", "by": "order"}],
        "promises": {"charge": {"once_by": "order"}, "mail": "at least once", "log": {"never_lost": True}},
    })  # fmt: skip
    assert [p.words for p in config.promises] == [
        "charge: once by order",
        "mail: at least once",
        "log: at least once",
    ]
    assert (config.stubs[0].host, config.stubs[0].path) == ("api.pay.example", "/charge")


@pytest.mark.parametrize(
    "data",
    [
        {"promise": {}},
        {"promises": {"charge": "always"}},
        {"stub": [{"name": "x", "request": "POST"}]},
        {"stub": [{"name": "x", "request": "POST a/b", "does": "magic"}]},
        {"turn": [{}]},
        {"turn": [{"message": "x", "reply": [{"calls": [{}]}]}]},
        {"lease": "soon"},
        {"stub": [{"name": "x", "request": "POST a/b", "colour": 1}]},
    ],
)
def test_what_has_no_meaning_is_refused(data):
    with pytest.raises(WrongUse):
        config_from(data)


def test_a_recorded_turn_becomes_a_draft_that_can_be_read():
    turns = turns_of(open_journal("sample:crash-in-tool"))
    data = tomllib.loads(draft({"turn": turns}, "shop"))
    assert data["turn"][0]["message"] == turns[0]["message"]
    config = config_from(data)
    assert config.promises and config.turns[0].replies
    names = [call["name"] for reply in turns[0]["reply"] for call in reply.get("calls", ())]
    assert {promise.effect for promise in config.promises} >= set(names)


def test_a_draft_holds_whatever_was_said():
    nasty = 'a "quote", \\ \n\t\x00\x7f 你好 😀'
    given = {"deep": [{"a b": [1, True, 2.5, None, nasty]}], "none": None}
    turns = [{"message": nasty, "reply": [{"text": nasty, "calls": [{"name": "t", "input": given}]}]}]
    data = tomllib.loads(draft({"turn": turns}, "x"))
    assert data["turn"][0]["message"] == nasty
    assert data["turn"][0]["reply"][0]["calls"][0]["input"] == {"deep": [{"a b": [1, True, 2.5, nasty]}]}


def lines(*labels):
    out = [{"write": "E run running", "k": 1}, {"mark": "turn 0"}]
    return tuple(
        out
        + [{("act" if " " in x and x.split()[0] in ("POST", "tool") else "write"): x, "k": 1} for x in labels]
    )


def counted(*labels, effects=()):
    acts = tuple({"label": label, "k": 1, "effect": True} for label in effects)
    return Result(point=Point(), outcome="recovers", lines=lines(*labels), acts=acts)


CHARGE = "POST pay/charge"


def test_points_are_what_the_counting_runs_came_by_in_order():
    first = counted("E event hook_received", "tool pay", CHARGE, "E chunk user [x]", effects=[CHARGE])
    second = counted("E event hook_received", "tool pay", CHARGE, effects=[CHARGE])
    points = points_of([first, second])
    names = [point.name for point in points]
    assert names[0] == "before E event hook_received" and "before E run running" not in names
    assert [p.when for p in points if p.label == CHARGE] == ["before", "in", "late", "after"]
    assert not next(p for p in points if "chunk" in p.label).stable


def test_important_leaves_out_what_is_far_from_a_commit_and_a_number_is_drawn_by_its_seed():
    points = points_of(
        [counted("E chunk user [x]", "E step t#1 completed:1", CHARGE, "tool pay", effects=[CHARGE])]
    )
    important = chosen(points, "important")
    assert not any("chunk" in p.label for p in important) and any("completed" in p.label for p in important)
    assert chosen(points, "3", seed=1) == chosen(points, "3", seed=1) and len(chosen(points, "3")) == 3
    assert all(p.kind == "act" for p in chosen(points, "4"))
    with pytest.raises(WrongUse):
        chosen(points, "some")


def test_a_second_death_is_chosen_from_what_the_recovery_came_by():
    result = counted(CHARGE, effects=[CHARGE])
    again = ({"mark": "restart 1"}, {"act": CHARGE, "k": 1, "gen": 1}, {"act": "tool pay", "k": 1, "gen": 1})
    found = second_points(Result(point=Point(), lines=(*result.lines, *again), acts=result.acts))
    assert [p.name for p in found] == [f"in {CHARGE}", f"late {CHARGE}", "after tool pay"]
