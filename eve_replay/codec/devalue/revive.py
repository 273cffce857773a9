"""Typed devalue entries: ``["Map", 5]``, ``["Date", 3]`` and so on (docs/formats/payload.md#types).

A typed value is made before the containers of the document are filled, so that references to it, also
from inside itself, point at one object. Hence two kinds: values complete at once (dates, bytes ...),
and values whose inside arrives later (Map, Set, errors, tagged objects), which register a finisher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eve_replay.codec.base64text import decode_base64
from eve_replay.codec.devalue.regexps import regexp_fault
from eve_replay.codec.devalue.urls import query_text, url_fault
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Headers,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    RegExp,
    Tagged,
    Unknown,
    Url,
    UrlSearchParams,
    date_from_iso,
    date_from_ms,
)
from eve_replay.values.bigints import MAX_DIGITS, parse_decimal
from eve_replay.values.scalars import ELEMENT_SIZES

__all__ = ["CUSTOM", "ERRORS", "TAGGED", "BadPayload", "Context", "byte_view", "is_own_form", "own_members"]

ERRORS = (
    "Error",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
    "AggregateError",
    "DOMException",
    "FatalError",
    "RetryableError",
    "HookConflictError",
    "HookForceClaimedError",
    "RuntimeDecryptionError",
    "StreamError",
)
TAGGED = (
    "ReadableStream",
    "WritableStream",
    "AbortSignal",
    "AbortController",
    "StepFunction",
    "WorkflowFunction",
    "Class",
    "Instance",
    "Request",
    "Response",
)


class BadPayload(Exception):
    """The payload does not fit its type; the message is one sentence."""


class Context:
    """What a reviver may ask of the document.

    Attributes:
        resolve: the raw entry, or the value already made, behind a reference. Raises BadPayload.
        later: finishers, run once every container is filled.
        note: ``note(code, message)`` records something odd that does not stop the decoding.
        failed: whether an Undecoded or Unknown was made.
        own: whether the writer is known to use devalue's own forms, None when it is unknown.
    """

    __slots__ = ("failed", "later", "note", "own", "resolve")

    def __init__(
        self,
        resolve: Callable[[Any], Any],
        note: Callable[[str, str], None],
        own: bool | None = None,
    ) -> None:
        self.resolve = resolve
        self.note = note
        self.own = own
        self.later: list[Callable[[], None]] = []
        self.failed = False

    def misfit(self, tag: str, payload: object) -> Unknown:
        """Return what stands for a typed value whose payload does not fit its type."""
        self.failed = True
        return Unknown(tag, payload, "invalid-input")


def _text(payload: Any, name: str) -> str:
    if not isinstance(payload, str):
        raise BadPayload(f"{name} needs text.")
    return payload


def is_typed(raw: Any) -> bool:
    """Return whether a raw entry is a typed value or a sparse array."""
    return raw.__class__ is list and bool(raw) and (raw[0].__class__ is str or raw[0] == -7)


def is_array(raw: Any) -> bool:
    """Return whether a raw entry is an ordinary array, neither typed nor sparse."""
    return raw.__class__ is list and not is_typed(raw)


def is_own_form(raw: list[Any], context: Context) -> bool:
    """Return whether a typed entry is in devalue's own form, not in that of the Workflow SDK.

    devalue lists the members of a Set and the keys and values of a Map in the entry itself; the SDK puts one
    reference to an array there. So anything but one reference to an ordinary array is devalue's own form.
    One such reference is ambiguous for a Set only: a Set of one array looks the same. Who wrote it decides
    (the vendor's Python SDK writes the own form); unknown, it is read as the SDK writes it, and noted.
    Source: docs/formats/payload.md#types.
    """
    if raw[0] not in ("Set", "Map") or len(raw) < 2:
        return False
    if len(raw) > 2:
        return True
    payload = raw[1]
    if payload.__class__ is not int and payload.__class__ is not float:
        return False
    try:
        target = context.resolve(payload)
    except BadPayload:
        return bool(raw[0] == "Set")
    if raw[0] == "Map":
        return False
    if target.__class__ is not list or (target and target[0].__class__ is str):
        return True
    if context.own is None and len(target) > 0:
        context.note(
            "ambiguous-set",
            "A Set of one array and a Set of its members are written alike by different SDKs; it is read as "
            "the TypeScript SDK writes it.",
        )
    return context.own is True


def own_members(raw: list[Any], spread: list[tuple[Any, list[Any], list[Any]]], context: Context) -> object:
    """Return the Set or Map of an entry in devalue's own form; nothing in the list is left out."""
    rest: list[object] = [None] * (len(raw) - 1)
    spread.append((rest, list(range(len(rest))), raw[1:]))
    if raw[0] == "Set":
        made = JsSet()

        def add() -> None:
            for member in rest:
                made.add(member)

        context.later.append(add)
        return made
    mapping = JsMap()
    if len(rest) % 2:
        context.note("odd-map", "A Map lists a key without a value; it is shown with undefined.")

    def put() -> None:
        for at in range(0, len(rest), 2):
            mapping.set(rest[at], rest[at + 1] if at + 1 < len(rest) else UNDEFINED)

    context.later.append(put)
    return mapping


def _bytes(kind: str) -> Callable[[Any, Context], object]:
    name = "DataView" if kind == "DataViewBytes" else kind

    def revive(payload: Any, context: Context) -> object:
        if isinstance(payload, JsBytes) and payload.kind == "ArrayBuffer":
            # devalue's own form, which the vendor's Python SDK writes (python-sdk/journal-retry).
            return byte_view(name, payload.data)
        text = _text(payload, name)
        data, strict = decode_base64("" if text == "." else text)
        if not strict and text != ".":
            context.note("loose-base64", "Characters that are no base64 were skipped, as Node does.")
        return byte_view(name, data)

    return revive


def byte_view(kind: str, data: bytes, offset: Any = UNDEFINED, length: Any = UNDEFINED) -> JsBytes:
    """Return a view of ``kind`` on some bytes. Raises BadPayload when the sizes do not fit."""
    size = ELEMENT_SIZES[kind]
    start = 0 if offset is UNDEFINED else offset
    if start.__class__ is not int or not 0 <= start <= len(data) or start % size:
        raise BadPayload(f"A {kind} cannot start at byte {start!r}.")
    if length is UNDEFINED:
        if (len(data) - start) % size:
            raise BadPayload(f"The byte length of {kind} should be a multiple of {size}.")
        return JsBytes(kind, data[start:])
    if length.__class__ is not int or not 0 <= length * size <= len(data) - start:
        raise BadPayload(f"A {kind} cannot have {length!r} elements here.")
    return JsBytes(kind, data[start : start + length * size])


def _bigint(payload: Any, context: Context) -> object:
    if payload.__class__ is int or payload.__class__ is bool:
        return BigInt(int(payload))
    text = _text(payload, "BigInt").strip()
    try:
        return BigInt(parse_bigint(text))
    except ValueError as error:
        raise BadPayload(f"Cannot convert {text[:40]} to a BigInt.") from error


def parse_bigint(text: str) -> int:
    """Return what ``BigInt(text)`` gives. Raises ValueError."""
    if not text:
        return 0
    base = {"0x": 16, "0o": 8, "0b": 2}.get(text[:2].lower())
    if base is None:
        return parse_decimal(text)
    if "_" in text or len(text) > MAX_DIGITS or text[2:3] in ("+", "-"):
        raise ValueError(text[:40])
    return int(text[2:], base)


def _date(payload: Any, context: Context) -> object:
    if payload.__class__ is int or payload.__class__ is float:
        return date_from_ms(payload)
    if payload is UNDEFINED or payload == ".":
        return JsDate(None)
    if payload is None:
        return JsDate(0)
    date = date_from_iso(_text(payload, "Date"))
    if date is None:
        context.note("unreadable-date", f"Not an ISO date: {payload[:40]!r}. Shown as an invalid date.")
        return JsDate(None)
    return date


def _map(payload: Any, context: Context) -> object:
    result = JsMap()
    if payload is UNDEFINED or payload is None:
        return result
    if not is_array(payload):
        raise BadPayload("A Map needs an array of entries.")
    for ref in payload:
        if not is_array(context.resolve(ref)):
            raise BadPayload("A Map entry is no [key, value] array.")

    def finish() -> None:
        for pair in payload:
            pair = [UNDEFINED if item is HOLE else item for item in pair[:2]] + [UNDEFINED, UNDEFINED]
            result.set(pair[0], pair[1])

    context.later.append(finish)
    return result


def _set(payload: Any, context: Context) -> object:
    if payload is UNDEFINED or payload is None:
        return JsSet()
    if isinstance(payload, str):
        context.note("set-of-text", "A Set made from text holds its characters, as in JS.")
        return JsSet(payload)
    if not is_array(payload):
        raise BadPayload("A Set needs an array of values.")
    result = JsSet()

    def finish() -> None:
        for item in payload:
            result.add(UNDEFINED if item is HOLE else item)

    context.later.append(finish)
    return result


def _regexp(payload: Any, context: Context) -> object:
    if payload.__class__ is not dict:
        raise BadPayload("A RegExp needs source and flags.")
    source = context.resolve(payload["source"]) if "source" in payload else "(?:)"
    flags = context.resolve(payload["flags"]) if "flags" in payload else ""
    if flags is UNDEFINED:
        flags = ""
    return make_regexp(source, flags)


def make_regexp(source: Any, flags: Any) -> RegExp:
    """Return a RegExp after the syntax checks that need no regex engine. Raises BadPayload."""
    source, flags = _text(source, "RegExp"), _text(flags, "RegExp")
    fault = regexp_fault(source, flags)
    if fault is not None:
        raise BadPayload(f"Invalid regular expression: {fault}.")
    return RegExp(source or "(?:)", flags)


def _url(payload: Any, context: Context) -> object:
    text = _text(payload, "URL")
    if url_fault(text):
        raise BadPayload("Invalid URL.")
    return Url(text)


def _params(payload: Any, context: Context) -> object:
    text = _text(payload, "URLSearchParams")
    return UrlSearchParams("" if text == "." else query_text(text))


def _headers(payload: Any, context: Context) -> object:
    if payload is UNDEFINED:
        return Headers()
    if not is_array(payload):
        raise BadPayload("Headers need an array of pairs.")
    pairs: list[tuple[str, str]] = []
    for ref in payload:
        pair = context.resolve(ref)
        if not is_array(pair) or len(pair) != 2:
            raise BadPayload("A header is no [name, value] pair.")
        name, value = context.resolve(pair[0]), context.resolve(pair[1])
        if not isinstance(name, str) or not isinstance(value, str) or not name:
            raise BadPayload("A header is no pair of texts.")
        pairs.append((name, value))
    return Headers.of(pairs)


def _error(kind: str) -> Callable[[Any, Context], object]:
    def revive(payload: Any, context: Context) -> object:
        if payload.__class__ is not dict:
            return context.misfit(kind, payload)
        return JsError(kind, fields=payload)

    return revive


def _tagged(tag: str) -> Callable[[Any, Context], object]:
    def revive(payload: Any, context: Context) -> object:
        if payload.__class__ is not dict:
            return context.misfit(tag, payload)
        return Tagged(tag, payload)

    return revive


#: How to make each custom type from its raw payload entry.
CUSTOM: dict[str, Callable[[Any, Context], object]] = {
    **{
        kind: _bytes(kind)
        for kind in (*ELEMENT_SIZES, "DataViewBytes")
        if kind not in ("DataView", "Float16Array")
    },
    "BigInt": _bigint,
    "Date": _date,
    "Map": _map,
    "Set": _set,
    "RegExp": _regexp,
    "URL": _url,
    "URLSearchParams": _params,
    "Headers": _headers,
    **{kind: _error(kind) for kind in ERRORS},
    **{tag: _tagged(tag) for tag in TAGGED},
}
