"""The lines of a bundle: any world's records as JSON, payloads as the bytes they were.

A bundle (``.everun``) is one zstd stream of JSON lines. Line 1 is the header, the last line counts what came
before it, so that a cut file is noticed. Version 1:

========  ==================================================================================
line      fields
========  ==================================================================================
header    ``format`` "eve-replay/bundle", ``version``, ``world`` {kind, label, about}, ``redaction`` or null
run       ``k`` "run", ``f`` the record's fields, ``o`` origin
step      ``k`` "step", ``f``, ``o``
event     ``k`` "event", ``f``, ``o``
hook      ``k`` "hook", ``f``, ``o``, ``hidden``
wait      ``k`` "wait", ``f``, ``o``
stream    ``k`` "stream", ``f``, ``o``
mark      ``k`` "mark", ``f``, ``o``, ``kind``, ``phase``, ``subject``, ``run``
chunk     ``k`` "chunk", ``s`` stream, ``i`` chunk id, ``d`` base64, ``e`` end flag, ``o``
problem   ``k`` "problem": what the first reading could not read, so that it is not lost
end       ``k`` "end", ``counts`` {kind: lines}
========  ==================================================================================

A field value is JSON, except ``{"$bytes": base64}`` (a payload in its envelope), ``{"$plain": value}`` (a payload
that is no bytes: plain, or ``$legacy`` devalue JSON), ``{"$value": tagged}`` (a JS value that JSON cannot hold) and ``{"$map": [[k, v]]}`` (a mapping
that has one of these names as key).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from eve_replay.codec import Payload
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Record,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.values import from_tagged, to_tagged
from eve_replay.worlds.export_entities import Wrap

__all__ = ["FORMAT", "VERSION", "BundleDamage", "chunk_line", "line_chunk", "line_record", "record_line"]

FORMAT = "eve-replay/bundle"
VERSION = 1

_MARKERS = frozenset({"$bytes", "$legacy", "$plain", "$value", "$map"})
_KINDS: Mapping[str, type[Record]] = {
    "run": RunRecord,
    "step": StepRecord,
    "event": EventRecord,
    "hook": HookRecord,
    "wait": WaitRecord,
    "stream": StreamRecord,
    "mark": MarkRecord,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}

MarkKind = Literal["step", "wait", "hook", "run", "token", "resume", "index"]


class BundleDamage(ValueError):
    """A line that is not what version 1 says; the message names what is wrong with it."""


def record_line(record: Record) -> dict[str, object]:
    """Return a record as one JSON-able line."""
    line: dict[str, object] = {"k": _NAMES[type(record)], "f": _fields_out(record.fields)}
    if record.origin:
        line["o"] = record.origin
    if isinstance(record, HookRecord) and record.hidden:
        line["hidden"] = True
    if isinstance(record, MarkRecord):
        line |= {"kind": record.kind, "phase": record.phase, "subject": record.subject, "run": record.of_run}
    return line


def chunk_line(chunk: StreamChunk) -> dict[str, object]:
    """Return a stream chunk as one JSON-able line."""
    line: dict[str, object] = {"k": "chunk", "s": chunk.stream, "i": chunk.chunk_id, "d": _b64(chunk.data)}
    if chunk.end:
        line["e"] = True
    if chunk.origin:
        line["o"] = chunk.origin
    return line


def line_record(line: Mapping[str, object], wrap: Wrap) -> Record:
    """Return the record of a line.

    Args:
        line: a parsed line whose ``k`` is a record kind.
        wrap: knows the keys and limits that the payloads get.

    Raises:
        BundleDamage: the line is not of version 1.
    """
    kind = _KINDS.get(str(line.get("k")))
    raw = line.get("f")
    if kind is None or not isinstance(raw, Mapping):
        raise BundleDamage(f"a line of kind {line.get('k')!r} has no fields")
    origin = str(line.get("o") or "")
    run_id = raw.get("runId")
    fields = _fields_in(
        raw, _Context(wrap=wrap, where=origin, run_id=run_id if isinstance(run_id, str) else "")
    )
    if kind is HookRecord:
        return HookRecord(fields, origin, hidden=line.get("hidden") is True)
    if kind is MarkRecord:
        return MarkRecord(
            fields,
            origin,
            kind=_mark_kind(line.get("kind")),
            phase=str(line.get("phase") or ""),
            subject=str(line.get("subject") or ""),
            of_run=str(line.get("run") or ""),
        )
    return kind(fields, origin)


def line_chunk(line: Mapping[str, object]) -> StreamChunk:
    """Return the stream chunk of a line.

    Raises:
        BundleDamage: the line is not of version 1.
    """
    stream, chunk_id, data = line.get("s"), line.get("i"), line.get("d")
    if not isinstance(stream, str) or not isinstance(chunk_id, str) or not isinstance(data, str):
        raise BundleDamage("a chunk line lacks its stream, id or data")
    return StreamChunk(
        stream=stream,
        chunk_id=chunk_id,
        data=_unb64(data),
        end=line.get("e") is True,
        origin=str(line.get("o") or ""),
    )


def _mark_kind(value: object) -> MarkKind:
    for kind in get_args(MarkKind):
        if value == kind:
            return cast("MarkKind", kind)
    raise BundleDamage(f"a mark of unknown kind {value!r}")


def _fields_out(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: _value_out(value) for name, value in fields.items()}


def _value_out(value: object) -> object:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Payload):
        if value.is_bytes:
            return {"$bytes": _b64(value.raw)}
        return {"$legacy" if value.layers == ("legacy",) else "$plain": to_tagged(value.raw)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        if value.keys() & _MARKERS:
            return {"$map": [[key, _value_out(item)] for key, item in value.items()]}
        return _fields_out(value)
    if type(value) is list:
        return [_value_out(item) for item in value]
    return {"$value": to_tagged(value)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What a payload of this line is called and opened with."""

    wrap: Wrap
    where: str
    run_id: str


def _fields_in(fields: Mapping[str, object], context: _Context) -> dict[str, object]:
    return {name: _value_in(value, context) for name, value in fields.items()}


def _value_in(value: object, context: _Context) -> object:
    if isinstance(value, list):
        return [_value_in(item, context) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if name == "$bytes" and isinstance(inner, str):
            wrap = context.wrap
            return Payload.from_base64(
                inner, keys=wrap.keys, limit=wrap.limit, where=context.where, run_id=context.run_id
            )
        if name == "$plain":
            return Payload.plain(from_tagged(inner), where=context.where, run_id=context.run_id)
        if name == "$legacy":
            return context.wrap.payload(from_tagged(inner), context.where, context.run_id)
        if name == "$value":
            return from_tagged(inner)
        if name == "$map" and isinstance(inner, list):
            pairs = [pair for pair in inner if isinstance(pair, list) and len(pair) == 2]
            return {str(key): _value_in(item, context) for key, item in pairs}
    return _fields_in(value, context)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _unb64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BundleDamage(f"bytes are no base64: {error}") from None
