"""The value classes: identity, equality, SameValueZero, dates of any year, big integers."""

import copy
import math
import pickle

import pytest

from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Headers,
    Hole,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    NullObject,
    SparseArray,
    Tagged,
    Undecoded,
    Undefined,
    Unknown,
    date_from_iso,
    date_from_ms,
    format_path,
    join_path,
    same,
    same_value_zero_key,
    walk,
)
from eve_replay.values.bigints import MAX_DIGITS, decimal_text, parse_decimal

DEEP = 20_000


@pytest.mark.parametrize("one", [UNDEFINED, HOLE])
def test_there_is_one_undefined_and_one_hole(one):
    assert not one and one is not None
    assert copy.copy(one) is one and copy.deepcopy([one])[0] is one and pickle.loads(pickle.dumps(one)) is one
    assert isinstance(UNDEFINED, Undefined) and isinstance(HOLE, Hole)
    assert (repr(UNDEFINED), repr(HOLE)) == ("undefined", "hole")


def test_map_keys_are_same_value_zero():
    key = {"a": 1}
    mapping = JsMap(
        [(1, "a"), (True, "b"), ("1", "c"), (BigInt(1), "d"), (None, "e"), (UNDEFINED, "f"), (key, "g")]
    )
    assert [mapping.get(k) for k in (1, True, "1", BigInt(1), None, UNDEFINED, key)] == list("abcdefg")
    assert mapping.get({"a": 1}) is UNDEFINED and mapping.get(2, "none") == "none"
    assert mapping.get(1.0) == "a" and 1 in mapping and 2 not in mapping and len(mapping) == 7
    mapping = JsMap([(math.nan, 1), (0.0, 2), ("x", 3)])
    assert mapping.get(float("nan")) == 1 and mapping.get(-0.0) == 2 and mapping.get(0) == 2
    mapping.set(-0.0, "again")
    assert [k for k, _ in mapping] == [pytest.approx(math.nan, nan_ok=True), 0, "x"]
    assert mapping.entries[1] == (0, "again")
    assert repr(JsMap([(-0.0, 1)]).entries) == "[(0, 1)]" and repr(JsSet([-0.0]).values) == "[0]"
    assert "Map" in repr(mapping)


def test_sets():
    both = JsSet([1, 1.0, True, "1", [], [], math.nan, math.nan])
    assert len(both) == 6 and 1 in both and "2" not in both and list(both)[:3] == [1, True, "1"]
    assert "size 6" in repr(both)
    assert same_value_zero_key(UNDEFINED) is UNDEFINED


@pytest.mark.parametrize(
    ("ms", "iso"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951827696123, "2000-02-29T12:34:56.123Z"),
        (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"),
        (-8_640_000_000_000_000, "-271821-04-20T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (-62_198_755_200_000, "-000001-01-01T00:00:00.000Z"),
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
    ],
)
def test_dates_of_any_year(ms, iso):
    assert (
        JsDate(ms).iso() == iso and date_from_iso(iso) == JsDate(ms) and date_from_ms(float(ms)) == JsDate(ms)
    )
    assert iso in repr(JsDate(ms))


def test_days_agree_with_the_calendar_of_python():
    import datetime

    for day in range(0, 3_000_000, 997):
        date = datetime.date.fromordinal(day + 1)
        assert JsDate(((date - datetime.date(1970, 1, 1)).days) * 86_400_000).iso() == f"{date}T00:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026", "2026-01-01T00:00:00.000Z"),
        ("2026-03", "2026-03-01T00:00:00.000Z"),
        ("2026-03-04", "2026-03-04T00:00:00.000Z"),
        ("2026-03-04T05:06", "2026-03-04T05:06:00.000Z"),
        ("2026-03-04T05:06:07.123456Z", "2026-03-04T05:06:07.123Z"),
        ("2026-03-04T05:06:07+02:30", "2026-03-04T02:36:07.000Z"),
        ("2026-03-04 05:06:07-0100", "2026-03-04T06:06:07.000Z"),
        ("2026-03-04T24:00:00Z", "2026-03-05T00:00:00.000Z"),
        ("+275760-09-13T00:00:00.001Z", None),
    ],
)
def test_iso_texts(text, iso):
    assert date_from_iso(text).iso() == iso


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "now",
        "2026-13-01",
        "2026-00-01",
        "2026-01-32",
        "2026-01-01T25:00",
        "2026-01-01T24:01",
        "26-01-01",
        "2026-01-01T00:60",
        "2026-01-01T00:00:60",
        "-000000-01-01",
        "2026-01-01Z",
        "2026-01-01T00:00:00z",
        "٢٠٢٦",
    ],
)
def test_no_dates(text):
    assert date_from_iso(text) is None


