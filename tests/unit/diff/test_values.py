"""Values compared: the smallest differences, in words a person can act on."""

import copy

import pytest
from hypothesis import given

from eve_replay.diff import ABSENT, diff_values
from eve_replay.diff.values import MAX_DEPTH
from eve_replay.values import (
    UNDEFINED,
    BigInt,
    Headers,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    SparseArray,
    Tagged,
    Undecoded,
    same,
)
from tests.unit.diff.test_tokens import VALUES


def changes(before, after):
    return [(c.kind, c.path) for c in diff_values(before, after).changes()]


@given(VALUES, VALUES)
def test_nothing_changes_exactly_when_the_values_are_the_same(a, b):
    assert diff_values(a, b).is_same == same(a, b)
    assert diff_values(a, a).is_same


def test_fields_changed_added_removed():
    assert changes({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4}) == [
        ("changed", "$.b"),
        ("removed", "$.c"),
        ("added", "$.d"),
    ] or changes({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "d": 4}) == [
        ("changed", "$.b"),
        ("added", "$.d"),
        ("removed", "$.c"),
    ]
    assert changes({"odd key": 1}, {"odd key": 2}) == [("changed", '$["odd key"]')]


def test_one_insert_at_index_0_is_one_change():
    history = [{"role": "user", "content": f"message {n}"} for n in range(1000)]
    after = [{"role": "system", "content": "new"}, *copy.deepcopy(history)]
    assert changes(history, after) == [("added", "$[0]")]
    assert changes(after, history) == [("removed", "$[0]")]


def test_a_moved_item_is_one_move_with_both_places():
    (change,) = diff_values(list("abcdef"), list("fabcde")).changes()
    assert (change.kind, change.path, change.old_path, change.edited) == ("moved", "$[0]", "$[5]", False)


def test_an_item_that_moved_and_changed_says_both():
    before = [{"id": "x", "n": 1}, 1, 2, 3]
    after = [1, 2, 3, {"id": "x", "n": 2}]
    found = list(diff_values(before, after).changes())
    assert [(c.kind, c.path, c.old_path) for c in found] == [
        ("moved", "$[3]", "$[0]"),
        ("changed", "$[3].n", "$[0].n"),
    ]
    assert found[0].edited


def test_an_edited_item_shows_the_edit_not_a_removal():
    before = [{"role": "user", "content": "hello there"}, {"role": "tool", "content": "x"}]
    after = [{"role": "user", "content": "hello world"}, {"role": "tool", "content": "x"}]
    assert changes(before, after) == [("changed", "$[0].content")]
    assert changes([1, 2, 3], [1, 9, 3]) == [("changed", "$[1]")]
    assert changes([{"id": 1, "a": 1}], [{"id": 1, "z": 2}]) == [("removed", "$[0].a"), ("added", "$[0].z")]


def test_unrelated_items_are_two_items():
    assert changes([{"type": "text", "text": "a"}], [{"type": "tool-call", "name": "b", "input": {}}]) == [
        ("added", "$[0]"),
        ("removed", "$[0]"),
    ] or changes([{"type": "text", "text": "a"}], [{"type": "tool-call", "name": "b", "input": {}}]) == [
        ("removed", "$[0]"),
        ("added", "$[0]"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "types"),
    [
        (1, BigInt(1), ("number", "bigint")),
        (1, True, ("number", "boolean")),
        (None, UNDEFINED, ("null", "undefined")),
        ([1], JsSet([1]), ("array", "Set")),
        ({"a": 1}, JsMap([("a", 1)]), ("object", "Map")),
        (JsError("Error", message="m"), JsError("TypeError", message="m"), ("Error", "TypeError")),
        (JsBytes("Uint8Array", b"a"), JsBytes("Int8Array", b"a"), ("Uint8Array", "Int8Array")),
    ],
)
def test_js_types_count(before, after, types):
    (change,) = diff_values({"v": before}, {"v": after}).changes()
    assert (change.kind, change.path) == ("changed", "$.v")
    assert (change.type_before, change.type_after) == types
    assert change.note == f"type changed from {types[0]} to {types[1]}"


def test_numbers_that_look_alike():
    assert changes([0.0, float("nan"), 1], [-0.0, float("nan"), 1.0]) == [("changed", "$[0]")]


