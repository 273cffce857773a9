"""The list while it is looked through: what fits, in which order, and what was not looked at."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from eve_replay import open_journal
from eve_replay.errors import WrongUse
from eve_replay.journal import Journal
from eve_replay.journal.effects.judge import Twice
from eve_replay.views.verdicts.board import SORTS, Board, Fold, sieve
from eve_replay.views.verdicts.landing import head_row, landing_row, standing_now
from tests.tui.worlds import many

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def board(count):
    made = Board()
    made.heads(head_row(head) for head in Journal(many(count)).heads)
    return made


def looked(made, count, **more):
    """The newest ``count`` rows, as if they had been looked at."""
    for each in made.waiting[:count]:
        row = made.row(each)
        made.put(
            [replace(row, **({"looked": True, "state": "idle", "standing": "idle", "quiet": True} | more))]
        )


def test_what_was_not_looked_at_is_counted_and_never_hidden():
    made = board(10)
    looked(made, 2)
    page = made.page(now=NOW)
    assert (page.total, page.looked, page.found, len(page.rows)) == (10, 2, 10, 10)
    page = made.page("state = idle", now=NOW)
    assert (page.found, page.looked, page.total) == (2, 2, 10)


def test_quiet_ones_are_one_line_at_the_end_and_open():
    made = board(8)
    looked(made, 5)
    page = made.page(now=NOW)
    assert page.rows[-1] == Fold(count=5) and len(page.rows) == 4
    assert len(made.page(opened=True, now=NOW).rows) == 9
    assert not any(isinstance(row, Fold) for row in made.page("refund", now=NOW).rows)


def test_every_column_sorts_and_turns_round():
    made = board(9)
    looked(made, 9, quiet=False)
    one = made.row(made.page(now=NOW).rows[4].id)
    made.put([replace(one, twice=Twice(possible=1))])
    assert made.page(sort="twice", now=NOW).rows[0].id == one.id
    for sort in SORTS:
        rows = made.page(sort=sort, now=NOW).rows
        assert made.page(sort=sort, reverse=True, now=NOW).rows == rows[::-1]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("charging", True),
        ("charge_card", True),
        ("twice or possible", True),
        ("twice >= 1", False),
        ('possible = 1 and tool = "charge_card"', True),
        ("tool = get_weather", False),
        ("twice:yes", True),
        ("status:parked", False),
        ("status:idle charging", True),
        ("version:0.80", True),
        ("kind:workflow", False),
        ("order 17", False),
    ],
)
def test_a_filter_is_words_or_a_condition_as_of_where(text, fits):
    journal = open_journal("sample:crash-in-tool")
    row = landing_row(journal.session(), now=NOW, zone=UTC)
    assert sieve(text)[0](row, NOW) is fits


def test_what_only_a_joined_session_tells_is_not_guessed_from_its_record():
    head = head_row(Journal(many(1)).heads[0])
    for text, known in (("state = running", False), ("not twice", False), ("title ~ refund", True)):
        fits, told = sieve(text)
        assert (fits(head, NOW), told) == (known, known)


def test_half_a_condition_is_said_and_hides_nothing():
    page = board(3).page("twice >", now=NOW)
    assert "missing at the end" in page.wrong and page.found == 3
    with pytest.raises(WrongUse):
        sieve("colour = red")


def test_a_record_that_changed_is_looked_at_again():
    made = board(4)
    looked(made, 4)
    rows = [made.row(each.id) for each in made.page(opened=True, now=NOW).rows if not isinstance(each, Fold)]
    heads = [head_row(head) for head in Journal(many(4)).heads]
    heads[0] = replace(heads[0], title="other")
    made.heads(heads)
    assert made.waiting == [heads[0].id] and made.looked == 3 and len(rows) == 4
    made.forget([heads[1].id])
    assert made.looked == 2


def test_since_and_deadline_go_on_with_the_clock():
    journal = open_journal("sample:crash-in-tool")
    row = landing_row(journal.session(), now=NOW, zone=UTC)
    row = replace(row, standing="parked: timer", worst="", deadline=NOW + timedelta(seconds=90))
    assert standing_now(row, NOW) == "parked: timer, 90 s left"
    assert standing_now(row, NOW + timedelta(seconds=60)) == "parked: timer, 30 s left"
    assert standing_now(row, NOW + timedelta(seconds=91)) == "parked: timer, due"
    row = replace(row, deadline=None, parked=True, since=NOW - timedelta(minutes=5))
    assert standing_now(row, NOW) == "parked: timer since 5 min"
