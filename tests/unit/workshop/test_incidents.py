"""The four incidents: who gets which, and what is computed of them against what the driver wrote down."""

import json
from collections import Counter
from pathlib import Path

import pytest

from eve_replay import samples
from eve_replay.errors import NotFound
from eve_replay.workshop.incidents import incident, number_of
from eve_replay.workshop.tasks._incident import truth

#: Written by the program that started, killed and restarted the server; it never read a journal.
DRIVER = json.loads((Path(__file__).parents[2] / "corpus" / "incidents.json").read_text("utf-8"))
NAMES = samples.names("incidents")


def test_a_name_always_gets_the_same_one():
    assert number_of("李蔚") == number_of(" 李 蔚 ") and number_of("Ada") == number_of("ada")
    assert [number_of(each) for each in (1, "2", "incident-3", "4")] == [1, 2, 3, 4]
    assert incident("3") is incident(3) and incident(3).source == "sample:incident-3"
    assert number_of("") in (1, 2, 3, 4) and number_of("\ud800") in (1, 2, 3, 4)


def test_a_class_is_spread_over_all_of_them():
    spread = Counter(number_of(f"learner {number}") for number in range(200))
    assert set(spread) == {1, 2, 3, 4} and min(spread.values()) > 25


@pytest.mark.parametrize("name", NAMES)
def test_what_is_computed_is_what_the_driver_did(name):
    found, driver = truth(incident(name)), DRIVER[name]
    assert found.session.id == driver["session"]
    assert len(found.incident.sessions) == driver["sessions"]
    assert [each.tool for each in found.doubled] == driver["twice"]
    assert found.crash == driver["crash"]
    charges = [each for effect in found.doubled for each in found.lines(effect) if each.id.startswith("ch_")]
    doubled = "charge_order" in driver["twice"]
    assert len(charges) == (driver["charges"] if doubled else 0)
    assert bool(found.kept) == doubled and len(found.refund) == len(charges) - doubled
    steps = {step["stepId"]: step["attempts"] for step in driver["steps"]}
    assert steps[found.step.step_id] == len(found.step.attempts) == 2
    assert len(steps) > 1, "another step was executed again, without harm"


@pytest.mark.parametrize("name", NAMES)
def test_every_line_of_the_ledger_belongs_to_a_call(name):
    found = truth(incident(name))
    joined = [request for some in found.requests_of.values() for request in some]
    assert len(joined) == len(found.incident.lines)
    for request in joined:
        line = request.line
        assert line.session_id in (None, request.effect.session_id)
        assert line.call_id is None or line.call_id in request.effect.call_ids
        assert request.fields["call_id"] in request.effect.call_ids


@pytest.mark.parametrize("name", NAMES)
def test_the_charge_to_keep_is_in_the_history(name):
    found = truth(incident(name))
    committed = str(found.step.output.value) if found.step.output is not None else ""
    if found.kept:
        assert found.kept in committed
    assert not any(lost in committed for lost in found.refund)


@pytest.mark.parametrize("name", NAMES)
def test_repeats_hide_among_wishes(name):
    """There are lines that look alike and were wanted: a ledger alone must not be enough."""
    found = truth(incident(name))
    about = ("customer", "cents") if found.tool == "charge_order" else ("to", "subject")
    alike = Counter(tuple(each.fields[part] for part in about) for each in found.requests)
    wanted = Counter(
        tuple(found.lines(effect)[0].fields[part] for part in about)
        for effect in (*found.single, *found.doubled)
        if effect.tool == found.tool
    )
    assert max(alike.values()) > 1 and max(wanted.values()) > 1


def test_people_and_products_are_of_two_languages():
    for name in NAMES:
        titles = [each.title for each in incident(name).sessions]
        assert any("订单" in title for title in titles) and any("order" in title for title in titles)
        assert not any(title.startswith("[") for title in titles)


def test_sessions_are_found_by_their_ends():
    case = incident(1)
    first = case.sessions[0]
    for ending in (first.id, first.id[-4:], f"…{first.id[-4:].lower()}", f" {first.id[-6:]} "):
        assert case.session(ending) is first
    for nothing in ("", "ZZZZ", "wrun_"):
        with pytest.raises(NotFound):
            case.session(nothing)


def test_calls_and_ledger_are_rows_of_a_table():
    case = incident(3)
    rows = case.calls(truth(case).session)
    again = [row for row in rows if row["step"] == 1]
    assert [row["attempt"] for row in again] == [1, 1, 2, 2]
    assert len({row["call_id"] for row in again}) == 4, "this model mints ids"
    assert [bool(row["returned"]) for row in again] == [True, False, True, True]
    assert case.calls(truth(case).session.id[-4:]) == rows
    assert again[-1]["result"] == truth(case).kept
    for table in (case.money(), case.mails()):
        assert {tuple(row) for row in table} == {tuple(table[0])} and all(row["id"] for row in table)
    assert len(case.money()) + len(case.mails()) == len(case.lines)
    assert "incident-3" in repr(case)
