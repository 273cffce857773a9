"""Stored values by their form: each becomes what ``export.entities`` expects, payloads still packed.

A value that is not of the form it should have is ``Undecoded`` in its place and named in the receipt: one
odd column costs that field, never the record.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from eve_replay.codec import loads_json
from eve_replay.ids import ulid_time
from eve_replay.problems import Receipt
from eve_replay.records import EVENT_PAYLOADS
from eve_replay.times import iso, parse_time
from eve_replay.values import BigInt, JsDate, Undecoded
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.postgres.rows import stamp

__all__ = ["Former", "revive_bytes"]

_PAYLOADS = frozenset(("input", "output", "error", "metadata", "eventData", "executionContext"))
_TIMES = frozenset(
    (
        "createdAt",
        "updatedAt",
        "startedAt",
        "completedAt",
        "expiredAt",
        "retryAfter",
        "resumeAt",
        "occurredAt",
    )
)
_NUMBERS = frozenset(("attempt", "specVersion"))
_FLAGS = frozenset(("isWebhook", "isSystem", "end"))
_JSON = frozenset(("attributes",))
#: Data outside payloads is shallow; what is deeper stays as it is.
_DEEPEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """Undoes the store's own wrapping of values.

    Attributes:
        wrap: opens CBOR.
        receipt: where values that do not open are named.
        payload: form of payload fields without a form of their own.
        plain: form of the other fields: ``words`` where everything is stored as bytes.
    """

    wrap: Wrap
    receipt: Receipt
    payload: str = "document"
    plain: str = "document"

    def value(self, stored: object, form: str, field: str, where: str) -> object:
        """Return a stored value opened; None is None in every form."""
        if stored is None:
            return None
        chosen = form or self._usual(field)
        if chosen == "bytes" and field in _PAYLOADS and _is_json(stored):
            chosen = "mixed"  # no payload begins so: a field that was written as plain JSON
        elif chosen == "bytes" and field == "error" and _is_plain(stored):
            chosen = "text"  # the message alone
        return _FORMS[chosen](self, stored, f"{where}/{field}")

    def _usual(self, field: str) -> str:
        if field in _PAYLOADS:
            return self.payload
        if field in _TIMES:
            return "time"
        if field in _NUMBERS:
            return "integer"
        if field in _FLAGS:
            return "flag"
        return "json" if field in _JSON else self.plain

    def bad(self, where: str, what: str) -> Undecoded:
        """Name a value that is not what it should be and return what stands in its place."""
        self.receipt.problem("error", "invalid-input", where, f"This is no {what}.")
        return Undecoded("invalid-input", f"What is stored here is no {what}.")


def _is_json(stored: object) -> bool:
    head = stored[:1] if isinstance(stored, (str, bytes, bytearray)) else b""
    return head in ("{", '"', b"{", b'"') and bool(head)


def _is_plain(stored: object) -> bool:
    head = stored[:5] if isinstance(stored, (str, bytes, bytearray)) else ""
    text = bytes(head).decode("utf-8", "replace") if not isinstance(head, str) else head
    return len(text) == 5 and not (text[:4].isalnum() and text[:4].islower() and not text[4].isalnum())


def _words(former: Former, stored: object, where: str) -> object:
    """Return text where bytes are text: a store of keys has nothing but bytes."""
    if isinstance(stored, (bytes, bytearray)):
        try:
            return bytes(stored).decode()
        except UnicodeDecodeError:
            return bytes(stored)
    return stored


def _text(former: Former, stored: object, where: str) -> object:
    if isinstance(stored, (bytes, bytearray)):
        return bytes(stored).decode("utf-8", "replace")
    return stored if isinstance(stored, str) else str(_plain(stored))


def _integer(former: Former, stored: object, where: str) -> object:
    stored = _plain(stored)
    if isinstance(stored, str):
        try:
            return int(stored)
        except ValueError:
            return stored
    return int(stored) if isinstance(stored, float) and stored.is_integer() else stored


def _flag(former: Former, stored: object, where: str) -> object:
    if isinstance(stored, bytes):
        return stored not in (b"", b"\0", b"0", b"f", b"false")
    if isinstance(stored, str):
        return stored.lower() in ("1", "t", "true", "y")
    return bool(stored)


def _time(former: Former, stored: object, where: str) -> object:
    stored = _plain(stored)
    if isinstance(stored, JsDate):
        return stored
    if isinstance(stored, datetime):
        return iso(stored if stored.tzinfo else stored.replace(tzinfo=UTC))
    if isinstance(stored, str):
        found = stamp(stored)
        if found is not stored or stored.endswith("Z"):
            return found
        if stored.lstrip("-").isdigit():
            stored = int(stored)
        else:
            instant = parse_time(stored)
            return iso(instant) if instant is not None else stored
    instant = parse_time(stored)
    return iso(instant) if instant is not None else stored


def _seconds(former: Former, stored: object, where: str) -> object:
    try:
        return iso(parse_time(float(str(_plain(stored))) * 1000))
    except ValueError:
        return stored


def _ulid(former: Former, stored: object, where: str) -> object:
    instant = ulid_time(str(_plain(stored)))
    return iso(instant) if instant is not None else None


def _json(former: Former, stored: object, where: str) -> object:
    if not isinstance(stored, (str, bytes, bytearray)):
        return revive_bytes(stored)
    try:
        return revive_bytes(loads_json(bytes(stored) if isinstance(stored, bytearray) else stored))
    except ValueError:
        # A text column of an old release may hold plain text: it is shown as what it is.
        return _text(former, stored, where) if isinstance(stored, str) else former.bad(where, "JSON")


def _cbor(former: Former, stored: object, where: str) -> object:
    if isinstance(stored, str):
        return _json(former, stored, where)
    if isinstance(stored, (bytes, bytearray)):
        return former.wrap.open_cbor(bytes(stored), where, former.receipt)
    return stored


def _cbor_text(former: Former, stored: object, where: str) -> object:
    raw = stored.encode() if isinstance(stored, str) else stored
    if isinstance(raw, bytes) and raw.startswith(b"cbor:"):
        try:
            data = base64.b64decode(raw[5:], validate=True)
        except binascii.Error:
            return former.bad(where, "base64")
        return former.wrap.open_cbor(data, where, former.receipt)
    return _text(former, stored, where)


def _bytes(former: Former, stored: object, where: str) -> object:
    if isinstance(stored, str):
        return stored.encode("utf-8", "surrogatepass")
    return bytes(stored) if isinstance(stored, (bytes, bytearray, memoryview)) else stored


def _base64(former: Former, stored: object, where: str) -> object:
    if isinstance(stored, (str, bytes)):
        try:
            return base64.b64decode(stored, validate=True)
        except (binascii.Error, ValueError):
            return former.bad(where, "base64")
    return revive_bytes(stored)


def _mixed(former: Former, stored: object, where: str) -> object:
    """Return what a writer kept that wrote JSON for objects and bare bytes for payloads."""
    raw = stored.encode() if isinstance(stored, str) else stored
    if isinstance(raw, Mapping):
        return _payloads(revive_bytes(raw))
    if not isinstance(raw, (bytes, bytearray)):
        return stored
    if raw[:1] in (b"{", b"[", b'"'):
        try:
            return _payloads(revive_bytes(loads_json(bytes(raw))))
        except ValueError:
            return bytes(raw)
    return bytes(raw)


def _payloads(value: object) -> object:
    """Return an object with the bytes of the payloads that it holds as base64."""
    if isinstance(value, dict):
        for inner in (value, value.get("eventData")):
            for name in EVENT_PAYLOADS:
                if isinstance(inner, dict) and isinstance(inner.get(name), str):
                    inner[name] = _payload_text(inner[name])
    return value


def _payload_text(text: str) -> object:
    """Return the bytes of a base64 payload, the text itself when it is plain text."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return data if data[:4].isalnum() and data[:4].islower() and len(data) > 4 else text


