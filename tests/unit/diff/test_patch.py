"""RFC 6902 patches that really lead from one value to the other, and unified diffs."""

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.diff import json_patch, unified
from eve_replay.values import BigInt, JsDate, JsMap, same, to_tagged
from tests.unit.diff.test_tokens import VALUES

ITEMS = st.one_of(st.integers(0, 5), st.fixed_dictionaries({"id": st.integers(0, 4), "v": st.integers(0, 2)}))


def applied(document, operations):
    """Apply an RFC 6902 patch, as strictly as the RFC says."""

    def parts(pointer):
        assert pointer == "" or pointer.startswith("/")
        return [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]

    def parent(steps):
        at = document
        for step in steps[:-1]:
            at = at[int(step)] if isinstance(at, list) else at[step]
        return at, steps[-1]

    def remove(steps):
        at, key = parent(steps)
        if isinstance(at, list):
            return at.pop(int(key))
        return at.pop(key)

    def add(steps, value):
        at, key = parent(steps)
        if isinstance(at, list):
            assert int(key) <= len(at)
            at.insert(int(key), value)
        else:
            at[key] = value

    document = copy.deepcopy(document)
    for operation in operations:
        steps = parts(operation["path"])
        if not steps:
            assert operation["op"] == "replace"
            document = copy.deepcopy(operation["value"])
        elif operation["op"] == "add":
            add(steps, copy.deepcopy(operation["value"]))
        elif operation["op"] == "remove":
            remove(steps)
        elif operation["op"] == "replace":
            at, key = parent(steps)
            key = int(key) if isinstance(at, list) else key
            assert key in at or isinstance(at, list)
            at[key] = copy.deepcopy(operation["value"])
        else:
            assert operation["op"] == "move"
            add(steps, remove(parts(operation["from"])))
    return document


@given(VALUES, VALUES)
def test_a_patch_leads_from_one_value_to_the_other(a, b):
    operations = json_patch(a, b)
    assert same(applied(to_tagged(a), operations), to_tagged(b))
    assert (operations == []) == same(to_tagged(a), to_tagged(b))
    json.dumps(operations, allow_nan=False)


@given(st.lists(ITEMS, max_size=9), st.lists(ITEMS, max_size=9))
def test_lists_with_moves_and_edits(a, b):
    assert applied(a, json_patch(a, b)) == b


@given(st.lists(st.integers(0, 30), max_size=30, unique=True), st.randoms())
def test_shuffled_lists(a, rng):
    b = list(a)
    rng.shuffle(b)
    operations = json_patch(a, b)
    assert applied(a, operations) == b
    assert {o["op"] for o in operations} <= {"move"}


def test_one_insert_is_one_operation():
    history = [{"role": "user", "n": n} for n in range(200)]
    assert json_patch(history, [{"new": 1}, *history]) == [{"op": "add", "path": "/0", "value": {"new": 1}}]


def test_pointers_are_escaped_and_types_are_tagged():
    assert json_patch({"a/b~c": 1}, {"a/b~c": BigInt(1)}) == [
        {"op": "replace", "path": "/a~1b~0c", "value": {"$type": "BigInt", "value": "1"}}
    ]
    before, after = JsMap([("k", JsDate(0))]), JsMap([("k", JsDate(1000))])
    assert json_patch(before, after) == [
        {"op": "replace", "path": "/entries/0/1/value", "value": "1970-01-01T00:00:01.000Z"}
    ]


def test_unified_shows_hunks_with_context():
    before = {"items": list(range(30)), "end": True}
    after = {"items": [*range(15), 99, *range(16, 30)], "end": False}
    text = unified(before, after, names=("old", "new"))
    assert text.startswith("--- old\n+++ new\n@@ ")
    assert "\n-    15,\n+    99,\n" in text
    assert text.count("@@ -") == 2
    assert unified(before, before) == ""
