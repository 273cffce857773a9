"""JS containers that Python's dict, list and set cannot stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from eve_replay.values.scalars import BigInt
from eve_replay.values.singletons import UNDEFINED

if TYPE_CHECKING:
    from eve_replay.values.types import JsValue

__all__ = ["JsMap", "JsSet", "NullObject", "SparseArray", "same_value_zero_key"]


class NullObject(dict[str, "JsValue"]):
    """A plain object without prototype (``Object.create(null)``)."""

    __slots__ = ()


def same_value_zero_key(value: object) -> object:
    """Return a hashable token, equal for two values exactly when SameValueZero holds.

    Objects are equal only to themselves (by ``id``, so the caller must keep them alive); NaN equals
    NaN, 0 equals -0, and ``1``, ``True``, ``BigInt(1)`` and ``"1"`` all differ.
    """
    kind = value.__class__
    if kind is str or value is None or value is UNDEFINED:
        return value
    if kind is bool:
        return ("boolean", value)
    if kind is int or kind is float:
        return ("number", "NaN" if value != value else value)
    if kind is BigInt:
        return ("bigint", value.value)  # type: ignore[attr-defined]
    return ("object", id(value))


def _no_minus_zero(key: object) -> object:
    """Return 0 for -0, as Map and Set store it in JS."""
    return 0 if key.__class__ is float and key == 0 else key


class JsMap:
    """A Map: keys of any kind, insertion order, SameValueZero. Iterating gives ``(key, value)``."""

    __slots__ = ("_index", "entries")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, entries: Iterable[tuple[object, object]] = ()) -> None:
        #: ``[(key, value)]`` in insertion order. Read only; use ``set`` to build.
        self.entries: list[tuple[object, object]] = []
        self._index: dict[object, int] = {}
        for key, value in entries:
            self.set(key, value)

    def set(self, key: object, value: object) -> None:
        """Add or replace an entry; a replaced one keeps its place, as in JS."""
        token = same_value_zero_key(key)
        at = self._index.get(token)
        if at is None:
            self._index[token] = len(self.entries)
            self.entries.append((_no_minus_zero(key), value))
        else:
            self.entries[at] = (self.entries[at][0], value)

    def get(self, key: object, default: object = UNDEFINED) -> object:
        """Return the value of a key (objects are found by identity), else ``default``."""
        at = self._index.get(same_value_zero_key(key))
        return default if at is None else self.entries[at][1]

    def __contains__(self, key: object) -> bool:
        return same_value_zero_key(key) in self._index

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[tuple[object, object]]:
        return iter(self.entries)

    def __eq__(self, other: object) -> bool:
        from eve_replay.values.equal import same

        return same(self, other) if isinstance(other, JsMap) else NotImplemented

    def __repr__(self) -> str:
        return f"JsMap(size {len(self.entries)})"


class JsSet:
    """A Set: members of any kind, insertion order, SameValueZero."""

    __slots__ = ("_index", "values")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Iterable[object] = ()) -> None:
        #: Members in insertion order. Read only; use ``add`` to build.
        self.values: list[object] = []
        self._index: set[object] = set()
        for value in values:
            self.add(value)

    def add(self, value: object) -> None:
        """Add a member unless it is there already."""
        token = same_value_zero_key(value)
        if token not in self._index:
            self._index.add(token)
            self.values.append(_no_minus_zero(value))

    def __contains__(self, value: object) -> bool:
        return same_value_zero_key(value) in self._index

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)

    def __eq__(self, other: object) -> bool:
        from eve_replay.values.equal import same

        return same(self, other) if isinstance(other, JsSet) else NotImplemented

    def __repr__(self) -> str:
        return f"JsSet(size {len(self.values)})"


class SparseArray:
    """A long array with few slots filled: its length and the filled ones, as a list would explode.

    Attributes:
        length: what ``.length`` says in JS.
        entries: ``{index: value}``, ascending.
    """

    __slots__ = ("entries", "length")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, length: int, entries: Iterable[tuple[int, object]] = ()) -> None:
        self.length = length
        self.entries: dict[int, object] = dict(entries)

    def __len__(self) -> int:
        return self.length

    def __eq__(self, other: object) -> bool:
        from eve_replay.values.equal import same

        return same(self, other) if isinstance(other, SparseArray) else NotImplemented

    def __repr__(self) -> str:
        return f"SparseArray(length {self.length}, {len(self.entries)} filled)"
