"""The small language of ``--where``."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.views.search.where import where

FIELDS = ("twice", "tool", "state", "title", "last")
ROW = {
    "twice": 2,
    "tool": ("charge_card", "mail"),
    "state": "parked: approval",
    "title": "退款 1042",
    "last": 5400,
}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('twice >= 1 and tool = "charge_card"', True),
        ("twice>=3", False),
        ("twice = 2 and not tool = refund", True),
        ("tool != mail", False),
        ("tool != refund", True),
        ("state ~ PARKED", True),
        ("state ~ 'parked: app'", True),
        ('title ~ "退款"', True),
        ("last < 2h", True),
        ("last < 2 h and last > 1 h", True),
        ("last < 30 min", False),
        ("twice < 1 or (tool ~ charge and last <= 1.5h)", True),
        ("not (twice or title)", False),
        ("twice", True),
        ('state = ""', False),
    ],
)
def test_it_says_which_rows(text, fits):
    assert where(text, FIELDS)(ROW) is fits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope = 1", "no field 'nope'"),
        ("twice >=", "missing at the end"),
        ("(twice = 1", "missing at the end"),
        ("twice = 1 tool = x", "not expected"),
        ("twice = 1 and", "missing at the end"),
        ("'unclosed", "cannot be read"),
        ("(" * 60 + "twice", "too many brackets"),
        ("not " * 60 + "twice", "too many brackets"),
        ("twice = 1 or " * 500, "cannot be read"),
        ("", "missing at the end"),
    ],
)
def test_what_it_cannot_read_it_says_with_what_there_is(text, said):
    with pytest.raises(WrongUse) as error:
        where(text, FIELDS)
    assert said in error.value.message and error.value.hint


def test_unknown_values_fit_nothing_but_their_absence():
    assert not where("last < 2h", FIELDS)({"last": None})
    assert where("not last", FIELDS)({"last": None})
