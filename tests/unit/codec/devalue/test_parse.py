"""devalue documents beyond the vectors: typed values, references, damage in place, bombs."""

import math

import pytest

from eve_replay.codec import Payload, decode_devalue
from eve_replay.codec.base64text import decode_base64, decoded_size
from eve_replay.codec.devalue.regexps import regexp_fault
from eve_replay.codec.devalue.urls import query_text, url_fault
from eve_replay.limits import Limits
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
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    same,
    to_tagged,
)
from tests.support.devalue import devalue_text

DEEP = 20_000
INVALID_100 = "Invalid input: Reference 100.0 is beyond the last entry."


def value(text, **options):
    return decode_devalue(text, **options)[0]


def codes(text):
    return [code for code, _ in decode_devalue(text)[1]]


def test_shared_and_cyclic_references_keep_identity():
    found = value('[{"a":1,"b":1,"me":0,"m":3},[2],"x",["Map",4],[5],[1,3]]')
    assert found["a"] is found["b"] and found["me"] is found
    ((key, inner),) = found["m"].entries
    assert key is found["a"] and inner is found["m"] and found["m"].get(found["a"]) is found["m"]


def test_an_error_and_an_instance_inside_themselves():
    error = value('[["AggregateError",1],{"message":2,"errors":3},"m",[0]]')
    assert isinstance(error, JsError) and error.extra["errors"] == [error]
    thing = value('[["Instance",1],{"classId":2,"data":3},"class//x",{"self":0}]')
    assert isinstance(thing, Tagged) and thing.get("data")["self"] is thing


def test_depth():
    nested = value(",".join(["["] + [f"[{i + 1}]" for i in range(DEEP)] + ['"leaf"]']).replace("[,", "[", 1))
    for _ in range(DEEP):
        (nested,) = nested
    assert nested == "leaf"
    maps = JsMap([("k", 1)])
    for _ in range(DEEP):
        maps = JsMap([(maps, JsSet([maps]))])
    assert same(value(devalue_text(maps)), maps)


