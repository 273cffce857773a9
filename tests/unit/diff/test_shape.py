from eve_replay.diff.shape import shape_of, step_path
from eve_replay.values import UNDEFINED, BigInt, JsError, JsMap, Tagged


def test_containers_are_taken_apart_and_leaves_are_not():
    assert shape_of({"a": 1}).names == ["a"]
    assert shape_of([1, 2]).family == "list"
    assert shape_of(JsMap([("k", 1)])).keys == ["k"]
    assert shape_of(BigInt(1)) is None
    assert shape_of("text") is None
    assert shape_of(UNDEFINED) is None


def test_undefined_fields_of_typed_values_count_as_absent():
    assert shape_of(Tagged("Request", {"url": "x", "body": UNDEFINED})).names == ["url"]
    assert shape_of(JsError("Error", message="m")).head == "error Error"


def test_paths_are_those_of_the_format():
    assert step_path("$", "record", "a b") == '$["a b"]'
    assert step_path("$", "record", 3) == "$[3]"
    assert step_path("$", "map", 3) == "$.entries[3][1]"
    assert step_path("$", "set", 3) == "$.values[3]"
