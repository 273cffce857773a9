"""Previews: one safe line, bounded work, and the JS word for every type."""

import itertools
import math
import sys
import tracemalloc

import pytest

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
    RegExp,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    Url,
    UrlSearchParams,
    preview,
    type_name,
)


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        (None, "null", "null"),
        (True, "true", "boolean"),
        (5, "5", "number"),
        (5.0, "5", "number"),
        (0.25, "0.25", "number"),
        (-0.0, "-0", "number"),
        (0, "0", "number"),
        (math.nan, "NaN", "number"),
        (-math.inf, "-Infinity", "number"),
        (UNDEFINED, "undefined", "undefined"),
        (HOLE, "hole", "hole"),
        ('a"b', '"a\\"b"', "string"),
        ("é漢", '"é漢"', "string"),
        (BigInt(5), "5n", "bigint"),
        (JsDate(0), "Date 1970-01-01T00:00:00.000Z", "Date"),
        (JsDate(None), "Date invalid", "Date"),
        (RegExp("a/", "g"), "/a//g", "RegExp"),
        (Url("https://a/"), "URL https://a/", "URL"),
        (UrlSearchParams("a=1"), 'URLSearchParams "a=1"', "URLSearchParams"),
        (Headers((("x-a", "1"),)), 'Headers {"x-a": "1"}', "Headers"),
        (JsBytes("Int16Array", bytes(4)), "Int16Array(2)", "Int16Array"),
        (b"abc", "Uint8Array(3)", "Uint8Array"),
        ({}, "{}", "object"),
        ({"a": [1, {"b": None}], "odd key": 2}, '{a: [1, {b: null}], "odd key": 2}', "object"),
        ([], "[]", "array"),
        ([1, HOLE, "x"], '[1, hole, "x"]', "array"),
        (JsMap([("k", [1]), (2, 3)]), 'Map(2) {"k" => [1], 2 => 3}', "Map"),
        (JsSet([1, "1"]), 'Set(2) {1, "1"}', "Set"),
        (SparseArray(9000, [(5, "x")]), 'array(9000) [5: "x"]', "array"),
        (JsError("TypeError", message="bad\nline"), "TypeError: bad\\nline", "TypeError"),
        (JsError("Error", name="App"), "App", "Error"),
        (JsError("Error", name=5, message=[1]), "Error: [1]", "Error"),
        (Tagged("StepFunction", {"stepId": "s"}), 'StepFunction {stepId: "s"}', "StepFunction"),
        (Boxed(5), "Number(5)", "Number"),
        (Boxed(BigInt(5)), "BigInt(5n)", "BigInt"),
        (Unknown("Temporal.Instant", "2026"), 'Temporal.Instant("2026")', "Temporal.Instant"),
        (Undecoded("wrong-key", "No."), "⚠ wrong-key: No.", "undecoded"),
        (object(), "object", "unknown"),
    ],
)
def test_forms(value, text, name):
    assert preview(value) == text
    assert type_name(value) == name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31m", "a\\x1b[31m"),
        ("\r\n\t\x00\x7f\x9b", "\\r\\n\\t\\x00\\x7f\\x9b"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\u2028\u2029\ufeff\u200b", "\\u2028\\u2029\\ufeff\\u200b"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\u{e0041}"),
        ("back\\slash", "back\\\\slash"),
    ],
)
def test_nothing_can_move_a_cursor(text, shown):
    assert preview(text) == f'"{shown}"'
    assert preview({text: 1}) == f'{{"{shown}": 1}}'
    for value in (
        JsError(text, name=text, message=text),
        Tagged(text),
        Unknown(text),
        RegExp(text, text),
        Url(text),
        UrlSearchParams(text),
        JsBytes(text, b""),
        Undecoded(text, text),
        JsError(text),
        Boxed(text),
        Headers(((text, text),)),
    ):
        line = preview(value, 500)
        assert line.isprintable() and shown in line


def test_cut_at_the_limit():
    assert preview("x" * 100, 10) == '"xxxxxxxx…'
    assert preview([1] * 100, 10) == "[1, 1, 1,…"
    assert preview("abc", 5) == '"abc"' and preview("abc", 4) == '"ab…'
    assert preview("abc", 1) == "…" and preview("abc", 0) == "…"


def test_cycles_and_shared_values():
    value = {"a": 1}
    value["me"] = value
    assert preview(value) == "{a: 1, me: ↺}"
    shared = [1]
    assert preview([shared, shared]) == "[[1], [1]]"


def effort(function, value):
    """How many calls a function makes and how many bytes it holds at most: what time depends on."""
    calls = itertools.count()
    tracemalloc.start()
    sys.setprofile(lambda *_: next(calls))
    try:
        text = function(value)
    finally:
        sys.setprofile(None)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(text) == 80
    return next(calls), memory


def test_work_is_bounded_by_the_limit():
    deep = []
    for _ in range(20_000):
        deep = [deep]
    wide = list(range(1_000_000))
    laughs = ["ha"]
    for _ in range(60):
        laughs = [laughs] * 10
    for value in (
        deep,
        wide,
        laughs,
        "x" * 50_000_000,
        BigInt(1 << 10_000_000),
        {"k" * 1_000_000: 1},
        JsError("Error", message="m" * 10_000_000),
        Url("u" * 10_000_000),
    ):
        calls, memory = effort(preview, value)
        assert calls < 10_000, type(value)
        assert memory < 4 << 20, type(value)
