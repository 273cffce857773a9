"""mongoexport files of the community MongoDB world.

There is no recording of this world: no MongoDB server could be installed. Its documents are the entities that
the Redis world stores too (docs/formats/community.md), so a Redis recording is written out here as
mongoexport would, and must read back the same.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from eve_replay.codec import Payload
from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.records import HookRecord, StreamRecord
from eve_replay.values import UNDEFINED, BigInt, JsDate, RegExp, Undecoded
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.mongo.json import from_extended
from eve_replay.worlds.mongo.world import opener
from eve_replay.worlds.redis.opener import opener as redis
from tests.support.corpus import names, scenario

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")


def canonical(value: Any) -> Any:
    """Return a record field as canonical extended JSON."""
    if isinstance(value, Payload):
        raw = value.raw
        if not isinstance(raw, bytes):
            return canonical(raw)
        return {"$binary": {"base64": base64.b64encode(raw).decode(), "subType": "00"}}
    if isinstance(value, Mapping):
        return {name: canonical(part) for name, part in value.items()}
    if isinstance(value, list):
        return [canonical(part) for part in value]
    if isinstance(value, str) and _TIME.match(value):
        millis = round(datetime.fromisoformat(value).timestamp() * 1000)
        return {"$date": {"$numberLong": str(millis)}}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"$numberInt": str(value)}
    return value


def collections_of(name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of every collection for a Redis recording."""
    world = redis.open(str(scenario(f"redis/{name}") / "final"))
    out: dict[str, list[dict[str, Any]]] = {
        kind: [] for kind in ("runs", "steps", "events", "hooks", "stream_chunks", "stream_runs")
    }
    for run in world.runs():
        out["runs"].append(canonical(run.fields))
        out["steps"] += [canonical(step.fields) for step in world.steps(run.run_id)]
        out["events"] += [canonical(event.fields) for event in world.events(run.run_id)]
        for other in world.others(run.run_id):
            if isinstance(other, HookRecord):
                out["hooks"].append(canonical(other.fields))
            elif isinstance(other, StreamRecord):
                out["stream_runs"].append({"runId": run.run_id, "streamName": other.name})
                for chunk in world.stream(run.run_id, other.name):
                    data = {"$binary": {"base64": base64.b64encode(chunk.data).decode(), "subType": "00"}}
                    out["stream_chunks"].append(
                        {"chunkId": chunk.chunk_id, "streamName": other.name, "data": data, "eof": chunk.end}
                    )
    for number, documents in enumerate(out.values()):
        for index, document in enumerate(documents):
            document["_id"] = {"$oid": f"{number:012x}{index:012x}"}
            document["__v"] = {"$numberInt": "0"}
    return out


def write(folder: Path, found: dict[str, list[dict[str, Any]]], *, array: bool = False) -> None:
    for name, documents in found.items():
        text = json.dumps(documents) if array else "".join(json.dumps(d) + "\n" for d in documents)
        (folder / f"{name}.json").write_text(text, "utf-8")


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize("name", names("redis"))
def test_exported_collections_read_as_the_same_story(name: str, array: bool, tmp_path: Path) -> None:
    write(tmp_path, collections_of(name), array=array)
    assert opener.recognises(str(tmp_path)) == 0.7
    assert opener.recognises(str(tmp_path / "events.json")) == 0.9
    world = opener.open(str(tmp_path))
    ours = dump_document(world)
    theirs = dump_document(redis.open(str(scenario(f"redis/{name}") / "final")))
    for part in ("runs", "steps", "events", "hooks", "streams"):
        assert ours[part] == theirs[part], part
    assert [p.code for p in world.receipt.problems if p.code != "after-end"] == []


def test_missing_collections_are_named_and_one_file_is_enough(tmp_path: Path) -> None:
    found = collections_of("redisr_retry")
    write(tmp_path, {"events": found["events"]})
    world = opener.open(str(tmp_path / "events.json"))
    run = next(iter(world.runs()))
    assert len(list(world.events(run.run_id))) == 11
    missing = [(p.severity, p.message.split()[-10:][0]) for p in world.receipt.problems]
    assert [severity for severity, _ in missing] == ["warning", "warning"]
    assert {p.code for p in world.receipt.problems} == {"missing-collection"}
    write(tmp_path, {"runs": found["runs"]})
    (tmp_path / "events.json").unlink()
    only = opener.open(str(tmp_path))
    assert ("error", "missing-collection") in {(p.severity, p.code) for p in only.receipt.problems}
    with pytest.raises(NotFound):
        only.run("wrun_x")


def test_damaged_documents_hide_nothing(tmp_path: Path) -> None:
    found = collections_of("redisr_retry")
    write(tmp_path, found)
    lines = (tmp_path / "events.json").read_text("utf-8").splitlines()
    lines[1] = lines[1][:-5]
    lines[2] = "[]"
    lines[3] = lines[3].replace('"base64": "', '"base64": "*')
    lines.append('{"_id": {"$oid": "1"}, "scheduledFor": {"$date": "2026-01-01T00:00:00Z"}}')
    lines.append('{"_id": {"$oid": "2"}, "other": 1}')
    (tmp_path / "events.json").write_text("\n".join(lines), "utf-8")
    world = opener.open(str(tmp_path))
    assert len(dump_document(world)["events"]) == 9
    whats = [skip.what for skip in world.receipt.skipped]
    assert whats.count("document") == 3 and "queue message" in whats


def test_what_cannot_be_read_is_explained(tmp_path: Path) -> None:
    assert opener.recognises("mongodb://h/workflow") == 0.9
    with pytest.raises(SourceUnreadable, match="mongodump"):
        opener.open("mongodb://user:pw@127.0.0.1:1/workflow", timeout=0.1)
    assert opener.recognises(str(tmp_path)) == opener.recognises(str(tmp_path / "no.json")) == 0.0
    with pytest.raises(SourceUnreadable, match="no run, step or event"):
        opener.open(str(tmp_path))
    with pytest.raises(SourceUnreadable):
        opener.open(str(tmp_path / "no.json"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ({"$numberLong": "5"}, 5),
        ({"$numberLong": "9223372036854775807"}, BigInt(9223372036854775807)),
        ({"$numberDouble": "Infinity"}, float("inf")),
        ({"$numberDouble": "-0.0"}, -0.0),
        ({"$date": "2026-03-04T05:06:07.5Z"}, JsDate(1772600767500)),
        ({"$date": 12}, JsDate(12)),
        ({"$binary": "AQI=", "$type": "00"}, b"\x01\x02"),
        ({"$binary": {"base64": "!", "subType": "00"}}, None),
        ({"$date": "yesterday"}, None),
        ({"$numberInt": "x"}, None),
        ({"$undefined": True}, UNDEFINED),
        ({"$regularExpression": {"pattern": "a", "options": "i"}}, RegExp("a", "i")),
        ({"$custom": 1, "b": [{"$oid": "x"}]}, {"$custom": 1, "b": ["x"]}),
    ],
)
def test_extended_json(text: Any, value: object) -> None:
    found = from_extended(text)
    if value is None:
        assert isinstance(found, Undecoded)
    else:
        assert found == value


def test_deep_documents_do_not_break_the_reader() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert isinstance(from_extended(deep), list)


def test_it_keeps_the_contract(tmp_path: Path) -> None:
    write(tmp_path, collections_of("redisr_sleephook"))
    assert len(check_world(lambda: opener.open(str(tmp_path)))) > 9
