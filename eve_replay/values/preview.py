"""One safe line that tells a person what a value is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eve_replay.values.containers import JsMap, JsSet, SparseArray
from eve_replay.values.dates import JsDate
from eve_replay.values.objects import JsError, Tagged, Undecoded, Unknown
from eve_replay.values.scalars import BigInt, Boxed, Headers, JsBytes, RegExp, Url, UrlSearchParams
from eve_replay.values.singletons import HOLE, UNDEFINED

__all__ = ["preview", "type_name"]

_NAMES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    type(UNDEFINED): "undefined",
    type(HOLE): "hole",
    list: "array",
    BigInt: "bigint",
    JsDate: "Date",
    RegExp: "RegExp",
    Url: "URL",
    UrlSearchParams: "URLSearchParams",
    Headers: "Headers",
    JsMap: "Map",
    JsSet: "Set",
    SparseArray: "array",
    bytes: "Uint8Array",
    Undecoded: "undecoded",
}


def type_name(value: object) -> str:
    """Return the JS word for a value's type: ``string``, ``array``, ``Map``, ``TypeError`` ..."""
    name = _NAMES.get(value.__class__)
    if name is not None:
        return name
    if isinstance(value, dict):
        return "object"
    if isinstance(value, JsError):
        return value.kind
    if isinstance(value, (Tagged, Unknown)):
        return value.tag or "unknown"
    if isinstance(value, JsBytes):
        return value.kind
    if isinstance(value, Boxed):
        inner = type_name(value.value)
        return {"bigint": "BigInt"}.get(inner, inner.capitalize())
    return "unknown"


def preview(value: object, limit: int = 80) -> str:
    """Return at most ``limit`` characters of one line: no control characters, no line breaks.

    Cut text ends in ``…``. Work is bounded by ``limit``, whatever the size or depth of ``value``.
    """
    out: list[str] = []
    size = 0
    for piece in _pieces(value, limit):
        out.append(piece)
        size += len(piece)
        if size > limit:
            break
    text = "".join(out)
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def _pieces(value: object, limit: int) -> Iterator[str]:
    """Yield the text of a value piece by piece, depth first, without recursion."""
    stack: list[Iterator[str | tuple[object]]] = [iter([(value,)])]
    open_ids: list[int] = [0]
    while stack:
        part = next(stack[-1], None)
        if part is None:
            stack.pop()
            open_ids.pop()
        elif isinstance(part, str):
            yield part
        else:
            (inner,) = part
            scalar = _scalar(inner, limit)
            if scalar is not None:
                yield scalar
            elif id(inner) in open_ids:
                yield "↺"
            else:
                stack.append(_parts(inner, limit))
                open_ids.append(id(inner))


def _scalar(value: object, limit: int) -> str | None:
    kind = value.__class__
    if kind is str:
        return quote(value, limit)  # type: ignore[arg-type]
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return _number(value)  # type: ignore[arg-type]
    if value is UNDEFINED:
        return "undefined"
    if value is HOLE:
        return "hole"
    if isinstance(value, BigInt):
        return f"{_digits(value.value, limit)}n"
    if isinstance(value, JsDate):
        return f"Date {value.iso() or 'invalid'}"
    if isinstance(value, RegExp):
        return f"/{escape(value.source[: limit + 1])}/{escape(value.flags[: limit + 1])}"
    if isinstance(value, Url):
        return f"URL {escape(value.href[: limit + 1])}"
    if isinstance(value, UrlSearchParams):
        return f"URLSearchParams {quote(value.text, limit)}"
    if isinstance(value, JsBytes):
        return f"{escape(value.kind)}({len(value)})"
    if isinstance(value, bytes):
        return f"Uint8Array({len(value)})"
    if isinstance(value, Undecoded):
        return f"⚠ {escape(value.reason)}: {escape(value.message[: limit + 1])}"
    return None


def _parts(value: object, limit: int) -> Iterator[str | tuple[object]]:
    if isinstance(value, dict):
        yield from _members(value.items(), "{", "}", limit)
    elif isinstance(value, list):
        yield from _items(value, "[", "]")
    elif isinstance(value, JsMap):
        yield f"Map({len(value)}) {{"
        for i, (key, item) in enumerate(value.entries):
            yield ", " if i else ""
            yield (key,)
            yield " => "
            yield (item,)
        yield "}"
    elif isinstance(value, JsSet):
        yield from _items(value.values, f"Set({len(value)}) {{", "}")
    elif isinstance(value, SparseArray):
        yield f"array({value.length}) ["
        for i, (index, item) in enumerate(value.entries.items()):
            yield f"{', ' if i else ''}{index}: "
            yield (item,)
        yield "]"
    elif isinstance(value, JsError):
        name = value.name
        yield escape(name[: limit + 1]) if isinstance(name, str) else escape(value.kind)
        if value.message is not UNDEFINED:
            yield ": "
            yield escape(value.message[: limit + 1]) if isinstance(value.message, str) else (value.message,)
    elif isinstance(value, Headers):
        yield from _members(value.entries, "Headers {", "}", limit)
    elif isinstance(value, Tagged):
        yield from _members(value.fields.items(), f"{escape(value.tag[:limit])} {{", "}", limit)
    elif isinstance(value, Boxed):
        yield f"{type_name(value)}("
        yield (value.value,)
        yield ")"
    elif isinstance(value, Unknown):
        yield f"{escape(value.tag[:limit])}("
        yield (value.payload,)
        yield ")"
    else:
        yield escape(type(value).__name__)


def _items(values: list[object], before: str, after: str) -> Iterator[str | tuple[object]]:
    yield before
    for i, item in enumerate(values):
        if i:
            yield ", "
        yield (item,)
    yield after


def _members(
    pairs: Iterable[tuple[str, object]], before: str, after: str, limit: int
) -> Iterator[str | tuple[object]]:
    yield before
    for i, (key, item) in enumerate(pairs):
        shown = key if key.isidentifier() and key.isascii() else quote(key, limit)
        yield f"{', ' if i else ''}{shown[: limit + 1]}: "
        yield (item,)
    yield after


def _number(value: int | float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0" if str(value)[0] == "-" else "0"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return repr(value)


def _digits(value: int, limit: int) -> str:
    # str() of an int past 4,300 digits raises; hexadecimal has no such limit.
    return str(value) if value.bit_length() < 13_000 else f"{hex(value)[: limit + 1]}"


def quote(text: str, limit: int) -> str:
    """Return a string in double quotes, safe, reading no more of it than needed."""
    return '"' + escape(text[: limit + 1]).replace('"', '\\"') + '"'


def escape(text: str) -> str:
    """Return text on one line in which nothing can move a cursor, break a line or hide characters."""
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(c if c.isprintable() and c != "\\" else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}.get(char)
    if short is not None:
        return short
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
