"""Dumps whole: partitions, pg_dump's binary forms, left out tables, cut files; made by the real pg_dump."""

from __future__ import annotations

import functools
import subprocess
import zipfile
from pathlib import Path

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.pgdump.world import opener
from eve_replay.worlds.registry import open_world
from tests.support import corpus, pgserver

WORLDS = corpus.CORPUS / "worlds"
PARTITIONED = WORLDS / "eveland-partitioned.sql"
PLATFORMATIC = WORLDS / "platformatic.sql"
RUN = "wrun_01M8Q7KAAAAAAAAAAAAAAAAAA1"
CALLS = [
    "run_created",
    "run_started",
    "step_created",
    "step_started",
    "step_started",
    "step_completed",
    "run_completed",
]


def events(source):
    world = open_world(str(source))
    assert [run.run_id for run in world.runs()] == [RUN]
    return [event.event_type for event in world.events(RUN)]


@functools.cache
def database():
    server = pgserver.server()
    server.create("eve_replay_forms", PARTITIONED)
    return server


def dump(target, *arguments):
    server = database()
    url = server.url("eve_replay_forms")
    binary = server.binaries / "pg_dump"
    subprocess.run([binary if binary.exists() else "pg_dump", *arguments, "-f", target, url], check=True)
    return target


def test_rows_of_a_partition_are_rows_of_the_table():
    assert events(PARTITIONED) == CALLS


def test_packed_stream_rows_are_taken_apart():
    world = open_world(str(PARTITIONED))
    chunks = list(world.stream(RUN, f"strm_{RUN[5:]}_user"))
    assert len(chunks) == 6 and [chunk.end for chunk in chunks] == [False] * 5 + [True]
    assert all(chunk.data[4:8] == b"devl" for chunk in chunks[:5])
    check_world(lambda: open_world(str(PARTITIONED)))


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("custom.dump", ["-Fc"]),
        ("plain-custom.dump", ["-Fc", "-Z0"]),
        ("folder", ["-Fd"]),
        ("dump.tar", ["-Ft"]),
        ("rows.sql", ["--data-only"]),
        ("inserts.sql", ["--inserts"]),
        ("columns.sql", ["--column-inserts", "--data-only"]),
        ("root.sql", ["--load-via-partition-root"]),
    ],
)
def test_every_form_of_pg_dump_reads_the_same(name, arguments, tmp_path):
    target = dump(tmp_path / name, *arguments)
    assert opener.recognises(str(target)) >= 0.8
    assert events(target) == CALLS
    world = open_world(str(target))
    assert len(list(world.stream(RUN, f"strm_{RUN[5:]}_user"))) == 6


@pytest.mark.postgres
def test_a_custom_dump_through_a_pipe_has_no_offsets_and_is_read(tmp_path):
    server = database()
    done = subprocess.run(
        ["pg_dump", "-Fc", server.url("eve_replay_forms")], stdout=subprocess.PIPE, check=True
    )
    (tmp_path / "piped.dump").write_bytes(done.stdout)
    assert events(tmp_path / "piped.dump") == CALLS


@pytest.mark.postgres
def test_a_custom_dump_that_was_cut_shows_what_came_before(tmp_path):
    whole = dump(tmp_path / "custom.dump", "-Fc", "-Z0").read_bytes()
    cut = tmp_path / "cut.dump"
    cut.write_bytes(whole[: whole.index(b"step_completed") + 40])
    world = open_world(str(cut))
    assert "torn-dump" in {problem.code for problem in world.receipt.problems}
    assert [run.run_id for run in world.runs()] == [RUN]
    assert [event.event_type for event in world.events(RUN)][:5] == CALLS[:5]


