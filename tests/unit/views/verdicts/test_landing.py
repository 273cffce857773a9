"""The landing page: worst first, two numbers for repeats, what needs nobody is quiet."""

from datetime import UTC, datetime

import pytest

from eve_replay import open_journal
from eve_replay.views.verdicts.landing import landing, landing_row, title_text

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def rows(*sources):
    for source in sources:
        journal = open_journal(source)
        for head in journal.heads:
            yield landing_row(journal.session(head.id), now=NOW, zone=UTC, versions=journal.versions)


def test_harm_stands_above_what_waits_and_what_rests():
    page = landing(rows("sample:simple-turn", "sample:approval-hold", "sample:crash-in-tool"))
    assert page.rows[-1].quiet and page.rows[-1].state == "idle"
    assert not page.rows[0].quiet and page.rows[0].twice
    assert sum(count for _, count in page.states) == len(page.rows)
    assert page.twice.sure == sum(row.twice.sure for row in page.rows)
    assert page.twice.possible == sum(row.twice.possible for row in page.rows)


def test_a_session_that_rests_is_quiet_and_says_so():
    (row,) = rows("sample:simple-turn")
    assert row.quiet and row.severity == "info" and not row.twice
    assert row.framework == "eve" and row.version == "0.80.1" and row.tools
    assert row.last_activity is not None and row.last_activity <= NOW


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("refund order 1042", "refund order 1042"),
        ('[{"text": "refund order 1042", "toolCalls": []}]', "refund order 1042"),
        ('[{"text": "订单 4120 收款", "toolCalls": [{"na', "订单 4120 收款"),
        ('[{"text": "\\u8ba2\\u5355 4120', "订单 4120"),
        ('[{"text": "cut \\u8b', "cut "),
        ('[{"toolCalls": [1]}]', '[{"toolCalls": [1]}]'),
        ('{"text": "a\\nb"}', "a\\nb"),
        ('Ops/c1: [{"text": "Charging.", "toolCalls": [{"na', "Ops/c1: Charging."),
        ('[{"toolCalls": [{"name": "charge_card", "input": {"c', "calls charge_card"),
        ("note: see [1]", "note: see [1]"),
        ('["Ready."]', "Ready."),
        ('[{"text": ""}]', '[{"text": ""}]'),
    ],
)
def test_a_title_is_the_text_inside_of_a_message(title, shown):
    assert title_text(title) == shown


def test_a_session_whose_turn_failed_is_not_idle():
    (row,) = rows("sample:approval-hold")
    assert row.state == "failed turn" and not row.quiet