def test_deep_chains_of_types():
    text = "[" + ",".join(f'["Set",{i + 1}]' for i in range(DEEP)) + ",[]]"
    found = value(text)  # devalue's own form: Sets in Sets
    for _ in range(DEEP - 1):
        [found] = found.values
    assert found == JsSet()
    text = "[" + ",".join(f'["Zebra",{i + 1}]' for i in range(DEEP)) + ",5]"
    found = value(text)
    for _ in range(DEEP):
        assert isinstance(found, Unknown)
        found = found.payload
    assert found == 5
    inline = '["Zebra",' * DEEP + "[1,1]" + "]" * DEEP
    found = value(f"[{inline},7]")
    for _ in range(DEEP):
        found = found.payload
    assert found == [7, 7]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[["Date","2026-01-01T00:00:00.000Z"]]', JsDate(1767225600000)),
        ('[["Date",1],0]', JsDate(0)),
        ('[["Date",1],null]', JsDate(0)),
        ('[["Date",1],1e99]', JsDate(None)),
        ('[["Date"]]', JsDate(None)),
        ('[["BigInt",1],"0x1F"]', BigInt(31)),
        ('[["BigInt",1]," -12 "]', BigInt(-12)),
        ('[["BigInt",1],""]', BigInt(0)),
        ('[["BigInt",1],true]', BigInt(1)),
        ('[["BigInt","5"]]', BigInt(5)),
        ('[["Set",[1,1]],5]', JsSet([5])),
        ('[["Map",-1]]', JsMap()),
        ('[["Set",1],null]', JsSet([None])),
        ('[["Map",1],[2,2],[3],"k"]', JsMap([("k", UNDEFINED)])),
        ('[["Map",1],[2],[-2,3],1]', JsMap([(UNDEFINED, 1)])),
        ('[["Set",1],[-2,-1]]', JsSet([UNDEFINED])),
        ('[["Set",1],[-7,3,1,2],5]', JsSet([UNDEFINED, 5])),
        ('[["Object",1],"s"]', Boxed("s")),
        # devalue up to 5.6 (@workflow/core 4.2.5) puts the number itself there.
        ('[["Object",0]]', Boxed(0)),
        ('[["Object",7]]', Boxed(7)),
        ('[["Object",1.5]]', Boxed(1.5)),
        ('[["Object",1],["Object",1]]', Boxed(1)),
        ('[["Object",-3]]', Boxed(math.nan)),
        ('[["null","a",1,"b",-1],2]', NullObject(a=2, b=UNDEFINED)),
        ('[["Headers",1],[2,2],[3,4],"B","1"]', Headers((("b", "1, 1"),))),
        ('[["Headers",-1]]', Headers()),
        ('[["DataView",1,1,2],["ArrayBuffer",2],"AAECAw=="]', JsBytes("DataView", b"\x01\x02")),
        ('[["Float16Array",1],["ArrayBuffer",2],"AAECAw=="]', JsBytes("Float16Array", bytes(range(4)))),
        ('[["URL",1],"file:///a"]', value('[["URL",1],"file:///a"]')),
        ("[[-7,3,1,1],9]", [HOLE, 9, HOLE]),
        ("[[-7,5000,1,1],9]", SparseArray(5000, [(1, 9)])),
        ("[[-7,2,0,1,0,2],1,2]", [2, HOLE]),
        ("[[1.0],5]", [5]),
        ("[[1.5],5]", [UNDEFINED]),
        ("[[1e2,-2e0],5]", [Undecoded("invalid-input", INVALID_100, "$[0]"), HOLE]),
        ("[[-7.0,1]]", [HOLE]),
        ("[[1,-7],5]", [5, UNDEFINED]),
        ("[[-0],5]", value("[[0],5]")),
        ("-6", -0.0),
        ("-1.0", UNDEFINED),
    ],
)
def test_forms(text, expected):
    assert same(value(text), expected)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('[{"a":1,"b":true},5]', "$.b"),
        ('[{"a":1,"b":99,"c":1},5]', "$.b"),
        ('[{"a":1,"b":[1]},5]', "$.b"),
        ('[{"a":1,"b":{"x":1}},5]', "$.b"),
        ("[[1,null],5]", "$[1]"),
        ("[[1,1e400],5]", "$[1]"),
        ("[[1,2.5],5]", "$[1]"),
        ("[[1,false],5]", "$[1]"),
        ('[{"x":1},["null","k",9,"l",2],6]', "$.x.k"),
        ('[{"x":1},["null","k"]]', "$.x.k"),
        ("[[-7,3,0,9,1,1],5]", "$[0]"),
        ("[[-7,5000,7,99]]", "$[7]"),
        ('[["Map",1],[2],[3,99],"k"]', "$.entries[0][1]"),
        ('[["Set",1],[2,99],"k"]', "$.values[1]"),
        ('[["Error",1],{"message":99}]', "$.message"),
        ('[["Zebra",99]]', "$.payload"),
        ('[["Zebra",1,99],5]', "$.payload[1]"),
        ('[{"a":1},["Date",{"x":1}]]', "$.a"),
        ('[{"a":1},["Map",1]]', "$.a"),
        ('[{"a":1},["Zebra",2],["Zebra",1]]', "$.a"),
        ("[[1],", "$[0]"),
        ('[{"a":1,"b":2},5,oops]', "$.b"),
        ('[{"a":1,"b":2},5,"cut', "$.b"),
    ],
)
def test_damage_stays_where_it_is(text, path):
    payload = Payload(b"devl" + text.encode())
    assert payload.undecoded is not None
    at = [p for p in (payload.undecoded,) if p.path == path]
    found = payload.at(path)
    assert at or isinstance(found, Undecoded)
    assert isinstance(found, Undecoded) and found.path == path
    assert isinstance(Payload(b"devl" + text.encode()).at(path), Undecoded)


