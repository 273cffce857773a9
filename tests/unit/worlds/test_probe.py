"""``probe`` says what a source is by what it holds; a store nobody knows is named, never called empty."""

from __future__ import annotations

import json

import pytest

from eve_replay.cli import run
from eve_replay.worlds.probe import probe
from tests.support import corpus


@pytest.mark.parametrize(
    ("source", "kind", "layout", "runs"),
    [
        ("worlds/turso", "sqlite", "turso", 6),
        ("worlds/redis-bullmq", "redis", "redis-json", 6),
        ("local/crash-in-tool", "local", "world-local per-run", None),
    ],
)
def test_known_stores(source, kind, layout, runs):
    folder = corpus.scenario(source)
    found = probe(str(folder / "data" if (folder / "data").is_dir() else folder))
    assert (found.kind, found.layout, found.readable) == (kind, layout, True)
    assert runs is None or found.runs == runs
    assert "runs" in found.sentence and not found.missing


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("cosmos://account/db", "A Cosmos DB database: nothing here reads it directly."),
        ("jazz://peer", "A Jazz store"),
    ],
)
def test_addresses_nobody_reads_are_named_with_the_way_out(source, words):
    found = probe(source)
    assert words in found.sentence and not found.readable
    assert "npx workflow inspect runs --backend" in found.hint


@pytest.mark.parametrize(
    ("data", "words"), [(b"PAR1" + bytes(50), "a Parquet file"), (b"DUCK" * 20, "a DuckDB database")]
)
def test_files_nobody_reads_are_named(tmp_path, data, words):
    (tmp_path / "x").write_bytes(data)
    found = probe(str(tmp_path / "x"))
    assert words in found.sentence and "workflow inspect" in found.hint


def test_the_command_prints_what_the_contract_says(capsys):
    assert run(["worlds", "--probe", str(corpus.scenario("worlds/turso")), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "eve-replay/worlds"
    assert document["kind"] == "sqlite" and document["runs"] == 6 and document["readable"] is True
    assert document["layout"] == "turso" and document["sentence"].endswith("6 runs.")


def test_the_command_says_what_is_missing(capsys):
    assert run(["worlds", "--probe", "cosmos://h/d"]) == 3
    assert "Cosmos DB database" in capsys.readouterr().out


def test_layouts_are_listed_with_how_they_were_checked(capsys):
    assert run(["worlds", "--layouts", "--json"]) == 0
    listed = {each["name"]: each["status"] for each in json.loads(capsys.readouterr().out)["layouts"]}
    assert listed["turso"] == "recorded" and listed["platformatic"] == "untested"
