"""A Postgres world read from a pg_dump file, without a server: ``dump.sql``, plain or compressed.

The file is scanned once; of each row only its key, its run and its place are kept, and a row is read again
when it is asked for. So a large dump costs little memory. The rows then go through the mapping that live
databases use (``postgres_rows``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.problems import LISTS, Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, text_option
from eve_replay.worlds.local.records import synthesise_run
from eve_replay.worlds.pgdump.archive import is_archive
from eve_replay.worlds.pgdump.foreign import flue_dump, layout_world, unknown_tables
from eve_replay.worlds.pgdump.index import DumpIndex
from eve_replay.worlds.pgdump.packed import unpacked_head
from eve_replay.worlds.postgres.queue import SHOWN, QueueJob, show_jobs
from eve_replay.worlds.postgres.rows import LISTED, TABLES, Row, RowMapper
from eve_replay.worlds.postgres.schema import OtherTables, layout_of, upgrade_problem
from eve_replay.worlds.postgres.zone import Zone

__all__ = ["PgDumpWorld", "opener"]

_HEAD = 65_536
_MARK = b"PostgreSQL database dump"
#: Dumps of other databases, which another reader takes.
_FOREIGN = re.compile(rb"(?:MySQL|MariaDB) dump|BEGIN TRANSACTION;\s+CREATE TABLE|PRAGMA foreign_keys")
_PACKED = (".sql.gz", ".sql.xz", ".sql.zst", ".sql.bz2", ".sql.zip")
#: Without these nothing can be told about a run, and without these columns nothing in them.
NEEDED = ("workflow_runs", "workflow_events", "workflow_steps")
_COLUMNS = {
    "workflow_runs": ("id", "name", "status"),
    "workflow_events": ("id", "type", "run_id"),
    "workflow_steps": ("step_id", "run_id"),
}


class OtherColumns(Exception):
    """The tables have the names of this world and the columns of another."""


class PgDumpWorld:
    """The runs in one dump file.

    Args:
        path: the file.
        schema: which schema, when the dump holds several; else ``workflow``, else the only one.
        wrap: makes the payloads.

    Raises:
        SourceUnreadable: the file cannot be read, or holds no workflow tables.
    """

    kind = "pgdump"

    def __init__(self, path: Path, *, schema: str | None = None, wrap: Wrap | None = None) -> None:
        self.label = str(path)
        self.receipt = Receipt()
        wrap = wrap or Wrap()
        self.keys, self.limit = wrap.keys, wrap.limit
        self._map = RowMapper(receipt=self.receipt, wrap=wrap)
        self._zone = Zone()
        try:
            self._index = DumpIndex(path, self.receipt, limits=wrap.limit)
        except (OSError, EOFError) as error:
            raise SourceUnreadable(f"{path} cannot be read: {error}.") from error
        self.missing: dict[str, str] = {}
        try:
            self.schema = self._choose(schema)
            self._read_tables()
        except BaseException:
            self._index.close()
            raise

    def _read_tables(self) -> None:
        self._tables = {
            name: table for (owner, name), table in self._index.tables.items() if owner == self.schema
        }
        self._check_columns()
        self._tell_gaps()
        line = layout_of({name: table.columns for name, table in self._tables.items()})
        upgrade_problem(self.receipt, line, f"{self.schema}.workflow_runs")
        self.about: Mapping[str, object] = {"schema": self.schema, "columns": line, **self._index.facts}
        jobs = list(islice(self._index.jobs(), SHOWN))
        if jobs:
            self.about = {**self.about, "queue": show_jobs(jobs, self.receipt)}
        self.receipt.seen = self.receipt.parsed = sum(table.count for table in self._tables.values())
        self._learn_zone()

    def _check_columns(self) -> None:
        """Refuse tables of the same names with other columns: they are another world's."""
        for name, needed in _COLUMNS.items():
            table = self._tables.get(name)
            if table is not None and table.columns and not set(needed) <= table.columns.keys():
                raise OtherColumns(self.label)

    def _tell_gaps(self) -> None:
        """Name the tables that are not there: without this an empty log would read as nothing happened."""
        for name in NEEDED:
            place = f"{self.schema}.{name}"
            if name not in self._tables:
                why = f"the dump has no table {place}"
            elif self._index.copies and place not in self._index.filled and not self._index.torn:
                why = f"the dump has the table {place} and none of its rows: they were left out"
            elif self._index.torn and place not in self._index.filled:
                why = f"the dump ends before the rows of {place}"
            else:
                continue
            self.missing[name] = why
            self.receipt.problem(
                "error",
                "missing-table",
                place,
                f"{why[:1].upper()}{why[1:]}: what they would say is unknown, not none.",
                f"Dump it too: pg_dump --schema={self.schema}.",
            )
            self.receipt.gap(LISTED[name], why)
        if "workflow_stream_chunks" not in self._tables:
            self.receipt.gap("chunks", f"the dump has no table {self.schema}.workflow_stream_chunks")
        if self._index.torn:
            for of in LISTS:
                self.receipt.gap(of, "the dump ends early")

    def _choose(self, schema: str | None) -> str:
        held = {owner for owner, name in self._index.tables if name in TABLES}
        # Of a dump that was cut, or made of some tables only, the rest is still worth reading.
        found = sorted({owner for owner, name in self._index.tables if name == "workflow_runs"} or held)
        wanted = schema or ("workflow" if "workflow" in found or not found else found[0])
        if not found and self._index.fault:
            raise SourceUnreadable(
                f"{self.label} cannot be read: {self._index.fault.rstrip('.')}.",
                hint="" if "--limit" in self._index.fault else "Was the copy interrupted? Dump it again.",
            )
        if wanted not in found:
            said = f"{self.label} holds no table {wanted}.workflow_runs."
            if found:
                raise SourceUnreadable(said, hint=f"It holds: {', '.join(found)}.")
            raise OtherTables(said, hint="Dump it with pg_dump --schema=workflow.")
        if schema is None and len(found) > 1:
            self.receipt.problem(
                "info",
                "several-schemas",
                self.label,
                f"The dump holds workflow tables in several schemas: {', '.join(found)}; {wanted} is shown.",
            )
        return wanted

    def _learn_zone(self) -> None:
        table = self._tables.get("workflow_events")
        if table is not None:
            rows = [self._index.row(table, place) for place in table.sample(50)]
            known = [(str(row.get("id")), row.get("created_at")) for row in rows]
            self._zone.learn(known, self.receipt, f"{self.schema}.workflow_events.created_at")

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by id; one whose row is missing is made up of its id."""
        lost = self._lost()
        for row in self._rows("workflow_runs"):
            record = self._zone.run(self._map.run(row))
            while lost and lost[0] < record.run_id:
                yield self._made_up(lost.pop(0))
            yield record
        for run_id in lost:
            yield self._made_up(run_id)

    def _lost(self) -> list[str]:
        """Return the runs that only their events and steps show."""
        named = [self._tables[name].groups for name in NEEDED[1:] if name in self._tables]
        known = self._tables["workflow_runs"].groups if "workflow_runs" in self._tables else {}
        return sorted({run_id for groups in named for run_id in groups} - known.keys())

    def _made_up(self, run_id: str) -> RunRecord:
        self.receipt.problem(
            "warning",
            "no-run",
            run_id,
            "The dump has steps or events of this run and not its row: what the row said is unknown.",
        )
        return synthesise_run(run_id, self.events(run_id), origin=f"workflow_events/{run_id}")

    def run(self, run_id: str) -> RunRecord:
        """Return one run."""
        for row in self._rows("workflow_runs", run_id):
            return self._zone.run(self._map.run(row))
        if run_id in self._lost():
            return self._made_up(run_id)
        raise NotFound(f"There is no run {run_id!a} in {self.label}.", hint="Copy the whole id.")

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events by id."""
        self._exists(run_id)
        for row in self._rows("workflow_events", run_id):
            yield self._zone.event(self._map.event(row))

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        self._exists(run_id)
        for row in self._rows("workflow_steps", run_id):
            yield self._zone.step(self._map.step(row))

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield hooks, waits and streams of a run."""
        self._exists(run_id)
        for row in self._rows("workflow_hooks", run_id):
            yield self._zone.hook(self._map.hook(row))
        for row in self._rows("workflow_waits", run_id):
            yield self._zone.wait(self._map.wait(row))
        table = self._tables.get("workflow_stream_chunks")
        if table is not None:
            # Rows written before migration 0003 have no run id; the default stream's name holds it.
            names = set(table.streams.get(run_id, ()))
            own = f"strm_{run_id.partition('_')[2]}_user"
            if own in table.streams.get("", ()):
                names.add(own)
            for name in sorted(names):
                yield StreamRecord({"runId": run_id, "name": name}, origin=f"workflow_stream_chunks/{name}")

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield the chunks of a stream by id."""
        table = self._tables.get("workflow_stream_chunks")
        if table is None or not table.places(name):
            raise NotFound(f"There is no stream {name!a} in {self.label}.", hint="Copy the whole name.")
        for row in self._rows("workflow_stream_chunks", name):
            if row.get("run_id") in (None, "", run_id):  # two runs may use one name
                yield from self._map.chunks(row)

    def jobs(self, run_id: str | None = None) -> list[QueueJob]:
        """Return the jobs of the graphile-worker queue, when the dump holds them."""
        return [job for job in self._index.jobs() if run_id is None or job.run_id == run_id]

    def close(self) -> None:
        """Close the file."""
        self._index.close()

    def _exists(self, run_id: str) -> None:
        # A log whose run row is gone can still be read.
        named = ("workflow_runs", "workflow_events", "workflow_steps")
        if not any(run_id in self._tables[name].groups for name in named if name in self._tables):
            raise NotFound(f"There is no run {run_id!a} in {self.label}.", hint="Copy the whole id.")

    def _rows(self, name: str, of: str | None = None) -> Iterator[Row]:
        table = self._tables.get(name)
        if table is None:
            return
        for place in table.places(of):
            try:
                yield self._index.row(table, place)
            except ValueError as error:
                self.receipt.gap(LISTED[name], f"row {place.key} cannot be read", run_id=of or "")
                self.receipt.skip(where=f"{name}/{place.key}", what="row", why=str(error))


