"""A whole world as one document, shaped like the recordings' ``oracle.json``.

Source: docs/formats/tagged-json.md#whole-worlds.

Payload fields are decoded to tagged JSON (section 2), every other field is as stored. What cannot be decoded
is ``{"$type": "undecodable", ...}`` in its place, and counted in the receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from eve_replay.codec import Payload, StreamItem, is_json_bytes, stream_form, stream_values
from eve_replay.problems import Receipt
from eve_replay.records import HookRecord, Record, RunRecord, StreamRecord, WaitRecord
from eve_replay.values import Undecoded
from eve_replay.worlds.base import World

__all__ = ["SECTIONS", "dump_document", "dump_lines", "dump_sections"]

#: Levels of objects around a payload that are looked through; real records have one or two.
_DEEPEST = 100

#: The lists of the document, in its order; ``streams`` is a mapping.
SECTIONS = ("runs", "steps", "events", "hooks", "waits")


def dump_document(world: World) -> dict[str, Any]:
    """Return ``{world, runs, steps, events, hooks, waits, streams}``, all of JSON data.

    Runs are sorted by run id, steps by (run, step id), events by run and log order, hooks by hook id, waits
    by wait id. Everything is held at once; ``dump_sections`` yields piece by piece.
    """
    document: dict[str, Any] = {name: [] for name in SECTIONS}
    streams: dict[str, Any] = {}
    for section, name, value in dump_sections(world):
        if section == "streams":
            streams[name] = value
        else:
            document[section].append(value)
    document["hooks"].sort(key=lambda hook: str(hook.get("hookId")))
    document["waits"].sort(key=lambda wait: str(wait.get("waitId")))
    return {"world": {"kind": world.kind, **world.about}, **document, "streams": streams}


def dump_sections(world: World) -> Iterator[tuple[str, str, Any]]:
    """Yield ``(section, id, JSON data)`` run by run, one record or stream decoded at a time.

    Within a run: the run, its steps, its events, its hooks, its waits, its streams.
    """
    counted = _Counted(world.receipt)
    for run in world.runs():
        run_id = run.run_id
        yield "runs", run_id, _record(run, counted)
        for step in world.steps(run_id):
            yield "steps", step.step_id, _record(step, counted)
        for event in world.events(run_id):
            yield "events", event.event_id, _record(event, counted)
        others = list(world.others(run_id))
        for hook in others:
            if isinstance(hook, HookRecord):
                yield "hooks", hook.hook_id, _record(hook, counted)
        for wait in others:
            if isinstance(wait, WaitRecord):
                yield "waits", wait.wait_id, _record(wait, counted)
        for stream in others:
            if isinstance(stream, StreamRecord):
                yield "streams", stream.name, _stream(world, run_id, stream.name, counted)


def dump_lines(world: World) -> Iterator[dict[str, Any]]:
    """Yield the document as one JSON object per record, the world's facts last (only then all are known).

    ``{"kind": "run", "record": {...}}``, also ``step``, ``event``, ``hook``, ``wait``;
    ``{"kind": "stream", "name": ..., "chunks": n, "done": ..., "values": [...]}``;
    ``{"kind": "world", ...}``.
    """
    for section, name, value in dump_sections(world):
        if section == "streams":
            yield {"kind": "stream", "name": name, **value}
        else:
            yield {"kind": section[:-1], "record": value}
    yield {"kind": "world", "world": {"kind": world.kind, **world.about}}


class _Counted:
    """Decodes payloads and says in the receipt how that went."""

    def __init__(self, receipt: Receipt) -> None:
        self._receipt = receipt

    def __call__(self, payload: Payload, form: Callable[[object], Any] | None = None) -> Any:
        value = payload.shared
        if isinstance(value, Undecoded):
            where = payload.where
            self._receipt.skip(where=where, what="payload", why=f"{value.reason}: {value.message}")
            self._receipt.problem(
                "error",
                f"undecoded-{value.reason}",
                where,
                f"A payload could not be decoded: {value.message}",
            )
            return _undecodable(value)
        self._receipt.decoded += 1
        return payload.tagged() if form is None else form(value)


def _undecodable(value: Undecoded) -> dict[str, Any]:
    """Return what the document shows in place of a payload."""
    return {"$type": "undecodable", "error": {"name": value.reason, "message": value.message}}


def _record(record: Record, decode: _Counted) -> dict[str, Any]:
    """Return one record as JSON data; ``$hidden`` and ``$synthesised`` say what is not in the file."""
    fields = _plain(record.fields, decode)
    if isinstance(record, HookRecord) and record.hidden:
        fields["$hidden"] = True
    if isinstance(record, RunRecord) and record.synthesised:
        fields["$synthesised"] = True
    return fields


def _plain(fields: Mapping[str, object], decode: _Counted, depth: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Payload):
            out[name] = decode(value)
        elif isinstance(value, Mapping):
            if is_json_bytes(value):
                out[name] = {"$bytes": value["data"]}
            elif depth < _DEEPEST:
                out[name] = _plain(value, decode, depth + 1)
            else:  # no payload lies that deep: as it is
                out[name] = value
        else:
            out[name] = value
    return out


def _stream(world: World, run_id: str, name: str, decode: _Counted) -> dict[str, Any]:
    """Return ``{chunks, done, values}`` of a stream; a chunk of NDJSON bytes is shown parsed."""
    keys, limit = getattr(world, "keys", None), getattr(world, "limit", None)
    found = stream_values(world.stream(run_id, name), keys=keys, limit=limit, run_id=run_id, where=name)
    for problem in found.problems:
        if problem.code == "after-end":
            continue  # the world says so, and names the chunks
        world.receipt.problem(problem.severity, problem.code, problem.where, problem.message, problem.hint)
    return {
        "chunks": found.chunks,
        "done": found.done,
        "values": list(_values(found, decode)),
    }


def _values(items: Iterable[StreamItem], decode: _Counted) -> Iterator[Any]:
    for item in items:
        yield decode(item.payload, stream_form)
