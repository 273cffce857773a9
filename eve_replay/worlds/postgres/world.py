"""The Postgres world read from a live server. Importing this needs psycopg; ``postgres`` does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from eve_replay.codec import Payload
from eve_replay.errors import EveReplayError, NotFound
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.values import Undecoded
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.export.tally import Tally
from eve_replay.worlds.postgres.address import parse_address
from eve_replay.worlds.postgres.connection import Connection, Query
from eve_replay.worlds.postgres.queue import SHOWN, QueueJob, read_jobs, show_jobs
from eve_replay.worlds.postgres.rows import DeferredFields, Row, RowMapper
from eve_replay.worlds.postgres.schema import read_layout
from eve_replay.worlds.postgres.sql import LARGE, RELATIONS, Statements
from eve_replay.worlds.postgres.zone import Zone

__all__ = ["PostgresWorld"]

_PAGE = 200


class PostgresWorld:
    """Runs in a Postgres database, seen as they were when it was first read.

    Args:
        source: ``postgres://user:password@host:port/database?schema=workflow&timeout=30``.
        schema: the schema of the tables, wins over the address.
        timeout: seconds one answer may take, wins over the address.
        wrap: makes the payloads.

    Raises:
        SourceUnreadable: no server, no access, no such tables; the message says which.
    """

    kind = "postgres"

    def __init__(
        self,
        source: str,
        *,
        schema: str | None = None,
        timeout: float | None = None,
        wrap: Wrap | None = None,
    ) -> None:
        self._address = parse_address(source, schema=schema, timeout=timeout)
        self.label = self._address.label
        self.receipt = Receipt()
        wrap = wrap or Wrap()
        self.keys, self.limit = wrap.keys, wrap.limit
        self._map = RowMapper(receipt=self.receipt, wrap=wrap)
        self._zone = Zone()
        self._tally = Tally(self.receipt)
        self._link = Connection(self._address, self.receipt)
        try:
            self._layout = read_layout(self._link.ask, self._address, self.receipt)
            self._say = Statements(self._layout, self._address.schema)
            self._learn_zone()
            self.about: Mapping[str, object] = self._about()
        except BaseException:
            self._link.close()
            raise

    def _about(self) -> dict[str, object]:
        version = self._link.ask("select current_setting('server_version')")[0][0]
        about: dict[str, object] = {
            "schema": self._address.schema,
            "columns": self._layout.line,
            "server": str(version),
        }
        if self._zone.shift:
            about["createdAtShiftMinutes"] = int(self._zone.shift.total_seconds() // 60)
        jobs = read_jobs(self._link.ask, limit=SHOWN)
        if jobs:
            about["queue"] = show_jobs(jobs, self.receipt)
        return about

    def _learn_zone(self) -> None:
        if self._layout.has("workflow_events", "id", "created_at"):
            where = f"{self._address.schema}.workflow_events.created_at"
            rows = self._link.ask(self._say.first_and_last_events())
            self._zone.learn(((str(id_), at) for id_, at in rows), self.receipt, where)

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, oldest first, through a server-side cursor; payloads are fetched on use."""
        rows = self._listed(self._say.listing(), first_rows=True)
        return self._tally.listing("workflow_runs", rows, lambda run: run.run_id)

    def page(
        self, limit: int = _PAGE, *, after: str | None = None, newest_first: bool = False
    ) -> list[RunRecord]:
        """Return some runs beyond the run id ``after``: one index scan, whatever the number of runs."""
        query = self._say.listing(beyond=after is not None, newest_first=newest_first, limit=limit)
        columns = self._say.columns("workflow_runs", listing=True)
        rows = self._link.ask(query, () if after is None else (after,))
        return [self._once(self._run_of(dict(zip(columns, row, strict=True)))) for row in rows]

    def count_runs(self) -> int:
        """Return how many runs there are."""
        return int(self._link.ask(self._say.count())[0][0])

    def run_ids(self) -> list[str]:
        """Return the ids of all runs, ascending."""
        return [str(run_id) for (run_id,) in self._link.ask(self._say.ids())]

    def run(self, run_id: str) -> RunRecord:
        """Return one run with everything in it, read by primary key."""
        rows = list(self._counted("workflow_runs", "id", run_id))
        if not rows:
            raise self._unknown(run_id)
        return self._zone.run(self._map.run(rows[0]))

    def children(self, run_id: str) -> Iterator[RunRecord]:
        """Yield the runs that name this run as root or parent (5.0 on; no index: one scan of the runs)."""
        if self._layout.has("workflow_runs", "attributes"):
            yield from map(self._once, self._listed(self._say.children(), (run_id, run_id)))

    def family(self, run_id: str) -> list[RunRecord]:
        """Return the run and all runs joined to it by attributes: what a session consists of, by run id.

        Attributes have no index: each generation costs one scan of the runs table, and only relatives
        come over the line. Before 5.0 there are no attributes, so a run is its own family.
        """
        first = self.run(run_id)
        if not self._layout.has("workflow_runs", "attributes"):
            return [first]
        known = {run_id: first}
        asked: set[str] = set()
        while ids := ({*known, *(i for run in known.values() for i in _relatives(run))} - asked):
            asked |= ids
            for run in self._listed(self._say.relatives(), (sorted(ids), sorted(ids))):
                known.setdefault(run.run_id, self._once(run))
        return [known[key] for key in sorted(known)]

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events by id: ids are made in order, two events may share created_at."""
        for row in self._of_run("workflow_events", run_id):
            yield self._zone.event(self._map.event(row))

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's step records by step id."""
        for row in self._of_run("workflow_steps", run_id):
            yield self._zone.step(self._map.step(row))

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield hooks, waits and streams. The rows of a run that has ended are gone: see its events."""
        self._exists(run_id)
        for row in self._counted("workflow_hooks", "run_id", run_id):
            yield self._zone.hook(self._map.hook(row))
        for row in self._counted("workflow_waits", "run_id", run_id):
            yield self._zone.wait(self._map.wait(row))
        if self._layout.has("workflow_stream_chunks", "stream_id"):
            own = f"strm_{run_id.partition('_')[2]}_user"
            for (name,) in self._link.ask(self._say.streams(), (run_id, own)):
                yield StreamRecord({"runId": run_id, "name": name}, origin=f"workflow_stream_chunks/{name}")

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield the chunks of a stream by id, those after the end marker included."""
        found = False
        for row in self._counted("workflow_stream_chunks", "stream_id", name):
            if row.get("run_id") in (None, "", run_id):  # two runs may use one name
                found = True
                yield from self._map.chunks(row)
        if not found and "workflow_stream_chunks" not in self._layout.unreadable:
            raise NotFound(f"There is no stream {name!a} in {self.label}.", hint="Copy the whole name.")

    def jobs(self, run_id: str | None = None) -> list[QueueJob]:
        """Return what lies in the graphile-worker queue (of one run), empty when it may not be read."""
        return read_jobs(self._link.ask, run_id)

    def refresh(self) -> None:
        """Take a new snapshot; the next read sees what has been written since."""
        self._link.refresh()

    def newest_event(self) -> str:
        """Return the highest event id, empty when there is none."""
        rows = self._link.ask(self._say.newest_event())
        return str(rows[0][0]) if rows else ""

    def touched_since(self, event_id: str) -> set[str]:
        """Return the runs with an event of a later id, for following a live world."""
        return {str(run_id) for (run_id,) in self._link.ask(self._say.touched(), (event_id,))}

    def changes(self, stop: threading.Event) -> Iterator[set[str]]:
        """Yield sets of run ids with new events, until ``stop`` is set."""
        from eve_replay.worlds.postgres.watch import changes

        return changes(self, stop)

    def close(self) -> None:
        """End the snapshot and the connection."""
        self._link.close()

    def _exists(self, run_id: str) -> None:
        if not _is_text(run_id) or not self._link.ask(self._say.exists(), (run_id,)):
            raise self._unknown(run_id)

    def _unknown(self, run_id: str) -> NotFound:
        return NotFound(f"There is no run {run_id!a} in {self.label}.", hint="Copy the whole id.")

    def _counted(self, table: str, column: str, value: str) -> Iterator[dict[str, Any]]:
        return self._tally.group(table, value, self._rows(table, column, value))

    def _once(self, run: RunRecord) -> RunRecord:
        """Count a run that was read outside a whole listing."""
        [counted] = self._tally.group("workflow_runs", run.run_id, (run,))  # to its end: then it is counted
        return counted

    def _of_run(self, table: str, run_id: str) -> Iterator[dict[str, Any]]:
        nothing = True
        for row in self._counted(table, "run_id", run_id):
            nothing = False
            yield row
        if nothing:
            self._exists(run_id)

    def _rows(self, table: str, column: str, value: str) -> Iterator[dict[str, Any]]:
        if not self._layout.has(table, column) or not _is_text(value):
            return
        columns = self._say.columns(table)
        doing = f"{self._address.schema}.{table}"
        for row in self._link.stream(self._say.rows(table, column), (value,), doing=doing):
            yield dict(zip(columns, row, strict=True))

    def _listed(
        self, query: Query, values: tuple[object, ...] = (), *, first_rows: bool = False
    ) -> Iterator[RunRecord]:
        columns = self._say.columns("workflow_runs", listing=True)
        doing = f"{self._address.schema}.workflow_runs"
        for row in self._link.stream(query, values, doing=doing, batch=_PAGE, first_rows=first_rows):
            yield self._run_of(dict(zip(columns, row, strict=True)))

    def _run_of(self, row: dict[str, Any]) -> RunRecord:
        there = {name for name in LARGE if row.pop(f"has_{name}", False)}
        context = row.pop("execution_context_cbor", None)
        record = self._map.run(row)
        later: list[tuple[str, bytes | None]] = []
        if context is not None:
            later.append(("executionContext", context))
        later += [(name, None) for name in ("input", "output", "error") if there & {name, f"{name}_cbor"}]
        fields = DeferredFields(dict(record.fields), tuple(later), self._late)
        return self._zone.run(RunRecord(fields, origin=record.origin))

    def _late(self, run_id: str, name: str, stored: bytes | None) -> object:
        """Make a field that the listing left out; a record can outlive its world, so nothing raises."""
        if stored is not None:
            row: Row = {"id": run_id, "execution_context_cbor": stored}
            return self._map.fields("workflow_runs", row).get(name)
        try:
            row = next(iter(self._rows("workflow_runs", "id", run_id)))
            return self._map.run(row).fields.get(name)
        except (EveReplayError, StopIteration) as error:
            message = error.message if isinstance(error, EveReplayError) else "The run is gone by now."
            return Payload.plain(Undecoded("unreadable", message), run_id=run_id)


def _relatives(run: RunRecord) -> list[str]:
    return [other for name in RELATIONS if (other := run.attribute(name)) is not None]


def _is_text(value: str) -> bool:
    """Return whether the database can hold this text at all: no NUL, no half of a surrogate pair."""
    return "\0" not in value and value.isprintable()
