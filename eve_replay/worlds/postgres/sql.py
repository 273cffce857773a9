"""The statements that read a Postgres world. Only columns that exist are named, only reads are here."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from eve_replay.worlds.postgres.rows import KEYS
from eve_replay.worlds.postgres.schema import Layout

__all__ = ["LARGE", "RELATIONS", "Statements"]

#: Columns of a run that can be large; a listing asks only whether they are there.
LARGE = ("input_cbor", "output_cbor", "error_cbor", "input", "output", "error")
#: Attributes that hold the id of another run (docs/formats/postgres.md#attributes;
#: docs/evidence/observed.md#handoff).
RELATIONS = ("$rootRunId", "$parentRunId", "$eve.root", "$eve.parent", "$eve.session")
_NOTHING = sql.SQL("")


class Statements:
    """Makes statements for the tables as they are.

    Args:
        layout: the columns that may be read.
        schema: where the tables are.
    """

    def __init__(self, layout: Layout, schema: str) -> None:
        self._layout = layout
        self._schema = schema

    def columns(self, table: str, *, listing: bool = False) -> list[str]:
        """Return the names of the selected columns; ``has_<name>`` stands for a large one left out."""
        columns = list(self._layout.columns[table])
        if not listing:
            return columns
        return [c for c in columns if c not in LARGE] + [f"has_{c}" for c in LARGE if c in columns]

    def rows(self, table: str, column: str) -> sql.Composed:
        """Rows whose ``column`` has one value, in the order of the table's key."""
        return self._select(table, where=sql.SQL(" where {} = %s").format(sql.Identifier(column)))

    def listing(
        self, *, beyond: bool = False, newest_first: bool = False, limit: int | None = None
    ) -> sql.Composed:
        """Runs without their payloads, in the order of their ids, perhaps those beyond one id."""
        where = sql.SQL(" where id < %s" if newest_first else " where id > %s")
        return self._select(
            "workflow_runs",
            where=where if beyond else _NOTHING,
            order=sql.SQL(" desc" if newest_first else ""),
            limit=_NOTHING if limit is None else sql.SQL(" limit {}").format(sql.Literal(limit)),
            listing=True,
        )

    def children(self) -> sql.Composed:
        """Runs whose attributes name a run as root or as parent."""
        where = sql.SQL(" where %s in (attributes->>'$rootRunId', attributes->>'$parentRunId') and id <> %s")
        return self._select("workflow_runs", where=where, listing=True)

    def relatives(self) -> sql.Composed:
        """Runs of these ids, and runs that name one of them in any attribute that joins runs."""
        names = sql.SQL(", ").join(sql.SQL("attributes->>{}").format(sql.Literal(name)) for name in RELATIONS)
        where = sql.SQL(" where id = any(%s) or array[{}] && %s::text[]").format(names)
        return self._select("workflow_runs", where=where, listing=True)

    def exists(self) -> sql.Composed:
        """One row when there is a run of this id."""
        return sql.SQL("select 1 from {} where id = %s").format(self._table("workflow_runs"))

    def ids(self) -> sql.Composed:
        """The ids of all runs."""
        return sql.SQL("select id::text from {} order by id").format(self._table("workflow_runs"))

    def count(self) -> sql.Composed:
        """How many runs there are."""
        return sql.SQL("select count(*) from {}").format(self._table("workflow_runs"))

    def first_and_last_events(self) -> sql.Composed:
        """Ids and created_at of the fifty oldest and the fifty newest events."""
        return sql.SQL(
            "(select id::text, created_at::text from {t} order by id limit 50) union all "
            "(select id::text, created_at::text from {t} order by id desc limit 50)"
        ).format(t=self._table("workflow_events"))

    def newest_event(self) -> sql.Composed:
        """The highest event id."""
        return sql.SQL("select id::text from {} order by id desc limit 1").format(
            self._table("workflow_events")
        )

    def touched(self) -> sql.Composed:
        """Runs with an event of a later id."""
        return sql.SQL("select distinct run_id::text from {} where id > %s").format(
            self._table("workflow_events")
        )

    def streams(self) -> sql.Composed:
        """Names of a run's streams: by run id, and the default stream by its name.

        Rows written before migration 0003 have no run id; the default stream's name holds it.
        """
        table = self._table("workflow_stream_chunks")
        if not self._layout.has("workflow_stream_chunks", "run_id"):
            return sql.SQL(
                "select distinct stream_id::text from {} where %s <> '' and stream_id = %s order by 1"
            ).format(table)
        return sql.SQL(
            "select distinct stream_id::text from {t} where run_id = %s union "
            "(select stream_id::text from {t} where stream_id = %s and run_id is null limit 1) order by 1"
        ).format(t=table)

    def _select(
        self,
        table: str,
        *,
        where: sql.Composable = _NOTHING,
        order: sql.Composable = _NOTHING,
        limit: sql.Composable = _NOTHING,
        listing: bool = False,
    ) -> sql.Composed:
        return sql.SQL("select {columns} from {table}{where} order by {key}{order}{limit}").format(
            columns=self._list(table, self.columns(table, listing=listing)),
            table=self._table(table),
            where=where,
            key=sql.Identifier(KEYS[table]),
            order=order,
            limit=limit,
        )

    def _list(self, table: str, columns: Sequence[str]) -> sql.Composed:
        types = self._layout.columns[table]
        parts: list[sql.Composable] = []
        for column in columns:
            if column in types:
                # Text for everything but bytes: enums of either schema, jsonb, times beyond Python's.
                form = sql.SQL("{}" if types[column] == "bytea" else "{}::text")
                parts.append(form.format(sql.Identifier(column)))
            else:
                parts.append(sql.SQL("{} is not null").format(sql.Identifier(column.removeprefix("has_"))))
        return sql.SQL(", ").join(parts)

    def _table(self, table: str) -> sql.Identifier:
        return sql.Identifier(self._schema, table)
