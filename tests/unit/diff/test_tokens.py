"""Structural identity: the same token exactly when ``same`` holds."""

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.diff.tokens import Tokens
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
    same,
)

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "1", "\ud800"]),
    st.sampled_from([UNDEFINED, HOLE, BigInt(1), JsDate(0), JsDate(None), Url("a:b"), RegExp("a", "g")]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        st.lists(inner, max_size=3).map(JsSet),
        st.lists(st.tuples(inner, inner), max_size=3).map(JsMap),
        inner.map(Boxed),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=2).map(lambda f: Tagged("T", f)),
    ),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_tokens_agree_with_same(a, b):
    tokens = Tokens()
    assert (tokens.of(a) == tokens.of(b)) == same(a, b)


def test_every_type_is_told_from_its_look_alikes():
    values = [
        1, True, "1", BigInt(1), Boxed(1), [1], {"0": 1}, JsSet([1]), JsMap([(0, 1)]), JsDate(1), Url("1"),
        UrlSearchParams("1"), RegExp("1"), JsBytes("Uint8Array", b"1"), JsBytes("Int8Array", b"1"),
        Headers((("a", "1"),)), Tagged("A", {"a": 1}), Tagged("B", {"a": 1}), Unknown("A", 1),
        JsError("Error", message="1"), JsError("TypeError", message="1"), SparseArray(5, [(0, 1)]),
        SparseArray(6, [(0, 1)]), None, UNDEFINED, HOLE, 0, -0.0, float("nan"),
    ]  # fmt: skip
    tokens = Tokens()
    assert len({tokens.of(value) for value in values}) == len(values)


def test_undecoded_values_are_never_equal_unless_they_are_one():
    one, two = Undecoded("truncated"), Undecoded("truncated")
    tokens = Tokens()
    assert tokens.of(one) == tokens.of(one) != tokens.of(two)


def test_cycles_of_the_same_shape_are_equal():
    def loop(value):
        node = {"v": value, "list": []}
        node["list"].append(node)
        return node

    tokens = Tokens()
    one, two, other = loop(1), loop(1), loop(2)
    assert tokens.of(one) == tokens.of(two) != tokens.of(other)
    assert tokens.of(one["list"]) != tokens.of(other["list"])


def test_deep_nesting_needs_no_recursion():
    def deep(end):
        value = end
        for _ in range(20_000):
            value = [value]
        return value

    tokens = Tokens()
    one, two, three = deep(1), deep(1), deep(2)
    assert tokens.of(one) == tokens.of(two) != tokens.of(three)


def test_shared_structure_is_looked_at_once():
    value = ["end"]
    for _ in range(64):
        value = [value, value]
    tokens = Tokens()
    assert tokens.of(value) == tokens.of([value[0], value[0]])
