"""Canonical tagged JSON back to values (docs/formats/tagged-json.md), without recursion."""

from __future__ import annotations

import base64
import binascii
from typing import Any, cast

from eve_replay.values.bigints import parse_decimal
from eve_replay.values.containers import JsMap, JsSet, SparseArray
from eve_replay.values.dates import JsDate, date_from_iso
from eve_replay.values.objects import JsError, Tagged, Undecoded, Unknown
from eve_replay.values.paths import join_path
from eve_replay.values.scalars import (
    ELEMENT_SIZES,
    BigInt,
    Boxed,
    Headers,
    JsBytes,
    RegExp,
    Url,
    UrlSearchParams,
)
from eve_replay.values.singletons import HOLE, UNDEFINED
from eve_replay.values.types import JsValue

__all__ = ["from_tagged"]

_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"), "-0": -0.0}


def from_tagged(tagged: object) -> JsValue:
    """Return the value a ``tagged`` document stands for; ``same(from_tagged(to_tagged(v)), v)`` holds.

    Cycles become real cycles again, shared values become copies. A tag that does not hold what it
    should is an ``Undecoded`` in its place; nothing is raised.
    """
    return cast("JsValue", _Reader().read(tagged))


class _Bad(Exception):
    """A tag does not hold what it should."""


class _Node:
    """A container being read: its value, its place, and where a reader came from."""

    __slots__ = ("parent", "segment", "value")

    def __init__(self, parent: _Node | None, segment: Any, value: object) -> None:
        self.parent = parent
        self.segment = segment
        self.value = value

    def ancestor(self, path: str) -> object:
        """Return the value of the ancestor (or self) at ``path``."""
        chain: list[_Node] = []
        at: _Node | None = self
        while at is not None:
            chain.append(at)
            at = at.parent
        here = "$"
        for node in reversed(chain):
            if node.parent is not None:
                here = join_path(here, node.segment)
            if here == path:
                return node.value
            if len(here) > len(path):
                break
        raise _Bad(f"No ancestor at {path}.")


#: What is still to read: ``(segment, tagged, holder, slot)``; the value goes to ``holder[slot]``.
_Child = tuple[Any, Any, Any, Any]


