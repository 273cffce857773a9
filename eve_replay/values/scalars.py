"""JS values that hold no other value: big integers, patterns, addresses, headers, bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

__all__ = ["ELEMENT_SIZES", "BigInt", "Boxed", "Headers", "JsBytes", "RegExp", "Url", "UrlSearchParams"]

#: Bytes per element of every buffer kind; ArrayBuffer and DataView count bytes.
ELEMENT_SIZES: Final = {
    "ArrayBuffer": 1,
    "DataView": 1,
    "Int8Array": 1,
    "Uint8Array": 1,
    "Uint8ClampedArray": 1,
    "Int16Array": 2,
    "Uint16Array": 2,
    "Float16Array": 2,
    "Int32Array": 4,
    "Uint32Array": 4,
    "Float32Array": 4,
    "Float64Array": 8,
    "BigInt64Array": 8,
    "BigUint64Array": 8,
}
_STRUCT = {
    "Int8Array": "b",
    "Int16Array": "h",
    "Uint16Array": "H",
    "Float16Array": "e",
    "Int32Array": "i",
    "Uint32Array": "I",
    "Float32Array": "f",
    "Float64Array": "d",
    "BigInt64Array": "q",
    "BigUint64Array": "Q",
}


@dataclass(frozen=True, slots=True)
class BigInt:
    """A BigInt, kept apart from numbers: ``BigInt(1)`` is not ``1``."""

    value: int


@dataclass(frozen=True, slots=True)
class RegExp:
    """A regular expression, never compiled here: JS patterns are not Python patterns."""

    source: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Url:
    """A URL as its ``href``."""

    href: str


@dataclass(frozen=True, slots=True)
class UrlSearchParams:
    """URLSearchParams as the text they print (``a=1&a=2``)."""

    text: str


@dataclass(frozen=True, slots=True)
class Headers:
    """Fetch headers, in the form they iterate: lower-case names, sorted, ``set-cookie`` repeated."""

    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, pairs: list[tuple[str, str]]) -> Headers:
        """Return headers built from pairs as the fetch standard does (docs/formats/tagged-json.md)."""
        merged: dict[str, list[str]] = {}
        for name, value in pairs:
            merged.setdefault(name.lower(), []).append(value.strip("\t\n\r "))
        out: list[tuple[str, str]] = []
        for name in sorted(merged):
            values = merged[name]
            out += [(name, v) for v in values] if name == "set-cookie" else [(name, ", ".join(values))]
        return cls(tuple(out))


@dataclass(frozen=True, slots=True)
class JsBytes:
    """An ArrayBuffer, DataView or typed array: its kind and its own bytes (little endian)."""

    kind: str
    data: bytes

    def __len__(self) -> int:
        return len(self.data) // ELEMENT_SIZES.get(self.kind, 1)

    def numbers(self) -> tuple[int | float, ...]:
        """Return the elements as Python numbers (bytes for ArrayBuffer and DataView)."""
        code = _STRUCT.get(self.kind)
        if code is None:
            return tuple(self.data)
        return struct.unpack(f"<{len(self)}{code}", self.data[: len(self) * ELEMENT_SIZES[self.kind]])

    def __repr__(self) -> str:
        return f"JsBytes({self.kind!r}, {len(self.data)} bytes)"


@dataclass(frozen=True, slots=True)
class Boxed:
    """``new Number(5)`` and its kind: an object around a primitive."""

    value: object
