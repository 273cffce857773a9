"""Values to canonical tagged JSON (docs/formats/tagged-json.md): no recursion, bounded output."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

from eve_replay.values.bigints import decimal_text
from eve_replay.values.containers import JsMap, JsSet, SparseArray
from eve_replay.values.dates import JsDate
from eve_replay.values.objects import JsError, Tagged, Undecoded, Unknown
from eve_replay.values.paths import Segment, join_path
from eve_replay.values.scalars import BigInt, Boxed, Headers, JsBytes, RegExp, Url, UrlSearchParams
from eve_replay.values.singletons import HOLE, UNDEFINED

__all__ = ["MAX_REPEATED", "MAX_TEXT", "to_tagged"]

#: Most values written again because they are shared; the first writing of each is always free.
MAX_REPEATED = 100_000
#: Most characters of strings and base64 in one document.
MAX_TEXT = 512 * 1024 * 1024

_SPARSE_FROM = 4096


def to_tagged(value: object, *, max_repeated: int = MAX_REPEATED, max_text: int = MAX_TEXT) -> Any:
    """Return ``value`` as JSON-ready data that loses nothing (except prototype and identity).

    Shared values are repeated, references to an ancestor become ``{"$type": "cycle", "path"}``. As
    repetition lets a few bytes stand for a document without end ("billion laughs"), it is bounded:
    past ``max_repeated`` repeated values or ``max_text`` characters the rest is written as
    ``{"$type": "undecodable", "error": {"name": "OutputTooBig", ...}}`` in place.

    Args:
        value: any JS value.
        max_repeated: how many values under shared ones may be written again.
        max_text: how many characters may be written in all.
    """
    return _Writer(max_repeated, max_text).write(value)


def _number(value: float) -> Any:
    if value != value:
        return {"$type": "number", "value": "NaN"}
    if value in (float("inf"), float("-inf")):
        return {"$type": "number", "value": "Infinity" if value > 0 else "-Infinity"}
    if value == 0 and str(value)[0] == "-":
        return {"$type": "number", "value": "-0"}
    # JS has one kind of number: 5.0 prints as 5. Above 2**53 the shortest digits are kept.
    return int(value) if value.is_integer() and abs(value) <= 9_007_199_254_740_992 else value


def _undecoded(value: Undecoded) -> Any:
    error: dict[str, Any] = {"name": "Undecoded", "message": value.message, "reason": value.reason}
    if value.path != "$":
        error["path"] = value.path
    if value.offset is not None:
        error["offset"] = value.offset
    return {"$type": "undecodable", "error": error}


_LEAVES: dict[type, Callable[[Any], Any]] = {
    float: _number,
    type(UNDEFINED): lambda _: {"$type": "undefined"},
    type(HOLE): lambda _: {"$type": "hole"},
    BigInt: lambda v: {"$type": "BigInt", "value": decimal_text(v.value)},
    JsDate: lambda v: {"$type": "Date", "value": v.iso()},
    RegExp: lambda v: {"$type": "RegExp", "source": v.source, "flags": v.flags},
    Url: lambda v: {"$type": "URL", "value": v.href},
    UrlSearchParams: lambda v: {"$type": "URLSearchParams", "value": v.text},
    Headers: lambda v: {"$type": "Headers", "entries": [list(e) for e in v.entries]},
    JsBytes: lambda v: {"$type": v.kind, "base64": base64.b64encode(v.data).decode("ascii")},
    bytes: lambda v: {"$type": "Uint8Array", "base64": base64.b64encode(v).decode("ascii")},
    Undecoded: _undecoded,
}
_TOO_BIG = {
    "$type": "undecodable",
    "error": {
        "name": "OutputTooBig",
        "message": "Not written again: shared values would make this document too big.",
        "reason": "too-big",
    },
}


#: An open container: its children still to come as ``(slot, child)``, how to put one in, the path segment
#: of a slot, its ``id``, whether it is a repetition, and (a list of one) the slot of the open child.
_Frame = tuple[
    Iterator[tuple[Any, object]], Callable[[Any, Any], object], Callable[[Any], Segment], int, bool, list[Any]
]


class _Writer:
    def __init__(self, max_repeated: int, max_text: int) -> None:
        self.repeats_left = max_repeated
        self.text_left = max_text
        self.frames: list[_Frame] = []

    def write(self, value: object) -> Any:
        seen: set[int] = set()
        opened: dict[int, int] = {}
        frames = self.frames
        top: list[Any] = [None]
        # The root is the only child of a frame of its own, which is no part of any path.
        frames.append((iter([(0, value)]), top.__setitem__, _same, 0, False, [0]))
        while frames:
            rest, put, _, own, repeated, current = frames[-1]
            for slot, child in rest:
                kind = child.__class__
                if kind is str:
                    self.text_left -= len(child)  # type: ignore[arg-type]
                    put(slot, child if self.text_left >= 0 else _TOO_BIG)
                elif kind is int or kind is bool or child is None:
                    put(slot, child)
                elif kind in _LEAVES:
                    put(slot, self._leaf(child))
                else:
                    key = id(child)
                    if key in opened:
                        put(slot, {"$type": "cycle", "path": self._path(opened[key])})
                        continue
                    again = repeated or key in seen
                    if again:
                        self.repeats_left -= 1
                        if self.repeats_left < 0:
                            put(slot, _TOO_BIG)
                            continue
                    seen.add(key)
                    if kind is dict and "$type" not in child:  # type: ignore[operator]
                        form: Any = {}
                        inside: _Opened = (form, iter(child.items()), form.__setitem__, _same)  # type: ignore[attr-defined]
                    else:
                        inside = _open(child)
                    put(slot, inside[0])
                    current[0] = slot
                    opened[key] = len(frames)
                    frames.append((inside[1], inside[2], inside[3], key, again, [None]))
                    break
            else:
                frames.pop()
                opened.pop(own, None)
        return top[0]

    def _leaf(self, value: object) -> Any:
        data = value if isinstance(value, bytes) else getattr(value, "data", b"")
        self.text_left -= len(data) * 4 // 3
        return _LEAVES[value.__class__](value) if self.text_left >= 0 else _TOO_BIG

    def _path(self, depth: int) -> str:
        steps = (segment(current[0]) for _, _, segment, _, _, current in self.frames[1:depth])
        return "$" + "".join(join_path("", step) for step in steps)


#: An empty form, its children as ``(slot, child)``, how to put one in, and the path segment of a slot.
_Opened = tuple[Any, Iterator[tuple[Any, object]], Callable[[Any, Any], object], Callable[[Any], Segment]]


def _open(value: object) -> _Opened:
    """Return the form of a container with its children still to be put in."""
    form: Any
    if isinstance(value, dict):
        if "$type" not in value:
            form = {}
            return form, iter(value.items()), form.__setitem__, _same
        keys = sorted(value, key=_js_order)
        entries: list[list[Any]] = [[k, None] for k in keys]
        form = {"$type": "object", "entries": entries}
        return form, enumerate([value[k] for k in keys]), _put_second(entries), _object_entry
    if isinstance(value, list):
        if len(value) > _SPARSE_FROM and sum(item is not HOLE for item in value) * 4 < len(value):
            return _open_sparse(len(value), [(i, v) for i, v in enumerate(value) if v is not HOLE])
        form = [None] * len(value)
        return form, enumerate(value), form.__setitem__, _same
    if isinstance(value, SparseArray):
        filled = sorted(value.entries.items())
        if value.length > _SPARSE_FROM and len(filled) * 4 < value.length:
            return _open_sparse(value.length, filled)
        form = [{"$type": "hole"} for _ in range(value.length)]
        return form, iter(filled), form.__setitem__, _same
    if isinstance(value, JsError):
        form = {"$type": "Error"}
        if value.name is not UNDEFINED:
            form["name"] = value.kind
        if value.kind != "Error":
            form["kind"] = value.kind
        return form, _defined(value.fields), form.__setitem__, _same
    if isinstance(value, Tagged):
        form = {"$type": value.tag}
        return form, _defined(value.fields), form.__setitem__, _same
    if isinstance(value, JsMap):
        pairs: list[list[Any]] = [[None, None] for _ in value.entries]
        both = (((i, side), entry[side]) for i, entry in enumerate(value.entries) for side in (0, 1))
        return {"$type": "Map", "entries": pairs}, both, _put_pair(pairs), _map_entry
    if isinstance(value, JsSet):
        members: list[Any] = [None] * len(value.values)
        return {"$type": "Set", "values": members}, enumerate(value.values), members.__setitem__, _set_member
    if isinstance(value, Boxed):
        form = {"$type": "Boxed", "value": None}
        return form, iter([("value", value.value)]), form.__setitem__, _same
    if isinstance(value, Unknown):
        error = {"name": "Undecoded", "message": value.message, "reason": value.reason}
        form = {"$type": "undecodable", "error": error, "tag": value.tag}
        return form, _defined({"payload": value.payload}), form.__setitem__, _same
    form = {"$type": "undecodable", "error": {"name": "Undecoded", "message": "Not a JS value."}}
    return form, iter(()), form.__setitem__, _same


def _js_order(key: str) -> int:
    """Return a sort key that gives JS property order: whole numbers ascending, then as written."""
    number = int(key) if key.isascii() and key.isdigit() and len(key) <= 10 else 2**32
    return number if number < 2**32 - 1 and str(number) == key else 2**32


def _defined(fields: dict[str, object]) -> Iterator[tuple[str, object]]:
    return ((k, v) for k, v in fields.items() if v is not UNDEFINED)


def _open_sparse(length: int, filled: list[tuple[int, object]]) -> _Opened:
    entries: list[list[Any]] = [[i, None] for i, _ in filled]
    form = {"$type": "SparseArray", "length": length, "entries": entries}
    # A slot is a place in ``entries``; the path names the index in the array.
    return form, enumerate(v for _, v in filled), _put_second(entries), lambda slot: int(entries[slot][0])


def _same(slot: Any) -> Segment:
    segment: Segment = slot
    return segment


def _object_entry(slot: Any) -> Segment:
    return ("entries", slot, 1)


def _map_entry(slot: Any) -> Segment:
    return ("entries", *slot)


def _set_member(slot: Any) -> Segment:
    return ("values", slot)


def _put_second(entries: list[list[Any]]) -> Callable[[Any, Any], object]:
    def put(slot: Any, form: Any) -> None:
        entries[slot][1] = form

    return put


def _put_pair(pairs: list[list[Any]]) -> Callable[[Any, Any], object]:
    def put(slot: Any, form: Any) -> None:
        pairs[slot[0]][slot[1]] = form

    return put
