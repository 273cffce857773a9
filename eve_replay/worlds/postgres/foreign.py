"""A live PostgreSQL database whose tables are not those of world-postgres: Flue's, or read with a layout.

Importing this needs psycopg, as the world of a live server does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from psycopg import sql

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import fits_tables
from eve_replay.worlds.layouts.signs import is_flue
from eve_replay.worlds.layouts.tables import SqlTables
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.postgres.address import parse_address
from eve_replay.worlds.postgres.connection import Connection, Query

__all__ = ["layout_world"]

_COLUMNS = """
select n.nspname, c.relname, a.attname, format_type(a.atttypid, null)
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind in ('r', 'v', 'm', 'p', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname not like 'pg_toast%%' and has_schema_privilege(n.oid, 'USAGE')
  and (has_table_privilege(c.oid, 'SELECT') or has_column_privilege(c.oid, a.attnum, 'SELECT'))
  and not exists (select 1 from pg_catalog.pg_inherits i where i.inhrelid = c.oid)
order by n.nspname, c.relname, a.attnum
"""


def layout_world(
    source: str,
    *,
    given: str | None,
    schema: str | None,
    timeout: float | None,
    wrap: Wrap,
) -> World:
    """Return the world in a database: Flue's, or read as a layout says; read-only, in one snapshot.

    Args:
        source: the address.
        given: a layout somebody named, None looks for one that fits.
        schema: the schema of the tables, None for the one that fits.
        timeout: seconds one answer may take.
        wrap: makes the payloads.

    Raises:
        SourceUnreadable: no layout fits the tables that may be read; the message names them.
    """
    address = parse_address(source, schema=schema, timeout=timeout)
    receipt = Receipt()
    link = Connection(address, receipt)
    try:
        kinds: dict[str, dict[str, dict[str, str]]] = {}
        for owner, table, column, kind in link.ask(_COLUMNS):
            kinds.setdefault(str(owner), {}).setdefault(str(table), {})[str(column)] = str(kind)
        wanted = schema or (address.schema if "schema=" in source else None)
        owner = wanted or _best(kinds)
        if owner not in kinds:
            names = ", ".join(sorted(kinds)) or "none"
            raise SourceUnreadable(
                f"There is no table in the schema {owner} of {address.label} that may be read.",
                hint=f"Schemas with tables: {names}.",
            )
        tables = {table: tuple(columns) for table, columns in kinds[owner].items()}
        store = _store(link, address.label, owner, kinds[owner])
        if not given and is_flue(tables):
            from eve_replay.worlds.flue.opener import flue_world  # nobody else's path loads it

            return flue_world(store, receipt, kind="postgres", schema=owner)
        layout = choose(
            tables,
            given=given,
            what="a PostgreSQL database",
            label=f"{address.label} ({owner})",
            sample=store.sample,
        )
        return LayoutWorld(
            TableAccess(store), layout, kind="postgres", wrap=wrap, receipt=receipt, about={"schema": owner}
        )
    except BaseException:
        link.close()
        raise


def _best(kinds: dict[str, dict[str, dict[str, str]]]) -> str:
    """Return the schema whose tables are Flue's, else that whose tables fit a layout best."""
    flue = sorted(
        owner for owner, tables in kinds.items() if is_flue({t: tuple(c) for t, c in tables.items()})
    )
    if flue:
        return flue[0]
    scores = {
        owner: max((fit.score - 100 * len(fit.gaps) for fit in fits_tables(tables)), default=-1000)
        for owner, tables in kinds.items()
    }
    return max(sorted(scores), key=lambda owner: scores[owner], default="public")


def _store(link: Connection, label: str, schema: str, kinds: dict[str, dict[str, str]]) -> SqlTables:
    def ask(query: str, values: Sequence[object]) -> Iterator[Sequence[object]]:
        statement = cast(Query, sql.SQL(query))
        yield from link.ask(statement, tuple(str(value) for value in values))

    def quote(name: str) -> str:
        return '"' + name.replace('"', '""').replace("%", "%%") + '"'

    def shown(table: str, column: str) -> str:
        # Text for everything but bytes: times beyond Python's, enums, jsonb.
        return quote(column) if kinds[table][column] == "bytea" else f"{quote(column)}::text"

    return SqlTables(
        label,
        {table: tuple(columns) for table, columns in kinds.items()},
        ask,
        mark="%s",
        quote=quote,
        shown=shown,
        schema=schema,
        close=link.close,
    )
