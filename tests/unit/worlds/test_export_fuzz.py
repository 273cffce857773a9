"""Damaged files of every kind: an error with a name, or what is still good. Never another exception."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

from eve_replay.errors import EveReplayError
from eve_replay.journal import Journal
from eve_replay.worlds.base import Opener
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.export.opener import opener as export
from eve_replay.worlds.mongo.world import opener as mongo
from eve_replay.worlds.pgdump.world import opener as pgdump
from eve_replay.worlds.redis.opener import opener as redis
from tests.support.corpus import scenario

FILES: dict[str, tuple[Opener, str, str]] = {
    "COPY dump": (pgdump, "postgres/sdk5_sleephook", "held/dump.sql"),
    "INSERT dump": (pgdump, "postgres/sdk41_failed", "final/dump.inserts.sql"),
    "Redis keys": (redis, "redis/redisr_sleephook", "held/keys.json"),
    "events": (export, "cli-export/cli489_pg_sdk4_failed", "run1.events.data.all.json"),
    "runs": (export, "cli-export/cli5b39_pg_eve_simple", "runs.data.json"),
    "oracle": (export, "crash-not-restarted", "oracle.json"),
}


def read_all(opener: Opener, path: Path) -> None:
    assert 0 <= opener.recognises(str(path)) <= 1
    try:
        world = opener.open(str(path))
    except EveReplayError as error:
        assert str(error).strip() and "\n" not in str(error)
        return
    json.dumps(dump_document(world))
    for session in Journal(world).sessions:
        assert session.id is not None
    assert json.dumps(world.receipt.to_json())


def damage(raw: bytes, chance: random.Random) -> bytes:
    """Cut, flip, double or swap pieces, the way disks, editors and careless scripts do."""
    data = bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data))
        length = chance.choice((1, 2, 8, 60, 400))
        kind = chance.randrange(6)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 3:
            data[at:at] = data[at : at + length]
        elif kind == 4:
            data[at : at + length] = bytes(chance.randrange(256) for _ in range(length))
        else:
            data[at : at + 1] = chance.choice(
                (b'"', b"'", b"{", b"[", b"\\", b"\n", b"\t", b"null", b"-1", b"\x00")
            )
        if not data:
            break
    return bytes(data)


@pytest.mark.parametrize("name", FILES)
def test_random_damage_to_bytes(name: str, tmp_path: Path) -> None:
    opener, recording, file = FILES[name]
    raw = (scenario(recording) / file).read_bytes()
    path = tmp_path / Path(file).name
    for seed in range(60):
        path.write_bytes(damage(raw, random.Random(f"{name} {seed}")))
        read_all(opener, path)


ODD: list[Any] = [
    None, True, -1, 0, 2**70, 1.5, float("1e300"), "", "x" * 300, "\ud800", "\0", [], {}, [[]], {"a": {}},
    [None], {"$type": "Date"}, {"$binary": 1}, {"__type": "x"}, {"data": [], "hasMore": True}, "cbor:",
    "2026-13-40T99:99:99Z",
]  # fmt: skip


def change(value: Any, chance: random.Random) -> Any:
    """Replace one part of JSON data by something of another type, somewhere."""
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], change(value[at], chance), *value[at + 1 :]]
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        if chance.random() < 0.1:
            return {k: v for k, v in value.items() if k != name}
        return {**value, name: change(value[name], chance)}
    return chance.choice(ODD)


@pytest.mark.parametrize("name", ["Redis keys", "events", "runs", "oracle"])
def test_fields_of_another_type(name: str, tmp_path: Path) -> None:
    opener, recording, file = FILES[name]
    whole = json.loads((scenario(recording) / file).read_text("utf-8"))
    path = tmp_path / Path(file).name
    for seed in range(150):
        chance = random.Random(f"{name} {seed}")
        data = whole
        for _ in range(chance.randint(1, 5)):
            data = change(data, chance)
        path.write_text(json.dumps(data), "utf-8")
        read_all(opener, path)


def test_mongo_documents_of_another_type(tmp_path: Path) -> None:
    document = {
        "_id": {"$oid": "1"}, "runId": "wrun_1", "eventId": "evnt_1", "eventType": "step_created",
        "correlationId": "step_1", "createdAt": {"$date": {"$numberLong": "1"}},
        "eventData": {"stepName": "step//x", "input": {"$binary": {"base64": "ZGV2bA==", "subType": "00"}}},
    }  # fmt: skip
    path = tmp_path / "events.json"
    for seed in range(300):
        chance = random.Random(seed)
        path.write_text(json.dumps(change(change(document, chance), chance)), "utf-8")
        read_all(mongo, path)


def test_values_inside_redis_keys_of_another_type(tmp_path: Path) -> None:
    def cbor(raw: bytes) -> str:
        return base64.b64encode(b"cbor:" + base64.b64encode(raw)).decode()

    def name(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    # true, -1, a map with number keys, an array of an array, NaN, a tag of another kind, a deep array, a text
    odd = [
        b"\xf5",
        b"\x20",
        b"\xa1\x01\x02",
        b"\x81\x81\xf6",
        b"\xf9\x7e\x00",
        b"\xd9\x01\x03\xa0",
        b"\x81" * 9000,
    ]
    for raw in [*odd, b"\x61x", b"\xd8\x40\x41\x00"]:
        keys = {
            "workflow:runs:idx:all": {"type": "zset", "pttl": -1, "value": [[name("wrun_1"), 1]]},
            "workflow:runs:wrun_1": {
                "type": "hash",
                "value": [
                    [name(f), cbor(raw)]
                    for f in ("runId", "input", "error", "status", "createdAt", "attributes")
                ],
            },
            "workflow:events:wrun_1": {
                "type": "zset",
                "value": [[cbor(raw), 1], [cbor(b"\xa1\x67eventId" + raw), 1]],
            },
            "workflow:steps:idx:run:wrun_1": {
                "type": "zset",
                "value": [[name("step_1"), 1], ["*", 1], [], 5],
            },
            "workflow:steps:wrun_1:step_1": {
                "type": "hash",
                "value": [[name("stepId"), cbor(raw)], [1, 2], None],
            },
            "workflow:stream:runs:wrun_1": {"type": "set", "value": [name("strm_1"), 5]},
            "workflow:stream:strm_1": {
                "type": "stream",
                "value": [["1-0", [[name("data"), cbor(raw)]]], 7, ["1"]],
            },
        }
        path = tmp_path / "keys.json"
        path.write_text(json.dumps(keys), "utf-8")
        read_all(redis, path)
