"""The lines of a bundle: any world's records as JSON, payloads as the bytes they were.

A bundle (``.everun``) is a row of zstd frames between two skippable ones, so that ``zstd -dc`` prints it:

- a skippable frame of ``everun`` and the version, by which the file is known whatever its name;
- a frame with the header line; one frame for each run (its record, steps, events, hooks, waits, streams,
  marks); one for each stream (its chunks); each ends with a ``stop`` line, so that a cut one is noticed;
- a frame with the ``end`` line: counts, what the first reading could not read, where each frame begins;
- a skippable frame that says where that last frame begins.

Version 1 has these lines:

========  ==================================================================================
line      fields
========  ==================================================================================
header    ``format`` "eve-replay/bundle", ``version``, ``world`` {kind, label, about}, ``redaction`` or null
run       ``k`` "run", ``f`` the record's fields, ``o`` origin, ``synth``, ``shift`` seconds
step      ``k`` "step", ``f``, ``o``
event     ``k`` "event", ``f``, ``o``
hook      ``k`` "hook", ``f``, ``o``, ``hidden``
wait      ``k`` "wait", ``f``, ``o``
stream    ``k`` "stream", ``f``, ``o``
mark      ``k`` "mark", ``f``, ``o``, ``kind``, ``phase``, ``subject``, ``run``
chunks    ``k`` "chunks", ``s`` stream, ``run``: first line of a stream's frame
chunk     ``k`` "chunk", ``s`` stream, ``i`` chunk id, ``t`` text or ``d`` base64, ``e`` end flag, ``o``
stop      ``k`` "stop", ``n`` lines before it
end       ``k`` "end", ``counts``, ``receipt``, ``redacted``, ``index`` [[kind, run, stream, offset]]
========  ==================================================================================

A field value is JSON, except ``{"$text": text}`` and ``{"$bytes": base64}`` (a payload in its envelope),
``{"$plain": tagged}`` and ``{"$legacy": tagged}`` (a payload that is no bytes), ``{"$value": tagged}`` (a JS
value that JSON cannot hold) and ``{"$map": [[k, v]]}`` (a mapping that has one of these names as key).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
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
from eve_replay.values import Undecoded, from_tagged, to_tagged
from eve_replay.worlds.export.entities import Wrap

__all__ = ["FORMAT", "VERSION", "BundleDamage", "chunk_line", "line_chunk", "line_record", "record_line"]

FORMAT = "eve-replay/bundle"
VERSION = 1

#: Levels of objects and lists around payloads that a bundle spells out; real records have one or two.
_DEEPEST = 100
_MARKERS = frozenset({"$bytes", "$text", "$legacy", "$plain", "$value", "$map"})
_KINDS: Mapping[str, type[Record]] = {
    "run": RunRecord,
    "step": StepRecord,
    "event": EventRecord,
    "hook": HookRecord,
    "wait": WaitRecord,
    "stream": StreamRecord,
    "mark": MarkRecord,
}

MarkKind = Literal["step", "wait", "hook", "run", "token", "resume", "index"]


class BundleDamage(ValueError):
    """A line that is not what version 1 says; the message names what is wrong with it."""


def record_line(record: Record) -> dict[str, object]:
    """Return a record as one JSON-able line."""
    name = next(name for name, kind in _KINDS.items() if isinstance(record, kind))
    line: dict[str, object] = {"k": name, "f": _fields_out(record.fields)}
    shift = getattr(record, "shift", None)
    if isinstance(shift, timedelta):
        line["shift"] = shift.total_seconds()
    if record.origin:
        line["o"] = record.origin
    if isinstance(record, HookRecord) and record.hidden:
        line["hidden"] = True
    if isinstance(record, RunRecord) and record.synthesised:
        line["synth"] = True
    if isinstance(record, MarkRecord):
        line |= {"kind": record.kind, "phase": record.phase, "subject": record.subject, "run": record.of_run}
    return line


def chunk_line(chunk: StreamChunk) -> dict[str, object]:
    """Return a stream chunk as one JSON-able line."""
    line: dict[str, object] = {"k": "chunk", "s": chunk.stream, "i": chunk.chunk_id}
    text = _as_text(chunk.data)
    line |= {"d": _b64(chunk.data)} if text is None else {"t": text}
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
    record = _record(line, wrap)
    shift = line.get("shift")
    if isinstance(shift, (int, float)):
        from eve_replay.worlds.postgres.zone import shifted

        return shifted(record, timedelta(seconds=shift))
    return record


def _record(line: Mapping[str, object], wrap: Wrap) -> Record:
    kind = _KINDS.get(str(line.get("k")))
    raw = line.get("f")
    if kind is None or not isinstance(raw, Mapping):
        raise BundleDamage(f"a line of kind {line.get('k')!r} has no fields")
    origin = str(line.get("o") or "")
    run_id = raw.get("runId")
    fields = _fields_in(
        raw, _Context(wrap=wrap, where=origin, run_id=run_id if isinstance(run_id, str) else "")
    )
    if kind is RunRecord:
        return RunRecord(fields, origin, synthesised=line.get("synth") is True)
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
    stream, chunk_id, data, text = (line.get(name) for name in ("s", "i", "d", "t"))
    if not isinstance(stream, str) or not isinstance(chunk_id, str):
        raise BundleDamage("a chunk line lacks its stream or id")
    if not isinstance(data, str) and not isinstance(text, str):
        raise BundleDamage("a chunk line lacks its data")
    return StreamChunk(
        stream=stream,
        chunk_id=chunk_id,
        data=text.encode("utf-8", "surrogatepass") if isinstance(text, str) else _unb64(str(data)),
        end=line.get("e") is True,
        origin=str(line.get("o") or ""),
    )


def _mark_kind(value: object) -> MarkKind:
    for kind in get_args(MarkKind):
        if value == kind:
            return cast("MarkKind", kind)
    raise BundleDamage(f"a mark of unknown kind {value!r}")


def _fields_out(fields: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    return {name: _value_out(value, depth) for name, value in fields.items()}


def _value_out(value: object, depth: int) -> object:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Payload):
        if value.is_bytes:
            text = _as_text(value.raw)
            return {"$bytes": _b64(value.raw)} if text is None else {"$text": text}
        return {"$legacy" if value.layers == ("legacy",) else "$plain": to_tagged(value.raw)}
    if depth > _DEEPEST:  # no payload lies that deep: any value in its tagged form, which nests without end
        return {"$value": to_tagged(value)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        if value.keys() & _MARKERS:
            return {"$map": [[key, _value_out(item, depth + 1)] for key, item in value.items()]}
        return _fields_out(value, depth + 1)
    if type(value) is list:
        return [_value_out(item, depth + 1) for item in value]
    return {"$value": to_tagged(value)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What a payload of this line is called and opened with."""

    wrap: Wrap
    where: str
    run_id: str


