"""The list of sessions: cheap for 10,000, in words, found and sorted at once."""

from datetime import UTC, datetime, timedelta

from eve_replay.journal import SessionHead
from eve_replay.journal.effects.judge import Twice
from eve_replay.views.session.sessions import detailed, filter_rows, session_row, session_rows, sort_rows
from tests.unit.views._sessions import explorer, journal

NOW = datetime(2026, 12, 3, 9, 0, tzinfo=UTC)


def heads(count):
    return [
        SessionHead(
            id=f"wrun_{n:026d}",
            kind="session",
            run_ids=(f"wrun_{n:026d}",),
            status=("running", "completed", "failed")[n % 3],
            title=f"refund order {n}",
            eve_version="0.80.1" if n % 2 else "0.79.0",
            created_at=NOW - timedelta(minutes=n),
            updated_at=NOW - timedelta(seconds=n),
        )
        for n in range(count)
    ]


def test_rows_come_newest_activity_first_and_decode_nothing():
    rows = session_rows(heads(5))
    assert [row.title for row in rows] == [f"refund order {n}" for n in range(5)]
    assert rows[0].status == "running"
    assert not rows[0].detailed
    assert rows[0].turns is None


def test_ten_thousand_sessions_are_listed_filtered_and_sorted():
    """How long it takes: tests/benchmarks/test_views.py."""
    rows = session_rows(heads(10_000))
    assert len(filter_rows(rows, "order 9999")) == 1
    assert [row.title for row in sort_rows(rows, "title")[:2]] == ["refund order 0", "refund order 1"]


def test_filters_look_in_one_field_or_in_all():
    rows = session_rows(heads(30))
    assert {row.status for row in filter_rows(rows, "status:failed")} == {"failed"}
    assert {row.versions for row in filter_rows(rows, "version:0.79")} == {("0.79.0",)}
    assert len(filter_rows(rows, "refund 0.80.1 completed")) == 5
    assert filter_rows(rows, "nothing like this") == ()
    assert filter_rows(rows, "  ") == rows
    assert filter_rows(rows, "kind:session attempts:>1") == ()
    assert filter_rows(rows, "twice:>0") == ()


def test_sorting_puts_what_needs_a_person_first():
    rows = sort_rows(session_rows(heads(6)), "status")
    assert [row.status for row in rows] == ["failed"] * 2 + ["running"] * 2 + ["completed"] * 2
    assert [r.id for r in sort_rows(rows, "started")] == [h.id for h in heads(6)]
    assert sort_rows(rows, "title", reverse=True)[0].id == heads(6)[5].id
    for by in ("activity", "attempts", "turns"):
        assert len(sort_rows(rows, by)) == 6


def test_a_row_is_filled_in_from_the_joined_session():
    row = explorer("crash-in-tool").row(now=NOW)
    assert (row.status, row.turns, row.attempts, row.detailed) == ("idle", 1, 1, True)
    assert row.twice == Twice(sure=0, possible=1)  # the mail went out twice under one key
    assert row.versions == ("0.80.1",)
    assert filter_rows([row], "attempts:>1 twice:>0") == (row,)


def test_a_park_says_for_what_and_since_when():
    there = journal("approval-hold")
    session = there.session(there.heads[0].id)
    import dataclasses

    opened = dataclasses.replace(session.parks[0], open=True, until=None, since=NOW - timedelta(days=3))
    waiting = dataclasses.replace(session, status="parked: approval", parks=(opened,))
    row = detailed(session_row(session.head), waiting, now=NOW)
    assert row.status_text == "parked: approval since 3 days"
    assert row.tone == "parked"
    assert "approval" in row.search


def test_titles_are_safe():
    head = heads(1)[0]
    import dataclasses

    row = session_row(dataclasses.replace(head, title="a\x1b[31mb\u202e"))
    assert row.title == "a\\x1b[31mb\\u202e"


def test_a_purged_session_is_listed(  # docs/evidence/reports.md#t43: row listed, payload gone
):
    there = journal("retention-0")
    rows = session_rows(there.heads)
    assert any(row.purged for row in rows)
    assert all("purged" in row.status_text for row in rows if row.purged)
