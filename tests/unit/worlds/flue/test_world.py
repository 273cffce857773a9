"""Flue's stores: the contract, a raw pair as a kill left it, format versions, damage."""

import hashlib
import sqlite3

import pytest

from eve_replay import open_world
from eve_replay.errors import SourceUnreadable
from eve_replay.journal import open_journal
from eve_replay.problems import Receipt
from eve_replay.worlds.contract import WorldContract
from eve_replay.worlds.flue.opener import flue_world
from eve_replay.worlds.layouts.tables import MemoryTables
from tests.support.corpus import scenario
from tests.support.flue import fixtures, journal


class TestContract(WorldContract):
    def open(self):
        return flue_world(MemoryTables("flue", fixtures()["h1_subagent"]["final"]), Receipt())


def _sums(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_a_raw_pair_opens_and_stays_as_it_was():
    """The main file holds no table at all, the log holds everything; nothing appears beside them."""
    folder = scenario("flue/raw-pair")
    before = _sums(folder)
    assert set(before) == {"flue.db", "flue.db-wal"}
    for source in (folder / "flue.db", folder):
        opened = open_journal(source)
        assert opened.world.kind == "flue"
        assert opened.session().turns[0].steps[0].tool_calls[0].fate == "unresolved"
        opened.close()
    assert _sums(folder) == before


def test_a_writer_at_work_is_no_obstacle(tmp_path):
    folder = scenario("flue/raw-pair")
    for name in ("flue.db", "flue.db-wal"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    writer = sqlite3.connect(tmp_path / "flue.db")
    writer.execute("begin immediate")
    writer.execute("update flue_agent_submissions set attempt_count = 7")
    opened = open_journal(tmp_path / "flue.db")
    assert opened.session().turns[0].budget.attempts == 1  # what is not committed is not there
    writer.rollback()
    writer.close()
    opened.close()


def test_a_log_without_its_database_says_what_belongs_together(tmp_path):
    (tmp_path / "flue.db").write_bytes((scenario("flue/raw-pair") / "flue.db").read_bytes())
    with pytest.raises(SourceUnreadable, match="none of Flue's tables"):
        open_world(f"flue:{tmp_path / 'flue.db'}")


def _tables(**changes):
    tables = {name: [dict(row) for row in rows] for name, rows in fixtures()["a_simple"]["final"].items()}
    return tables | changes


def test_another_format_version_is_said():
    world = journal(_tables(flue_meta=[{"key": "format_version", "value": "2"}])).world
    assert any(problem.code == "flue-format" for problem in world.receipt.problems)
    old = journal(_tables(flue_meta=[{"key": "schema_version", "value": "8"}])).world
    assert not old.receipt.problems


def test_a_batch_in_pieces_is_put_together_and_a_lost_one_is_a_gap():
    tables = _tables()
    batches = tables["flue_conversation_stream_batches"]
    whole = batches[3]["data"]
    cut = [
        {
            "path": batches[3]["path"],
            "seq": batches[3]["seq"],
            "chunk_index": n,
            "chunk_count": 2,
            "data": part,
        }
        for n, part in enumerate((whole[:40], whole[40:]))
    ]
    batches[3]["data"] = '{"$flueChunkCount":2}'
    tables["flue_conversation_stream_batch_chunks"] = cut
    same = journal(tables)
    assert len(same.session().runs[0].events) == len(journal(_tables()).session().runs[0].events)
    tables["flue_conversation_stream_batch_chunks"] = cut[:1]
    torn = journal(tables)
    session = torn.session()
    assert session.missing("events")
    assert any(skipped.what == "batch" for skipped in torn.receipt.skipped)


def test_a_conversation_that_never_began_is_there():
    tables = _tables(flue_conversation_streams=[], flue_conversation_stream_batches=[])
    for row in tables["flue_agent_submissions"]:
        row["status"], row["attempt_count"] = "queued", 0
    session = journal(tables).session()
    assert session.id == "agents/Ops/c1"
    assert [turn.budget.status for turn in session.turns] == ["queued", "queued"]


def test_the_samples_open():
    from eve_replay.samples.flue import FLUE, flue_ledger

    for name in FLUE:
        assert open_journal(f"sample:{name}").session().framework == "flue"
        assert flue_ledger(name)
