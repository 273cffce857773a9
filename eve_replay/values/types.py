"""What a decoded value can be, as one type: an editor offers the cases, a type checker asks for each."""

from __future__ import annotations

from typing import TypeAlias

from eve_replay.values.containers import JsMap, JsSet, NullObject, SparseArray
from eve_replay.values.dates import JsDate
from eve_replay.values.objects import JsError, Tagged, Undecoded, Unknown
from eve_replay.values.scalars import BigInt, Boxed, Headers, JsBytes, RegExp, Url, UrlSearchParams
from eve_replay.values.singletons import Hole, Undefined

__all__ = ["JsValue"]

#: A JavaScript value in Python (docs/formats/payload.md#types): plain data first, then what JSON has no word
#: for, last what could not be read and stands in its place.
JsValue: TypeAlias = (
    bool
    | int
    | float
    | str
    | list["JsValue"]
    | dict[str, "JsValue"]
    | Undefined
    | BigInt
    | JsDate
    | JsBytes
    | JsMap
    | JsSet
    | JsError
    | RegExp
    | Url
    | UrlSearchParams
    | Headers
    | Boxed
    | NullObject
    | SparseArray
    | Hole
    | Tagged
    | Unknown
    | Undecoded
    | None
)
