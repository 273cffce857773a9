"""Rows of the Postgres world as records: one mapping for a live server and for dump files.

A row is what the server prints: column name to text, with ``bytea`` as bytes and NULL as None. Columns
differ between the releases (docs/formats/postgres.md#tables), so nothing here expects a column to exist;
columns nobody has described yet are kept under their camelCase name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from sys import intern

from eve_replay.problems import Lacking, Receipt
from eve_replay.records import EventRecord, HookRecord, RunRecord, StepRecord, StreamChunk, WaitRecord
from eve_replay.worlds.blocks import unpack_blocks
from eve_replay.worlds.export.entities import Wrap, entity_field, entity_value, event_data, from_json

__all__ = ["KEYS", "LISTED", "TABLES", "DeferredFields", "Row", "RowMapper", "stamp"]

Row = Mapping[str, "str | bytes | None"]

TABLES = (
    "workflow_runs",
    "workflow_steps",
    "workflow_events",
    "workflow_hooks",
    "workflow_waits",
    "workflow_stream_chunks",
)

#: Which list of the world a table is.
LISTED: Mapping[str, Lacking] = {
    "workflow_runs": "runs",
    "workflow_steps": "steps",
    "workflow_events": "events",
    "workflow_hooks": "others",
    "workflow_waits": "others",
    "workflow_stream_chunks": "chunks",
}

#: The column that orders and names the rows of a table.
KEYS = {
    "workflow_runs": "id",
    "workflow_steps": "step_id",
    "workflow_events": "id",
    "workflow_hooks": "hook_id",
    "workflow_waits": "wait_id",
    "workflow_stream_chunks": "id",
}

_RENAMED = {
    "workflow_runs": {"id": "runId", "name": "workflowName"},
    "workflow_events": {"id": "eventId", "type": "eventType"},
}
_TIMES = frozenset(
    ("created_at", "updated_at", "started_at", "completed_at", "expired_at", "retry_after", "resume_at")
)
_NUMBERS = frozenset(("attempt", "spec_version"))
_FLAGS = frozenset(("is_webhook", "is_system"))
_JSON = frozenset(("attributes",))
#: Columns that exist twice: ``<name>_cbor`` (bytea) and ``<name>`` (jsonb or text, before migration 0001).
_PAYLOADS = frozenset(("input", "output", "error", "metadata"))
_LARGE = _PAYLOADS | {"execution_context", "payload", "resume_context"}
_INTEGER = re.compile(r"-?\d{1,18}\Z")
#: Fields with the same few texts in all records: kept once each.
_REPEATED = frozenset(("status", "workflowName", "deploymentId", "stepName", "eventType"))
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\Z")


def stamp(text: str) -> str:
    """Return a ``timestamp without time zone`` (UTC by contract) as ISO text with milliseconds.

    Microseconds are cut, not rounded: that is what the vendor's reader shows. ``infinity`` and years
    beyond 9999 are returned as they are, they are no instants.
    """
    match = _STAMP.match(text)
    if match is None:
        return text
    millis = (match.group(3) or "").ljust(3, "0")[:3]
    return f"{match.group(1)}T{match.group(2)}.{millis}Z"


@cache
def _column(table: str, column: str) -> tuple[str, str, str]:
    """Return what a column holds, the record's name for it, and its name without ``_cbor``."""
    base = column.removesuffix("_cbor")
    head, *rest = (base if base in _LARGE else column).split("_")
    name = _RENAMED.get(table, {}).get(column) or head + "".join(part.capitalize() for part in rest)
    if base in _LARGE:
        return "large", "eventData" if (table, base) == ("workflow_events", "payload") else name, base
    kinds = {"time": _TIMES, "number": _NUMBERS, "flag": _FLAGS, "json": _JSON}
    return next((kind for kind, columns in kinds.items() if column in columns), "text"), name, base


