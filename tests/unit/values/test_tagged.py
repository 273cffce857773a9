"""Canonical tagged JSON out and in: every form, cycles, depth, bounded output."""

import base64
import json
import math

import pytest

from eve_replay.codec import dumps_tagged
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
    from_tagged,
    same,
    to_tagged,
)

DEEP = 20_000

FORMS = [
    (None, None),
    (True, True),
    ("a\ud800", "a\ud800"),
    (5, 5),
    (5.0, 5),
    (1e21, 1e21),
    (0.1, 0.1),
    (UNDEFINED, {"$type": "undefined"}),
    (math.nan, {"$type": "number", "value": "NaN"}),
    (math.inf, {"$type": "number", "value": "Infinity"}),
    (-math.inf, {"$type": "number", "value": "-Infinity"}),
    (-0.0, {"$type": "number", "value": "-0"}),
    (BigInt(-12), {"$type": "BigInt", "value": "-12"}),
    (BigInt(10**5000), {"$type": "BigInt", "value": "1" + "0" * 5000}),
    ([1, HOLE], [1, {"$type": "hole"}]),
    (JsDate(0), {"$type": "Date", "value": "1970-01-01T00:00:00.000Z"}),
    (JsDate(None), {"$type": "Date", "value": None}),
    (JsMap([(1, "a"), ([2], {})]), {"$type": "Map", "entries": [[1, "a"], [[2], {}]]}),
    (JsSet([1, "1"]), {"$type": "Set", "values": [1, "1"]}),
    (RegExp("a", "g"), {"$type": "RegExp", "source": "a", "flags": "g"}),
    (Url("https://a/"), {"$type": "URL", "value": "https://a/"}),
    (UrlSearchParams("a=1&a=2"), {"$type": "URLSearchParams", "value": "a=1&a=2"}),
    (Headers((("a", "1"),)), {"$type": "Headers", "entries": [["a", "1"]]}),
    (JsBytes("Int16Array", b"\x01\x02"), {"$type": "Int16Array", "base64": "AQI="}),
    (Boxed(5), {"$type": "Boxed", "value": 5}),
    (Boxed(BigInt(5)), {"$type": "Boxed", "value": {"$type": "BigInt", "value": "5"}}),
    (JsError("Error", message="m"), {"$type": "Error", "name": "Error", "message": "m"}),
    (
        JsError("FatalError", message="m", cause=JsError("Error", name="App")),
        {
            "$type": "Error",
            "name": "FatalError",
            "kind": "FatalError",
            "message": "m",
            "cause": {"$type": "Error", "name": "App"},
        },
    ),
    (JsError("Error", fields={"name": UNDEFINED, "stack": UNDEFINED}), {"$type": "Error"}),
    (Tagged("Class", {"classId": "c", "x": UNDEFINED}), {"$type": "Class", "classId": "c"}),
    (NullObject(a=1), {"a": 1}),
    ({"$type": "Map", "x": [1]}, {"$type": "object", "entries": [["$type", "Map"], ["x", [1]]]}),
    (
        {"b": 1, "$type": 2, "10": 3, "2": 4, "02": 5},
        {"$type": "object", "entries": [["2", 4], ["10", 3], ["b", 1], ["$type", 2], ["02", 5]]},
    ),
    ({"__proto__": 1, "": 2}, {"__proto__": 1, "": 2}),
    (SparseArray(5000, [(9, "x")]), {"$type": "SparseArray", "length": 5000, "entries": [[9, "x"]]}),
    (SparseArray(3, [(1, "x")]), [{"$type": "hole"}, "x", {"$type": "hole"}]),
    (
        Undecoded("wrong-key", "No.", "$.a", 4),
        {
            "$type": "undecodable",
            "error": {
                "name": "Undecoded",
                "message": "No.",
                "reason": "wrong-key",
                "path": "$.a",
                "offset": 4,
            },
        },
    ),
    (
        Unknown("Zebra", {"a": 1}),
        {
            "$type": "undecodable",
            "error": {"name": "Undecoded", "message": "Unknown type Zebra", "reason": "unknown-type"},
            "tag": "Zebra",
            "payload": {"a": 1},
        },
    ),
    (
        Unknown("Zebra"),
        {
            "$type": "undecodable",
            "error": {"name": "Undecoded", "message": "Unknown type Zebra", "reason": "unknown-type"},
            "tag": "Zebra",
        },
    ),
]


