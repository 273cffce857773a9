"""MongoDB's extended JSON, canonical and relaxed, as JS values: what ``mongoexport`` writes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.values import UNDEFINED, BigInt, JsDate, RegExp, Undecoded, date_from_iso, date_from_ms

__all__ = ["from_extended", "split_documents"]

_DEEPEST = 200
_SAFE = 9_007_199_254_740_992
_BAD = Undecoded("invalid-input", "This is no extended JSON as mongoexport writes it.")


def from_extended(value: object, depth: int = 0) -> object:
    """Return the value of an extended JSON document. Binary data is ``bytes``, dates are ``JsDate``.

    A ``$`` object that does not hold what it should is an Undecoded in its place. BSON has no undefined
    properties: the writer drops them. The database itself allows 100 levels.
    """
    if not isinstance(value, (list, Mapping)):
        return value
    if depth > _DEEPEST:
        return _BAD
    if isinstance(value, list):
        return [from_extended(item, depth + 1) for item in value]
    for name in value:
        make = _TYPES.get(name)
        if make is not None and len(value) <= 2:
            try:
                return make(value)
            except (KeyError, TypeError, ValueError, binascii.Error):
                return _BAD
        break
    return {str(key): from_extended(item, depth + 1) for key, item in value.items()}


def split_documents(raw: bytes) -> list[tuple[int, Any | JsonFault]]:
    """Return the documents that stand one after the other in a text, each with its number.

    ``mongoexport --pretty`` puts each on many lines. A damaged one ends where the next line begins with a
    brace, so that it costs itself and not the rest.
    """
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    starts = [match.start() for match in re.finditer(r"^\{", text, re.MULTILINE)]
    found: list[tuple[int, Any | JsonFault]] = []
    ends = [*starts[1:], len(text)][: len(starts)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        found.append((number, parse_json(text[start:end])))
    return found


def _date(value: Mapping[str, Any]) -> object:
    inner = value["$date"]
    if isinstance(inner, Mapping):
        return date_from_ms(int(inner["$numberLong"]))
    if isinstance(inner, (int, float)):
        return date_from_ms(inner)
    return date_from_iso(inner) or _BAD


def _binary(value: Mapping[str, Any]) -> object:
    inner = value["$binary"]
    text = inner["base64"] if isinstance(inner, Mapping) else inner
    return base64.b64decode(text, validate=True)


def _long(value: Mapping[str, Any]) -> object:
    number = int(value["$numberLong"])
    return number if abs(number) <= _SAFE else BigInt(number)


def _pattern(value: Mapping[str, Any]) -> object:
    inner = value["$regularExpression"]
    return RegExp(str(inner["pattern"]), str(inner["options"]))


_TYPES: dict[str, Callable[[Mapping[str, Any]], object]] = {
    "$oid": lambda value: str(value["$oid"]),
    "$date": _date,
    "$binary": _binary,
    "$numberInt": lambda value: int(value["$numberInt"]),
    "$numberLong": _long,
    "$numberDouble": lambda value: float(value["$numberDouble"]),
    "$numberDecimal": lambda value: str(value["$numberDecimal"]),
    "$regularExpression": _pattern,
    "$undefined": lambda value: UNDEFINED,
    "$minKey": lambda value: _BAD,
    "$maxKey": lambda value: _BAD,
    "$timestamp": lambda value: JsDate(int(value["$timestamp"]["t"]) * 1000),
    "$uuid": lambda value: str(value["$uuid"]),
}