def test_good_data_beside_damage():
    found = value('[{"a":1,"b":99,"c":2,"d":3},5,[1,true,1],["BigInt",4],"12x"]')
    assert found["a"] == 5 and found["c"][::2] == [5, 5]
    assert isinstance(found["b"], Undecoded) and isinstance(found["c"][1], Undecoded)
    assert "12x" in found["d"].message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "5",
        '"x"',
        "{}",
        "null",
        "true",
        "-2",
        "-7",
        "-8",
        "0",
        "[1",
        "NaN",
        "[NaN]",
        "[Infinity]",
        '["a"',
        '["\\x"]',
        "\x00",
        '[["Date",1],{"a":1}]',
        '[["URL",1],5]',
        '[["URLSearchParams",1],[]]',
        '[["RegExp",1],5]',
        '[["RegExp",1],{"source":2,"flags":2},"q("]',
        '[["Headers",1],[2],[2]]',
        '[["Headers",1],[2],[3],"x"]',
        '[["Headers",1],[2],[3,3],""]',
        '[["Headers",1],{"a":1}]',
        '[["Uint16Array",1],"AAAA"]',
        '[["DataView",1]]',
        '[["DataView"]]',
        '[["DataView",1,9],["ArrayBuffer",2],"."]',
        '[["DataView",1,"x"],["ArrayBuffer",2],"."]',
        '[["DataView",1,0,true],["ArrayBuffer",2],"."]',
        '[["Object",1],{}]',
        '[["Object"]]',
        '[["Object",[1]],5]',
        '[["null",1,2],"x"]',
        "[[-7]]",
        "[[-7,true]]",
        '[[-7,"1"]]',
        "[[-7,1e10]]",
        "[[-7,3,5,1],2]",
        "[[-7,3,-1,1],2]",
        "[[-7,3,true,1],2]",
        '[["BigInt",1],"1_000"]',
        '[["BigInt",1],"0x"]',
        '[["BigInt",1],"0x-1"]',
        '[["BigInt",1],"--1"]',
        '[["BigInt",1],"٣"]',
        '[["BigInt",1],1.5]',
        '[["BigInt",1],null]',
        '[["Map",1],"ab"]',
        '[["Map",1],[2],"ab"]',
        '[["Map",1],[2],["Set",3],[]]',
        '[["Zebra"]]',
        '[["Map",5]]',
    ],
)
def test_what_is_no_document_at_all(text):
    payload = Payload(b"devl" + text.encode())
    assert payload.undecoded is not None and payload.undecoded.message
    to_tagged(payload.value)


def test_notes():
    assert codes('[["Date",1],"yesterday"]') == ["unreadable-date"]
    assert codes('[["Uint8Array",1],"AQ"]') == ["loose-base64"]
    assert codes("[[-9,-10,-9]]") == ["odd-index", "odd-index"]
    assert len(codes(f"[[{','.join(str(-i) for i in range(8, 5000))}]]")) == 100
    assert codes("[[0.5]]") == ["odd-index"]
    assert decode_devalue(b'["\xff"]')[1] == [
        ("bad-utf8", "Bytes that are no UTF-8, the first at 2, are shown as U+FFFD.")
    ]
    assert value(b'\xef\xbb\xbf["x"]') == "x"


def test_duplicate_keys_and_numbers():
    assert value('[{"a":1,"a":2},1,2]') == {"a": 2}
    found = value("[[1,2,3,4],9007199254740993,-9007199254740993,1e400,0.1]")
    assert found == [9007199254740992.0, -9007199254740992.0, math.inf, 0.1]
    assert [type(n) for n in found] == [float] * 4
    assert value("[" + "9" * 5000 + "]") == math.inf
    assert value("[[1,2]," + "9" * 400 + ",-" + "9" * 400 + "]") == [math.inf, -math.inf]
    assert math.copysign(1, value("[[1],-0]")[0]) == -1


def test_legacy_payloads_are_not_changed_by_reading():
    raw = [{"a": 1, "b": 2}, 5, ["Date", 3], "2026-01-01T00:00:00.000Z"]
    payload = Payload(raw)
    assert payload.value == {"a": 5, "b": JsDate(1767225600000)}
    assert raw[0] == {"a": 1, "b": 2}
    payload.forget()
    assert payload.value["a"] == 5 and payload.at("b") == JsDate(1767225600000)
    assert payload.size == 0 and payload.text_size is None and payload.raw is raw


def test_a_deep_legacy_payload_is_not_changed_either():
    inline = [1]
    for _ in range(DEEP):
        inline = ["Zebra", inline]
    payload = Payload([inline, 5])
    first = payload.value
    payload.forget()
    assert same(payload.value, first)
    assert same(to_tagged(first), to_tagged(payload.value)) and inline[0] == "Zebra"