@pytest.mark.postgres
@pytest.mark.parametrize("form", [[], ["-Fc"], ["-Fd"]])
def test_a_table_that_was_left_out_is_a_problem_and_no_empty_log(form, tmp_path):
    target = dump(tmp_path / "some", *form, "-t", "workflow.workflow_runs", "-t", "workflow.workflow_steps")
    world = open_world(str(target))
    problems = {problem.where: problem for problem in world.receipt.problems if problem.severity == "error"}
    assert "what they would say is unknown, not none" in problems["workflow.workflow_events"].message
    assert list(world.missing) == ["workflow_events"]


@pytest.mark.postgres
def test_rows_that_were_left_out_are_a_problem_too(tmp_path):
    target = dump(tmp_path / "some.sql", "--exclude-table-data", "workflow.workflow_events*")
    world = open_world(str(target))
    assert "none of its rows" in world.missing["workflow_events"]


def test_a_dump_cut_in_its_first_table_still_names_the_runs(tmp_path):
    text = PARTITIONED.read_bytes()
    target = tmp_path / "cut.sql"
    target.write_bytes(text[: text.index(b"run_completed")])
    world = open_world(str(target))
    [run] = world.runs()
    assert (run.run_id, run.synthesised) == (RUN, True)
    codes = {problem.code for problem in world.receipt.problems}
    assert {"torn-dump", "no-run"} <= codes
    assert "workflow_runs" in world.missing
    check_world(lambda: open_world(str(target)))


def test_a_zip_of_a_dump_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "dump.sql.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(PARTITIONED, "backup/dump.sql")
    assert events(tmp_path / "dump.sql.zip") == CALLS


def test_other_columns_are_another_world():
    """The tables of the Platformatic service have the same names; their columns tell."""
    world = open_world(str(PLATFORMATIC))
    assert (world.kind, world.about["layout"]) == ("pgdump", "platformatic")
    assert events(PLATFORMATIC) == CALLS
    [step] = world.steps(RUN)
    assert step.attempt == 2 and step.name.function == "charge"
    assert world.run(RUN).payload("output").value == {"ok": True}
    check_world(lambda: open_world(str(PLATFORMATIC)))


def test_foreign_tables_are_named(tmp_path):
    target = tmp_path / "dump.sql"
    target.write_text(
        "--\n-- PostgreSQL database dump\n--\nCREATE TABLE public.workflow_runs (nr integer, what text);\n"
    )
    with pytest.raises(SourceUnreadable) as caught:
        open_world(str(target))
    assert "a dump of PostgreSQL with the table workflow_runs; no layout is known" in caught.value.message


@pytest.mark.parametrize("size", [6, 30, 200, 2000])
def test_an_archive_cut_in_its_contents_is_refused(size, tmp_path):
    (tmp_path / "x.dump").write_bytes((b"PGDMP\x01\x0e\x00\x04\x08\x01" + b"\x00\x05\0\0\0" * 500)[:size])
    with pytest.raises(SourceUnreadable):
        open_world(str(Path(tmp_path / "x.dump")))


def test_two_runs_with_a_stream_of_one_name_keep_their_own_chunks(tmp_path):
    own = "strm_01M8Q7KAAAAAAAAAAAAAAAAAA1_user"
    text = PARTITIONED.read_text("utf-8")
    line = next(line for line in text.splitlines() if line.startswith("chnk_01M8Q7KAAAAAAAAAAAAAAAAAC5"))
    other = line.replace("AAC5", "AAC9", 1).replace(
        "\twrun_01M8Q7KAAAAAAAAAAAAAAAAAA1\t", "\twrun_of_another\t"
    )
    (tmp_path / "dump.sql").write_text(text.replace(line, f"{other}\n{line}"), "utf-8")
    world = open_world(str(tmp_path / "dump.sql"))
    ids = [chunk.chunk_id for chunk in world.stream("wrun_01M8Q7KAAAAAAAAAAAAAAAAAA1", own)]
    assert "chnk_01M8Q7KAAAAAAAAAAAAAAAAAC5" in ids and "chnk_01M8Q7KAAAAAAAAAAAAAAAAAC9" not in ids
