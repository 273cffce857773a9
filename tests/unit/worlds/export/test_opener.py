"""Exports of ``workflow inspect --json``: every capture, and what they have lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from eve_replay.codec import stream_values
from eve_replay.errors import SourceUnreadable
from eve_replay.values import UNDEFINED, JsBytes, Tagged, Undecoded
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.export.opener import opener
from eve_replay.worlds.export.values import index_bytes, restore
from eve_replay.worlds.pgdump.world import opener as pgdump
from tests.support.corpus import names, scenario
from tests.support.vendor_oracle import same_paths

CAPTURES = names("cli-export")
#: Captures of databases that are recordings too: the same runs, read through the command and from the rows.
PAIRS = {
    name: f"postgres/{name.partition('_pg_')[2]}"
    for name in CAPTURES
    if "_pg_" in name and name.partition("_pg_")[2] in names("postgres")
}


def codes(world: Any) -> set[tuple[str, str]]:
    return {(p.severity, p.code) for p in world.receipt.problems}


@pytest.mark.parametrize("name", CAPTURES)
def test_every_capture_opens_and_nothing_is_invented(name: str) -> None:
    folder = scenario(f"cli-export/{name}")
    assert opener.recognises(str(folder)) >= 0.5
    world = opener.open(str(folder))
    document = dump_document(world)
    assert document["runs"]
    seen: set[str] = set()
    for path in folder.glob("*.json"):
        if path.stat().st_size and path.name != "index.json":
            seen.update(part.strip('" ,') for part in path.read_text("utf-8").replace(":", ",").split(","))
    for kind, id_ in (("runs", "runId"), ("steps", "stepId"), ("events", "eventId"), ("hooks", "hookId")):
        for record in document[kind]:
            assert any(record[id_] in text for text in seen)
    empty = {path.name for path in folder.glob("*.json") if path.stat().st_size == 0}
    failed = {p.where for p in world.receipt.problems if p.code == "failed-export"}
    assert failed == empty


def lossy(value: Any) -> Any:
    """Return what JSON.stringify makes of canonical tagged JSON, and where it loses: the word LOST."""
    if isinstance(value, list):
        return [None if item == {"$type": "undefined"} else lossy(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get("$type")
    if tag is None:
        kept = {k: lossy(v) for k, v in value.items() if v != {"$type": "undefined"}}
        return kept or "LOST"
    if tag in ("Map", "Set", "Headers", "URLSearchParams", "RegExp", "ArrayBuffer"):
        return "LOST"
    if tag in ("Date", "URL"):
        return value["value"]
    if tag == "number":
        return 0 if value["value"] == "-0" else None
    return "OTHER"


def same(exported: Any, real: Any, path: str = "$") -> None:
    """Assert that what the export says agrees with what was really there."""
    if isinstance(exported, dict) and exported.get("$type") == "undecodable":
        assert exported["error"].get("reason") or exported["error"]["name"], path
        return
    real = lossy(real) if not isinstance(real, (dict, list)) or "$type" in real else real
    if real in ("OTHER", "LOST"):
        assert real == "OTHER", f"{path}: shown as {exported!r} although its content was lost"
        return
    if isinstance(real, dict) and isinstance(exported, dict) and "$type" not in exported:
        for name, part in exported.items():
            same(part, real[name], f"{path}.{name}")
        return
    if isinstance(real, list) and isinstance(exported, list):
        assert len(real) == len(exported), path
        for number, (one, two) in enumerate(zip(exported, real, strict=True)):
            same(one, two, f"{path}[{number}]")
        return
    assert exported == real, path


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_an_export_agrees_with_the_database_it_was_made_from(name: str) -> None:
    exported = dump_document(opener.open(str(scenario(f"cli-export/{name}"))))
    real = same_paths(dump_document(pgdump.open(str(scenario(PAIRS[name]) / "final"))))
    keys = {"runs": "runId", "steps": "stepId", "events": "eventId", "hooks": "hookId"}
    for kind, id_ in keys.items():
        rows = {record[id_]: record for record in real[kind]}
        ours = {record[id_]: record for record in exported[kind]}
        if name != "cli5b39_pg_eve_approval":
            assert ours.keys() == rows.keys(), kind
        for key, record in ours.items():
            for field, value in record.items():
                if field in ("workflowCoreVersion", "ownerId", "projectId", "environment"):
                    continue
                if field == "error" or (field == "eventData" and "error" in record.get("eventData", {})):
                    continue
                # What the command was run on may be a moment younger than the recording.
                if kind == "runs" and rows[key].get("status") != record.get("status"):
                    continue
                same(value, rows[key].get(field, {"$type": "undefined"}), f"{kind} {key} {field}")


def test_the_default_limit_cuts_and_that_is_named(tmp_path: Path) -> None:
    source = scenario("cli-export/cli489_pg_sdk4_sleephook")
    for name in ("runs.json", "run1.events.json", "run1.steps.json"):
        shutil.copy(source / name, tmp_path / name)
    world = opener.open(str(tmp_path))
    problem = next(p for p in world.receipt.problems if p.code == "truncated-export")
    assert problem.severity == "error" and "20 newest events" in problem.message
    assert "--sort asc --limit" in problem.hint
    run = next(iter(world.runs()))
    events = list(world.events(run.run_id))
    assert len(events) == 20 and events[0].event_type != "run_created"
    # Without --withData nothing is known of the payloads: they are unknown, not absent and not empty.
    undecoded = [run.payload("input"), run.payload("output"), *(p for e in events for _, p in e.payloads())]
    assert len(undecoded) > 8
    assert all(isinstance(p.value, Undecoded) and p.value.reason == "not-exported" for p in undecoded if p)
    # A second file with the rest makes it whole.
    shutil.copy(source / "run1.events.data.all.json", tmp_path / "more.json")
    whole = opener.open(str(tmp_path))
    assert "truncated-export" not in {p.code for p in whole.receipt.problems}
    assert len(list(whole.events(run.run_id))) == 22


def test_a_single_file_is_enough(tmp_path: Path) -> None:
    source = scenario("cli-export/cli5b39_pg_sdk5_crash")
    world = opener.open(str(source / "run1.events.data.all.json"))
    assert opener.recognises(str(source / "run1.events.data.all.json")) == 0.7
    assert ("warning", "no-run") in codes(world)
    run = next(iter(world.runs()))
    assert run.status == "" and len(list(world.events(run.run_id))) == 10
    lines = json.loads((source / "run1.events.data.all.json").read_text("utf-8"))
    path = tmp_path / "events.ndjson"
    path.write_text("\n".join([*(json.dumps(line) for line in lines), '{"broken']), "utf-8")
    again = opener.open(str(path))
    assert len(list(again.events(run.run_id))) == 10
    assert [skip.where for skip in again.receipt.skipped] == ["events.ndjson:11"]
    only = opener.open(str(source / "runs.json"))
    assert ("error", "no-events") in codes(only)


def test_lost_values_are_unknown_and_never_empty() -> None:
    world = opener.open(str(scenario("cli-export/cli489_pg_sdk4_rich2")))
    run = next(iter(world.runs()))
    output = run.payload("output")
    assert output is not None
    for name in ("map", "set"):
        lost = output.at(f"$.{name}")
        assert isinstance(lost, Undecoded) and lost.reason == "lost-in-export"
    assert output.at("$.keys[0]") == "str"
    assert output.at("$.nothing") is UNDEFINED
    form = output.tagged()["map"]
    assert form["$type"] == "undecodable" and "Map, Set" in form["error"]["message"]


def test_a_bigint_fails_the_command_and_that_is_named() -> None:
    world = opener.open(str(scenario("cli-export/cli489_pg_sdk4_rich")))
    failed = [p for p in world.receipt.problems if p.code == "failed-export"]
    assert len(failed) == 8 and all("BigInt" in p.message for p in failed)
    run = next(iter(world.runs()))
    payload = run.payload("output")
    assert payload is not None and isinstance(payload.value, Undecoded)


def test_an_older_command_on_newer_data_is_no_empty_run() -> None:
    world = opener.open(str(scenario("cli-export/cli5b55_local_eve0801")))
    found = [p for p in world.receipt.problems if p.code == "no-events"]
    assert len(found) == 2 and {p.severity for p in found} == {"error"}
    assert "older than the data" in found[0].message


def test_encrypted_values_are_no_text() -> None:
    world = opener.open(str(scenario("cli-export/cli5b55_fakevercel_enc")))
    run = next(iter(world.runs()))
    value = run.payload("input").value  # type: ignore[union-attr]
    assert isinstance(value, Undecoded) and value.reason == "missing-key"


def test_streams_of_an_export_are_streams() -> None:
    world = opener.open(str(scenario("cli-export/cli489_pg_sdk4_rich")))
    run = next(iter(world.runs()))
    name = "strm_01M8NVNMBW5CNDKM2CDDYG7ZPH_user"
    values = [item.value for item in stream_values(world.stream(run.run_id, name))]
    assert [value["i"] for value in values] == [0, 1]  # type: ignore[index]
    assert ("info", "stream-guessed") in codes(world)
    raw = opener.open(str(scenario("cli-export/cli489_pg_sdk4_sleephook")))
    run = next(iter(raw.runs()))
    chunk = stream_values(raw.stream(run.run_id, "strm_01M8NW0PATWQN098VHGQ443Q1B"))[0]
    assert chunk.value == JsBytes("Uint8Array", b"hello webhook")


def test_files_named_after_their_stream_need_no_guess(tmp_path: Path) -> None:
    source = scenario("cli-export/cli489_pg_sdk4_rich")
    for name in ("runs.json", "run1.events.json", "run1.streams.json"):
        shutil.copy(source / name, tmp_path / name)
    (tmp_path / "strm_01M8NVNMNAT2S0SVJB1V54Q7BH.json").write_text('"one"\n{"two": 2}\n', "utf-8")
    (tmp_path / "stream.json").write_text('"free"\n', "utf-8")
    (tmp_path / "more-stream.json").write_text('"owner unknown"\n', "utf-8")
    world = opener.open(str(tmp_path))
    run = next(iter(world.runs()))
    found = stream_values(world.stream(run.run_id, "strm_01M8NVNMNAT2S0SVJB1V54Q7BH"))
    assert [item.value for item in found] == ["one", {"two": 2}]
    assert [s.where for s in world.receipt.skipped if s.what == "stream"] == ["stream.json"]


def test_restoring() -> None:
    printed = {
        "a": [{}, {"x": {}}, None],
        "s": {"__type": "__workflow_stream_ref__", "streamId": "strm_1"},
        "i": {
            "__type": "__workflow_class_instance_ref__",
            "className": "C",
            "classId": "c",
            "data": {"m": {}},
        },
    }
    value: Any = restore(printed)
    assert isinstance(value["a"][0], Undecoded) and isinstance(value["a"][1]["x"], Undecoded)
    assert value["s"] == Tagged("ReadableStream", {"name": "strm_1"})
    assert isinstance(value["i"].fields["data"]["m"], Undecoded)
    assert printed["a"][0] == {}, "the printed data is left alone"
    assert isinstance(restore("<data expired>"), Undecoded)
    deep: Any = {}
    for _ in range(5000):
        deep = [deep]
    assert isinstance(restore(deep), list)
    assert index_bytes({"0": 104, "1": 105}) == JsBytes("Uint8Array", b"hi")
    for other in ({}, {"1": 1}, {"0": 256}, {"0": True}, {"0": 1, "2": 2}, [104], "x"):
        assert index_bytes(other) is None


def test_what_is_no_export_is_explained(tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("", "utf-8")
    with pytest.raises(SourceUnreadable, match="BigInt"):
        opener.open(str(empty))
    other = tmp_path / "package.json"
    other.write_text('{"name": "x", "version": "1"}', "utf-8")
    assert opener.recognises(str(other)) == opener.recognises(str(tmp_path)) == 0.0
    with pytest.raises(SourceUnreadable, match="no exported run"):
        opener.open(str(tmp_path))
    with pytest.raises(SourceUnreadable):
        opener.open(str(tmp_path / "missing.json"))
    assert opener.recognises(str(tmp_path / "missing.json")) == 0.0


@pytest.mark.parametrize("name", CAPTURES)
def test_it_keeps_the_contract(name: str) -> None:
    source = str(scenario(f"cli-export/{name}"))
    assert len(check_world(lambda: opener.open(source))) > 9
