"""A devalue writer for tests: values to the text the vendor writes for them.

Source: docs/formats/payload.md#devalue.

The package only reads. Tests need texts of any shape, and a second opinion on what the reader should
make of them: numbering is depth first from the root, equal texts and numbers share one entry.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from typing import Any

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
    Unknown,
    Url,
    UrlSearchParams,
)


class _Typed:
    """``["Name", payload]``, or for devalue's own forms ``["Name", *parts]``."""

    def __init__(self, name: str, payload: Any) -> None:
        self.name = name
        self.payload = payload


def _special(value: Any) -> int | None:
    if value is UNDEFINED:
        return -1
    if value is HOLE:
        return -2
    if value.__class__ is float:
        if math.isnan(value):
            return -3
        if math.isinf(value):
            return -4 if value > 0 else -5
        if value == 0 and math.copysign(1, value) < 0:
            return -6
    return None


def _identity(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return (type(value), value)
    if isinstance(value, (int, float)):
        return ("number", float(value))
    return ("object", id(value))


def _payload(value: Any) -> Any:
    """Return the ``_Typed`` of a value with a type of its own, else the value."""
    match value:
        case BigInt():
            return _Typed("BigInt", str(value.value))
        case JsDate():
            return _Typed("Date", value.iso() or ".")
        case RegExp():
            return _Typed("RegExp", {"source": value.source, "flags": value.flags})
        case Url():
            return _Typed("URL", value.href)
        case UrlSearchParams():
            return _Typed("URLSearchParams", value.text or ".")
        case Headers():
            return _Typed("Headers", [list(pair) for pair in value.entries])
        case JsBytes():
            text = base64.b64encode(value.data).decode() or "."
            return _Typed("DataViewBytes" if value.kind == "DataView" else value.kind, text)
        case JsMap():
            return _Typed("Map", [[key, item] for key, item in value.entries])
        case JsSet():
            return _Typed("Set", list(value.values))
        case JsError():
            return _Typed(value.kind, value.fields)
        case Tagged():
            return _Typed(value.tag, value.fields)
        case Unknown():
            return _Typed(value.tag, value.payload)
        case Boxed():
            return _Typed("Object", value.value)
        case _:
            return value


class _Writer:
    def __init__(self) -> None:
        self.entries: list[str] = []
        self.index: dict[Any, int] = {}
        self.alive: list[Any] = []
        self.stack: list[tuple[int, list[str], Iterator[tuple[str, Any]], str]] = []

    def ref(self, value: Any) -> int:
        """Return the reference for a value, opening an entry for it if it is new."""
        code = _special(value)
        if code is not None:
            return code
        known = self.index.get(_identity(value))
        if known is not None:
            return known
        index = self.index[_identity(value)] = len(self.entries)
        self.entries.append("")
        self.alive.append(value)
        shown = _payload(value)
        if isinstance(shown, _Typed):
            self.open(index, f"[{json.dumps(shown.name)},", [("", shown.payload)], "]")
        elif isinstance(shown, NullObject):
            self.open(index, '["null"', [(f",{json.dumps(k)},", v) for k, v in shown.items()], "]")
        elif isinstance(shown, dict):
            keys = [f"{',' if i else ''}{json.dumps(k)}:" for i, k in enumerate(shown)]
            self.open(index, "{", list(zip(keys, shown.values(), strict=True)), "}")
        elif isinstance(shown, SparseArray):
            parts = [(f",{i},", v) for i, v in shown.entries.items()]
            self.open(index, f"[-7,{shown.length}", parts, "]")
        elif isinstance(shown, list):
            self.open(index, "[", [("," if i else "", v) for i, v in enumerate(shown)], "]")
        else:
            self.entries[index] = json.dumps(shown)
        return index

    def open(self, index: int, head: str, parts: list[tuple[str, Any]], tail: str) -> None:
        self.alive.append(parts)
        self.stack.append((index, [head], iter(parts), tail))

    def write(self, value: Any) -> str:
        root = self.ref(value)
        while self.stack:
            index, text, parts, tail = self.stack[-1]
            for before, item in parts:
                depth = len(self.stack)
                text.append(f"{before}{self.ref(item)}")
                if len(self.stack) > depth:
                    break
            else:
                self.stack.pop()
                self.entries[index] = "".join(text) + tail
        return str(root) if root < 0 else f"[{','.join(self.entries)}]"


def devalue_text(value: Any) -> str:
    """Return the devalue text of a value."""
    return _Writer().write(value)


def payload_bytes(value: Any) -> bytes:
    """Return an uncompressed payload."""
    return b"devl" + devalue_text(value).encode("utf-8", "surrogatepass")