@pytest.mark.parametrize(("value", "tagged"), FORMS, ids=range(len(FORMS)))
def test_forms(value, tagged):
    assert to_tagged(value) == tagged
    assert same(from_tagged(tagged), value) or (
        isinstance(value, JsError) and value.fields.get("name") is UNDEFINED
    )
    assert json.loads(dumps_tagged(to_tagged(value))) == tagged
    assert to_tagged([value])[0] == tagged and to_tagged({"k": value})["k"] == tagged


def test_json_numbers_look_like_js_numbers():
    assert (
        dumps_tagged(to_tagged([5.0, 1e15, 2.0**53, -1.0])) == "[5, 1000000000000000, 9007199254740992, -1]"
    )


def test_raw_bytes_are_a_uint8array():
    assert to_tagged(b"abc") == {"$type": "Uint8Array", "base64": "YWJj"}
    assert to_tagged(object())["$type"] == "undecodable"


def test_a_long_list_that_is_mostly_holes_is_written_sparse():
    value = [HOLE] * 5000
    value[7] = "x"
    assert to_tagged(value) == {"$type": "SparseArray", "length": 5000, "entries": [[7, "x"]]}
    assert same(from_tagged(to_tagged(value)), value)
    assert len(to_tagged([HOLE] * 4096)) == 4096
    dense = [1] * 1250 + [HOLE] * 3750
    assert isinstance(to_tagged(dense), list)


def loop(path):
    """A value in which a reference back to its root stands at ``path``."""
    value = {}
    value["list"] = [value]
    value["odd key"] = JsMap([("k", value)])
    value["set"] = JsSet([value])
    value["error"] = JsError("Error", message="m", cause=value)
    value["tagged"] = Tagged("Instance", {"data": value})
    value["unknown"] = Unknown("Zebra", value)
    value["sparse"] = SparseArray(9000, [(5, value)])
    value["object"] = {"$type": 1, "me": value}
    return value


def test_cycles_are_written_as_paths_and_read_as_cycles():
    value = loop("x")
    tagged = to_tagged(value)
    cycle = {"$type": "cycle", "path": "$"}
    assert tagged["list"] == [cycle] and tagged["odd key"]["entries"] == [["k", cycle]]
    assert tagged["unknown"]["payload"] == cycle and tagged["object"]["entries"][1] == ["me", cycle]
    back = from_tagged(tagged)
    assert same(back, value)
    assert back["list"][0] is back and back["odd key"].get("k") is back and back["set"].values[0] is back
    assert (
        back["error"].cause is back and back["tagged"].get("data") is back and back["unknown"].payload is back
    )
    assert back["sparse"].entries[5] is back and back["object"]["me"] is back


def test_a_cycle_in_the_middle():
    inner = JsMap()
    inner.set("deep", [{"back": inner}])
    tagged = to_tagged({"a b": [inner]})
    assert tagged["a b"][0]["entries"][0][1][0]["back"] == {"$type": "cycle", "path": '$["a b"][0]'}
    back = from_tagged(tagged)
    assert back["a b"][0].get("deep")[0]["back"] is back["a b"][0]


