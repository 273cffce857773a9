"""Rows out of the files of Durable Objects: each object has a SQLite file of its own, mostly one per run.

Two ways of keeping are known: tables (``run``, ``events``, ``steps`` ...), and the key-value storage of the
object, which the simulator keeps as V8's structured clone in ``_cf_KV``. Both come out as the same tables,
with the run's id in every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.layouts.v8 import V8Error, decode_v8
from eve_replay.worlds.sqlite.file import is_sqlite, open_sqlite

__all__ = ["STORAGE", "TABLES", "object_files", "read_objects"]

TABLES = ("run", "events", "steps", "hooks", "waits")
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


def read_objects(folder: Path, receipt: Receipt) -> dict[str, list[dict[str, object]]]:
    """Return the rows of all objects by table; a file that cannot be read is named in the receipt."""
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
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
                _add_storage(list(store.rows(STORAGE)), name, rows, receipt)
            elif "chunks" in store.tables:
                why = "the file of a stream does not hold its name: whose it is cannot be told"
                receipt.skip(where=name, what="stream", why=why)
                receipt.gap("chunks", f"{name} does not hold the name of its stream")
        finally:
            store.close()
    return rows


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
