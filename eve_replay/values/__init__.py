"""JS values in Python, loss-free: what they are, how to compare, preview and write them."""

from __future__ import annotations

from eve_replay.values.containers import JsMap, JsSet, NullObject, SparseArray, same_value_zero_key
from eve_replay.values.dates import JsDate, date_from_iso, date_from_ms
from eve_replay.values.equal import same
from eve_replay.values.objects import JsError, Tagged, Undecoded, Unknown
from eve_replay.values.paths import Segment, Trail, children, format_path, join_path, walk
from eve_replay.values.preview import preview, type_name
from eve_replay.values.scalars import BigInt, Boxed, Headers, JsBytes, RegExp, Url, UrlSearchParams
from eve_replay.values.singletons import HOLE, UNDEFINED, Hole, Undefined
from eve_replay.values.tag import to_tagged
from eve_replay.values.types import JsValue
from eve_replay.values.untag import from_tagged

__all__ = [
    "HOLE",
    "UNDEFINED",
    "BigInt",
    "Boxed",
    "Headers",
    "Hole",
    "JsBytes",
    "JsDate",
    "JsError",
    "JsMap",
    "JsSet",
    "JsValue",
    "NullObject",
    "RegExp",
    "Segment",
    "SparseArray",
    "Tagged",
    "Trail",
    "Undecoded",
    "Undefined",
    "Unknown",
    "Url",
    "UrlSearchParams",
    "children",
    "date_from_iso",
    "date_from_ms",
    "format_path",
    "from_tagged",
    "join_path",
    "preview",
    "same",
    "same_value_zero_key",
    "to_tagged",
    "type_name",
    "walk",
]
