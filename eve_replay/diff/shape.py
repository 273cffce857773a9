"""How values are taken apart for comparing: what kind of container each is, and what its parts are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eve_replay.values import (
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
)
from eve_replay.values.paths import join_path

__all__ = ["LEAVES", "Family", "Shape", "shape_of", "step_path"]

#: ``record``: named parts; ``list``: parts in order; ``map``: keys are values; ``set``: only members.
Family = Literal["record", "list", "map", "set"]

#: Value classes without parts.
LEAVES = (BigInt, JsBytes, JsDate, RegExp, Undecoded, Url, UrlSearchParams)


@dataclass(slots=True)
class Shape:
    """A container taken apart.

    Attributes:
        family: how its parts are found again.
        head: what two values must share to be compared part by part (class and tag).
        parts: the parts; for ``map`` the values, whose keys are in ``keys``.
        names: the parts' names for ``record``.
        keys: the Map's keys, empty for other families.
    """

    family: Family
    head: str
    parts: Sequence[object]
    names: Sequence[str | int] = ()
    keys: Sequence[object] = ()


def shape_of(value: object) -> Shape | None:
    """Return how ``value`` is taken apart, None when it has no parts."""
    if isinstance(value, dict):
        return Shape("record", "object", list(value.values()), list(value))
    if isinstance(value, list):
        return Shape("list", "array", value)
    if isinstance(value, JsMap):
        return Shape("map", "Map", [v for _, v in value.entries], keys=[k for k, _ in value.entries])
    if isinstance(value, JsSet):
        return Shape("set", "Set", value.values)
    if isinstance(value, JsError):
        return _fields(f"error {value.kind}", value.fields)
    if isinstance(value, SparseArray):
        names: list[str | int] = ["length", *value.entries]
        return Shape("record", "sparse array", [value.length, *value.entries.values()], names)
    if isinstance(value, Headers):
        return Shape("list", "Headers", [list(pair) for pair in value.entries])
    if isinstance(value, Tagged):
        return _fields(f"tagged {value.tag}", value.fields)
    if isinstance(value, Boxed):
        return Shape("record", "boxed", [value.value], ["value"])
    if isinstance(value, Unknown):
        return Shape("record", f"unknown {value.tag} {value.reason}", [value.payload], ["payload"])
    return None


def _fields(head: str, fields: Mapping[str, object]) -> Shape:
    """Recorded fields of errors and tagged values: an undefined one counts as absent (as in ``same``)."""
    present = {name: value for name, value in fields.items() if value is not UNDEFINED}
    return Shape("record", head, list(present.values()), list(present))


def step_path(path: str, family: Family, name: str | int) -> str:
    """Return the path of a part as docs/formats/tagged-json.md#paths writes it.

    Parts of a Map are the entry's value.
    """
    if family == "map":
        return join_path(path, ("entries", name, 1))
    if family == "set":
        return join_path(path, ("values", name))
    return join_path(path, name)