def test_maps_are_compared_by_key_and_sets_by_member():
    one = JsMap([("a", 1), ({"k": 1}, "old"), ("gone", 0)])
    two = JsMap([("a", 1), ({"k": 1}, "new"), ("came", 0)])
    found = {(c.kind, c.path, c.label) for c in diff_values(one, two).changes()}
    assert found == {
        ("changed", "$.entries[1][1]", "key {k: 1}"),
        ("removed", "$.entries[2][1]", 'key "gone"'),
        ("added", "$.entries[2][1]", 'key "came"'),
    }
    found = {(c.kind, c.label) for c in diff_values(JsSet([1, 2]), JsSet([2, 3])).changes()}
    assert found == {("removed", "member 1"), ("added", "member 3")}


def test_the_order_of_a_map_counts():
    (change,) = diff_values(JsMap([("a", 1), ("b", 2)]), JsMap([("b", 2), ("a", 1)])).changes()
    assert change.kind == "moved"


def test_typed_values_are_taken_apart():
    assert changes(
        JsError("Error", message="a", extra={"retryAfter": 1}),
        JsError("Error", message="b", extra={"retryAfter": 1}),
    ) == [("changed", "$.message")]
    assert changes(Tagged("Request", {"url": "a", "x": UNDEFINED}), Tagged("Request", {"url": "b"})) == [
        ("changed", "$.url")
    ]
    assert changes(SparseArray(9, [(3, "a")]), SparseArray(9, [(3, "b")])) == [("changed", "$[3]")]
    assert changes(Headers((("a", "1"), ("b", "2"))), Headers((("a", "1"), ("b", "3")))) == [
        ("changed", "$[1][1]")
    ]
    assert changes(JsDate(0), JsDate(1)) == [("changed", "$")]


def test_what_cannot_be_decoded_is_unknown_not_changed():
    (change,) = diff_values({"v": 1}, {"v": Undecoded("missing-key", "No key.")}).changes()
    assert (change.kind, change.note) == ("unknown", "undecoded: missing-key")
    assert diff_values(Undecoded("truncated"), Undecoded("truncated")).kind == "unknown"


def test_cycles_are_followed_once():
    def loop(n):
        value = {"n": n, "inner": {}}
        value["inner"]["up"] = value
        return value

    assert changes(loop(1), loop(2)) == [("changed", "$.n")]
    assert diff_values(loop(1), loop(1)).is_same
    here, there = {"a": []}, {"a": []}
    here["a"].append(here)
    there["a"].append(there["a"])
    assert sorted(changes(here, there)) == [("added", "$.a[0]"), ("removed", "$.a[0]")]
    short, long = [], [[]]
    short.append(short)
    long[0].append(long)
    assert same(short, long)
    assert diff_values(short, long).is_same


def test_a_shared_value_is_taken_apart_once():
    one, two = {"x": 1}, {"x": 2}
    found = list(diff_values({"a": one, "b": one}, {"a": two, "b": two}).changes())
    assert [(c.path, c.note) for c in found] == [("$.a.x", ""), ("$.b", "as at $.a")]


def test_deep_and_hugely_shared_values_end():
    one, two = [1], [2]
    for _ in range(3 * MAX_DEPTH):
        one, two = [one], [two]
    (change,) = diff_values(one, two).changes()
    assert change.note == "differs inside; not taken further apart"
    for _ in range(40):
        one, two = [one, one], [two, two]
    assert not diff_values(one, two).is_same  # walked one by one, 2**40 items would never end


def test_long_texts_tell_the_words_that_changed():
    (change,) = diff_values({"t": "I charged card 42."}, {"t": "I charged card 43."}).changes()
    assert [(p.kind, p.text) for p in change.words()] == [
        ("same", "I charged card "),
        ("removed", "42"),
        ("added", "43"),
        ("same", "."),
    ]
    assert diff_values(1, 2).words() == ()


def test_equal_neighbours_are_folded_but_counted():
    tree = diff_values(list(range(100)), [*range(50), "new", *range(50, 100)])
    assert [(c.kind, c.count, c.label) for c in tree.children] == [
        ("same", 50, "[0..49]"),
        ("added", 1, "[50]"),
        ("same", 50, "[51..100]"),
    ]
    assert tree.children[1].before is ABSENT
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"


def test_three_megabytes_of_history_with_two_changes():
    """How long it takes: tests/benchmarks/test_diff.py."""

    def history():
        return [
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "text",
                        "text": f"answer {n}, with some words that make it as long as answers are" * 2,
                    },
                    {
                        "type": "tool-call",
                        "toolCallId": f"call_{n}",
                        "toolName": "charge",
                        "input": {"cents": n},
                    },
                ],
            }
            for n in range(11_000)
        ]

    before, after = history(), history()
    after.insert(0, {"role": "system", "content": "new"})
    after[500]["content"][0]["text"] += " indeed"
    assert changes(before, after) == [("added", "$[0]"), ("changed", "$[500].content[0].text")]