@pytest.mark.parametrize("ms", [math.nan, math.inf, 8.64e15 + 2, -9e15])
def test_dates_out_of_range_are_invalid(ms):
    assert date_from_ms(ms) == JsDate(None) and JsDate(None).iso() is None
    assert repr(JsDate(None)) == "JsDate(invalid)"


def test_headers_iterate_as_fetch_says():
    made = Headers.of(
        [("X-B", " 2 "), ("set-cookie", "b=1"), ("x-b", "3"), ("Set-Cookie", "a=1"), ("A", "1")]
    )
    assert made.entries == (("a", "1"), ("set-cookie", "b=1"), ("set-cookie", "a=1"), ("x-b", "2, 3"))


def test_bytes_know_their_numbers():
    assert JsBytes("Uint8Array", b"\x01\xff").numbers() == (1, 255)
    assert JsBytes("Int16Array", b"\x00\x80\x01\x00").numbers() == (-32768, 1)
    assert JsBytes("BigUint64Array", b"\xff" * 8).numbers() == (2**64 - 1,)
    assert JsBytes("Float16Array", b"\x00\x3c").numbers() == (1.0,)
    assert JsBytes("ArrayBuffer", b"ab").numbers() == (97, 98) and len(JsBytes("Int32Array", bytes(8))) == 2
    assert repr(JsBytes("DataView", b"abc")) == "JsBytes('DataView', 3 bytes)"


def test_errors_tell_what_is_recorded():
    error = JsError("TypeError", message="m", extra={"code": 5})
    assert (error.name, error.message, error.extra) == ("TypeError", "m", {"code": 5})
    assert error.stack is UNDEFINED and error.cause is UNDEFINED and list(error.fields) == ["message", "code"]
    assert JsError(fields={"name": "AppError"}).name == "AppError"
    assert repr(error) == "JsError('TypeError', message='m')"
    tagged = Tagged("Class", {"classId": "c"})
    assert (
        tagged.get("classId") == "c" and tagged.get("x") is UNDEFINED and list(tagged) == [("classId", "c")]
    )
    assert repr(tagged) == "Tagged('Class', ['classId'])" and repr(Unknown("Zebra")) == "Unknown('Zebra')"
    assert (
        Unknown("Zebra").message == "Unknown type Zebra"
        and "fit" in Unknown("Map", 1, "invalid-input").message
    )
    assert Tagged("X").fields == {}


@pytest.mark.parametrize("thing", [JsMap(), JsSet(), SparseArray(1), JsError(), Tagged("x"), Unknown("x")])
def test_what_can_change_is_not_hashable(thing):
    with pytest.raises(TypeError):
        hash(thing)
    assert thing != 5 and thing == copy.copy(thing)


