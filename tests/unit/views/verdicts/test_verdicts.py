"""Verdicts and findings as rows, and the status they give to a session's row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from eve_replay import open_journal
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.verdicts.verdicts import finding_rows, stated, verdict_rows, world_finding_rows
from tests.support import corpus

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def opened(name):
    journal = open_journal(str(corpus.data(name)))
    return journal, journal.session(journal.heads[-1].id)


def test_verdicts_come_worst_first_and_lead_to_their_evidence():
    _, session = opened("crash-in-tool")
    rows = verdict_rows(session, now=NOW, zone=UTC)
    assert [row.code for row in rows][:2] == ["may-have-run-twice", "ran-twice"]
    explorer = Explorer(session)
    for row in rows:
        assert explorer.inspector.title(row.key)
        for piece in row.evidence:
            assert not piece.key or explorer.inspector.title(piece.key), piece
    assert rows[0].to_json()["word"] == "may have run twice"


def test_a_leased_session_says_until_when():
    _, session = opened("crash-waiting-for-lease")
    began = max(attempt.started_at for step in session.steps for attempt in step.attempts)
    now = began + timedelta(seconds=60)
    rows = verdict_rows(session, now=now, zone=UTC)
    row = stated(Explorer(session).row(now=now), session, rows, zone=UTC)
    until = began + timedelta(seconds=860)
    if any(each.code == "leased" for each in rows):
        assert row.status_text == f"leased until {until:%H:%M:%S}" and row.status == "leased"
    else:
        assert row.status_text


def test_a_stranded_session_names_its_version_when_the_store_has_a_newer_one():
    _, session = opened("stranded")
    rows = verdict_rows(session, now=NOW, zone=UTC, versions=["0.79.0", "0.80.1"])
    row = stated(Explorer(session).row(now=NOW), session, rows, zone=UTC)
    assert row.status_text == "stranded 0.79.0" and "stranded 0.79.0" in row.search


def test_a_session_with_nothing_open_keeps_its_row():
    _, session = opened("simple-turn")
    row = Explorer(session).row(now=NOW)
    assert stated(row, session, verdict_rows(session, now=NOW), zone=UTC) is row


def test_findings_of_session_and_world():
    journal, session = opened("retention-0")
    rows = finding_rows(session, now=NOW)
    assert rows and all(row.tone in ("error", "warning", "muted") for row in rows)
    assert all(row.sentence for row in world_finding_rows(journal))


def test_every_finding_about_a_session_can_be_gone_to():
    _, session = opened("crash-in-tool")
    rows = finding_rows(session, now=NOW)
    (again,) = [row for row in rows if row.code == "stream-repeats"]
    assert again.key == f"step:{session.id}/{again.where}"
    assert all(row.key for row in rows)