def test_big_integers_have_a_limit():
    digits = "7" * 100_000
    found = value(f'[["BigInt",1],"{digits}"]')
    assert to_tagged(found) == {"$type": "BigInt", "value": digits}
    assert value(f'[["BigInt",1],"-{digits}"]').value == -found.value
    assert isinstance(value(f'[["BigInt",1],"{digits}7"]'), Undecoded)
    assert isinstance(value(f'[["BigInt",1],"0x{digits}7"]'), Undecoded)


def test_too_many_cells():
    text = "[[" + ",".join(["1"] * 5000) + "],0]"
    assert isinstance(value(text, limits=Limits(nodes=4000)), Undecoded)
    assert len(value(text, limits=Limits(nodes=6000))) == 5000
    assert Payload(b"devl" + text.encode(), limit=20_000).undecoded.reason == "too-big"


def test_sparse_arrays_have_the_vendors_limit():
    assert value("[[-7,100000,7,1],2]").length == 100_000
    assert value("[[-7,100001]]").reason == "too-big"
    assert value("[[-7,4294967296]]").reason == "invalid-input"


@pytest.mark.parametrize(
    ("text", "data", "strict"),
    [
        ("", b"", True),
        ("AQID", b"\x01\x02\x03", True),
        ("AQI=", b"\x01\x02", True),
        ("AQI", b"\x01\x02", False),
        ("AQ\nID", b"\x01\x02\x03", False),
        ("_-8=", b"\xff\xef", False),
        ("AQ==AQ==", b"\x01", False),
        ("A", b"", False),
        ("=AQI=", b"", False),
        ("é@AQID", b"\x01\x02\x03", False),
    ],
)
def test_base64_as_node_reads_it(text, data, strict):
    assert decode_base64(text) == (data, strict)
    if strict:
        assert decoded_size(text) == len(data)


@pytest.mark.parametrize(
    "source",
    ["", "a", "(?:)", "a+", "[a-z]*?", "(?<n>b)", "\\)", "[)(]", "a|b|", "x{2}", "]", "(?=a)*", "[\\]]"],
)
def test_good_patterns_pass(source):
    assert regexp_fault(source, "gi") is None


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("(", ""),
        (")", ""),
        ("[", ""),
        ("a\\", ""),
        ("*", ""),
        ("a|+", ""),
        ("(?", ""),
        ("a", "gg"),
        ("a", "x"),
        ("a", "uv"),
        ("[[a]", "v"),
        ("(*a)", ""),
    ],
)
def test_bad_patterns_are_named(source, flags):
    assert regexp_fault(source, flags)


def test_nested_classes_need_the_v_flag():
    assert regexp_fault("[[a]&&[b]]", "v") is None
    assert regexp_fault("[[a]", "u") is None


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("a=1&b=2", "a=1&b=2"),
        ("?a=1", "a=1"),
        ("a", "a="),
        ("a&&b=", "a=&b="),
        ("a=b c", "a=b+c"),
        ("a=%7e~*-._", "a=%7E%7E*-._"),
        ("é=1", "%C3%A9=1"),
        ("=a", "=a"),
        ("a=b=c", "a=b%3Dc"),
        ("%zz", "%25zz="),
        ("a=%ff", "a=%EF%BF%BD"),
        ("a+b=1", "a+b=1"),
        ("a=1&", "a=1"),
    ],
)
def test_query_strings_print_as_in_js(text, printed):
    assert query_text(text) == printed and query_text(printed) == printed


@pytest.mark.parametrize(
    "text",
    ["https://a", "http://u:p@h:1/x?y#z", "mailto:a@b", "data:,x", " https://a ", "ws:a", "about:blank"],
)
def test_urls(text):
    assert not url_fault(text)


@pytest.mark.parametrize(
    "text", ["", "a", "/x", "//h/x", "https://", "http:///", "https://:80", "1a:b", "http://u@/"]
)
def test_no_urls(text):
    assert url_fault(text)