class DeferredFields(Mapping[str, object]):
    """Fields of a listed run: the small ones are here, the others are made when somebody asks.

    Args:
        ready: fields that are known already.
        later: ``(name, stored bytes)`` of the other fields, None for bytes that have to be fetched.
        load: makes one of them from run id, name and bytes; asked once per field.
    """

    __slots__ = ("_later", "_load", "_ready")

    def __init__(
        self,
        ready: dict[str, object],
        later: tuple[tuple[str, bytes | None], ...],
        load: Callable[[str, str, bytes | None], object],
    ) -> None:
        self._ready = ready
        self._later = later
        self._load = load

    def __getitem__(self, name: str) -> object:
        if name not in self._ready:
            stored = dict(self._later)[name]
            self._ready[name] = self._load(str(self._ready["runId"]), name, stored)
        return self._ready[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._ready
        yield from (name for name, _ in self._later if name not in self._ready)

    def __len__(self) -> int:
        return len(self._ready) + sum(name not in self._ready for name, _ in self._later)

    def __contains__(self, name: object) -> bool:
        return name in self._ready or any(name == other for other, _ in self._later)

    def __repr__(self) -> str:
        return f"DeferredFields({list(self)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMapper:
    """Turns rows into records.

    Attributes:
        receipt: where unreadable columns are named.
        wrap: makes the payload objects (it knows the keys and the size limit).
    """

    receipt: Receipt
    wrap: Wrap

    def run(self, row: Row) -> RunRecord:
        """Return a row of ``workflow_runs`` as a record."""
        return RunRecord(self.fields("workflow_runs", row), origin=_origin("workflow_runs", row))

    def step(self, row: Row) -> StepRecord:
        """Return a row of ``workflow_steps`` as a record."""
        return StepRecord(self.fields("workflow_steps", row), origin=_origin("workflow_steps", row))

    def event(self, row: Row) -> EventRecord:
        """Return a row of ``workflow_events`` as a record."""
        return EventRecord(self.fields("workflow_events", row), origin=_origin("workflow_events", row))

    def hook(self, row: Row) -> HookRecord:
        """Return a row of ``workflow_hooks`` as a record."""
        return HookRecord(self.fields("workflow_hooks", row), origin=_origin("workflow_hooks", row))

    def wait(self, row: Row) -> WaitRecord:
        """Return a row of ``workflow_waits`` as a record."""
        return WaitRecord(self.fields("workflow_waits", row), origin=_origin("workflow_waits", row))

    def chunk(self, row: Row) -> StreamChunk:
        """Return a row of ``workflow_stream_chunks``: the bytes as stored, no frames taken apart."""
        data = row.get("data")
        return StreamChunk(
            stream=str(row.get("stream_id") or ""),
            chunk_id=str(row.get("id") or ""),
            data=data if isinstance(data, bytes) else b"",
            end=row.get("eof") in ("t", "true"),
            origin=_origin("workflow_stream_chunks", row),
        )

    def chunks(self, row: Row) -> Iterator[StreamChunk]:
        """Yield the chunks in a row of ``workflow_stream_chunks``: one, or the many of a packed row.

        The world of eveland packs the streams of ended runs (its migration 0008, ``codec_version`` 2).
        """
        chunk = self.chunk(row)
        if row.get("codec_version") != "2" or chunk.end:
            yield chunk
            return
        for chunk_id, data in unpack_blocks(chunk.data, self.receipt, chunk.origin):
            yield StreamChunk(stream=chunk.stream, chunk_id=chunk_id, data=data, origin=chunk.origin)

    def fields(self, table: str, row: Row) -> dict[str, object]:
        """Return the record fields of a row; NULL columns are left out, as they are in files."""
        fields: dict[str, object] = {}
        where = _origin(table, row)
        for column, value in row.items():
            if value is None:
                continue
            kind, name, base = _column(table, column)
            found: object
            if kind == "text":
                found = intern(value) if name in _REPEATED and isinstance(value, str) else value
            elif kind != "large":
                found = self._small(kind, value, f"{where}/{column}")
            elif base == column and row.get(f"{base}_cbor") is not None:
                # The vendor reads "cbor or else json" (docs/formats/postgres.md#legacy-columns).
                continue
            else:
                found = self._large(table, base, value, row)
            if isinstance(found, bytes):
                found = entity_value(found)
            if found is not None:
                fields[name] = found
        return fields

    def _small(self, kind: str, value: str | bytes, where: str) -> object:
        if isinstance(value, bytes):
            return value
        if kind == "time":
            return stamp(value)
        if kind == "number":
            return int(value) if _INTEGER.match(value) else value
        if kind == "flag":
            return value in ("t", "true")
        return self._json(value, where)

    def _json(self, text: str, where: str) -> object:
        try:
            return from_json(text)
        except ValueError as error:
            self.receipt.problem("warning", "bad-json", where, f"This is no JSON: {error}.")
            return text

    def _large(self, table: str, base: str, value: str | bytes, row: Row) -> object:
        where = _origin(table, row)
        place = f"{where}/{base}"
        run_id = str(row.get("id" if table == "workflow_runs" else "run_id") or "")
        if isinstance(value, bytes):
            opened = self.wrap.open_cbor(value, place, self.receipt)
        elif base == "error":
            # Layout 1 keeps errors as text, mostly JSON of {message, stack}.
            opened = self._json(value, place) if value.startswith("{") else value
        else:
            opened = self._json(value, place)
        if base in _PAYLOADS:
            return None if opened is None else self.wrap.payload(opened, place, run_id)
        if table == "workflow_events":
            return event_data(opened, self.wrap, place, run_id)
        return entity_field(opened, place, run_id)


def _origin(table: str, row: Row) -> str:
    names = (row.get("stream_id"),) if table == "workflow_stream_chunks" else ()
    return "/".join((table, *(str(name) for name in (*names, row.get(KEYS[table])))))
