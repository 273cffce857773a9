"""A Postgres world read from a pg_dump file, without a server: ``dump.sql``, plain or compressed.

The file is scanned once; of each row only its key, its run and its place are kept, and a row is read again
when it is asked for. So a large dump costs little memory. The rows then go through the mapping that live
databases use (``postgres_rows``).
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, text_option
from eve_replay.worlds.pgdump.index import DumpIndex
from eve_replay.worlds.postgres.queue import SHOWN, QueueJob, show_jobs
from eve_replay.worlds.postgres.rows import LISTED, Row, RowMapper
from eve_replay.worlds.postgres.schema import layout_of, upgrade_problem
from eve_replay.worlds.postgres.zone import Zone

__all__ = ["PgDumpWorld", "opener"]

_HEAD = 65_536
_MARK = b"PostgreSQL database dump"
#: First bytes of the forms pg_dump has besides plain text.
_CUSTOM = b"PGDMP"


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
            self._index = DumpIndex(path, self.receipt)
            self.schema = self._choose(schema)
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise SourceUnreadable(f"{path} cannot be read: {error}.") from error
        self._tables = {
            name: table for (owner, name), table in self._index.tables.items() if owner == self.schema
        }
        line = layout_of({name: table.columns for name, table in self._tables.items()})
        upgrade_problem(self.receipt, line, f"{self.schema}.workflow_runs")
        self.about: Mapping[str, object] = {"schema": self.schema, "columns": line, **self._index.facts}
        jobs = list(islice(self._index.jobs(), SHOWN))
        if jobs:
            self.about = {**self.about, "queue": show_jobs(jobs, self.receipt)}
        for name in ("workflow_steps", "workflow_events", "workflow_stream_chunks"):
            if name not in self._tables:
                why = f"the dump holds no table {self.schema}.{name}"
                self.receipt.gap(LISTED[name], why)
                if name != "workflow_stream_chunks":
                    self.receipt.problem(
                        "error",
                        "missing-table",
                        f"{self.schema}.{name}",
                        f"The dump holds no table {name}: what it held is unknown, not empty.",
                        "Dump the whole schema: pg_dump --schema=workflow.",
                    )
        self.receipt.seen = self.receipt.parsed = sum(table.count for table in self._tables.values())
        self._learn_zone()

    def _choose(self, schema: str | None) -> str:
        found = sorted({owner for owner, name in self._index.tables if name == "workflow_runs"})
        wanted = schema or ("workflow" if "workflow" in found or not found else found[0])
        if wanted not in found:
            hint = f"It holds: {', '.join(found)}." if found else "Dump it with pg_dump --schema=workflow."
            raise SourceUnreadable(f"{self.label} holds no table {wanted}.workflow_runs.", hint=hint)
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
        """Yield every run by id."""
        for row in self._rows("workflow_runs"):
            yield self._zone.run(self._map.run(row))

    def run(self, run_id: str) -> RunRecord:
        """Return one run."""
        for row in self._rows("workflow_runs", run_id):
            return self._zone.run(self._map.run(row))
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
            yield self._map.chunk(row)

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
            if path.is_dir():
                if (path / "toc.dat").is_file():
                    return 0.9
                return 0.6 if (path / "dump.sql").is_file() else 0.0
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except (OSError, ValueError):
            return 0.0
        if _MARK in head or head.startswith(_CUSTOM):
            return 0.95
        name = path.name.lower()
        if name.endswith((".sql", ".sql.gz", ".sql.xz", ".sql.zst", ".sql.bz2")):
            return 0.8 if b"workflow_runs" in head or not name.endswith(".sql") else 0.4
        return 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a dump file, or the ``dump.sql`` of a folder. Options: keys, limit, schema."""
        path = Path(source)
        if path.is_dir():
            if (path / "toc.dat").is_file():
                _other_form(path)
            path = path / "dump.sql"
        try:
            with path.open("rb") as file:
                if file.read(len(_CUSTOM)) == _CUSTOM:
                    _other_form(path)
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
        return PgDumpWorld(path, schema=text_option(options, "schema"), wrap=Wrap.of(options))


def _other_form(path: Path) -> None:
    raise SourceUnreadable(
        f"{path} is a dump in pg_dump's own binary form.",
        hint=f"Turn it into text: pg_restore -f dump.sql {path.name}",
    )


opener = _PgDumpOpener()
