"""Dump files of a Postgres world, read without a server."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import tracemalloc
from pathlib import Path

import pytest

from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.worlds.base import World
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.pgdump.text import scan
from eve_replay.worlds.pgdump.values import copy_values, tuple_values
from eve_replay.worlds.pgdump.world import PgDumpWorld, opener
from tests.support.corpus import names, scenario
from tests.support.vendor_oracle import check

SNAPSHOTS = [
    f"{name}/{folder.name}"
    for name in names("postgres")
    for folder in sorted(scenario(f"postgres/{name}").iterdir())
    if folder.is_dir()
]


def folder_of(snapshot: str) -> Path:
    name, _, part = snapshot.partition("/")
    return scenario(f"postgres/{name}") / part


@pytest.mark.parametrize("form", ["dump.sql", "dump.inserts.sql"])
@pytest.mark.parametrize("snapshot", SNAPSHOTS)
def test_every_dump_reads_as_the_vendor_reads_the_database(snapshot: str, form: str) -> None:
    source = str(folder_of(snapshot) / form)
    assert opener.recognises(source) > 0.9
    world = opener.open(source)
    assert isinstance(world, World)
    check(world, json.loads((folder_of(snapshot) / "oracle.json").read_text("utf-8")))
    assert world.receipt.skipped == []
    assert world.about["columns"] in ("4.1", "4.3", "5.0", "upgraded")
    assert world.about["server"] == "15.18"
    world.close()


def variants(text: str) -> dict[str, str]:
    """Other ways in which pg_dump, or a person, writes the same data."""
    inserts = re.compile(r"^INSERT INTO workflow\.(\w+) VALUES \((.*)\);$", re.MULTILINE)
    runs = inserts.findall(text)
    columns = {
        table: [
            line.split()[0]
            for line in re.search(
                rf"CREATE TABLE workflow\.{table} \(\n(.*?)\n\);", text, re.DOTALL
            ).group(1).splitlines()  # type: ignore[union-attr]
        ]
        for table in {table for table, _ in runs}
    }  # fmt: skip
    named = inserts.sub(
        lambda m: f"INSERT INTO workflow.{m[1]} ({', '.join(columns[m[1]])}) VALUES ({m[2]});", text
    )
    many: dict[str, list[str]] = {}
    for table, row in runs:
        many.setdefault(table, []).append(f"({row})")
    several = inserts.sub("", text) + "".join(
        f"INSERT INTO workflow.{table} ({', '.join(columns[table])}) VALUES\n\t" + ",\n\t".join(rows) + ";\n"
        for table, rows in many.items()
    )
    return {
        "column names": named,
        "many rows": several,
        "quoted names": named.replace(
            "INSERT INTO workflow.workflow_runs (", 'INSERT INTO "workflow"."workflow_runs" ('
        ),
        "escape strings": re.sub(r"'\\x([0-9a-f]+)'", r"E'\\\\x\1'", named),
        "casts": re.sub(r"('\\x[0-9a-f]+')", r"\1::bytea", named),
        "data only": re.sub(r"CREATE TABLE .*?\n\);", "", named, flags=re.DOTALL),
        "crlf": text.replace("\n", "\r\n"),
        "search path": "SET search_path = workflow, pg_catalog;\n"
        + text.replace("INSERT INTO workflow.", "INSERT INTO ").replace("TABLE workflow.", "TABLE "),
        "function in between": (
            "CREATE FUNCTION public.f() RETURNS void LANGUAGE plpgsql AS $_$\nBEGIN\n"
            "INSERT INTO workflow.workflow_runs VALUES ('it''s; not a row');\nEND;\n$_$;\n"
            "COMMENT ON SCHEMA public IS 'a;\nINSERT INTO workflow.workflow_runs VALUES (1);\n';\n"
            "/* INSERT INTO workflow.workflow_runs VALUES (2); */\n" + text
        ),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", list(variants((folder_of("sdk5_rich/final") / "dump.inserts.sql").read_text()))
)
def test_other_ways_of_writing_the_same_dump(name: str, tmp_path: Path) -> None:
    original = folder_of("sdk5_rich/final") / "dump.inserts.sql"
    path = tmp_path / "other.sql"
    path.write_bytes(variants(original.read_text("utf-8"))[name].encode())
    ours, theirs = dump_document(opener.open(str(path))), dump_document(opener.open(str(original)))
    for part in ("runs", "steps", "events", "streams"):
        assert ours[part] == theirs[part], part


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst", ".bz2"])
def test_compressed_dumps(suffix: str, tmp_path: Path) -> None:
    import bz2

    import zstandard

    raw = (folder_of("eve_simple/final") / "dump.sql").read_bytes()
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress,
            ".zst": zstandard.ZstdCompressor().compress}[suffix]  # fmt: skip
    path = tmp_path / f"dump.sql{suffix}"
    path.write_bytes(pack(raw))
    assert opener.recognises(str(path)) == 0.95
    assert len(list(opener.open(str(path)).runs())) == 3
    path.write_bytes(pack(raw)[:-2000])
    try:
        world = opener.open(str(path))
    except SourceUnreadable as error:
        # Nothing comes out of a cut bzip2 block.
        assert suffix in (".bz2", ".zst") and "cannot be read" in error.message
    else:
        assert "torn-dump" in {problem.code for problem in world.receipt.problems}
        assert list(world.runs())


def test_a_torn_dump_shows_what_is_there(tmp_path: Path) -> None:
    whole = (folder_of("eve_simple/final") / "dump.sql").read_bytes()
    cut = whole.index(b"COPY workflow.workflow_steps") + 3000
    path = tmp_path / "dump.sql"
    path.write_bytes(whole[:cut])
    world = opener.open(str(path))
    assert len(list(world.runs())) == 3
    assert [p.code for p in world.receipt.problems] == ["torn-dump"]
    assert "workflow.workflow_steps" in world.receipt.problems[0].message


def test_damaged_rows_are_named_and_hide_nothing(tmp_path: Path) -> None:
    lines = (folder_of("sdk5_crash/final") / "dump.sql").read_text("utf-8").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("wevt_"))
    lines[first] += "\ttoo\tmany"
    lines[first + 1] = lines[first + 1].replace("run_started", "run_\\303\\251")
    lines[first + 2] = lines[first + 2].replace("\\\\xb9", "\\\\xzz")
    lines[first + 3] = re.sub(r"\\\\xb9[0-9a-f]{20}", r"\\\\xb9", lines[first + 3])
    path = tmp_path / "dump.sql"
    path.write_text("\n".join(lines), "utf-8")
    world = opener.open(str(path))
    document = dump_document(world)
    assert len(document["events"]) == 9
    assert document["events"][0]["eventType"] == "run_é"
    assert [event["eventData"]["$type"] for event in document["events"][1:3]] == ["undecodable"] * 2
    rows = [skip for skip in world.receipt.skipped if skip.what == "row"]
    assert [skip.why for skip in rows] == ["10 values for 8 columns"]
    assert {p.code for p in world.receipt.problems} >= {"bad-cbor"}


def test_several_schemas_and_the_choice(tmp_path: Path) -> None:
    one = (folder_of("sdk5_crash/final") / "dump.sql").read_text("utf-8")
    two = (folder_of("sdk5_retry/final") / "dump.sql").read_text("utf-8").replace("workflow.", "shop.")
    path = tmp_path / "dump.sql"
    path.write_text(one + two, "utf-8")
    world = opener.open(str(path))
    assert world.about["schema"] == "workflow"
    assert [p.code for p in world.receipt.problems] == ["several-schemas"]
    assert next(iter(opener.open(str(path), schema="shop").runs())).workflow.function == "retrying"
    with pytest.raises(SourceUnreadable, match="It holds: shop, workflow"):
        opener.open(str(path), schema="nope")
    path.write_text(two, "utf-8")
    assert opener.open(str(path)).about["schema"] == "shop"


def test_the_queue_of_a_whole_dump_is_read(tmp_path: Path) -> None:
    folder = folder_of("eve_crash/after-kill")
    jobs = json.loads((folder / "rows.json").read_text("utf-8"))["graphile_jobs"]
    rows = "".join(
        "\t".join(
            (str(job["id"]), job["key"], str(job["attempts"]), str(job["max"]), job["run_at"],
             job["locked_at"] or "\\N", "\\N", json.dumps(job["payload"]))
        ) + "\n"
        for job in jobs
    )  # fmt: skip
    path = tmp_path / "dump.sql"
    columns = "id, key, attempts, max_attempts, run_at, locked_at, last_error, payload"
    path.write_text(
        (folder / "dump.sql").read_text("utf-8")
        + f"COPY graphile_worker._private_jobs ({columns}) FROM stdin;\n{rows}\\.\n",
        "utf-8",
    )
    world = opener.open(str(path))
    assert isinstance(world, PgDumpWorld)
    assert [(j.function, j.locked_at is not None) for j in world.jobs()] == [
        ("workflow//eve//sessionTimeoutWorkflow", False),
        ("workflow//eve//turnWorkflow", True),
    ]
    assert world.about["queue"] == "2 jobs, 1 taken by a worker"


def test_what_is_no_readable_dump_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "dump.sql"
    path.write_bytes(b"PGDMP\x01\x0e\x00" + b"\0" * 50)
    assert opener.recognises(str(path)) == 0.95
    with pytest.raises(SourceUnreadable, match="the dump ends early"):
        opener.open(str(path))
    path.write_text("-- PostgreSQL database dump\nCREATE TABLE public.orders (id int);\n", "utf-8")
    with pytest.raises(SourceUnreadable, match=r"no table workflow.workflow_runs"):
        opener.open(str(path))
    (tmp_path / "toc.dat").write_bytes(b"PGDMP")
    assert opener.recognises(str(tmp_path)) == 0.95
    with pytest.raises(SourceUnreadable, match="pg_restore"):
        opener.open(str(tmp_path))
    with pytest.raises(SourceUnreadable):
        opener.open(str(tmp_path / "missing.sql"))
    assert opener.recognises(str(tmp_path / "missing.sql")) == 0.0
    assert opener.recognises("x\0y") == 0.0


def test_a_folder_with_a_dump_and_an_unknown_run() -> None:
    source = str(folder_of("sdk5_crash/final"))
    assert opener.recognises(source) == 0.6
    world = opener.open(source)
    for ask in (world.run, lambda i: list(world.events(i)), lambda i: list(world.steps(i)),
                lambda i: list(world.others(i)), lambda i: list(world.stream(i, "strm_x"))):  # fmt: skip
        with pytest.raises(NotFound):
            ask("wrun_x")


def test_values() -> None:
    assert copy_values(b"a\\tb\t\\N\t\t\\\\x00\t\\101\\x42\\q") == [b"a\tb", None, b"", b"\\x00", b"ABq"]
    row = b"('it''s (a) , b', NULL, 12.5, true, '\\x00'::bytea, E'a\\nb\\'', '{\"a\": 1}'::jsonb, now())"
    assert tuple_values(row) == [
        b"it's (a) , b", None, b"12.5", b"true", b"\\x00", b"a\nb'", b'{"a": 1}', b"now()",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no row"):
        tuple_values(b"('open")


def test_a_large_dump_costs_little_memory(tmp_path: Path) -> None:
    head, sep, rest = (
        (folder_of("sdk5_crash/final") / "dump.sql").read_text("utf-8").partition("FROM stdin;\n")
    )
    event = next(line for line in rest.split("\n") if "step_completed" in line)
    path = tmp_path / "dump.sql"
    with path.open("w", encoding="utf-8") as file:
        file.write(head + sep)
        for number in range(5000):
            file.write(
                event.replace("wevt_01M8NVS5", f"wevt_00{number:06d}").replace(
                    "\\\\xb9", "\\\\xb9" + "00" * 2000
                )
            )
            file.write("\n")
        file.write(rest)
    tracemalloc.start()
    with path.open("rb") as file:
        assert sum(1 for _ in scan(file, frozenset({"workflow_events"}))) > 5000
    world = opener.open(str(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path.stat().st_size > 20_000_000
    assert peak < 6_000_000, f"{peak:,}"
    assert len(list(world.runs())) == 1
    world.close()


@pytest.mark.parametrize("snapshot", ["eve_cancelled/final", "sdk41_sleephook/held", "sdk4_rich/final"])
def test_it_keeps_the_contract(snapshot: str) -> None:
    source = str(folder_of(snapshot) / "dump.sql")
    assert len(check_world(lambda: opener.open(source))) > 9