OWN = [
    ('[["Set",1],"admin"]', JsSet(["admin"])),
    ('[["Set",1,2],"admin","ops"]', JsSet(["admin", "ops"])),
    ('[["Set"]]', JsSet()),
    ('[["Set",-1]]', JsSet([UNDEFINED])),
    ('[["Set",1,1,2],["Set",3],[3],7]', JsSet([JsSet([7]), [7]])),
    ('[["Map",1,2],"a",[3],1]', JsMap([("a", [1])])),
    ('[["Map",1,2,3,4],"a",1,"b",2]', JsMap([("a", 1), ("b", 2)])),
    ('[["Map"]]', JsMap()),
    ('[["Uint8Array",1,2,3],["ArrayBuffer","AQIDBAUGBwg="]]', JsBytes("Uint8Array", b"\3\4\5")),
    ('[["Uint16Array",1,2,2],["ArrayBuffer","AQIDBAUGBwg="]]', JsBytes("Uint16Array", b"\3\4\5\6")),
    # devalue up to 5.6: first and last element, boxed primitives inline
    ('[[1,2,3],["Object",3],["Object","x"],["Object",false]]', [Boxed(3), Boxed("x"), Boxed(False)]),
    ('[["Uint16Array",1,1,4],["ArrayBuffer","AQIDBAUGBwg="]]', JsBytes("Uint16Array", b"\3\4\5\6\7\x08")),
    ('[["DataView",1,4,2],["ArrayBuffer","AQIDBAUGBwg="]]', JsBytes("DataView", b"\5\6")),
]


@pytest.mark.parametrize(("text", "expected"), OWN)
def test_devalues_own_forms_keep_every_element(text, expected):
    """Source: devalue 5 and 6 without reducers, and the vendor's Python SDK (findings: python-set)."""
    assert to_tagged(value(text)) == to_tagged(expected)


def test_a_map_of_an_odd_length_keeps_its_last_key():
    found, notes = decode_devalue('[["Map",1,2,3],"a",1,"b"]')
    assert found.get("b") is UNDEFINED and "odd-map" in dict(notes)


@pytest.mark.parametrize(
    ("own", "expected", "noted"),
    [(True, JsSet([["a", 1]]), False), (False, JsSet(["a", 1]), False), (None, JsSet(["a", 1]), True)],
)
def test_a_set_of_one_array_is_decided_by_its_writer(own, expected, noted):
    found, notes = decode_devalue('[["Set",1],[2,3],"a",1]', own=own)
    assert to_tagged(found) == to_tagged(expected)
    assert ("ambiguous-set" in dict(notes)) is noted


def test_one_bad_token_costs_its_value_only():
    """Source: sveltejs/devalue#161; written by @workflow/core 4.6.2 and 5.0.0-beta.26."""
    view = b'["DataView",4,4,undefined],["ArrayBuffer","AQIDBAUGBwg="]'
    text = b'devl[{"chargeId":1,"cents":2,"view":3},"ch_77",4200,' + view + b"]"
    payload = Payload(text)
    assert payload.value["chargeId"] == "ch_77" and payload.value["cents"] == 4200
    assert payload.value["view"] == JsBytes("DataView", b"\5\6\7\x08")
    assert payload.undecoded is None
    assert {"undefined-in-json", "view-length"} == {problem.code for problem in payload.problems}
    assert Payload(text).at("$.cents") == 4200


def test_a_text_that_was_cut_shows_what_came_before():
    payload = Payload(b'devl[{"a":1,"b":2,"c":3},"one","two and')
    assert payload.value["a"] == "one"
    assert payload.undecoded.path == "$.b" and isinstance(payload.value["c"], Undecoded)


def test_a_proto_key_is_shown_with_a_note():
    """Source: devalue 5.6.0 wrote it, 5.6.4 refuses it."""
    payload = Payload(b'devl[{"a":1},{"__proto__":2,"b":2},5]')
    assert payload.value == {"a": {"__proto__": 5, "b": 5}}
    assert payload.undecoded is None and [p.code for p in payload.problems] == ["proto-key"]
    assert Payload(b'devl[{"a":1},{"__proto__":2,"b":2},5]').at("$.a.b") == 5


def test_temporal_values_are_values():
    payload = Payload(b'devl[{"due":1},["Temporal.PlainDate","2026-12-01"]]')
    assert payload.value["due"] == Tagged("Temporal.PlainDate", {"value": "2026-12-01"})
    assert payload.undecoded is None