def test_shared_values_are_repeated_not_cycles():
    shared = [1]
    assert to_tagged({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_depth():
    value = "leaf"
    for number in range(DEEP):
        value = [value] if number % 2 else {"n": value}
    tagged = to_tagged(value)
    assert same(from_tagged(tagged), value)
    text = dumps_tagged(tagged)
    assert text.count("[") == DEEP // 2 and len(text) > DEEP
    error = JsError("Error", message="root")
    for _ in range(DEEP):
        error = JsError("Error", message="m", cause=JsMap([(error, JsSet([Tagged("X", {"d": 1})]))]))
    assert same(from_tagged(to_tagged(error)), error)
    bottom = []
    bottom.append(bottom)
    for _ in range(DEEP):
        bottom = [bottom]
    back = from_tagged(to_tagged(bottom))
    for _ in range(DEEP):
        (back,) = back
    assert back[0] is back


def laughs(levels):
    value = ["ha"]
    for _ in range(levels):
        value = [value] * 10
    return value


def count(tagged, wanted):
    todo, found = [tagged], 0
    while todo:
        item = todo.pop()
        if isinstance(item, dict) and item.get("error", {}).get("name") == "OutputTooBig":
            found += wanted == "stops"
        elif isinstance(item, list | dict):
            found += wanted == "values"
            todo.extend(item.values() if isinstance(item, dict) else item)
    return found


def test_billion_laughs_are_bounded_and_said():
    tagged = to_tagged(laughs(40), max_repeated=10_000)
    assert 9_000 < count(tagged, "values") <= 10_050
    assert count(tagged, "stops")
    assert from_tagged(tagged) is not None
    assert not count(to_tagged(laughs(3), max_repeated=10_000), "stops")


def test_a_big_value_without_repetition_is_never_cut():
    value = [[i] for i in range(50_000)]
    assert to_tagged(value, max_repeated=0) == value


def test_much_text_is_bounded_and_said():
    text = "x" * 1000
    tagged = to_tagged([text] * 1000, max_text=100_000)
    assert tagged[:100] == [text] * 100 and tagged[100]["error"]["name"] == "OutputTooBig"
    data = JsBytes("Uint8Array", bytes(3000))
    tagged = to_tagged([data] * 100, max_text=100_000)
    assert tagged[0]["base64"] == base64.b64encode(bytes(3000)).decode()
    assert tagged[-1]["error"]["reason"] == "too-big"


@pytest.mark.parametrize(
    "tagged",
    [
        {"$type": "cycle"},
        [{"$type": "cycle", "path": "$.x"}],
        {"$type": 5},
        {"$type": None},
        {"$type": "number", "value": "12"},
        {"$type": "number"},
        {"$type": "BigInt", "value": "x"},
        {"$type": "BigInt", "value": 5},
        {"$type": "Date", "value": "x"},
        {"$type": "Date"},
        {"$type": "Date", "value": 5},
        {"$type": "Map", "entries": [[1]]},
        {"$type": "Map", "entries": 5},
        {"$type": "Map"},
        {"$type": "Set"},
        {"$type": "RegExp", "source": 1},
        {"$type": "URL"},
        {"$type": "Headers", "entries": [1]},
        {"$type": "Uint8Array", "base64": "@"},
        {"$type": "Uint8Array"},
        {"$type": "Boxed", "value": [1]},
        {"$type": "Boxed", "value": {"a": 1}},
        {"$type": "Boxed"},
        {"$type": "object", "entries": [1]},
        {"$type": "SparseArray", "length": "x", "entries": []},
        {"$type": "SparseArray", "length": 5, "entries": [["a", 1]]},
        {"$type": "undecodable", "error": {}, "tag": 5},
        {1, 2},
        b"x",
    ],
)
def test_what_is_not_canonical_is_undecoded_in_its_place(tagged):
    found = from_tagged({"bad": tagged, "good": 1})
    assert found["good"] == 1
    bad = found["bad"][0] if isinstance(found["bad"], list) else found["bad"]
    assert isinstance(bad, Undecoded) and bad.reason == "invalid-input"


def test_reading_what_others_write():
    assert from_tagged({"$type": "undecodable", "error": {"name": "Error", "message": "m"}}) == Undecoded(
        "undecodable", "m"
    )
    assert from_tagged({"$type": "undecodable"}) == Undecoded("undecodable")
    assert from_tagged({"$type": "ndjson", "lines": [1]}) == Tagged("ndjson", {"lines": [1]})
    assert from_tagged({"$type": "Error", "kind": 5, "message": "m"}) == JsError("Error", message="m")
