import dataclasses
from datetime import UTC, datetime

import pytest

from eve_replay.views.kit.base import View, attempt_key, call_key, event_key, plain_json, split_key, step_key


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Inner(View):
    at_time: datetime | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outer(View):
    some_name: str
    inner: Inner
    many: tuple[Inner, ...] = ()


def test_views_become_camel_case_json():
    inner = Inner(at_time=datetime(2026, 1, 1, 12, 0, 0, 5000, tzinfo=UTC))
    assert Outer(some_name="x", inner=inner, many=(Inner(at_time=None),)).to_json() == {
        "someName": "x",
        "inner": {"atTime": "2026-01-01T12:00:00.005Z"},
        "many": [{"atTime": None}],
    }


def test_other_things_become_json_too():
    assert plain_json({"a": {2, 1}, 3: (1.5, True)}) == {"a": ["1", "2"], "3": [1.5, True]}
    assert plain_json(object()).startswith("<object")


def test_views_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Inner(at_time=None).at_time = datetime.now(UTC)


def test_keys_can_be_taken_apart_even_when_call_ids_hold_slashes():
    assert split_key(step_key("wrun_1", "step_2")) == ("step", ("wrun_1", "step_2"))
    assert split_key(attempt_key("wrun_1", "step_2", 3)) == ("attempt", ("wrun_1", "step_2", "3"))
    assert split_key(call_key("wrun_1", "step_2", 3, "a/b:c")) == ("call", ("wrun_1", "step_2", "3", "a/b:c"))
    assert split_key(event_key("wrun_1", "evnt_1")) == ("event", ("wrun_1", "evnt_1"))
    assert split_key("turn:wrun_1") == ("turn", ("wrun_1", ""))
    assert split_key("") == ("", ("",))
