"""JSON in and out: depth, numbers as JS has them, lone surrogates."""

import json
import math

import pytest

from eve_replay.codec import JsonFault, dumps_tagged, loads_json, loads_lines
from eve_replay.codec.jsondeep import js_number, read_deep
from eve_replay.codec.jsonout import _Writer
from eve_replay.codec.jsontext import parse_json
from eve_replay.values import same

DEEP = 20_000


def test_depth():
    array = loads_json("[" * DEEP + "]" * DEEP)
    for _ in range(DEEP - 1):
        (array,) = array
    assert array == []
    nested = loads_json('{"a":' * DEEP + "-0" + "}" * DEEP)
    for _ in range(DEEP):
        nested = nested["a"]
    assert nested == 0


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "-0",
        "0.5",
        "1e3",
        "-1E-2",
        '"a\\u00e9\\ud83d\\ude00\\n"',
        "true",
        "null",
        "[]",
        "{}",
        "[[],{}]",
        ' { "a" : [ 1 , 2.5 , { "b" : null } ] , "c" : "" } ',
        '{"a":1,"a":2}',
        '"\\ud800"',
        "[1,\n2]\r\n",
    ],
)
def test_the_deep_reader_reads_as_the_other(text):
    assert same(read_deep(text), json.loads(text, parse_int=js_number))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "[",
        "]",
        "[1",
        "[1,]",
        "[,1]",
        "{",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        "{1:2}",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "nul",
        "NaN",
        "Infinity",
        "-Infinity",
        "'a'",
        '"a',
        '"\n"',
        '"\\x"',
        "[1] x",
        "1 2",
        "{]",
        '["a":1]',
        '{"a",1}',
        "[1}",
        "\ufeff",
    ],
)
def test_both_readers_refuse_the_same(text):
    with pytest.raises(ValueError):
        read_deep(text)
    with pytest.raises(ValueError):
        loads_json(text)
    fault = parse_json(text)
    assert isinstance(fault, JsonFault) and fault.message


def test_numbers_are_js_numbers():
    assert parse_json("[9007199254740993]") == [9007199254740993]  # entries become doubles in the decoder
    assert math.copysign(1, parse_json("[-0]")[0]) == -1
    assert math.copysign(1, parse_json("-0")) == -1
    assert parse_json('["-0, text", 0]') == ["-0, text", 0]
    assert parse_json("1" * 5000) == float("inf")
    assert loads_json("1" * 5000) == float("inf")
    assert parse_json("[1e400]") == [float("inf")]
    assert js_number("12345678901234567890") == 1.2345678901234567e19


def test_bytes_are_utf8_with_holes():
    assert loads_json(b'\xef\xbb\xbf"\xff"') == "\ufffd"


def test_lines():
    found = list(loads_lines(b'{"a":1}\n\n  \n{"b"\n[2]\r\n"x'))
    assert [number for number, _ in found] == [1, 4, 5, 6]
    assert found[0][1] == {"a": 1} and found[2][1] == [2]
    assert isinstance(found[1][1], JsonFault) and isinstance(found[3][1], JsonFault)
    assert list(loads_lines("")) == []


@pytest.mark.parametrize("indent", [None, 2])
def test_output_of_any_depth(indent):
    value = {"a": [1, "é\ud800", None, True, 1.5], "b": {}, "c": [], "d": [[], {}, [{"e": [0]}]]}
    for _ in range(DEEP):
        value = [value, {"k": 1}]
    text = dumps_tagged(value, indent=indent)
    assert "\n" in text if indent else "\n" not in text
    assert same(loads_json(text), value)


@pytest.mark.parametrize("indent", [None, 1, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_deep_output_looks_like_the_other(indent, ascii_only):
    value = {"a": [1, "é", None, True, 1.5, -7], "b": {}, "c": [], "d": [[], {}, [{"e": [0]}]], "": {"": ""}}
    expected = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert dumps_tagged(value, indent=indent, ensure_ascii=ascii_only) == expected
    assert _Writer(indent, ascii_only).write(value) == expected
    for scalar in (3, -0.5, "é", None, True, [], {}, (), (1,), {2: 2, None: 3, True: 4, 0.5: 5}):
        expected = json.dumps(scalar, indent=indent, ensure_ascii=ascii_only)
        assert _Writer(indent, ascii_only).write(scalar) == expected


def test_what_json_cannot_hold():
    assert dumps_tagged([math.nan, math.inf, 1.0, {"a": -math.inf}]) == '[null, null, 1.0, {"a": null}]'
    loop = []
    loop.append(loop)
    for indent in (None, 1):
        with pytest.raises(ValueError, match="ircular"):
            dumps_tagged(loop, indent=indent)
        with pytest.raises(TypeError):
            dumps_tagged([object()], indent=indent)
        with pytest.raises(TypeError):
            dumps_tagged({(1,): 2}, indent=indent)
