"""CBOR as cbor-x writes it: what it holds comes out, what is none has a reason."""

import math
import sys

import cbor2
import pytest

from eve_replay.values import UNDEFINED, BigInt, JsBytes, JsMap, JsSet, Undecoded, Unknown, preview, to_tagged
from eve_replay.worlds.cborx import CborError, decode_cbor
from tests.support.vectors import cbor

DOCUMENTS = cbor()
EXPECTED = {
    "obj": {"a": 1, "b": "x"},
    "undef": {"$type": "undefined"},
    "objundef": {"a": {"$type": "undefined"}},
    "nul": None,
    "neg0": 0,
    "float": 1.5,
    "int53": 9007199254740992,
    "big": {"$type": "BigInt", "value": "123456789012345678901234567890"},
    "smallbig": {"$type": "BigInt", "value": "5"},
    "date": {"$type": "Date", "value": "2026-01-02T03:04:05.678Z"},
    "baddate": {"$type": "Date", "value": None},
    "map": {"$type": "Map", "entries": [[{"a": 1}, 2]]},
    "set": {"$type": "Set", "values": [1, {"a": 1}]},
    "re": {"$type": "RegExp", "source": "a", "flags": "g"},
    "err": {"$type": "Error", "name": "TypeError", "kind": "TypeError", "message": "boom"},
    "u8": {"$type": "Uint8Array", "base64": "AQID"},
    "buf": {"$type": "Uint8Array", "base64": "AQI="},
    "f64": {"$type": "Float64Array", "base64": "AAAAAAAA+D8="},
    "u16": {"$type": "Uint16Array", "base64": "AQA="},
    "lone": "\ufffd\ufffd\ufffdx",
    "longstr": "é" * 300,
    "arr": [1, {"$type": "undefined"}, 3],
    "cyc": None,
    "shared": [{"x": 1}, {"x": 1}],
    "url": {},
    "numkeys": {"1": "a"},
    "fn": {"$type": "undefined"},
}


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_vector(name):
    notes = []
    value = decode_cbor(DOCUMENTS[name], notes=notes)
    if name in EXPECTED:
        assert to_tagged(value) == EXPECTED[name]
    assert bool(notes) == (name in ("lone", "opt_bundle"))
    assert preview(value)


def test_payloads_are_plain_bytes():
    assert decode_cbor(DOCUMENTS["u8"]) == b"\x01\x02\x03"
    assert decode_cbor(DOCUMENTS["nested"])["a"]["b"]["c"][1]["d"] == bytes(40)


def test_packed_modes_of_the_writer_are_shown_as_unknown():
    value = decode_cbor(DOCUMENTS["opt_shared"])
    assert [(v.tag, v.payload) for v in value] == [("CBOR tag 57344", [1, 2]), ("CBOR tag 57344", [3, 4])]


def tag(number, value):
    return cbor2.dumps(cbor2.CBORTag(number, value))


def test_undefined_is_never_none():
    value = decode_cbor(cbor2.dumps({"a": cbor2.undefined, "b": None}))
    assert value["a"] is UNDEFINED and value["b"] is None


def test_collections():
    nested = decode_cbor(
        tag(259, {"k": cbor2.CBORTag(258, [1, cbor2.undefined]), 2: cbor2.CBORTag(64, b"x")})
    )
    assert isinstance(nested, JsMap) and nested.get(2) == b"x"
    inner = nested.get("k")
    assert isinstance(inner, JsSet) and inner.values == [1, UNDEFINED]


def test_shared_and_cyclic_parts():
    loop = []
    loop.append(loop)
    value = decode_cbor(cbor2.dumps(loop, value_sharing=True))
    assert value[0] is value
    part = [1]
    value = decode_cbor(cbor2.dumps([part, part], value_sharing=True))
    assert value[0] is value[1] and value == [[1], [1]]


def test_every_typed_array():
    kinds = {
        68: "Uint8ClampedArray",
        70: "Uint32Array",
        72: "Int8Array",
        77: "Int16Array",
        79: "BigInt64Array",
    }
    for number, kind in kinds.items():
        assert decode_cbor(tag(number, bytes(8))) == JsBytes(kind, bytes(8))


def test_tags_that_do_not_fit_are_unknown():
    for document in (
        tag(258, 5),
        tag(259, "x"),
        tag(27, []),
        tag(64, "text"),
        tag(1, "soon"),
        tag(5000, {"a": 1}),
    ):
        value = decode_cbor(document)
        assert isinstance(value, Unknown) and value.tag.startswith("CBOR tag")
    assert isinstance(decode_cbor(tag(0, "2026-01-01T00:00:00Z")), type(decode_cbor(DOCUMENTS["date"])))
    assert isinstance(decode_cbor(tag(37, bytes(16))), Unknown)  # a UUID: cbor-x writes none
    assert decode_cbor(tag(1, 1e300)).ms is None


def test_keys_that_are_no_text():
    value = decode_cbor(cbor2.dumps({2.5: "b", True: "c", None: "d", 3.0: "e", b"x": "f"}))
    assert set(value) >= {"2.5", "true", "null", "3"}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (b"", "truncated"),
        (b"\x81", "truncated"),
        (b"\xb9\x00\x01\x61", "truncated"),
        (b"\xff", "bad-cbor"),
        (b"\x1c", "bad-cbor"),
        (b"\x81" * 200_000 + b"\x01", "bad-cbor"),
    ],
)
def test_what_is_no_cbor(document, reason):
    value = decode_cbor(document)
    assert isinstance(value, Undecoded) and value.reason == reason
    with pytest.raises(CborError):
        decode_cbor(document, strict=True)


def test_trailing_bytes_are_noted():
    notes = []
    assert decode_cbor(b"\x01\x02", notes=notes) == 1
    assert [code for code, _ in notes] == ["trailing"]


def test_depth():
    value = decode_cbor(b"\x81" * 20_000 + b"\x01")
    for _ in range(20_000):
        (value,) = value
    assert value == 1


def test_numbers_beyond_32_bits():
    assert to_tagged(decode_cbor(cbor2.dumps(2**32))) == {"$type": "BigInt", "value": "4294967296"}
    assert decode_cbor(cbor2.dumps(float(2**40))) == 2**40
    assert math.isnan(decode_cbor(cbor2.dumps(math.nan)))


def test_the_library_missing_is_a_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "cbor2", None)
    assert decode_cbor(b"\x01").reason == "missing-library"


@pytest.mark.parametrize(
    ("hexed", "expected"),
    [
        ("1b0000000000000005", BigInt(5)),  # cbor-x: encode(5n)
        ("3b0000000000000004", BigInt(-5)),
        ("05", 5),
        ("1a00000005", 5),
        ("a2616e1b000000000000000761786568656c6c6f", {"n": BigInt(7), "x": "hello"}),
        ("821b000000000000000100", [BigInt(1), 0]),
        ("d8404a1b000000000000000000", b"\x1b" + bytes(9)),  # inside bytes nothing is touched
    ],
)
def test_a_bigint_is_told_by_its_length(hexed, expected):
    found = decode_cbor(bytes.fromhex(hexed))
    if expected is not None:
        assert found == expected and type(found) is type(expected)