@dataclass(frozen=True, slots=True)
class _PgDumpOpener:
    kind: str = "pgdump"

    def recognises(self, source: str) -> float:
        """Return how much the file looks like a dump; only its first 64 kB are read."""
        path = Path(source)
        try:
            if is_archive(path):
                return 0.95
            if path.is_dir():
                return 0.6 if (path / "dump.sql").is_file() else 0.0
            head = unpacked_head(path, _HEAD)
        except (OSError, ValueError):
            return 0.0
        if b"\0" in head:
            return 0.0  # text has none: whatever names it holds, this is another kind of file
        if _MARK in head:
            return 0.95
        if _FOREIGN.search(head):
            return 0.0
        if b"workflow_runs" in head:
            return 0.8
        if not path.is_file():
            return 0.0
        return 0.4 if path.name.lower().endswith((".sql", *_PACKED)) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a dump file, or the ``dump.sql`` of a folder. Options: keys, limit, schema."""
        path = Path(source)
        if path.is_dir() and not is_archive(path):
            path = path / "dump.sql"
        given = text_option(options, "layout")
        schema, wrap = text_option(options, "schema"), Wrap.of(options)
        if given:
            return layout_world(path, given=given, schema=schema, wrap=wrap)
        try:
            return PgDumpWorld(path, schema=schema, wrap=wrap)
        except OtherColumns:
            return layout_world(path, given=None, schema=schema, wrap=wrap)
        except OtherTables as error:
            flue = flue_dump(path, schema=schema, wrap=wrap)
            if flue is not None:
                return flue
            raise unknown_tables(path, error, schema=schema, wrap=wrap) from None


opener = _PgDumpOpener()
