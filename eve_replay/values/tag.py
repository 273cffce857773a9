"""Values to canonical tagged JSON (LOCAL.md section 2), without recursion and with bounded output."""

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
MAX_REPEATED = 1_000_000
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


def _leaf(value: object) -> Any:
    """Return the canonical form of a value without children, None for containers."""
    make = _LEAVES.get(value.__class__)
    return None if make is None else make(value)


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
_PLAIN = (str, int, bool, type(None))


class _Frame:
    """One open container: where its children come from, and how a finished child is put in."""

    __slots__ = ("key", "put", "repeated", "rest", "segment")

    def __init__(
        self,
        key: int,
        segment: Segment,
        rest: Iterator[tuple[Segment, Any, object]],
        put: Callable[[Any, Any], object],
        repeated: bool,
    ) -> None:
        self.key = key
        self.segment = segment
        self.rest = rest
        self.put = put
        self.repeated = repeated


class _Writer:
    def __init__(self, max_repeated: int, max_text: int) -> None:
        self.repeats_left = max_repeated
        self.text_left = max_text
        self.seen: set[int] = set()
        self.open: dict[int, int] = {}
        self.frames: list[_Frame] = []

    def write(self, value: object) -> Any:
        done, result = self._enter(value, "$", False)
        frames = self.frames
        if done:
            return result
        while frames:
            frame = frames[-1]
            for segment, slot, child in frame.rest:
                kind = child.__class__
                if kind is str:
                    frame.put(slot, self._text(child, frame.repeated))  # type: ignore[arg-type]
                    continue
                if kind is int or kind is bool or child is None:
                    frame.put(slot, child)
                    continue
                done, result = self._enter(child, segment, frame.repeated)
                frame.put(slot, result)
                if not done:
                    break
            else:
                frames.pop()
                del self.open[frame.key]
        return self._root

    _root: Any = None

    def _text(self, text: str, repeated: bool) -> Any:
        self.text_left -= len(text)
        return text if self.text_left >= 0 else _TOO_BIG

    def _enter(self, value: object, segment: Segment, repeated: bool) -> tuple[bool, Any]:
        """Return ``(finished, form)``; an unfinished container has a frame of its own now."""
        if value.__class__ in _PLAIN:
            return True, self._text(value, repeated) if isinstance(value, str) else value
        key = id(value)
        at = self.open.get(key)
        if at is not None:
            return True, {"$type": "cycle", "path": self._path(at)}
        leaf = _leaf(value)
        if leaf is not None:
            data = value if isinstance(value, bytes) else getattr(value, "data", None)
            if data is not None:
                self.text_left -= len(data) * 4 // 3
                if self.text_left < 0:
                    return True, _TOO_BIG
            return True, leaf
        if key in self.seen:
            repeated = True
        else:
            self.seen.add(key)
        if repeated:
            self.repeats_left -= 1
            if self.repeats_left < 0:
                return True, _TOO_BIG
        form, rest, put = _open(value)
        if not self.frames:
            self._root = form
        self.open[key] = len(self.frames)
        self.frames.append(_Frame(key, segment, rest, put, repeated))
        return False, form

    def _path(self, depth: int) -> str:
        return "$" + "".join(join_path("", frame.segment) for frame in self.frames[1 : depth + 1])


def _open(value: object) -> tuple[Any, Iterator[tuple[Segment, Any, object]], Callable[[Any, Any], object]]:
    """Return an empty form, its children as ``(segment, slot, child)``, and how to put one in."""
    form: Any
    if isinstance(value, dict):
        if "$type" not in value:
            form = {}
            return form, ((k, k, v) for k, v in value.items()), form.__setitem__
        entries: list[list[Any]] = [[k, None] for k in value]
        rest = ((("entries", i, 1), i, v) for i, v in enumerate(value.values()))
        return {"$type": "object", "entries": entries}, rest, _put_second(entries)
    if isinstance(value, list):
        if len(value) > _SPARSE_FROM and sum(item is not HOLE for item in value) * 4 < len(value):
            return _open_sparse(len(value), [(i, v) for i, v in enumerate(value) if v is not HOLE])
        form = [None] * len(value)
        return form, ((i, i, v) for i, v in enumerate(value)), form.__setitem__
    if isinstance(value, SparseArray):
        filled = sorted(value.entries.items())
        if value.length > _SPARSE_FROM and len(filled) * 4 < value.length:
            return _open_sparse(value.length, filled)
        form = [{"$type": "hole"} for _ in range(value.length)]
        return form, ((i, i, v) for i, v in filled), form.__setitem__
    if isinstance(value, JsError):
        form = {"$type": "Error"}
        if value.name is not UNDEFINED:
            form["name"] = value.kind
        if value.kind != "Error":
            form["kind"] = value.kind
        return form, ((k, k, v) for k, v in value.fields.items() if v is not UNDEFINED), form.__setitem__
    if isinstance(value, Tagged):
        form = {"$type": value.tag}
        return form, ((k, k, v) for k, v in value.fields.items() if v is not UNDEFINED), form.__setitem__
    if isinstance(value, JsMap):
        pairs: list[list[Any]] = [[None, None] for _ in value.entries]
        both = (
            (("entries", i, side), (i, side), entry[side])
            for i, entry in enumerate(value.entries)
            for side in (0, 1)
        )
        return {"$type": "Map", "entries": pairs}, both, _put_pair(pairs)
    if isinstance(value, JsSet):
        members: list[Any] = [None] * len(value.values)
        inside = ((("values", i), i, v) for i, v in enumerate(value.values))
        return {"$type": "Set", "values": members}, inside, members.__setitem__
    if isinstance(value, Boxed):
        form = {"$type": "Boxed", "value": None}
        return form, iter([("value", "value", value.value)]), form.__setitem__
    if isinstance(value, Unknown):
        error = {"name": "Undecoded", "message": value.message, "reason": value.reason}
        form = {"$type": "undecodable", "error": error, "tag": value.tag}
        if value.payload is UNDEFINED:
            return form, iter(()), form.__setitem__
        return form, iter([("payload", "payload", value.payload)]), form.__setitem__
    form = {"$type": "undecodable", "error": {"name": "Undecoded", "message": "Not a JS value."}}
    return form, iter(()), form.__setitem__


def _open_sparse(
    length: int, filled: list[tuple[int, object]]
) -> tuple[Any, Iterator[tuple[Segment, Any, object]], Callable[[Any, Any], object]]:
    entries: list[list[Any]] = [[i, None] for i, _ in filled]
    rest: Iterator[tuple[Segment, Any, object]] = ((i, at, v) for at, (i, v) in enumerate(filled))
    return {"$type": "SparseArray", "length": length, "entries": entries}, rest, _put_second(entries)


def _put_second(entries: list[list[Any]]) -> Callable[[Any, Any], object]:
    def put(slot: Any, form: Any) -> None:
        entries[slot][1] = form

    return put


def _put_pair(pairs: list[list[Any]]) -> Callable[[Any, Any], object]:
    def put(slot: Any, form: Any) -> None:
        pairs[slot[0]][slot[1]] = form

    return put
