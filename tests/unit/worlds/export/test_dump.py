"""Documents of our own dump, read back: nothing is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eve_replay.codec import dumps_tagged, session_events
from eve_replay.codec.devalue.document import decode_devalue
from eve_replay.codec.devalue.write import LOST, to_devalue
from eve_replay.errors import SourceUnreadable
from eve_replay.records import HookRecord, StreamRecord
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Boxed,
    Headers,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    NullObject,
    RegExp,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    Url,
    UrlSearchParams,
    same,
    to_tagged,
)
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document, dump_lines
from eve_replay.worlds.export.opener import opener
from eve_replay.worlds.pgdump.world import opener as pgdump
from eve_replay.worlds.redis.opener import opener as redis
from tests.support.corpus import names, scenario

PARTS = ("runs", "steps", "events", "hooks", "waits", "streams")
SOURCES = [
    *(
        f"postgres/{name}"
        for name in names("postgres")
        if name.startswith(("eve_", "sdk41_rich", "sdk5_rich"))
    ),
    *(f"redis/{name}" for name in names("redis")),
]


def document_of(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    folder = scenario(name) / "final"
    world = pgdump.open(str(folder)) if name.startswith("postgres") else redis.open(str(folder))
    return dump_document(world), list(dump_lines(world))


@pytest.mark.parametrize("name", SOURCES)
def test_a_dump_reads_back_as_it_was(name: str, tmp_path: Path) -> None:
    document, lines = document_of(name)
    whole, by_line = tmp_path / "dump.json", tmp_path / "dump.ndjson"
    head = {"format": "eve-replay/dump", "version": 1, "source": name, "receipt": {}}
    whole.write_text(dumps_tagged({**head, **document}, indent=1), "utf-8")
    by_line.write_text("".join(dumps_tagged(line) + "\n" for line in lines), "utf-8")
    for path in (whole, by_line):
        assert opener.recognises(str(path)) == 0.95
        world = opener.open(str(path))
        again = dump_document(world)
        for part in PARTS:
            assert again[part] == document[part], (path.name, part)
        assert world.receipt.clean
        assert again["world"]["of"] == document["world"]["kind"]


@pytest.mark.parametrize("name", ["crash-in-tool", "approval-hold", "simple-turn", "retention-0"])
def test_the_oracle_of_a_recording_is_such_a_document(name: str) -> None:
    path = scenario(name) / "oracle.json"
    oracle = json.loads(path.read_text("utf-8"))
    world = opener.open(str(path))
    again = dump_document(world)
    for part in PARTS:
        assert again[part] == oracle[part], part
    hidden = [
        other for run in world.runs() for other in world.others(run.run_id)
        if isinstance(other, HookRecord) and other.hidden
    ]  # fmt: skip
    assert len(hidden) == sum("$hidden" in hook for hook in oracle["hooks"])


def test_streams_find_their_runs(tmp_path: Path) -> None:
    document, _ = document_of("postgres/eve_cancelled")
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"format": "eve-replay/dump", **document}), "utf-8")
    world = opener.open(str(path))
    real = pgdump.open(str(scenario("postgres/eve_cancelled") / "final"))

    def owners(of: Any) -> set[tuple[str, str]]:
        return {
            (run.run_id, other.name)
            for run in of.runs() for other in of.others(run.run_id) if isinstance(other, StreamRecord)
        }  # fmt: skip

    assert owners(world) == owners(real)
    (run_id, name) = next(pair for pair in owners(world) if pair[1].endswith("_user"))
    assert [e for _, e in session_events(world.stream(run_id, name))] == [
        e for _, e in session_events(real.stream(run_id, name))
    ]


def test_a_damaged_dump(tmp_path: Path) -> None:
    _, lines = document_of("redis/redisr_retry")
    path = tmp_path / "dump.ndjson"
    text = [dumps_tagged(line) for line in lines]
    text[3] = text[3][:40]
    text.insert(2, "7")
    path.write_text("\n".join(text), "utf-8")
    world = opener.open(str(path))
    assert [skip.where for skip in world.receipt.skipped] == ["dump.ndjson:3", "dump.ndjson:5"]
    path.write_text('{"format": "eve-replay/dump", "runs": [', "utf-8")
    with pytest.raises(SourceUnreadable, match="cut or damaged"):
        opener.open(str(path))
    path.write_text('{"format": "eve-replay/dump", "runs": []}', "utf-8")
    with pytest.raises(SourceUnreadable, match="no run"):
        opener.open(str(path))


def cyclic() -> dict[str, object]:
    value: dict[str, object] = {"name": "a"}
    value["self"] = value
    return value


SHARED = {"k": 1}


@pytest.mark.parametrize(
    "value",
    [
        None, True, 0, -1, 1.5, -0.0, float("nan"), float("inf"), -float("inf"), 10**30 + 0.0, "", "é😀",
        "cut \ud83d",
        UNDEFINED, [], {}, [1, [2, [3]]], [HOLE, 1, HOLE], [UNDEFINED, None], {"a": UNDEFINED, "b c": [True]},
        BigInt(10**40), JsDate(0), JsDate(None), JsMap([("k", 1), (JsMap(), [2])]), JsSet([1, "1", True]),
        RegExp("a/b", "gi"), Url("https://x.y/"), UrlSearchParams(""), UrlSearchParams("a=1"),
        Headers((("a", "1"), ("set-cookie", "x"), ("set-cookie", "y"))), JsBytes("Uint8Array", b""),
        JsBytes("Float64Array", bytes(16)), JsBytes("DataView", b"ab"), JsBytes("ArrayBuffer", b"abc"),
        Boxed("text"), SparseArray(99_999, [(3, "x"), (99_998, [1])]), NullObject(a=1),
        JsError("Error", "Error", "m", "s", cause=JsError("TypeError", message="inner")),
        Tagged("ReadableStream", {"name": "strm_1"}), Tagged("StepFunction", {"stepId": "step//a//b"}),
        [SHARED, SHARED], cyclic(), {"$type": "Date", "value": 1},
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_values_survive_devalue_text(value: object) -> None:
    again = decode_devalue(to_devalue(value))[0]
    assert same(again, value), to_tagged(again)


def test_what_is_lost_stays_lost() -> None:
    again = decode_devalue(to_devalue([Undecoded("lost-in-export", "why"), Unknown("Temporal.X", {"a": 1})]))[
        0
    ]
    assert isinstance(again, list)
    assert isinstance(again[0], Unknown) and again[0].tag == LOST
    assert again[0].payload == {"reason": "lost-in-export", "message": "why"}
    assert isinstance(again[1], Unknown) and again[1].payload == {"a": 1}
    deep: object = 1
    for _ in range(20_000):
        deep = [deep]
    assert to_devalue(deep).startswith("[[1],[2],")


def test_it_keeps_the_contract() -> None:
    source = str(scenario("crash-in-tool") / "oracle.json")
    assert len(check_world(lambda: opener.open(source))) > 9
