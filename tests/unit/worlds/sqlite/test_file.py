"""SQLite files are read with what lies in their log, and nothing beside them changes."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.registry import open_world
from eve_replay.worlds.sqlite.file import open_sqlite
from tests.support import corpus


def state(folder):
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}


@pytest.fixture
def killed(tmp_path):
    """A copy of the recording whose newest run lies in the log only, as a killed process leaves it."""
    live = tmp_path / "live"
    live.mkdir()
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", live / "workflow.db")
    link = sqlite3.connect(live / "workflow.db")
    link.execute("pragma journal_mode = wal")
    link.execute(
        "insert into workflow_runs (run_id, deployment_id, workflow_name, status, created_at, updated_at) "
        "values ('wrun_01M9', 'd', 'workflow//./w//late', 'running', '2026-12-01T00:00:00.000Z', "
        "'2026-12-01T00:00:00.000Z')"
    )
    link.commit()
    folder = tmp_path / "killed"
    folder.mkdir()
    for file in ("workflow.db", "workflow.db-wal"):
        shutil.copy(live / file, folder / file)
    link.close()
    return folder


def test_rows_of_the_log_are_seen_and_the_log_stays(killed):
    before = state(killed)
    world = open_world(str(killed))
    assert "wrun_01M9" in [run.run_id for run in world.runs()]
    world.close()
    assert state(killed) == before


def test_nothing_appears_beside_a_file_without_a_log(tmp_path):
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", tmp_path / "workflow.db")
    (tmp_path / "workflow.db").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        world = open_world(str(tmp_path))
        assert len(list(world.runs())) == 6
        world.close()
        assert list(state(tmp_path)) == ["workflow.db"]
    finally:
        tmp_path.chmod(0o755)


def test_an_unknown_database_is_named_with_its_tables(tmp_path):
    link = sqlite3.connect(tmp_path / "mine.db")
    link.execute("create table invoices (id text)")
    link.execute("create table customers (id text)")
    link.close()
    with pytest.raises(SourceUnreadable) as caught:
        open_world(str(tmp_path / "mine.db"))
    assert (
        "an SQLite database with the tables customers, invoices; no layout is known" in caught.value.message
    )
    assert "workflow inspect" in caught.value.hint and "--describe" in caught.value.hint


def test_a_database_that_nearly_fits_says_what_it_lacks(tmp_path):
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", tmp_path / "old.db")
    link = sqlite3.connect(tmp_path / "old.db")
    link.execute("alter table workflow_events rename column event_id to nr")
    link.close()
    with pytest.raises(SourceUnreadable) as caught:
        open_world(str(tmp_path / "old.db"))
    assert "The nearest is turso" in caught.value.message
    assert "workflow_events.event_id" in caught.value.message


def test_a_missing_table_is_a_problem_and_no_empty_log(tmp_path):
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", tmp_path / "cut.db")
    link = sqlite3.connect(tmp_path / "cut.db")
    link.execute("drop table workflow_events")
    link.close()
    # What tells the layout is gone too, so it has to be named.
    world = open_world(f"{tmp_path / 'cut.db'}?layout=turso")
    problem = next(p for p in world.receipt.problems if p.code == "missing-table")
    assert problem.severity == "error" and "events of these runs are unknown, not none" in problem.message


def test_a_damaged_file_says_so(tmp_path):
    data = (corpus.scenario("worlds/turso") / "workflow.db").read_bytes()
    (tmp_path / "torn.db").write_bytes(data[:5000])
    with pytest.raises(SourceUnreadable) as caught:
        list(open_world(str(tmp_path / "torn.db")).runs())
    assert "cannot be read" in caught.value.message


def test_a_file_in_rollback_state_is_read_from_a_copy(tmp_path):
    shutil.copy(corpus.scenario("worlds/turso") / "workflow.db", tmp_path / "workflow.db")
    (tmp_path / "workflow.db-journal").write_bytes(b"\0" * 512)
    before = state(tmp_path)
    store = open_sqlite(tmp_path / "workflow.db", Receipt())
    assert "workflow_runs" in store.tables
    store.close()
    assert state(tmp_path) == before
