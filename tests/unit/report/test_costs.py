"""Sums over what ran, at least and at most."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

import eve_replay as er
from eve_replay.journal.effects.build import effects_of
from eve_replay.report.costs import amount, spent_in, sums_in
from tests.support.corpus import data, scenario

START, END = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def sums(name, field="cents", since=START, until=END):
    sessions = list(er.open_journal(data(name)).sessions)
    effects = [effect for session in sessions for effect in effects_of(session, None)]
    return {each.tool: each for each in sums_in(effects, field, since, until)}


@pytest.mark.parametrize("name", ["crash-in-tool", "simple-turn", "batch-crash", "pay-without-key"])
def test_what_the_outside_recorded_lies_between_the_two_numbers(name):
    lines = (scenario(name) / "ledger.ndjson").read_text().splitlines()
    acted = Decimal(sum(json.loads(line).get("cents", 0) for line in lines if line.strip()))
    found = sums(name).values()
    assert acted > 0
    assert sum(each.least for each in found) <= acted <= sum(each.most for each in found)


def test_a_call_of_an_attempt_that_died_counts_at_most():
    one = sums("crash-in-tool")["charge_card"]
    assert (one.calls, one.least, one.most) == (1, Decimal(9900), Decimal(19800))


def test_only_the_period_counts():
    [session] = er.open_journal(data("crash-in-tool")).sessions
    again = next(step.attempts[1].started_at for step in session.steps if len(step.attempts) > 1)
    assert sums("crash-in-tool", since=again)["charge_card"].most == Decimal(9900)
    assert sums("crash-in-tool", until=START) == {}
    whole, late = spent_in(session, START, END), spent_in(session, again, END)
    assert whole.calls == 3 and whole.unknown == 1 and whole.again.input > 0
    assert late.calls == 2 and late.unknown == 0
    assert spent_in(session, START, START).calls == 0


@pytest.mark.parametrize(
    ("value", "field", "number"),
    [
        ({"cents": 5}, "cents", "5"),
        ({"order": {"total": "12.30"}}, "order.total", "12.30"),
        ({"order": {"lines": [{"cents": 7}]}}, "cents", "7"),
        ({"cents": True}, "cents", None),
        ({"cents": "NaN"}, "cents", None),
        ({"cents": "9" * 100}, "cents", None),
        ({"cents": None}, "cents", None),
        ("text", "cents", None),
    ],
)
def test_amount(value, field, number):
    assert amount(value, field) == (Decimal(number) if number is not None else None)