def _fields_in(fields: Mapping[str, object], context: _Context, depth: int = 0) -> dict[str, object]:
    return {name: _value_in(value, context, depth) for name, value in fields.items()}


def _value_in(value: object, context: _Context, depth: int) -> object:
    if depth > 2 * _DEEPEST and isinstance(value, (list, Mapping)):  # written by somebody else
        return Undecoded("too-deep", f"Nested deeper than {2 * _DEEPEST} levels.")
    if isinstance(value, list):
        return [_value_in(item, context, depth + 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if name == "$bytes" and isinstance(inner, str):
            wrap = context.wrap
            return Payload.from_base64(
                inner, keys=wrap.keys, limit=wrap.limit, where=context.where, run_id=context.run_id
            )
        if name == "$text" and isinstance(inner, str):
            return context.wrap.payload(inner.encode("utf-8", "surrogatepass"), context.where, context.run_id)
        if name == "$plain":
            return Payload.plain(from_tagged(inner), where=context.where, run_id=context.run_id)
        if name == "$legacy":
            wrap = context.wrap
            return Payload(
                from_tagged(inner),
                keys=wrap.keys,
                limit=wrap.limit,
                where=context.where,
                run_id=context.run_id,
            )
        if name == "$value":
            return from_tagged(inner)
        if name == "$map" and isinstance(inner, list):
            pairs = [pair for pair in inner if isinstance(pair, list) and len(pair) == 2]
            return {str(key): _value_in(item, context, depth + 1) for key, item in pairs}
    return _fields_in(value, context, depth + 1)


def _as_text(data: bytes) -> str | None:
    """Return bytes as text when that is exact: text packs better than base64, and can be searched."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _unb64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BundleDamage(f"bytes are no base64: {error}") from None
