"""One field without the rest: same answers as the whole, and far less reading."""

import json
import random
import threading

import pytest
import zstandard

from eve_replay.codec import LazyValue, Payload, parse_path
from eve_replay.codec.decode_cache import Recent
from eve_replay.codec.devalue import scan as scan_module
from eve_replay.codec.devalue.lazy import step_into
from eve_replay.codec.devalue.scan import Entries
from eve_replay.codec.zstd_prefix import Front
from eve_replay.errors import DecodeError, WrongUse
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Boxed,
    JsError,
    JsMap,
    JsSet,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    format_path,
    same,
    walk,
)
from tests.support.devalue import payload_bytes
from tests.support.vectors import vectors

RICH = {
    "args": [{"history": [{"content": f"message {i}"} for i in range(20)], "odd key": {"ключ": 1}}],
    "map": JsMap([("k", [1, 2]), ({"o": 1}, "v")]),
    "set": JsSet(["a", {"b": 1}]),
    "error": JsError("TypeError", message="bad", cause=JsError("Error", name="Custom", message="root")),
    "stream": Tagged("ReadableStream", {"name": "strm_1", "options": {"deep": [1]}}),
    "boxed": Boxed(BigInt(5)),
    "sparse": SparseArray(9000, [(5, "five")]),
    "holes": [1, HOLE, 3],
    "text": "hello",
    "nothing": None,
    "undef": UNDEFINED,
    "number": -0.5,
}


def fresh(value=RICH):
    return Payload(payload_bytes(value))


def packed(value):
    return Payload(b"zstd" + zstandard.ZstdCompressor().compress(payload_bytes(value)))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$", ()),
        ("", ()),
        ("$.a.b_$1", ("a", "b_$1")),
        ("a[0][12]", ("a", 0, 12)),
        ("[3]", (3,)),
        ('$["odd key"]["\\u00e9\\"]"]', ("odd key", 'é"]')),
        (".a", ("a",)),
        ('$[""]', ("",)),
    ],
)
def test_paths(text, steps):
    assert parse_path(text) == steps
    assert parse_path(format_path(steps)) == steps


@pytest.mark.parametrize(
    "text", ["$.", "$a", "a..b", "$[", "$[-1]", "$['a']", '$["a', "$[1", "$ .a", '$["\\x"]']
)
def test_no_paths(text):
    assert parse_path(text) is None
    with pytest.raises(WrongUse):
        fresh().at(text)


def test_every_path_gives_what_the_whole_gives():
    whole = fresh().value
    count = 0
    for trail, expected in walk(whole):
        steps = tuple(s for part in trail.segments() for s in (part if isinstance(part, tuple) else (part,)))
        for payload in (fresh(), packed(RICH)):
            assert same(payload.at(steps), expected), trail.path()
            if "ключ" not in trail.path():
                assert same(payload.at(trail.path()), expected)
        count += 1
    assert count > 60


@pytest.mark.parametrize("item", [v for v in vectors() if not v.key], ids=lambda item: item.id)
def test_every_path_of_every_vector(item):
    whole = Payload(item.raw).value
    most = 6 if item.name.startswith("deep") else 60  # a place deep inside parses all that lies above it
    for number, (trail, expected) in enumerate(walk(whole)):
        if number > most:
            break
        steps = tuple(s for part in trail.segments() for s in (part if isinstance(part, tuple) else (part,)))
        found = Payload(item.raw).at(steps)
        if isinstance(expected, Undecoded):
            assert isinstance(found, Undecoded) and found.reason == expected.reason
        elif not isinstance(expected, dict | list | JsMap | JsSet | JsError | Tagged | Unknown):
            assert same(found, expected)


def test_missing_steps_are_undefined():
    payload = fresh()
    for path in (
        "$.zz",
        "$.args[7]",
        "$.args.x",
        "$.text.length",
        "$.map.entries[9]",
        "$.stream.zz",
        "$.nothing.a",
    ):
        assert payload.at(path) is UNDEFINED, path
    assert payload.at("$.sparse[6]") is HOLE and payload.at("$.sparse[9000]") is UNDEFINED
    assert payload.at("$.holes[1]") is HOLE
    whole = payload.value
    assert step_into(whole, 0) is UNDEFINED and step_into(5, "x") is UNDEFINED
    assert payload.at("$.zz") is UNDEFINED and payload.at("$.args[0].history[3].content") == "message 3"


