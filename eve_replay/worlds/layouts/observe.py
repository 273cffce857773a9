"""What the values of a column are, told by looking at some of them: ids, event types, payloads, times.

Names of a private store say little; its values say a lot, because the ids, the types of events and the first
letters of payloads are the vendor's own (docs/formats/payload.md). Only a guess for a draft is made here.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from eve_replay.codec import loads_json
from eve_replay.worlds.layouts.forms import revive_bytes
from eve_replay.worlds.layouts.tables import Row

__all__ = ["ENTITY", "Column", "columns_of", "sampled"]

#: Tables of a store that are looked at.
_TABLES = 60
#: Properties of the vendor's own entities: an object with two of them is one.
ENTITY = frozenset(
    (
        "runId",
        "stepId",
        "eventId",
        "hookId",
        "waitId",
        "eventType",
        "workflowName",
        "stepName",
        "correlationId",
    )
)
_IDS: Mapping[str, str] = {
    "wrun": "run", "step": "step", "evnt": "event", "wevt": "event", "hook": "hook", "wait": "wait",
    "chnk": "chunk", "strm": "stream",
}  # fmt: skip
_ID = re.compile(r"(wrun|step|evnt|wevt|hook|wait|chnk|strm)_[0-9A-HJKMNP-TV-Z]{26}(?:_\w+)?")
_TYPE = re.compile(
    r"(?:run|step|hook|wait)_(?:created|started|completed|failed|cancelled|retrying|received|disposed|conflict)"
)
_STATUS = ("pending", "running", "completed", "failed", "cancelled", "paused", "waiting")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_PREFIX = re.compile(rb"(?:devl|encr|encp|gzip|zstd|json)")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}\Z")
#: Bytes that begin a CBOR map (also cbor-x's own records), and the tag of bytes.
_CBOR_MAP = (*range(0xA0, 0xC0), 0xD9)
_CBOR_BYTES = b"\xd8\x40"
_MILLIS = range(1_400_000_000_000, 4_000_000_000_000)
_SECONDS = range(1_400_000_000, 4_000_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column, or a property inside a column of objects.

    Attributes:
        name: the column.
        path: where in it, empty for the column itself.
        kind: ``run``, ``step``, ``type``, ``payload``, ``frame``, ``object`` ...; empty: cannot be told.
        form: the form its values have, empty for the usual one.
        unique: whether no value came twice.
        keys: properties of objects.
        repeats: whether there are several values, some of them more than once.
    """

    name: str
    path: str = ""
    kind: str = ""
    form: str = ""
    unique: bool = False
    keys: frozenset[str] = frozenset()
    repeats: bool = False

    @property
    def said(self) -> str:
        """The name that tells something: that of the property where there is one."""
        return self.path.rpartition(".")[2] or self.name


def sampled(tables: Iterable[str], ask: Callable[[str], list[Row]]) -> dict[str, list[Row]]:
    """Return some rows of each table; a table that cannot be read has none."""
    found: dict[str, list[Row]] = {}
    for table in list(tables)[:_TABLES]:
        try:
            found[table] = ask(table)
        except Exception:
            # Drivers raise their own errors; a draft is made of what can be seen.
            found[table] = []
    return found


def columns_of(names: Iterable[str], rows: Iterable[Row]) -> list[Column]:
    """Return the columns of a table as their values show them, those inside objects behind their own."""
    kept = list(rows)
    found: list[Column] = []
    for name in names:
        values = [row[name] for row in kept if row.get(name) is not None]
        column = _column(name, "", values)
        found.append(column)
        if column.kind == "object" and column.form != "cbor":
            objects = [value for value in map(_object, values) if value is not None]
            found += [
                _column(name, key, [each[key] for each in objects if each.get(key) is not None])
                for key in sorted({key for each in objects for key in each})
                if "." not in key
            ]
    return found


def _column(name: str, path: str, values: list[object]) -> Column:
    told = Counter(map(_kind, values))
    (kind, form), count = told.most_common(1)[0] if told else (("", ""), 0)
    if count * 2 <= len(values):
        kind, form = "", ""
    keys: set[str] = set()
    if kind == "object" and form != "cbor":
        objects = [value for value in map(_object, values) if value is not None]
        keys = {key for each in objects for key in each}
        inner = [item for each in objects for item in _inner(each)]
        form = "mixed" if any(_kind(item) == ("payload", "base64") for item in inner) else "json"
    different = len({_hashable(value) for value in values})
    return Column(
        name=name,
        path=path,
        kind=kind,
        form=form,
        unique=different == len(values) > 0,
        repeats=1 < different < len(values),
        keys=frozenset(keys),
    )


def _inner(each: Mapping[str, object]) -> Iterable[object]:
    yield from each.values()
    data = each.get("eventData")
    if isinstance(data, Mapping):
        yield from data.values()


def _hashable(value: object) -> object:
    return value if isinstance(value, (str, int, float, bytes)) else repr(value)


def _object(value: object) -> Mapping[str, object] | None:
    if isinstance(value, (str, bytes, bytearray)):
        try:
            value = loads_json(bytes(value) if isinstance(value, bytearray) else value)
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None


def _kind(value: object) -> tuple[str, str]:
    if isinstance(value, bool):
        return "flag", ""
    if isinstance(value, (int, float)):
        return _number(int(value) if value == value and abs(value) < 1e18 else -1)
    if isinstance(value, datetime):
        return "time", ""
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
        found = _binary(raw, "bytes")
        if found[0]:
            return found
        try:
            return _text(raw.decode())
        except UnicodeDecodeError:
            return "binary", "bytes"
    return _text(value) if isinstance(value, str) else ("", "")


def _mapping(value: Mapping[str, object]) -> tuple[str, str]:
    revived = revive_bytes(value)
    return _binary(revived, "json") if isinstance(revived, bytes) else ("object", "json")


def _number(value: int) -> tuple[str, str]:
    if value in _MILLIS:
        return "time", ""
    if value in _SECONDS:
        return "time", "seconds"
    return ("flag", "") if value in (0, 1) else ("number", "")


def _binary(raw: bytes, form: str) -> tuple[str, str]:
    if _PREFIX.match(raw):
        return "payload", form
    if _PREFIX.match(raw, 4) and int.from_bytes(raw[:4], "big") < 1 << 30:
        return "frame", form
    if raw.startswith(_CBOR_BYTES):
        return "payload", "cbor"
    if raw[:1] and raw[0] in _CBOR_MAP:
        return "object", "cbor"
    return "", ""


def _text(text: str) -> tuple[str, str]:
    found = _ID.fullmatch(text)
    if found:
        return _IDS[found[1]], ""
    if text.startswith(("workflow//", "step//")):
        return ("workflow" if text.startswith("workflow//") else "stepName"), ""
    if _TYPE.fullmatch(text):
        return "type", ""
    if text in ("true", "false"):
        return "flag", ""
    if text in _STATUS:
        return "status", ""
    if _TIME.match(text):
        return "time", ""
    if text[:1] == "{":
        value = _object(text)
        return _mapping(value) if value is not None else ("", "")
    if _PREFIX.match(text[:8].encode()) and text[4:5] in ("[", "{", '"', "-"):
        return "payload", "bytes"
    if text.startswith("cbor:"):
        return "payload", "cbor-text"
    if _BASE64.match(text) and len(text) % 4 == 0:
        try:
            return _binary(base64.b64decode(text, validate=True), "base64")
        except binascii.Error:
            return "", ""
    return _number(int(text)) if text.isdigit() and len(text) < 16 else ("", "")
