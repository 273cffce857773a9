"""V8's structured clone, as Durable Objects and Node's ``v8.serialize`` write it (versions 13 to 15).

Only what a record can hold is read: plain objects, arrays, Map and Set, dates, byte arrays, BigInt, errors.
Source of the form: V8, ``src/objects/value-serializer.cc``; checked against Node's own writer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from eve_replay.values import UNDEFINED, BigInt, JsBytes, JsDate, RegExp

__all__ = ["V8Error", "decode_v8"]

_DEEPEST = 150  # four frames of Python a level, of the thousand that Python has
_VIEWS = {
    ord("b"): "Int8Array",
    ord("B"): "Uint8Array",
    ord("C"): "Uint8ClampedArray",
    ord("w"): "Int16Array",
    ord("W"): "Uint16Array",
    ord("d"): "Int32Array",
    ord("D"): "Uint32Array",
    ord("f"): "Float32Array",
    ord("F"): "Float64Array",
    ord("q"): "BigInt64Array",
    ord("Q"): "BigUint64Array",
    ord("?"): "DataView",
}
#: Node writes views as objects of the host, by this number.
_NODE = (
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "Float32Array",
    "Float64Array",
    "DataView",
    "Uint8Array",
    "BigInt64Array",
    "BigUint64Array",
)
_FLAGS = "gimyus"
_PROTOTYPES = {
    ord("E"): "EvalError",
    ord("R"): "RangeError",
    ord("F"): "ReferenceError",
    ord("S"): "SyntaxError",
    ord("T"): "TypeError",
    ord("U"): "URIError",
}
_END = object()


class V8Error(ValueError):
    """Bytes are no structured clone, or hold a value that is not read here."""


def decode_v8(data: bytes) -> object:
    """Return the value of a structured clone.

    Objects are ``dict``, a Map with text keys too; Set is a list, ``Uint8Array`` ``bytes``, another typed
    array ``JsBytes``, a date ``JsDate``.

    Raises:
        V8Error: it ends early, is of an unknown version, or holds a value of the host.
    """
    reader = _Reader(data)
    try:
        if data[:1] != b"\xff":
            raise V8Error("The bytes do not begin as a structured clone does")
        reader.at = 1
        reader.version = reader.varint()
        if not 9 <= reader.version <= 15:
            raise V8Error(f"Version {reader.version} of the structured clone is not known here")
        return reader.value(0)
    except UnicodeDecodeError as error:
        raise V8Error(f"A text of the structured clone is none ({error.reason})") from None
    except (IndexError, struct.error):
        raise V8Error(f"The structured clone ends early, after {len(data)} bytes") from None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.version = 0
        #: What ``^`` refers back to, by number.
        self.seen: list[object] = []

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def take(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.data):
            raise IndexError
        return self.data[self.at - size : self.at]

    def varint(self) -> int:
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    def tag(self) -> int:
        tag = self.byte()
        while tag == 0:  # padding in front of two-byte text
            tag = self.byte()
        return tag

    def double(self) -> float:
        return float(struct.unpack("<d", self.take(8))[0])

    def keep(self, value: object) -> object:
        self.seen.append(value)
        return value

    def value(self, depth: int) -> object:
        found = self.item(depth)
        if found is _END:
            raise V8Error(f"An end without a beginning at byte {self.at - 1}")
        return found

    def item(self, depth: int, end: int = -1) -> object:
        """Return the next value, ``_END`` at the tag ``end``."""
        if depth > _DEEPEST:
            raise V8Error(f"Nested deeper than {_DEEPEST} levels")
        tag = self.tag()
        if tag == end:
            return _END
        simple = _SIMPLE.get(tag)
        if simple is not None:
            return simple(self)
        if tag == ord("?"):
            self.varint()
            return self.item(depth, end)
        if tag == ord("o"):
            return self.plain(depth)
        if tag in (ord("A"), ord("a")):
            return self.array(depth, dense=tag == ord("A"))
        if tag == ord(";"):
            return self.map(depth)
        if tag == ord("'"):
            return self.set(depth)
        if tag in (ord("B"), ord("~")):
            return self.buffer(resizable=tag == ord("~"))
        if tag == ord("R"):
            place = self.reserve()
            source = self.value(depth + 1)
            bits = self.varint()
            flags = "".join(letter for i, letter in enumerate(_FLAGS) if bits >> i & 1)
            self.seen[place] = RegExp(str(source), flags)
            return self.seen[place]
        if tag == ord("r"):
            return self.error(depth)
        if tag == ord("\\"):
            kind, size = self.varint(), self.varint()
            name = _NODE[kind] if kind < len(_NODE) else "DataView"
            raw = self.take(size)
            return self.keep(raw if name == "Uint8Array" else JsBytes(name, raw))
        raise V8Error(f"A value of the kind {chr(tag)!r} at byte {self.at - 1} is not read here")

    def reserve(self) -> int:
        self.seen.append(None)
        return len(self.seen) - 1

    def plain(self, depth: int) -> object:
        found: dict[str, object] = {}
        self.keep(found)
        self.properties(found, ord("{"), depth)
        self.varint()
        return found

    def properties(self, into: dict[str, object], end: int, depth: int) -> None:
        while (key := self.item(depth + 1, end)) is not _END:
            into[_name(key)] = self.value(depth + 1)

    def array(self, depth: int, *, dense: bool) -> object:
        length = self.varint()
        if length > len(self.data) and dense:
            raise IndexError
        items: list[object] = []
        self.keep(items)
        if dense:
            items.extend(self.value(depth + 1) for _ in range(length))
        rest: dict[str, object] = {}
        self.properties(rest, ord("$") if dense else ord("@"), depth)
        self.varint()
        self.varint()
        for name, value in rest.items():
            place = int(name) if name.isdigit() else -1
            if not dense and 0 <= place < min(length, 1_000_000):
                items.extend([UNDEFINED] * (place + 1 - len(items)))
                items[place] = value
        return items

    def map(self, depth: int) -> object:
        found: dict[str, object] = {}
        self.keep(found)
        self.properties(found, ord(":"), depth)
        self.varint()
        return found

    def set(self, depth: int) -> object:
        found: list[object] = []
        self.keep(found)
        while (member := self.item(depth + 1, ord(","))) is not _END:
            found.append(member)
        self.varint()
        return found

    def buffer(self, *, resizable: bool) -> object:
        size = self.varint()
        if resizable:
            self.varint()
        raw = self.take(size)
        place = self.reserve()
        self.seen[place] = JsBytes("ArrayBuffer", raw)
        if self.at >= len(self.data) or self.data[self.at] != ord("V"):
            return self.seen[place]
        self.at += 1
        kind, offset, length = self.byte(), self.varint(), self.varint()
        if self.version >= 14:
            self.varint()
        part = raw[offset : offset + length]
        name = _VIEWS.get(kind, "DataView")
        return self.keep(part if name == "Uint8Array" else JsBytes(name, part))

    def error(self, depth: int) -> object:
        found: dict[str, object] = {"name": "Error"}
        self.keep(found)
        while (tag := self.byte()) != ord("."):
            if tag in _PROTOTYPES:
                found["name"] = _PROTOTYPES[tag]
            else:
                name = {ord("m"): "message", ord("s"): "stack", ord("c"): "cause"}.get(tag)
                if name is None:
                    raise V8Error(f"An error holds the unknown part {chr(tag)!r}")
                found[name] = self.value(depth + 1)
        return found

    def bigint(self) -> object:
        bits = self.varint()
        number = int.from_bytes(self.take(bits >> 1), "little")
        return BigInt(-number if bits & 1 else number)

    def zigzag(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def back(self) -> object:
        place = self.varint()
        if place >= len(self.seen):
            raise V8Error(f"A reference to the value {place}, which is not there")
        return self.seen[place]


_SIMPLE: dict[int, Callable[[_Reader], object]] = {
    ord("_"): lambda r: UNDEFINED,
    ord("-"): lambda r: UNDEFINED,
    ord("0"): lambda r: None,
    ord("T"): lambda r: True,
    ord("F"): lambda r: False,
    ord("I"): lambda r: r.zigzag(),
    ord("U"): lambda r: r.varint(),
    ord("N"): lambda r: _number(r.double()),
    ord("Z"): lambda r: r.bigint(),
    ord("S"): lambda r: r.take(r.varint()).decode("utf-8", "replace"),
    ord('"'): lambda r: r.take(r.varint()).decode("latin-1"),
    ord("c"): lambda r: r.take(r.varint()).decode("utf-16-le", "surrogatepass"),
    ord("^"): lambda r: r.back(),
    ord("D"): lambda r: r.keep(_date(r.double())),
    ord("y"): lambda r: r.keep(True),
    ord("x"): lambda r: r.keep(False),
    ord("n"): lambda r: r.keep(_number(r.double())),
    ord("z"): lambda r: r.keep(r.bigint()),
    ord("s"): lambda r: r.keep(r.value(0)),
}


def _number(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 and value != 0 else value


def _date(value: float) -> JsDate:
    return JsDate(None if value != value else int(value))


def _name(key: object) -> str:
    return str(key) if not isinstance(key, bool) else ("true" if key else "false")
