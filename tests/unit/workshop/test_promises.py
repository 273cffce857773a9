"""What the promises find in an outcome."""

import pytest

from eve_replay.workshop.model import Ask, Case, Deed, Entry, Moment, Outcome, Turn
from eve_replay.workshop.promises import (
    claims_done,
    done_or_told,
    each_deed_at_most_once,
    each_deed_once,
    it_ends,
    no_lies,
    nothing_else,
    person_only_when_needed,
)

SEVEN = Deed(effect="charge", match={"invoice": "INV-7"}, words="invoice INV-7")
EIGHT = Deed(effect="charge", match={"invoice": "INV-78"}, words="invoice INV-78")
CASE = Case(
    name="two",
    turns=(
        Turn(
            message="pay",
            answers=(
                (
                    Ask(tool="pay", input={"invoice": "INV-7"}, deeds=(SEVEN,)),
                    Ask(tool="pay", input={"invoice": "INV-78"}, deeds=(EIGHT,)),
                ),
            ),
        ),
    ),
)


def entry(number, effect, moment=0, turn=0, step=0, **fields):
    return Entry(
        number=number,
        seconds=0.0,
        service="payments",
        effect=effect,
        fields=fields,
        key=None,
        process=1,
        attempt=1,
        turn=turn,
        step=step,
        position=0,
        call_id="c",
        moment=moment,
    )


def outcome(*entries, results=None, ended="completed", trace=(), case=CASE):
    return Outcome(
        case=case,
        schedule=(),
        ledger=tuple(entries),
        trace=trace,
        results=results or {},
        ended=ended,
        moments=0,
        processes=1,
        model_calls=1,
    )


BOTH = (entry(0, "charge", invoice="INV-7"), entry(1, "charge", invoice="INV-78"))


def test_each_deed_once():
    keep = each_deed_once()
    assert keep(outcome(*BOTH)) is None
    twice = keep(outcome(*BOTH, entry(2, "charge", invoice="INV-7")))
    assert (twice.code, twice.deed, twice.entries) == ("twice", SEVEN, (0, 2))
    missed = keep(outcome(BOTH[0]))
    assert (missed.code, missed.deed) == ("missed", EIGHT)
    assert each_deed_at_most_once()(outcome(BOTH[0])) is None
    assert each_deed_at_most_once()(outcome(BOTH[0], BOTH[0])).code == "twice"


def test_a_deed_wanted_twice_is_wanted_twice():
    ask = Ask(tool="pay", input={}, deeds=(SEVEN,))
    case = Case(name="same", turns=(Turn(message="m", answers=((ask, ask),)),))
    assert each_deed_once()(outcome(BOTH[0], BOTH[0], case=case)) is None
    assert each_deed_once()(outcome(BOTH[0], case=case)).code == "missed"
    assert each_deed_once()(outcome(*[BOTH[0]] * 3, case=case)).code == "twice"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"subject": "INV-78 unclear"}, True),
        ({"subject": "payment unclear", "invoice": "INV-78"}, True),
        ({"subject": "INV-7 unclear"}, False),
        ({"subject": "something"}, False),
    ],
)
def test_done_or_told(fields, told):
    breach = done_or_told()(outcome(BOTH[0], entry(1, "person", **fields)))
    assert (breach is None) is told
    if breach:
        assert (breach.code, breach.deed) == ("silent", EIGHT)


def test_nothing_else():
    keep = nothing_else()
    assert keep(outcome(*BOTH, entry(2, "person", subject="x"), entry(3, "row", table="claims"))) is None
    extra = keep(outcome(*BOTH, entry(2, "charge", invoice="INV-9")))
    assert (extra.code, extra.entries) == ("extra", (2,))
    assert keep(outcome(*BOTH, entry(2, "mail", to="x"))).code == "extra"


def test_lies():
    keep = no_lies()
    lie = keep(
        outcome(BOTH[0], results={(0, 0, 0): {"status": "done"}, (0, 0, 1): {"status": "already paid"}})
    )
    assert (lie.code, lie.deed) == ("lied", EIGHT)
    assert keep(outcome(results={(0, 0, 0): {"status": "unknown"}, (0, 0, 1): None})) is None
    assert keep(outcome(*BOTH, results={(0, 0, 0): "done", (0, 0, 1): "sent"})) is None
    assert keep(outcome(results={(4, 0, 0): "done"})) is None


@pytest.mark.parametrize(
    ("result", "claims"),
    [
        ({"status": "Sent"}, True),
        ({"status": "already_sent"}, True),
        ({"status": "already been charged"}, True),
        ({"sent": True}, True),
        ("done.", True),
        ({"status": "pending"}, False),
        ({"status": "not sent"}, False),
        ({"sent": False}, False),
        ({"sent": "yes"}, False),
        ("already asked", False),
        (None, False),
        (["done"], False),
    ],
)
def test_what_claims_to_be_done(result, claims):
    assert claims_done(result) is claims


def test_a_person_only_after_a_fault_in_that_step():
    keep = person_only_when_needed()
    cut = Moment(number=0, kind="call", process=1, turn=0, step=0, fault="crash-after")
    other = Moment(number=1, kind="call", process=2, turn=0, step=1)
    person = entry(0, "person", moment=1, subject="INV-7")
    assert keep(outcome(person, trace=(cut, other))) is None
    assert keep(outcome(person, trace=(other, other))).code == "bothered"
    later = entry(0, "person", moment=1, step=1, subject="INV-7")
    assert keep(outcome(later, trace=(cut, other))).code == "bothered"


@pytest.mark.parametrize("ended", ["hangs", "diverged", "runaway"])
def test_it_ends(ended):
    assert it_ends()(outcome(ended=ended)).code == ended
    assert it_ends()(outcome()) is None
    assert it_ends()(outcome(ended="dormant")) is None


def test_an_exception_breaks_it_but_not_an_error_that_is_returned():
    threw = Moment(number=None, kind="threw", process=1, turn=0, step=0, position=1)
    results = {(0, 0, 0): {"error": "mine"}, (0, 0, 1): {"error": "KeyReused: no"}}
    breach = it_ends()(outcome(results=results, trace=(threw,)))
    assert breach.code == "threw" and breach.facts["position"] == 1
    assert it_ends()(outcome(results=results)) is None
