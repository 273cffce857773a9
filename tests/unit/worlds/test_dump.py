"""Our reading of every local recording equals the vendor's own (``oracle.json``)."""

from __future__ import annotations

import json

import pytest

from eve_replay.worlds.dump import dump_document, dump_lines, dump_sections
from eve_replay.worlds.registry import open_world
from tests.support import corpus, vendor_oracle

SECTIONS = ("runs", "steps", "events", "hooks", "waits", "streams")
PYTHON = ("journal-killed", "journal-killed-resumed", "journal-retry")


def same(ours, theirs, path="$"):
    """Deep equality that tells True from 1 and names the first difference."""
    assert isinstance(ours, bool) == isinstance(theirs, bool), path
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), f"{path}: {ours.keys() ^ theirs.keys()}"
        for key in ours:
            same(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        assert len(ours) == len(theirs), path
        for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            same(a, b, f"{path}[{index}]")
    else:
        assert ours == theirs, path


def dumped(folder):
    world = open_world(str(folder))
    document = dump_document(world)
    return world, json.loads(json.dumps(document))


@pytest.mark.parametrize("name", corpus.names())
def test_equals_the_oracle(name):
    folder = corpus.scenario(name)
    oracle = corpus.load_json(folder / "oracle.json")
    world, ours = dumped(folder / "data")
    for section in SECTIONS:
        same(ours[section], oracle[section], section)
    assert ours["world"]["kind"] == oracle["world"]["kind"]
    assert ours["world"]["versionTxt"] == oracle["world"]["versionTxt"]
    # The oracle of eve 0.20.0 was made without a vendor world (reader "raw-files"), so it tells no version.
    if oracle["world"]["specVersion"] is not None:
        assert ours["world"]["specVersion"] == oracle["world"]["specVersion"]
    assert not world.receipt.skipped
    assert world.receipt.seen == world.receipt.parsed > 0
    assert world.receipt.decoded > 0


def without_fatal(value):
    """Drop ``fatal: true``, which that oracle's decoder adds to a FatalError and no payload holds."""
    if isinstance(value, list):
        return [without_fatal(item) for item in value]
    if isinstance(value, dict):
        error = value.get("$type") == "Error"
        return {k: without_fatal(v) for k, v in value.items() if not (error and k == "fatal")}
    return value


@pytest.mark.parametrize("name", corpus.names("local-sdk"))
def test_equals_the_oracle_of_the_plain_sdk(name):
    folder = corpus.scenario(f"local-sdk/{name}")
    for path in sorted(folder.glob("oracle-*.json")):
        oracle = corpus.load_json(path)
        _, ours = dumped(folder / path.stem.removeprefix("oracle-"))
        ours = vendor_oracle.same_paths(ours)
        wanted = vendor_oracle.expected(oracle)
        for section, rows in wanted.items():
            same(ours[section], without_fatal(rows), section)
        listed = vendor_oracle.streams(oracle)
        # A race of the beta writer lost one stream's index entry: its chunks are there, the vendor does not
        # list it, we do (problem "unlisted-stream").
        unlisted = {"strm_01M8NWQBWA8E2EMMJ4TQM3RRK4_user"} if name == "local5_rich" else set()
        assert ours["streams"].keys() - listed.keys() == unlisted
        for stream, wanted_stream in listed.items():
            if wanted_stream["values"] is not None:
                same(ours["streams"][stream]["values"], wanted_stream["values"], stream)


@pytest.mark.parametrize("name", PYTHON)
def test_equals_the_oracle_of_the_python_sdk(name):
    folder = corpus.scenario("python-sdk")
    _, ours = dumped(folder / name)
    oracle = corpus.load_json(folder / f"oracle-{name}.json")
    for section in SECTIONS:
        same(ours[section], oracle[section], section)


#: Recordings whose session streams the API served (it refuses purged ones, older ones had no such route).
UNSERVED = {"long-session", "big-payload", "retention-0"}
SERVED = [name for name in corpus.names() if name not in UNSERVED and not name.startswith("sdk")]


@pytest.mark.parametrize("name", SERVED)
def test_session_streams_equal_what_the_api_served(name):
    folder = corpus.scenario(name)
    served = sorted(folder.glob("stream-wrun_*.ndjson"))
    assert served
    _, ours = dumped(folder / "data")
    held = [
        line
        for stream in ours["streams"].values()
        for value in stream["values"]
        if isinstance(value, dict) and value.get("$type") == "ndjson"
        for line in value["lines"]
    ]
    for path in served:
        lines = corpus.load_ndjson(path)
        assert [line for line in held if line in lines] == lines


def test_lines_hold_what_the_document_holds():
    world = open_world("sample:approval-hold")
    document = dump_document(world)
    lines = list(dump_lines(world))
    assert lines[-1]["kind"] == "world"
    for section in ("runs", "steps", "events"):
        assert [x["record"] for x in lines if x["kind"] == section[:-1]] == document[section]
    assert {x["name"] for x in lines if x["kind"] == "stream"} == document["streams"].keys()


def test_sections_come_run_by_run():
    world = open_world("sample:crash-in-tool")
    order = [section for section, _, _ in dump_sections(world)]
    assert order[0] == "runs" and order.count("runs") == 2
    assert order.index("streams") < len(order) - 1 - order[::-1].index("runs")


def test_what_does_not_decode_is_shown_and_counted(tmp_path):
    folder = corpus.scratch("crash-in-tool", tmp_path) / "data"
    path = next(p for p in sorted((folder / "steps").rglob("*.json")) if b"enN0Z" in p.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"enN0Z", b"enN0A"))
    world, ours = dumped(folder)
    bad = [s for s in ours["steps"] if '"undecodable"' in json.dumps(s)]
    assert len(bad) == 1
    assert world.receipt.skipped
    assert any(p.code.startswith("undecoded-") for p in world.receipt.problems)
    assert len(ours["steps"]) == 4