def ring():
    a = {"n": 1}
    a["self"] = [a]
    return a


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, True, True),
        (0.0, -0.0, False),
        (0, 0.0, True),
        (0, -0.0, False),
        (math.nan, math.nan, True),
        (math.nan, 1, False),
        (1, math.nan, False),
        ("1", 1, False),
        (1, "1", False),
        (None, UNDEFINED, False),
        (UNDEFINED, HOLE, False),
        (None, None, True),
        (None, 0, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": UNDEFINED}, False),
        (NullObject(a=1), {"a": 1}, True),
        ({}, [], False),
        ([], {}, False),
        ([1, 2], [1], False),
        ([HOLE], [UNDEFINED], False),
        ([HOLE, 1], SparseArray(2, [(1, 1)]), True),
        (SparseArray(3, [(1, 1)]), [HOLE, 1, HOLE], True),
        (SparseArray(3), SparseArray(4), False),
        (SparseArray(3, [(0, 1)]), SparseArray(3, [(1, 1)]), False),
        (JsMap([(1, 2), (3, 4)]), JsMap([(3, 4), (1, 2)]), False),
        (JsMap([([1], 2)]), JsMap([([1], 2)]), True),
        (JsMap([(1, 2)]), JsMap([(1, 3)]), False),
        (JsMap([(1, 2)]), JsMap(), False),
        (JsSet([1]), JsSet([1]), True),
        (JsSet([1]), JsSet([1, 2]), False),
        (JsSet([1]), JsMap(), False),
        (JsError("Error", message="m"), JsError("Error", message="m", stack=UNDEFINED), True),
        (JsError("Error"), JsError("TypeError"), False),
        (JsError("Error"), JsError("Error", name="Error"), True),
        (Tagged("A", {"x": UNDEFINED}), Tagged("A"), True),
        (Tagged("A"), Tagged("B"), False),
        (Tagged("A", {"x": 1}), Tagged("A", {"x": 2}), False),
        (Unknown("A", [1]), Unknown("A", [1]), True),
        (Unknown("A", 1), Unknown("A", 1, "invalid-input"), False),
        (BigInt(1), BigInt(1), True),
        (BigInt(1), 1, False),
        (1, BigInt(1), False),
        (Undecoded("x"), Undecoded("x"), True),
        (Undecoded("x"), Undecoded("y"), False),
        (JsDate(1), JsDate(1), True),
        (b"x", b"x", True),
        (ring(), ring(), True),
        (ring(), {"n": 1, "self": []}, False),
    ],
)
def test_same(a, b, expected):
    assert same(a, b) is expected
    assert same(b, a) is expected


def test_same_of_cycles_and_depth():
    one, two = ring(), ring()
    unrolled = {"n": 1}
    unrolled["self"] = [{"n": 1, "self": [unrolled]}]
    assert same(one, two) and same(one, unrolled)
    unrolled["self"][0]["n"] = 2
    assert not same(one, unrolled)
    a, b, c = [], [], [1]
    for _ in range(DEEP):
        a, b, c = [a], [b], [c]
    assert same(a, b) and not same(a, c)
    map_a, map_b = JsMap(), JsMap()
    map_a.set(map_a, 1)
    map_b.set(map_b, 1)
    assert same(map_a, map_b) and map_a == map_b


def test_same_of_shared_parts_takes_no_time():
    a, b = [], []
    for _ in range(200):
        a, b = [a, a], [b, b]
    assert same(a, b)


def test_walk_visits_everything_once():
    shared = {"x": 1}
    value = {"a": shared, "b": [shared, 5, 5], "m": JsMap([(shared, 2)]), "s": JsSet([3])}
    value["me"] = value
    paths = [trail.path() for trail, _ in walk(value)]
    assert paths == [
        "$",
        "$.a",
        "$.a.x",
        "$.b",
        "$.b[1]",
        "$.b[2]",
        "$.m",
        "$.m.entries[0][1]",
        "$.s",
        "$.s.values[0]",
    ]
    deep = []
    for _ in range(DEEP):
        deep = [deep]
    assert sum(1 for _ in walk(deep)) == DEEP + 1


def test_paths():
    assert (
        join_path("$", 'odd "key') == '$["odd \\"key"]'
        and join_path("$.a", ("entries", 2, 1)) == "$.a.entries[2][1]"
    )
    assert format_path(["a", 0, "é"]) == '$.a[0]["\\u00e9"]' and format_path([]) == "$"


def test_big_integers_to_text_and_back():
    for value in (0, 7, -7, 10**4000, -(10**4000), 10**4300 + 1, 3**40_000, -(7**30_000)):
        text = decimal_text(value)
        assert parse_decimal(text) == value
        assert text.lstrip("-")[0] != "0" or value == 0


def test_big_integers_have_an_end():
    assert parse_decimal("+12") == 12 and parse_decimal("0012") == 12
    with pytest.raises(ValueError):
        parse_decimal("1" * (MAX_DIGITS + 1))
    for text in ("", "-", "1.0", "1 ", "٣", "0x1"):
        with pytest.raises(ValueError):
            parse_decimal(text)
