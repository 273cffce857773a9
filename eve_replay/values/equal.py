"""Deep equality of JS values: cycle safe, without recursion, nothing lost."""

from __future__ import annotations

from eve_replay.values.containers import JsMap, JsSet, SparseArray
from eve_replay.values.objects import JsError, Tagged, Unknown
from eve_replay.values.scalars import Boxed
from eve_replay.values.singletons import HOLE, UNDEFINED

__all__ = ["same"]


def same(a: object, b: object) -> bool:
    """Return whether two values are the same, all the way down.

    NaN is the same as NaN, 0 is not the same as -0, ``1`` and ``1.0`` are one JS number, ``True`` is
    none. Key order of plain objects does not count, order in arrays, Maps and Sets does. Fields that
    are undefined count as absent in errors and tagged values, as their canonical form leaves them out.
    Two cyclic values are the same when no walk tells them apart.
    """
    todo: list[tuple[object, object]] = [(a, b)]
    assumed: set[tuple[int, int]] = set()
    while todo:
        left, right = todo.pop()
        if left is right:
            continue
        kind = left.__class__
        if kind is str or left is None or kind is bool or left is UNDEFINED or left is HOLE:
            if kind is not right.__class__ or left != right:
                return False
            continue
        if kind is int or kind is float:
            if not _same_number(left, right):
                return False
            continue
        pairs = _pairs(left, right)
        if pairs is None:
            return False
        if pairs:
            known = (id(left), id(right))
            if known in assumed:
                continue
            assumed.add(known)
            todo.extend(pairs)
    return True


def _same_number(a: object, b: object) -> bool:
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)) or isinstance(b, bool):
        return False
    if a != a or b != b:
        return a != a and b != b
    return a == b and (a != 0 or str(float(a)) == str(float(b)))


def _pairs(a: object, b: object) -> list[tuple[object, object]] | None:
    """Return the pairs of parts that must be the same, None when the wholes differ already."""
    if isinstance(a, dict):
        if not isinstance(b, dict) or a.keys() != b.keys():
            return None
        return [(item, b[key]) for key, item in a.items()]
    if isinstance(a, (list, SparseArray)):
        if not isinstance(b, (list, SparseArray)) or len(a) != len(b):
            return None
        if isinstance(a, list) and isinstance(b, list):
            return list(zip(a, b, strict=True))
        left, right = _slots(a), _slots(b)
        return None if left.keys() != right.keys() else [(item, right[i]) for i, item in left.items()]
    if a.__class__ is not b.__class__:
        return None
    if isinstance(a, JsError) and isinstance(b, JsError):
        named = {**a.fields, "name": a.name}, {**b.fields, "name": b.name}
        return None if a.kind != b.kind else _fields(*named)
    if isinstance(a, Tagged) and isinstance(b, Tagged):
        return None if a.tag != b.tag else _fields(a.fields, b.fields)
    if isinstance(a, JsMap) and isinstance(b, JsMap):
        if len(a) != len(b):
            return None
        both = list(zip(a.entries, b.entries, strict=True))
        return [(x[0], y[0]) for x, y in both] + [(x[1], y[1]) for x, y in both]
    if isinstance(a, JsSet) and isinstance(b, JsSet):
        return list(zip(a.values, b.values, strict=True)) if len(a) == len(b) else None
    if isinstance(a, Boxed) and isinstance(b, Boxed):
        return [(a.value, b.value)]
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return [(a.payload, b.payload)] if (a.tag, a.reason) == (b.tag, b.reason) else None
    return [] if a == b else None


def _slots(value: list[object] | SparseArray) -> dict[int, object]:
    if isinstance(value, SparseArray):
        return value.entries
    return {i: item for i, item in enumerate(value) if item is not HOLE}


def _fields(a: dict[str, object], b: dict[str, object]) -> list[tuple[object, object]] | None:
    left = {k: v for k, v in a.items() if v is not UNDEFINED}
    right = {k: v for k, v in b.items() if v is not UNDEFINED}
    return None if left.keys() != right.keys() else [(v, right[k]) for k, v in left.items()]
