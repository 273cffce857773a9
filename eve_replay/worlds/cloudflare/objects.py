"""Rows out of the files of Durable Objects: each object has a SQLite file of its own, mostly one per run.

Two ways of keeping are known: tables (``run``, ``events``, ``steps`` ...), and the key-value storage of the
object, which the simulator keeps as V8's structured clone in ``_cf_KV``. Both come out as the same tables,
with the run's id in every row.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.layouts.v8 import V8Error, decode_v8
from eve_replay.worlds.sqlite.file import is_sqlite, open_sqlite

__all__ = ["CHUNKS", "STORAGE", "TABLES", "object_files", "object_id", "read_objects"]

TABLES = ("run", "events", "steps", "hooks", "waits")
CHUNKS = "chunks"
#: Names of streams as records and payloads hold them.
_STREAM = re.compile(rb"strm_[0-9A-HJKMNP-TV-Z]{26}(?:_\w+)?")
#: Bytes of each half of an object's id.
_HALF = 16
#: The simulator's table of an object's key-value storage.
STORAGE = "_cf_KV"
_MOST = 20_000


def object_files(folder: Path) -> Iterator[Path]:
    """Yield the SQLite files below a folder: ``.wrangler/state/v3/do/<class>/<id>.sqlite``."""
    for number, path in enumerate(sorted(folder.rglob("*.sqlite"))):
        if number >= _MOST:
            return
        if path.is_file() and is_sqlite(path):
            yield path


def read_objects(folder: Path, receipt: Receipt) -> tuple[dict[str, list[dict[str, object]]], bool]:
    """Return the rows of all objects by table, and whether some were kept as values of their storage.

    A file that cannot be read is named in the receipt.
    """
    stored = False
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in (*TABLES, CHUNKS)}
    streams: dict[Path, list[dict[str, object]]] = {}
    for path in object_files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            store = open_sqlite(path, receipt)
        except SourceUnreadable as error:
            receipt.skip(where=name, what="object", why=error.message)
            receipt.gap("runs", f"{name} cannot be read")
            continue
        try:
            if "run" in store.tables and "events" in store.tables:
                _add_tables(store.rows, store.tables, rows)
            elif STORAGE in store.tables:
                stored = True
                _add_storage(list(store.rows(STORAGE)), name, rows, receipt)
            elif CHUNKS in store.tables:
                streams[path] = [dict(row) for row in store.rows(CHUNKS)]
        finally:
            store.close()
    _add_streams(streams, folder, rows, receipt)
    return rows, stored


def object_id(unique: str, name: str) -> str:
    """Return the id of the object of a name, which is the name of its file.

    Half of it is a MAC of the name under the hash of the class's unique key (the name of the folder), the
    other half a MAC of the first: what workerd's ``idFromName`` does; held by a recording of it.
    """
    key = hashlib.sha256(unique.encode()).digest()
    first = hmac.digest(key, name.encode("utf-8", "replace"), "sha256")[:_HALF]
    return (first + hmac.digest(key, first, "sha256")[:_HALF]).hex()


def _add_streams(
    streams: Mapping[Path, list[dict[str, object]]],
    folder: Path,
    rows: dict[str, list[dict[str, object]]],
    receipt: Receipt,
) -> None:
    """Give each file of a stream to the run that names it; its own file does not."""
    if not streams:
        return
    named = _names(rows)
    for unique in {path.parent.name for path in streams}:
        known = {object_id(unique, name): name for name in named}
        for path, chunks in streams.items():
            if path.parent.name != unique:
                continue
            name = known.get(path.stem)
            if name is None:
                place = path.relative_to(folder).as_posix()
                why = "the file of a stream does not hold its name, and no run here names it"
                receipt.skip(where=place, what="stream", why=why)
                receipt.gap("chunks", f"{place} belongs to a stream that no run here names")
                continue
            rows[CHUNKS] += [{"stream": name, "runId": named[name], **chunk} for chunk in chunks]


def _names(rows: Mapping[str, list[dict[str, object]]]) -> dict[str, str]:
    """Return the names of streams that the records hold, with the run of each."""
    named: dict[str, str] = {}
    for some in rows.values():
        for row in some:
            run_id = str(row.get("runId", ""))
            named.setdefault(f"strm_{run_id.partition('_')[2]}_user", run_id)
            for value in row.values():
                raw = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
                for found in _STREAM.findall(raw):
                    named.setdefault(found.decode(), run_id)
    return named


def _add_tables(read: object, tables: Mapping[str, object], rows: dict[str, list[dict[str, object]]]) -> None:
    found = {name: [dict(row) for row in read(name)] for name in TABLES if name in tables}  # type: ignore[operator]
    run_id = str(found["run"][0].get("runId", "")) if found["run"] else ""
    for name, some in found.items():
        rows[name] += [{"runId": run_id, **row} for row in some]


def _add_storage(
    entries: list[Mapping[str, object]],
    name: str,
    rows: dict[str, list[dict[str, object]]],
    receipt: Receipt,
) -> None:
    values: dict[str, object] = {}
    for entry in entries:
        raw = entry.get("value")
        try:
            values[str(entry.get("key"))] = decode_v8(raw) if isinstance(raw, bytes) else raw
        except V8Error as error:
            receipt.skip(where=f"{name}/{entry.get('key')}", what="value", why=str(error))
            receipt.gap("events", f"{name}/{entry.get('key')} cannot be read")
    run = values.get("run")
    if not isinstance(run, dict):
        return
    run_id = str(run.get("runId", ""))
    rows["run"].append(run)
    for table in ("events", "steps", "hooks"):
        held = values.get(table)
        some = held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
        rows[table] += [{"runId": run_id, **each} for each in some if isinstance(each, dict)]