def test_walking_by_hand():
    root = fresh().lazy
    assert root.kind == "object" and root.keys() == list(RICH) and len(root) == len(RICH) and root
    assert root.get("args", 0, "history", 19, "content").value == "message 19"
    kinds = {key: child.kind for key, child in root.items()}
    assert kinds == {
        "args": "array",
        "map": "Map",
        "set": "Set",
        "error": "TypeError",
        "stream": "ReadableStream",
        "boxed": "BigInt",
        "sparse": "array",
        "holes": "array",
        "text": "string",
        "nothing": "null",
        "undef": "undefined",
        "number": "number",
    }
    assert [len(root.get(k)) for k in ("map", "set", "error", "stream", "sparse", "holes", "text")] == [
        2,
        2,
        2,
        2,
        9000,
        3,
        5,
    ]
    assert root.get("map").keys() == [0, 1] and next(iter(root.get("map"))).get(0).value == "k"
    assert next(iter(root.get("set"))).value == "a"
    assert root.get("error").keys() == ["message", "cause"]
    assert root.get("error", "name").value == "TypeError"
    assert root.get("error", "cause", "name").value == "Custom"
    assert root.get("stream").keys() == ["name", "options"]
    assert [child.value for child in root.get("holes")] == [1, HOLE, 3]
    assert root.get("sparse").keys() == [5]
    assert not root.get("zz") and root.get("zz").keys() == [] and len(root.get("zz")) == 0
    assert root.get("undef").value is UNDEFINED
    assert root.get("args", 0).kind == "object" and root.get("number").kind == "number"
    assert repr(root) == "LazyValue(object)"
    assert LazyValue(value={"a": [1]}).get("a", 0).value == 1


def test_plain_and_legacy_payloads_are_lazy_too():
    plain = Payload.plain({"message": "boom", "list": [1]})
    assert (
        plain.at("$.list[0]") == 1 and plain.lazy.get("message").value == "boom" and plain.undecoded is None
    )
    legacy = Payload([{"me": 0, "x": 1}, "y"])
    assert legacy.at("$.me.me.x") == "y" and legacy.lazy.kind == "object"
    assert Payload(-1).lazy.value is UNDEFINED and Payload({"a": 1}).lazy.value.reason == "invalid-input"
    assert Payload(b"devl-3").lazy.kind == "number"


def big(messages=3000):
    return {
        "args": [{"history": [{"id": i, "content": f"content of message {i} " * 9} for i in range(messages)]}]
    }


def test_a_field_near_the_front_reads_only_the_front(monkeypatch):
    payload = packed(big())
    opened = []
    original = type(payload)._open
    monkeypatch.setattr(type(payload), "_open", lambda self: opened.append(1) or original(self))
    assert payload.at("$.args[0].history[3].content").startswith("content of message 3 ")
    assert payload.at("$.args[0].history[3].id") == 3
    assert not opened
    assert payload.at("$.args[0].history[2999].id") == 2999
    assert opened
    assert payload.at("$.args[0].history[1500].id") == 1500


