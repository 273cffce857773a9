"""Values back to devalue text, so that an export's stream is a stream of frames like any other.

Exports hold decoded values; a world hands out stored bytes. Only streams need this: a payload can hold a
value that is decoded already. The forms are those of docs/formats/payload.md#devalue. No recursion.
"""

from __future__ import annotations

import base64
import struct

from eve_replay.codec import dumps_tagged
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Boxed,
    Headers,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    NullObject,
    RegExp,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    Url,
    UrlSearchParams,
)

__all__ = ["LOST", "frame", "to_devalue"]

#: Type name for what the export has lost; no reviver knows it, so it is shown as unknown.
LOST = "LostInExport"
_INFINITY = float("inf")


def frame(value: object) -> bytes:
    """Return one frame of an object stream: length, prefix ``devl``, devalue text."""
    payload = b"devl" + to_devalue(value).encode("utf-8", "surrogatepass")
    return struct.pack(">I", len(payload)) + payload


def to_devalue(value: object) -> str:
    """Return the devalue text of a value; shared values and cycles stay shared."""
    return _Writer().write(value)


class _Writer:
    def __init__(self) -> None:
        self._index: dict[object, int] = {}
        self._todo: list[tuple[int, object]] = []
        self._count = 0
        #: Helper containers, kept so that no id is used twice.
        self._kept: list[object] = []

    def write(self, value: object) -> str:
        root = self._ref(value)
        if root < 0:
            return str(root)
        entries: dict[int, str] = {}
        while self._todo:
            at, item = self._todo.pop()
            entries[at] = self._entry(item)
        return "[" + ",".join(entries[at] for at in range(self._count)) + "]"

    def _ref(self, value: object) -> int:
        if value is UNDEFINED:
            return -1
        if value is HOLE:
            return -2
        key: object
        if isinstance(value, float):
            if value != value:
                return -3
            if value in (_INFINITY, -_INFINITY):
                return -4 if value > 0 else -5
            if value == 0 and str(value).startswith("-"):
                return -6
        if value is None or isinstance(value, (str, bool, int, float)):
            key = (type(value), value)
        else:
            key = id(value)
            self._kept.append(value)
        at = self._index.get(key)
        if at is None:
            at = self._index[key] = self._count
            self._count += 1
            self._todo.append((at, value))
        return at

    def _entry(self, value: object) -> str:
        if value is None or isinstance(value, (str, bool, int, float)):
            return dumps_tagged(value)
        if isinstance(value, list):
            return self._array(value)
        if isinstance(value, NullObject):
            pairs = "".join(f",{dumps_tagged(k)},{self._ref(v)}" for k, v in value.items())
            return f'["null"{pairs}]'
        if isinstance(value, dict):
            return "{" + ",".join(f"{dumps_tagged(k)}:{self._ref(v)}" for k, v in value.items()) + "}"
        if isinstance(value, SparseArray):
            filled = "".join(f",{i},{self._ref(v)}" for i, v in sorted(value.entries.items()))
            return f"[-7,{value.length}{filled}]"
        name, payload = _typed(value)
        self._kept.append(payload)
        return f"[{dumps_tagged(name)},{self._ref(payload)}]"

    def _array(self, items: list[object]) -> str:
        # An array of numbers that starts with -7 would read as a sparse one; a reference never is -7.
        return "[" + ",".join(str(self._ref(item)) for item in items) + "]"


def _typed(value: object) -> tuple[str, object]:
    """Return the type name and the payload of a typed value."""
    if isinstance(value, JsDate):
        return "Date", value.iso() or "."
    if isinstance(value, JsMap):
        return "Map", [[k, v] for k, v in value.entries]
    if isinstance(value, JsSet):
        return "Set", list(value.values)
    if isinstance(value, BigInt):
        return "BigInt", str(value.value)
    if isinstance(value, RegExp):
        return "RegExp", {"source": value.source, "flags": value.flags}
    if isinstance(value, Url):
        return "URL", value.href
    if isinstance(value, UrlSearchParams):
        return "URLSearchParams", value.text or "."
    if isinstance(value, Headers):
        return "Headers", [[k, v] for k, v in value.entries]
    if isinstance(value, JsBytes):
        if value.kind == "Float16Array":
            return value.kind, JsBytes("ArrayBuffer", value.data)
        name = "DataViewBytes" if value.kind == "DataView" else value.kind
        return name, base64.b64encode(value.data).decode("ascii") or "."
    if isinstance(value, Boxed):
        return "Object", value.value
    if isinstance(value, JsError):
        return value.kind, dict(value.fields)
    if isinstance(value, Tagged):
        return value.tag, dict(value.fields)
    if isinstance(value, Unknown):
        return value.tag, value.payload
    if isinstance(value, Undecoded):
        return LOST, {"reason": value.reason, "message": value.message}
    return LOST, {"reason": "unsupported", "message": f"a {type(value).__name__} is no JS value"}
