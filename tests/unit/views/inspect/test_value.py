from eve_replay.values import (
    UNDEFINED,
    BigInt,
    JsBytes,
    JsError,
    JsMap,
    JsSet,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
)
from eve_replay.views.inspect.value import ValueTree, value_lines, value_node, value_rows
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import plain


def shown(value, **options):
    lines = {key: options.pop(key) for key in ("width", "indent", "whole_text") if key in options}
    return plain(value_lines(value_rows(value, **options), **lines)).split("\n")


def test_a_small_value_is_one_line():
    assert shown("text") == ['"text"']
    assert shown({}) == ["{}"]
    assert shown(UNDEFINED) == ["undefined"]


def test_objects_open_level_by_level_while_they_fit():
    value = {"a": {"deep": ["x" * 30, "y" * 30]}, "b": 1}
    assert shown(value, budget=6) == [
        "object",
        "  a: object",
        "    deep: array of 2 items",
        f'      [0] "{"x" * 30}"',
        f'      [1] "{"y" * 30}"',
        "  b: 1",
    ]
    assert len(shown(value, budget=3)) == 3


def test_undefined_fields_share_a_line_and_long_lists_are_cut():
    assert shown({"a": UNDEFINED, "b": None, "c": UNDEFINED}) == ["object", "  b: null", "  undefined: a, c"]
    rows = shown(list(range(300)), page=3)
    assert rows == ["array of 300 items", "  [0] 0", "  [1] 1", "  297 more items", "  [299] 299"]
    rows = shown({str(n): n for n in range(300)}, page=2)
    assert rows == ["object", "  0: 0", "  1: 1", "  298 more items"]


def test_cycles_and_shared_values_are_named_and_not_repeated():
    shared = {"long": "z" * 60}
    value = {"first": shared, "again": shared}
    value["self"] = value
    assert shown(value) == [
        "object",
        "  first: object",
        f'    long: "{"z" * 60}"',
        "  again: object, same as $.first",
        "  self: object, cycle to $",
    ]


def test_every_kind_says_what_it_is():
    value = {
        "map": JsMap([("k", 1), (BigInt(5), "five"), ({"z": "z" * 50}, 2)]),
        "set": JsSet([1, "1"]),
        "error": JsError("TypeError", message="no\x1b[1m", stack="at x\n at y" * 9),
        "bytes": JsBytes("Uint8Array", bytes(range(20))),
        "stream": Tagged("WritableStream", {"name": "strm_x"}),
        "sparse": SparseArray(99999, [(5, "five")]),
        "odd": Unknown("Temporal.Foo", "p"),
        "lost": Undecoded("wrong-key", "The key does not fit.", offset=4),
    }
    lines = shown(value, budget=60, width=100)
    assert '    "k" => 1' in lines
    assert '    5n => "five"' in lines
    assert "    key 2: object" in lines
    assert "    value 2: 2" in lines
    assert '  set: Set(2) {1, "1"}' in lines
    assert "  error: TypeError: no\\x1b[1m" in lines
    assert "  bytes: Uint8Array(20), 20 B: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f …" in lines
    assert '  stream: WritableStream {name: "strm_x"}' in lines
    assert "  sparse: length 99999, 1 filled" in lines
    assert '  odd: Unknown type Temporal.Foo: "p"' in lines
    assert "  lost: undecoded: wrong-key at byte 4. The key does not fit." in lines
    assert value_node(value["lost"]).tone == "warning"
    assert value_node(value["error"]).tone == "error"


def test_whole_text_shows_strings_to_their_end():
    assert shown({"s": "one\ntwo\t你\x1b"}, whole_text=True) == ["object", "  s: one", "    two 你\\x1b"]


def test_lines_fit_and_keys_cannot_break_them():
    value = {"bad\n\x1bkey": "你" * 100, "k" * 20: {"n": ["x" * 200]}}
    lines = shown(value, width=40)
    assert all(display_width(each) <= 40 for each in lines)
    assert lines[1].startswith("  bad\\n\\x1bkey: ")


def test_depth_and_size_cost_only_what_is_shown():
    deep = leaf = []
    for _ in range(20_000):
        leaf.append([])
        leaf = leaf[0]
    assert len(shown(deep, budget=30)) <= 31
    assert len(shown({str(n): n for n in range(100_000)}, budget=30)) <= 32


def test_a_front_end_opens_what_it_wants():
    tree = ValueTree({"a": [1, 2, 3], "b": {"c": 1}})
    assert [row.path for row in tree.rows()] == ["$", "$.a", "$.b"]
    rows = tree.rows(open_paths={"$", "$.a"}, page=2)
    assert [(row.path, row.depth, row.open) for row in rows] == [
        ("$", 0, True),
        ("$.a", 1, True),
        ("$.a[0]", 2, False),
        ("$.a[1]", 2, False),
        ("$.a", 2, False),
        ("$.b", 1, False),
    ]
    a = tree.children(tree.root)[0]
    assert [node.text for node in tree.children(a, start=1, limit=1)] == ["2"]
    assert rows[0].to_json()["node"]["kind"] == "object"
    assert rows[4].to_json() == {
        "node": None,
        "depth": 2,
        "open": False,
        "note": "1 more item",
        "path": "$.a",
    }