def test_the_front_of_a_damaged_payload_is_still_good():
    raw = packed(big(9000)).raw
    for damaged in (raw[: len(raw) // 2], raw[: len(raw) // 2] + bytes(len(raw) // 2)):
        payload = Payload(damaged)
        assert payload.at("$.args[0].history[3].id") == 3
        assert isinstance(payload.value, Undecoded)
        assert isinstance(Payload(damaged).at("$.args[0].history[8999].id"), Undecoded)


def test_text_that_is_broken_further_back():
    text = payload_bytes(big(2000))[:-1] + b",oops]"
    assert Payload(text).at("$.args[0].history[3].id") == 3
    whole = Payload(text)
    assert whole.at("$.args[0].history[1999].id") == 1999  # the bad entry is of no value
    assert {problem.code for problem in whole.problems} == {"salvaged"}
    assert Payload(b"devl[{").lazy.value.reason == "bad-json"
    assert Payload(b"devl[{").lazy.get("a").value.reason == "bad-json"


def test_a_front_that_grows_through_one_long_text():
    long = {"first": "x" * 300_000, "second": [1, 2], "third": "é" * 1000}
    payload = Payload(b"zstd" + zstandard.ZstdCompressor(level=1).compress(payload_bytes(long) + bytes(0)))
    assert payload.at("$.first") == long["first"]
    assert payload.at("$.second[1]") == 2 and payload.at("$.third") == long["third"]


def test_a_front_that_grows_through_one_long_text_that_hardly_compresses():
    noise = random.Random(3).randbytes(400_000).hex()
    value = {"first": noise[:300_000], "second": [1, {"x": noise[300_000:310_000]}], "rest": noise}
    payload = packed(value)
    assert len(payload.raw) > 300_000
    assert payload.at("$.first") == value["first"] and payload.at("$.second[1].x") == value["second"][1]["x"]
    assert packed(value).at("$.second[0]") == 1
    assert packed(value).at("$.rest") == noise
    assert packed(value).at("$.second[7]") is UNDEFINED


def test_the_end_of_a_text_found_while_scanning(monkeypatch):
    monkeypatch.setattr(scan_module, "SMALL", 1 << 20)
    monkeypatch.setattr(scan_module, "_PART", 1)
    text = payload_bytes(big(20_000))[4:]
    assert len(text) > 1 << 20
    entries = Entries(lambda: text)
    with pytest.raises(IndexError):
        entries.entry(10**6)
    assert entries.entry(0) == {"args": 1}


def test_front_by_itself():
    text = payload_bytes(big())
    front = Front(zstandard.ZstdCompressor().compress(text), 1 << 28)
    assert front.usable and text[4:].startswith(front.text) and 0 < len(front.text) < len(text) - 4
    while front.more():
        pass
    assert front.text == text[4:]
    assert not Front(zstandard.ZstdCompressor().compress(b"cbor"), 1 << 28).usable
    assert not Front(b"garbage", 1 << 28).usable
    assert not Front(b"", 1 << 28).usable


@pytest.mark.parametrize(
    "text", [b'[ {"a" : 1 } , [ 2 ] ,"x" ]\n', b'\xef\xbb\xbf[{"a":1},[2],"x"]', b'[{"a":1},[2],"x"]']
)
def test_entries_of_texts_with_space(monkeypatch, text):
    monkeypatch.setattr(scan_module, "SMALL", 1)
    entries = Entries(lambda: text)
    assert [entries.entry(i) for i in (2, 0, 1)] == ["x", {"a": 1}, [2]]
    for index in (3, -1, 1 << 40):
        with pytest.raises(IndexError):
            entries.entry(index)
    assert entries.root() is None and entries.all() == [{"a": 1}, [2], "x"]


@pytest.mark.parametrize(
    "text", [b'["a\\"b\\\\",["}]{[\\""],{"]":1},{"\\u005d,":0}]', b'[[["x"]],{"a":{"b":1}},5]']
)
def test_entries_with_signs_in_texts_and_nested_ones(monkeypatch, text):
    monkeypatch.setattr(scan_module, "SMALL", 1)
    entries = Entries(lambda: text)
    assert [entries.entry(i) for i in range(3)] == json.loads(text)[:3]


def test_scanning_is_given_up_where_parsing_is_faster(monkeypatch):
    monkeypatch.setattr(scan_module, "SMALL", 100)
    text = payload_bytes(big(500))[4:]
    entries = Entries(lambda: text)
    assert entries.entry(1) == [2]
    assert entries._parsed is None
    expected = json.loads(text)
    assert entries.entry(len(expected) - 1) == expected[-1] and entries._parsed is not None
    assert entries.entry(1) == [2]


def test_strict_decoding():
    assert fresh().decode() is not None
    with pytest.raises(DecodeError) as caught:
        Payload(b'devl[{"a":9}]').decode()
    assert (caught.value.reason, caught.value.path) == ("invalid-input", "$.a")
    assert isinstance(Payload(b'devl[{"a":9}]').decode(strict=False)["a"], Undecoded)


def test_what_a_payload_tells():
    payload = Payload(bytearray(b'devl["x"]'), where="steps/s.json input")
    assert (payload.size, payload.text_size, payload.layers) == (9, 5, ("devl",))
    assert payload.raw == b'devl["x"]' and payload.is_bytes
    assert repr(payload) == "Payload(bytes, 9 bytes, where='steps/s.json input')"
    assert payload.problems == ()
    bad = Payload(b'devl[["BigInt",1],"x"]', where="here")
    assert [(p.severity, p.code, p.where) for p in bad.problems] == [("error", "invalid-input", "here $")]
    assert Payload(memoryview(b"devl[1]")).value == 1


def test_the_value_is_kept_for_a_second_look_and_dropped_by_many_others(monkeypatch):
    from eve_replay.codec import payload as module

    monkeypatch.setattr(module, "recent", Recent(budget=20_000))
    first = Payload(payload_bytes(["x" * 9000]))
    assert first.shared is first.shared
    others = [Payload(payload_bytes([str(i) + "y" * 9000])) for i in range(3)]
    for other in others:
        assert other.shared
    assert first._decoded is None and first.value == ["x" * 9000]
    huge = Payload(payload_bytes(["z" * 90_000]))
    assert huge.shared is huge.shared and huge.value is not huge.shared


def test_recent_counts_each_owner_once():
    class Owner:
        forgot = 0

        def forget(self):
            self.forgot += 1

    kept = Recent(budget=10)
    a, b, c = Owner(), Owner(), Owner()
    kept.hold(a, 5)
    kept.hold(a, 5)
    kept.hold(b, 5)
    assert (a.forgot, b.forgot) == (0, 0)
    kept.hold(c, 5)
    assert (a.forgot, b.forgot, c.forgot) == (1, 0, 0)
    kept.hold(a, 50)
    assert (b.forgot, c.forgot, a.forgot) == (1, 0, 1)  # the last two stay whatever their size


def test_payloads_may_be_read_from_several_threads():
    payloads = [packed(big(200)) for _ in range(6)]
    failures = []

    def read():
        for payload in payloads:
            if (
                payload.at("$.args[0].history[150].id") != 150
                or len(payload.value["args"][0]["history"]) != 200
            ):
                failures.append(payload)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_typed_values_that_refer_to_themselves():
    for text in (b'devl[["Error",0]]', b'devl[["Instance",1],["Class",0]]'):
        lazy = Payload(text).lazy
        assert lazy.keys() == [] and lazy.get("message").value is not None and lazy.kind == "undecoded"
        assert lazy.value == Payload(text).value
