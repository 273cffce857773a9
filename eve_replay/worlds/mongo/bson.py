"""BSON as ``mongodump`` writes it: one document after the other, or an archive of several collections.

Source of the form: bsonspec.org 1.1 and mongo-tools ``archive``; checked against the ``bson`` package of npm.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from eve_replay.values import UNDEFINED, BigInt, JsDate, RegExp, Undecoded, date_from_ms

__all__ = ["ARCHIVE", "BsonFault", "archive_documents", "documents"]

#: First bytes of ``mongodump --archive``.
ARCHIVE = b"\x6d\xe2\x99\x81"
_END = b"\xff\xff\xff\xff"
_SAFE = 9_007_199_254_740_992
_DEEPEST = 200
_LARGEST = 64 << 20


class BsonFault(NamedTuple):
    """Why the reading ended before the file did, and at which byte."""

    message: str
    offset: int


def documents(data: bytes) -> Iterator[dict[str, object] | BsonFault]:
    """Yield the documents of a ``.bson`` file; a cut or damaged one ends it as a ``BsonFault``."""
    at = 0
    while at < len(data):
        found, at = _next(data, at)
        yield found
        if isinstance(found, BsonFault):
            return


def archive_documents(data: bytes) -> Iterator[tuple[str, dict[str, object] | BsonFault]]:
    """Yield ``(collection, document)`` of ``mongodump --archive``; blocks of collections may alternate."""
    at = len(ARCHIVE)
    while at < len(data) and data[at : at + 4] != _END:  # the prelude: what is in the archive
        found, at = _next(data, at)
        if isinstance(found, BsonFault):
            yield "", found
            return
    at += 4
    while at < len(data):
        head, at = _next(data, at)
        if isinstance(head, BsonFault):
            yield "", head
            return
        name = str(head.get("collection", ""))
        while at < len(data) and data[at : at + 4] != _END:
            found, at = _next(data, at)
            yield name, found
            if isinstance(found, BsonFault):
                return
        if at >= len(data):
            yield name, BsonFault("the archive ends inside a collection", at)
            return
        at += 4


def _next(data: bytes, at: int) -> tuple[dict[str, object] | BsonFault, int]:
    size = int.from_bytes(data[at : at + 4], "little")
    if len(data) - at < 4 or size > _LARGEST or size < 5:
        return BsonFault("this is no document" if size > _LARGEST or size < 5 else "cut", at), len(data)
    if at + size > len(data):
        return BsonFault(f"a document of {size} bytes ends after {len(data) - at}", at), len(data)
    try:
        reader = _Reader(data, at)
        return reader.document(0), at + size
    except (IndexError, struct.error, ValueError) as error:
        return BsonFault(f"a document is damaged: {error}", at), at + size


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def take(self, size: int) -> bytes:
        found = self.data[self.at : self.at + size]
        if len(found) < size:
            raise ValueError("it ends early")
        self.at += size
        return found

    def int32(self) -> int:
        return int.from_bytes(self.take(4), "little", signed=True)

    def int64(self) -> int:
        return int.from_bytes(self.take(8), "little", signed=True)

    def name(self) -> str:
        end = self.data.index(b"\0", self.at)
        found = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end + 1
        return found

    def text(self) -> str:
        size = self.int32()
        if size < 1:
            raise ValueError("a text without its end")
        return self.take(size)[:-1].decode("utf-8", "replace")

    def document(self, depth: int) -> dict[str, object]:
        if depth > _DEEPEST:
            raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
        end = self.at + self.int32()
        found: dict[str, object] = {}
        while (kind := self.take(1)[0]) != 0:
            name = self.name()
            found[name] = self.value(kind, depth)
        self.at = end
        return found

    def value(self, kind: int, depth: int) -> object:
        if kind == 3:
            return self.document(depth + 1)
        if kind == 4:
            return list(self.document(depth + 1).values())
        read = _VALUES.get(kind)
        if read is None:
            raise ValueError(f"a value of the unknown kind {kind:#x}")
        return read(self)

    def binary(self) -> bytes:
        size, kind = self.int32(), self.take(1)[0]
        raw = self.take(size)
        return raw[4:] if kind == 2 else raw

    def long(self) -> object:
        number = self.int64()
        return number if abs(number) <= _SAFE else BigInt(number)

    def scoped(self) -> object:
        size = self.int32()
        self.take(size - 4)
        return Undecoded("invalid-input", "Code with a scope is no data of a workflow.")


def _decimal(raw: bytes) -> str:
    """Return the text of a Decimal128."""
    bits = int.from_bytes(raw, "little")
    sign = "-" if bits >> 127 else ""
    top = bits >> 122 & 31
    if top == 31:
        return "NaN"
    if top == 30:
        return f"{sign}Infinity"
    large = bits >> 125 & 3 == 3
    exponent = (bits >> (111 if large else 113) & 0x3FFF) - 6176
    digits = 0 if large else bits & ((1 << 113) - 1)
    text = str(digits)
    if exponent == 0:
        return f"{sign}{text}"
    if -len(text) < exponent < 0:
        return f"{sign}{text[:exponent]}.{text[exponent:]}"
    return f"{sign}{text}E{exponent:+d}"


_VALUES: dict[int, Callable[[_Reader], object]] = {
    0x01: lambda r: float(struct.unpack("<d", r.take(8))[0]),
    0x02: lambda r: r.text(),
    0x05: lambda r: r.binary(),
    0x06: lambda r: UNDEFINED,
    0x07: lambda r: r.take(12).hex(),
    0x08: lambda r: r.take(1) != b"\0",
    0x09: lambda r: date_from_ms(r.int64()),
    0x0A: lambda r: None,
    0x0B: lambda r: RegExp(r.name(), r.name()),
    0x0C: lambda r: (r.text(), r.take(12).hex())[1],
    0x0D: lambda r: r.text(),
    0x0E: lambda r: r.text(),
    0x0F: lambda r: r.scoped(),
    0x10: lambda r: r.int32(),
    0x11: lambda r: (r.take(4), JsDate(r.int32() * 1000))[1],
    0x12: lambda r: r.long(),
    0x13: lambda r: _decimal(r.take(16)),
    0x7F: lambda r: Undecoded("invalid-input", "The highest key of BSON is no data."),
    0xFF: lambda r: Undecoded("invalid-input", "The lowest key of BSON is no data."),
}
