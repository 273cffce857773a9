"""CBOR as cbor-x writes it (docs/evidence/libraries.md#cbor). The only module that loads cbor2.

What the writer lost stays lost and is not guessed: -0 comes as 0, a hole as undefined, a URL as ``{}``,
and every number beyond 32 bits as a float. A BigInt is told by its length: cbor-x writes it in eight bytes
always, a number of that size never.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from eve_replay.values import (
    UNDEFINED,
    BigInt,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    RegExp,
    Undecoded,
    Unknown,
    date_from_iso,
    date_from_ms,
)
from eve_replay.values.bigints import MAX_DIGITS, decimal_text

if TYPE_CHECKING:
    import cbor2

__all__ = ["CborError", "decode_cbor"]

#: Nesting beyond this is refused; cbor2 itself does not recurse.
_MAX_DEPTH = 100_000
#: RFC 8746 tags that cbor-x writes. 64 is every payload and becomes plain bytes.
_TYPED = {
    68: "Uint8ClampedArray",
    69: "Uint16Array",
    70: "Uint32Array",
    71: "BigUint64Array",
    72: "Int8Array",
    77: "Int16Array",
    78: "Int32Array",
    79: "BigInt64Array",
    84: "Float16Array",
    85: "Float32Array",
    86: "Float64Array",
}
_32_BITS = 2**32
#: Where eight bytes may hold a small integer: only then is the document walked for BigInts.
_SMALL_IN_EIGHT = re.compile(rb"[\x1b\x3b]\x00\x00\x00\x00")
#: A tag of our own put around such an integer, so that it comes out of the decoder as what it is.
_BIGINT = 0x65766572
_BIGINT_HEAD = b"\xda" + _BIGINT.to_bytes(4, "big")
_SIZES = {24: 1, 25: 2, 26: 4, 27: 8}


#: As many bits as ``MAX_DIGITS`` decimal digits have.
_MOST_BITS = MAX_DIGITS * 3322 // 1000
#: Members that the name of a property made of an array shows.
_KEY_PARTS = 200


class CborError(ValueError):
    """Bytes are no CBOR. Only ``decode_cbor(strict=True)`` raises it."""


class _Marked(NamedTuple):
    """A tag met while decoding; turned into a value once the whole document is there."""

    tag: int
    value: Any


def decode_cbor(data: bytes, *, strict: bool = False, notes: list[tuple[str, str]] | None = None) -> object:
    """Return the value of a CBOR document, an ``Undecoded`` when it is none.

    Byte strings (also tag 64) are ``bytes``; other typed arrays ``JsBytes``, dates ``JsDate``, Map and
    Set ``JsMap`` and ``JsSet``; ``undefined`` is ``UNDEFINED``, never None.

    Args:
        data: the document.
        strict: raise CborError instead of returning ``Undecoded``.
        notes: gets ``(code, message)`` of what was odd: ``bad-utf8`` for lone surrogates, which come
            as U+FFFD, and ``trailing``.
    """
    try:
        import cbor2
    except ImportError:
        message = "Reading CBOR needs the package cbor2, which is not installed here: pip install cbor2."
        return _fail("missing-library", message, strict)
    found = [] if notes is None else notes
    whole, data = len(data), _mark_bigints(data)
    try:
        if data[:1] == b"\xff":  # cbor2 6.0 gives its marker as a value
            raise ValueError("a break without a beginning")
        try:
            value, end = _load(data, "strict")
        except cbor2.CBORDecodeError as error:
            if not isinstance(error.__cause__, UnicodeDecodeError) and "text string" not in str(error):
                raise
            # A lone surrogate fails the whole document; one bad character should not.
            value, end = _load(data, "replace")
            found.append(("bad-utf8", "Text with lone surrogates is shown with U+FFFD in their place."))
    except cbor2.CBORDecodeEOF:
        return _fail("truncated", f"The CBOR ends too early, after {whole} bytes.", strict)
    except (cbor2.CBORError, ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        return _fail("bad-cbor", f"Not CBOR as cbor-x writes it: {error}.", strict)
    if end < len(data):
        found.append(("trailing", f"{len(data) - end} bytes follow the CBOR document."))
    return _Converter(cbor2).convert(value)


def _mark_bigints(data: bytes) -> bytes:
    """Return the document with a tag around every integer of eight bytes that a number could be taken for.

    A walk over the heads of all items: nesting does not matter, only texts and byte strings are skipped.
    """
    if not _SMALL_IN_EIGHT.search(data):
        return data
    parts: list[bytes] = []
    at = done = 0
    while at < len(data):
        major, info = data[at] >> 5, data[at] & 31
        size = _SIZES.get(info, 0)
        if info == 27 and major < 2 and data[at + 1 : at + 5] == b"\0\0\0\0":
            parts += (data[done:at], _BIGINT_HEAD)
            done = at
        length = int.from_bytes(data[at + 1 : at + 1 + size], "big") if size else info
        at += 1 + size
        if major in (2, 3) and info != 31:
            at += length
    return b"".join((*parts, data[done:])) if parts else data


def _fail(reason: str, message: str, strict: bool) -> Undecoded:
    if strict:
        raise CborError(message)
    return Undecoded(reason, message)


def _load(data: bytes, str_errors: str) -> tuple[Any, int]:
    """Return the decoded document and where it ends. Raises what cbor2 raises."""
    import cbor2

    stream = io.BytesIO(data)
    decoder = cbor2.CBORDecoder(
        stream,
        tag_hook=_mark,
        semantic_decoders=_MARKERS,
        str_errors=str_errors,
        read_size=1,
        max_depth=_MAX_DEPTH,
    )
    return decoder.decode(), stream.tell()


def _mark(tag: cbor2.CBORTag, _immutable: bool) -> _Marked:
    return _Marked(tag.tag, tag.value)


def _marker(tag: int) -> Callable[[Any, bool], Any]:
    return lambda value, _immutable: _Marked(tag, value)


# cbor2 would make its own Python values of these, or fail on an invalid date; some cost more than linear time
# (a fraction is reduced, a big float is multiplied out, a pattern is compiled).
_MARKERS = {
    tag: _marker(tag)
    for tag in (0, 1, 4, 5, 27, 30, 35, 36, 37, 52, 54, 100, 258, 259, 260, 261, 1004, 43000)
}


class _Converter:
    """Python values of cbor2 to JS values: iterative, shared and cyclic parts stay shared."""

    def __init__(self, cbor2_module: Any) -> None:
        self.undefined = cbor2_module.undefined
        self.made: dict[int, object] = {}
        self.todo: list[tuple[Any, Any, Any]] = []
        self.finish: list[Callable[[], None]] = []

    def convert(self, value: Any) -> object:
        """Return the JS value."""
        top: list[object] = [None]
        self.todo.append((value, top, 0))
        while self.todo:
            item, holder, slot = self.todo.pop()
            holder[slot] = self.one(item)
        for finish in reversed(self.finish):
            finish()
        return top[0]

    def one(self, value: Any) -> object:
        """Return the form of one value; its parts are put in later."""
        kind = value.__class__
        if value is None or kind is str or kind is bool or kind is float or kind is bytes:
            return value
        if kind is int:
            if value.bit_length() > _MOST_BITS:
                return Undecoded(
                    "too-big", f"A whole number of {value.bit_length():,} bits is over the limit."
                )
            return value if -_32_BITS < value < _32_BITS else BigInt(value)
        if value is self.undefined:
            return UNDEFINED
        known = self.made.get(id(value))
        if known is None:
            known = self.made[id(value)] = self.container(value)
        return known

    def container(self, value: Any) -> object:
        if isinstance(value, _Marked):
            return self.marked(value.tag, value.value)
        if isinstance(value, Mapping):
            plain: dict[str, object] = {}
            for key, item in value.items():
                name = key if isinstance(key, str) else _key_text(key)
                plain[name] = None
                self.todo.append((item, plain, name))
            return plain
        if isinstance(value, (list, tuple)):
            return self.array(value)
        return Unknown(f"CBOR {type(value).__name__}", _key_text(value))

    def array(self, items: Any) -> list[object]:
        array: list[object] = [None] * len(items)
        self.todo.extend((item, array, i) for i, item in enumerate(items))
        return array

    def marked(self, tag: int, value: Any) -> object:
        """Return the value of a tag; one whose content does not fit is ``Unknown``."""
        if tag == _BIGINT and isinstance(value, int) and value.bit_length() <= 64:
            return BigInt(value)
        if tag == 64 and isinstance(value, bytes):
            return value
        if tag in _TYPED and isinstance(value, bytes):
            return JsBytes(_TYPED[tag], value)
        if tag in (0, 1):
            return self.date(value) or self.unknown(tag, value)
        if tag == 258 and isinstance(value, (list, tuple)):
            members, result = self.array(value), JsSet()

            def add_members() -> None:
                for member in members:
                    result.add(member)

            self.finish.append(add_members)
            return result
        if tag == 259 and isinstance(value, Mapping):
            keys, items, mapping = self.array(list(value)), self.array(list(value.values())), JsMap()

            def set_entries() -> None:
                for key, item in zip(keys, items, strict=True):
                    mapping.set(key, item)

            self.finish.append(set_entries)
            return mapping
        if tag == 27 and isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
            made = _named(value[0], list(value[1:]))
            if made is not None:
                return made
        return self.unknown(tag, value)

    def date(self, value: Any) -> JsDate | None:
        if isinstance(value, str):
            return date_from_iso(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            # Seconds as a float: what JS wrote were whole milliseconds.
            return JsDate(None) if value != value else date_from_ms(_round(value * 1000))
        return None

    def unknown(self, tag: int, value: Any) -> Unknown:
        holder: list[object] = [None]
        result = Unknown(f"CBOR tag {tag}")
        self.todo.append((value, holder, 0))

        def finish() -> None:
            result.payload = holder[0]

        self.finish.append(finish)
        return result


def _round(value: float) -> float:
    return float(round(value)) if abs(value) < 1e18 else value


def _key_text(key: Any) -> str:
    """Return the property name JS makes of a map key that is no text."""
    return _scalar(key) if key is None or isinstance(key, (bool, int, float, bytes)) else _joined(key)


def _scalar(key: Any) -> str:
    if key is True or key is False:
        return "true" if key else "false"
    if key is None:
        return "null"
    if isinstance(key, float) and key.is_integer() and abs(key) < 1e21:
        return str(int(key))
    if isinstance(key, int):
        return decimal_text(key) if key.bit_length() <= _MOST_BITS else f"{hex(key)[:200]}…"
    return str(key)


def _joined(value: Any) -> str:
    """Return the text JS makes of an array: its members joined by commas, arrays in it too. No recursion."""
    parts: list[str] = []
    todo = [value]
    while todo and len(parts) < _KEY_PARTS:
        each = todo.pop()
        if isinstance(each, _Marked):
            todo.append(each.value)
        elif isinstance(each, (list, tuple)):
            todo.extend(reversed(each[:_KEY_PARTS]))
        elif isinstance(each, Mapping):
            parts.append("[object Object]")
        elif isinstance(each, str):
            parts.append(each)
        elif each is None or isinstance(each, (bool, int, float, bytes)):
            parts.append(_scalar(each))
        else:
            parts.append(type(each).__name__)
    return ",".join(parts) + ("…" if todo else "")


def _named(name: str, rest: list[Any]) -> object | None:
    """Return what tag 27 names: a RegExp or an error, None when it is neither."""
    texts = [item if isinstance(item, str) else "" for item in rest]
    if name == "RegExp":
        return RegExp(texts[0] if texts else "", texts[1] if len(texts) > 1 else "")
    if name.endswith("Error"):
        cause = rest[1] if len(rest) > 1 and isinstance(rest[1], (str, int, float)) else UNDEFINED
        return JsError(name, message=texts[0] if texts else UNDEFINED, cause=cause)
    return None