def _v8(former: Former, stored: object, where: str) -> object:
    from eve_replay.worlds.layouts.v8 import V8Error, decode_v8

    if not isinstance(stored, (bytes, bytearray)):
        return stored
    try:
        return decode_v8(bytes(stored))
    except V8Error as error:
        former.receipt.problem("error", "bad-v8", where, f"{error}.")
        return Undecoded("bad-v8", f"{error}.")


def _slot(former: Former, stored: object, where: str) -> object:
    number = _integer(former, stored, where)
    return f"evnt_{number:026d}" if isinstance(number, int) else number


def _serial(former: Former, stored: object, where: str) -> object:
    # Padded, so that ids sort as the numbers do; a number below 0 marks what comes last.
    number = _integer(former, stored, where)
    if not isinstance(number, int):
        return number
    return f"{number:012d}" if number >= 0 else f"~{-number:011d}"


def _document(former: Former, stored: object, where: str) -> object:
    return bytes(stored) if isinstance(stored, (bytearray, memoryview)) else stored


_FORMS: dict[str, Callable[[Former, object, str], object]] = {
    "text": _text,
    "integer": _integer,
    "flag": _flag,
    "time": _time,
    "seconds": _seconds,
    "ulid": _ulid,
    "json": _json,
    "cbor": _cbor,
    "cbor-text": _cbor_text,
    "bytes": _bytes,
    "base64": _base64,
    "mixed": _mixed,
    "v8": _v8,
    "slot": _slot,
    "serial": _serial,
    "document": _document,
    "words": _words,
}


def _plain(stored: object) -> object:
    if isinstance(stored, BigInt):
        return stored.value
    return bytes(stored).decode("utf-8", "replace") if isinstance(stored, (bytes, bytearray)) else stored


#: Property of an object that stands for bytes alone -> the writer: base64 in its only property.
_BASE64 = ("__u8", "__wkf_bytes__", "$bytes")  # fantail-forest's Durable Objects, DynamoDB (riacoding)
#: Property of an object that stands for an instant.
_DATES = ("__wkf_date__", "$date")


def _wrapped(value: Mapping[str, object]) -> object | None:
    """Return the bytes or the instant a JSON object stands for, None when it is an object as it is."""
    data = value.get("data")
    coded = data if value.get("__type") == "Uint8Array" else None
    if len(value) == 1:
        [(name, inner)] = value.items()
        if name in _DATES and isinstance(inner, str):
            return inner
        coded = inner if name in _BASE64 else coded
    if isinstance(coded, str):
        try:
            return base64.b64decode(coded, validate=True)
        except binascii.Error:
            return Undecoded("invalid-input", "The data of this byte array is no base64.")
    # JSON.stringify of a Node Buffer; NATS JetStream.
    listed = value.get("type") == "Buffer" or value.get("__uint8array") is True
    if listed and isinstance(data, list):
        try:
            return bytes(data)
        except (TypeError, ValueError):
            return None
    return None


def revive_bytes(value: object, depth: int = 0) -> object:
    """Return JSON data with ``{"__type": "Uint8Array", "data": base64}`` and its like as bytes."""
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        wrapped = _wrapped(value)
        if wrapped is not None:
            return wrapped
        return {str(key): revive_bytes(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [revive_bytes(item, depth + 1) for item in value]
    return value
