"""Dumps of MySQL and SQLite: the same records as the database, in every form, also when they were cut."""

from __future__ import annotations

import bz2
import gzip
import sqlite3

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.registry import open_world
from tests.support import corpus


def story(world):
    """Everything a reader tells of a world: ids, statuses, events, values, bytes of streams."""
    told = []
    for run in world.runs():
        told.append((run.run_id, run.status, run.payload("output") and run.payload("output").tagged()))
        told += [(e.event_id, e.event_type, e.created_at) for e in world.events(run.run_id)]
        told += [(s.step_id, s.attempt, s.payload("input").tagged()) for s in world.steps(run.run_id)]
        for other in world.others(run.run_id):
            if type(other).__name__ == "StreamRecord":
                told += [(c.chunk_id, c.data, c.end) for c in world.stream(run.run_id, other.name)]
    return told


@pytest.mark.parametrize("name", ["plain.sql", "hex.sql"])
def test_both_forms_of_binary_values_read_the_same(name):
    folder = corpus.scenario("worlds/mysql")
    world = open_world(str(folder / name))
    assert (world.kind, world.about["layout"], world.about["form"]) == ("sqldump", "mysql", "MySQL")
    assert world.receipt.clean
    done, killed = world.runs()
    assert done.payload("output").value == {"done": "漢字 🙂"}
    assert [chunk.data[4:] for chunk in world.stream(done.run_id, f"strm_{done.run_id[5:]}_user")] == [
        b'devl["one"]',
        b'devl["it\'s \\\\ two"]',
        b"",
    ]
    [step] = world.steps(killed.run_id)
    assert (killed.status, step.status, step.attempt) == ("running", "running", 2)
    check_world(lambda: open_world(str(folder / name)))


def test_the_two_forms_tell_one_story():
    folder = corpus.scenario("worlds/mysql")
    assert story(open_world(str(folder / "plain.sql"))) == story(open_world(str(folder / "hex.sql")))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_dumps(pack, tmp_path):
    raw = (corpus.scenario("worlds/mysql") / "plain.sql").read_bytes()
    (tmp_path / "backup").write_bytes(pack(raw))
    assert len(list(open_world(str(tmp_path / "backup")).runs())) == 2


@pytest.mark.parametrize("name", ["plain.sql", "hex.sql"])
def test_a_cut_dump_shows_what_came_before(name, tmp_path):
    raw = (corpus.scenario("worlds/mysql") / name).read_bytes()
    cut = raw.index(b"workflow_steps") + 2000
    (tmp_path / "cut.sql").write_bytes(raw[:cut])
    world = open_world(str(tmp_path / "cut.sql"))
    assert len(list(world.runs())) == 2
    assert "torn-dump" in {p.code for p in world.receipt.problems}


def test_a_left_out_table_is_a_problem(tmp_path):
    raw = (corpus.scenario("worlds/mysql") / "plain.sql").read_text("utf-8", "surrogateescape")
    part = raw.replace("`workflow_steps`", "`other_steps`")
    (tmp_path / "some.sql").write_text(part, "utf-8", "surrogateescape")
    problems = open_world(str(tmp_path / "some.sql")).receipt.problems
    assert any("no table workflow_steps" in p.message and p.severity == "error" for p in problems)


@pytest.fixture(scope="module")
def sqlite_text():
    link = sqlite3.connect(corpus.scenario("worlds/turso") / "workflow.db")
    text = "\n".join(link.iterdump())
    link.close()
    return text


def test_sqlite_dump_tells_what_the_file_tells(sqlite_text, tmp_path):
    (tmp_path / "dump.sql").write_text(f"PRAGMA foreign_keys=OFF;\n{sqlite_text}\n")
    world = open_world(str(tmp_path / "dump.sql"))
    assert (world.kind, world.about["layout"]) == ("sqldump", "turso")
    assert story(world) == story(open_world(str(corpus.scenario("worlds/turso") / "workflow.db")))
    check_world(lambda: open_world(str(tmp_path / "dump.sql")))


def test_a_cut_sqlite_dump(sqlite_text, tmp_path):
    cut = sqlite_text.index('INSERT INTO "workflow_steps"') + 300
    (tmp_path / "dump.sql").write_text(sqlite_text[:cut])
    world = open_world(str(tmp_path / "dump.sql"))
    assert list(world.runs())
    assert "torn-dump" in {p.code for p in world.receipt.problems}


def test_a_dump_of_unknown_origin_can_do_nothing(sqlite_text, tmp_path):
    victim = tmp_path / "victim.db"
    hostile = f"ATTACH '{victim}' AS x;\nCREATE TABLE x.y (a);\nINSERT INTO z SELECT load_extension('m');\n"
    (tmp_path / "dump.sql").write_text(sqlite_text + "\n" + hostile)
    assert len(list(open_world(str(tmp_path / "dump.sql")).runs())) == 6
    assert not victim.exists()


def test_tables_nobody_knows_are_named(tmp_path):
    (tmp_path / "dump.sql").write_text(
        "-- MySQL dump 10.13\nCREATE TABLE `orders` (\n  `id` int\n) ENGINE=InnoDB;\n"
    )
    with pytest.raises(SourceUnreadable, match="a dump of MySQL with the table orders; no layout is known"):
        open_world(str(tmp_path / "dump.sql"))
