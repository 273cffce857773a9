"""What every view-model shares: frozen plain data with one way to JSON, and the keys that name things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

from eve_replay.times import iso

__all__ = ["View", "attempt_key", "call_key", "event_key", "plain_json", "split_key", "step_key"]


class View:
    """Base of the view-models: ``to_json`` gives camelCase names, ISO times and plain lists."""

    __slots__ = ()

    def to_json(self) -> dict[str, object]:
        """Return the view as JSON data; fields whose value is None stay, so that shapes do not vary."""
        return cast("dict[str, object]", plain_json(self))


@cache
def _names(kind: type) -> tuple[tuple[str, str], ...]:
    out = []
    for each in fields(kind):
        head, *rest = each.name.rstrip("_").split("_")
        out.append((each.name, head + "".join(word.capitalize() for word in rest)))
    return tuple(out)


_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain_json(value: Any) -> object:
    """Return view-models, tuples, mappings and datetimes as JSON data. Views are shallow: it may recurse."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        # Most fields are plain, and ten thousand rows have a dozen each: those are not asked one by one.
        return {
            json_name: each if (each := getattr(value, name)).__class__ in _PLAIN else plain_json(each)
            for name, json_name in _names(type(value))
        }
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Mapping):
        return {str(k): plain_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(str(item) for item in value)
    return str(value)


# Keys name whatever can be selected, over all front ends: in the tree, the timeline, the cursor, in links.
# A step id is only unique within its run (docs/evidence/reports.md#t27: one correlation id in two runs), so
# the run id is in the key. Call ids come from a model and may hold anything: they stand last and are never
# split.


def step_key(run_id: str, step_id: str) -> str:
    """Return ``step:RUN/STEP``."""
    return f"step:{run_id}/{step_id}"


def attempt_key(run_id: str, step_id: str, n: int) -> str:
    """Return ``attempt:RUN/STEP/N``."""
    return f"attempt:{run_id}/{step_id}/{n}"


def call_key(run_id: str, step_id: str, n: int, call_id: str) -> str:
    """Return ``call:RUN/STEP/N/CALL``."""
    return f"call:{run_id}/{step_id}/{n}/{call_id}"


def event_key(run_id: str, event_id: str) -> str:
    """Return ``event:RUN/EVENT``."""
    return f"event:{run_id}/{event_id}"


#: How many parts the keys of a kind have; the last part may hold slashes.
_PARTS = {
    "session": 1,
    "run": 1,
    "turn": 2,
    "step": 2,
    "attempt": 3,
    "model": 5,
    "call": 4,
    "event": 2,
    "chunk": 1,
    "park": 2,
    "message": 2,
}


def split_key(key: str) -> tuple[str, tuple[str, ...]]:
    """Return the kind and the parts of a key: ``("step", (run, step))``. Parts missing are empty."""
    kind, _, rest = key.partition(":")
    count = _PARTS.get(kind, 1)
    parts = rest.split("/", count - 1)
    return kind, tuple(parts + [""] * (count - len(parts)))