class _Reader:
    def __init__(self) -> None:
        self.finish: list[tuple[object, list[Any]]] = []

    def read(self, tagged: Any) -> object:
        top: list[object] = [None]
        todo: list[tuple[_Node | None, _Child]] = [(None, ("$", tagged, top, 0))]
        while todo:
            parent, (segment, form, holder, slot) = todo.pop()
            kind = form.__class__
            if kind is str or kind is int or kind is bool or form is None or kind is float:
                holder[slot] = form
                continue
            try:
                if kind is dict and form.get("$type") == "cycle":
                    if parent is None:
                        raise _Bad("A cycle with no ancestor.")
                    holder[slot] = parent.ancestor(_text(form, "path"))
                    continue
                value, inside = self._make(form)
            except (_Bad, LookupError, TypeError, ValueError) as error:
                holder[slot] = Undecoded("invalid-input", f"Not canonical tagged JSON. {error}".rstrip())
                continue
            holder[slot] = value
            if inside:
                node = _Node(parent, segment, value)
                todo.extend((node, child) for child in reversed(inside))
        for target, parts in self.finish:
            if isinstance(target, JsMap):
                for pair in parts:
                    target.set(pair[0], pair[1])
            elif isinstance(target, JsSet):
                for item in parts:
                    target.add(item)
            elif isinstance(target, Unknown):
                target.payload = parts[0]
        return top[0]

    def _make(self, form: Any) -> tuple[object, list[_Child]]:
        """Return the value (still empty when it is a container) and what goes into it."""
        if isinstance(form, list):
            array: list[object] = [None] * len(form)
            return array, [(i, item, array, i) for i, item in enumerate(form)]
        if not isinstance(form, dict):
            raise _Bad(f"A {type(form).__name__} is no JSON.")
        tag = form.get("$type")
        if "$type" not in form:
            plain: dict[str, object] = {}
            return plain, _fields(form, plain)
        if not isinstance(tag, str):
            raise _Bad("$type is no text.")
        if tag in _CONTAINERS:
            return _CONTAINERS[tag](self, form)
        leaf = _leaf(tag, form)
        if leaf is not None:
            return leaf, []
        tagged = Tagged(tag)
        return tagged, _fields(form, tagged.fields)

    def _map(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        result = JsMap()
        pairs: list[list[object]] = [[None, None] for _ in form["entries"]]
        self.finish.append((result, pairs))
        return result, [
            (("entries", i, side), entry[side], pairs[i], side)
            for i, entry in enumerate(form["entries"])
            for side in (0, 1)
        ]

    def _set(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        result = JsSet()
        members: list[object] = [None] * len(form["values"])
        self.finish.append((result, members))
        return result, [(("values", i), item, members, i) for i, item in enumerate(form["values"])]

    def _object(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        plain: dict[str, object] = {}
        for key, _ in form["entries"]:
            plain[key] = None
        return plain, [(("entries", i, 1), v, plain, k) for i, (k, v) in enumerate(form["entries"])]

    def _sparse(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        result = SparseArray(int(form["length"]))
        for index, _ in form["entries"]:
            result.entries[int(index)] = None
        return result, [(i, v, result.entries, i) for i, v in form["entries"]]

    def _error(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        kind = form.get("kind", "Error")
        error = JsError(kind if isinstance(kind, str) else "Error", fields={})
        return error, _fields(form, error.fields)

    def _undecodable(self, form: dict[str, Any]) -> tuple[object, list[_Child]]:
        error = form.get("error")
        error = error if isinstance(error, dict) else {}
        reason = str(error.get("reason", "undecodable"))
        if "tag" in form:
            unknown = Unknown(_text(form, "tag"), reason=reason)
            if "payload" not in form:
                return unknown, []
            payload: list[object] = [UNDEFINED]
            self.finish.append((unknown, payload))
            return unknown, [("payload", form["payload"], payload, 0)]
        offset = error.get("offset")
        return Undecoded(
            reason,
            str(error.get("message", "")),
            str(error.get("path", "$")),
            offset if isinstance(offset, int) else None,
        ), []


_CONTAINERS = {
    "Map": _Reader._map,
    "Set": _Reader._set,
    "object": _Reader._object,
    "SparseArray": _Reader._sparse,
    "Error": _Reader._error,
    "undecodable": _Reader._undecodable,
}


def _fields(form: dict[str, Any], target: dict[str, object]) -> list[_Child]:
    # Names first, so that they keep their order whatever is read when.
    names = [name for name in form if name != "$type" and (name != "kind" or form.get("$type") != "Error")]
    target.update(dict.fromkeys(names))
    return [(name, form[name], target, name) for name in names]


def _text(form: dict[str, Any], name: str) -> str:
    value = form.get(name)
    if not isinstance(value, str):
        raise _Bad(f"{name} is no text.")
    return value


def _leaf(tag: str, form: dict[str, Any]) -> object | None:
    """Return the value of a tag that holds no others, None when the tag is none of these."""
    if tag == "undefined":
        return UNDEFINED
    if tag == "hole":
        return HOLE
    if tag == "number":
        return _NUMBERS[_text(form, "value")]
    if tag == "BigInt":
        return BigInt(parse_decimal(_text(form, "value")))
    if tag == "Date":
        date = JsDate(None) if form["value"] is None else date_from_iso(_text(form, "value"))
        if date is None:
            raise _Bad("No date.")
        return date
    if tag == "RegExp":
        return RegExp(_text(form, "source"), _text(form, "flags"))
    if tag == "URL":
        return Url(_text(form, "value"))
    if tag == "URLSearchParams":
        return UrlSearchParams(_text(form, "value"))
    if tag == "Headers":
        return Headers(tuple((str(k), str(v)) for k, v in form["entries"]))
    if tag == "Boxed":
        inner = form["value"]
        if isinstance(inner, dict):
            inner = _leaf(str(inner.get("$type")), inner)
        if inner is None or isinstance(inner, list):
            raise _Bad("Boxed holds no primitive.")
        return Boxed(inner)
    if tag in ELEMENT_SIZES:
        try:
            return JsBytes(tag, base64.b64decode(_text(form, "base64"), validate=True))
        except binascii.Error as error:
            raise _Bad("Bad base64.") from error
    return None
