"""What a Postgres world consists of: its tables, the columns that exist, what may be read, which release.

pg_catalog is asked, not information_schema: the latter hides what a role may not read, so a missing grant
would look like a missing table. The releases and their migrations are in docs/formats/postgres.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.postgres.address import Address, grant_hint
from eve_replay.worlds.postgres.rows import LISTED, TABLES

__all__ = ["Layout", "OtherTables", "layout_of", "read_layout", "upgrade_problem"]

#: Columns without which rows of these tables are not this world's.
_NEEDED_COLUMNS = {
    "workflow_runs": ("id", "name", "status"),
    "workflow_events": ("id", "type", "run_id"),
    "workflow_steps": ("step_id", "run_id"),
}

Ask = Callable[[str, Sequence[object]], Iterable[Sequence[object]]]

#: Without these three nothing can be told about a run.
_NEEDED = ("workflow_runs", "workflow_steps", "workflow_events")

_COLUMNS = """
select n.nspname, c.relname, a.attname, format_type(a.atttypid, null),
       has_schema_privilege(n.oid, 'USAGE')
         and (has_table_privilege(c.oid, 'SELECT') or has_column_privilege(c.oid, a.attnum, 'SELECT')),
       c.relrowsecurity and not pg_has_role(c.relowner, 'MEMBER'), current_user::text
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind in ('r', 'v', 'm', 'p', 'f') and c.relname = any(%s)
order by n.nspname, c.relname, a.attnum
"""


class OtherTables(SourceUnreadable):
    """The tables of this world are not there, or have the columns of another world.

    Attributes:
        columns: whether tables of these names are there, with other columns.
    """

    def __init__(self, message: str, *, hint: str = "", columns: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.columns = columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The tables of one world as they may be read.

    Attributes:
        columns: table to its readable columns, column to type.
        unreadable: tables that exist and may not be read.
        line: the release line that made the columns: ``4.1``, ``4.3``, ``5.0``, or ``upgraded``.
    """

    columns: Mapping[str, Mapping[str, str]]
    unreadable: frozenset[str] = frozenset()
    line: str = ""

    def has(self, table: str, *names: str) -> bool:
        """Return whether the table can be read, with all these columns."""
        columns = self.columns.get(table)
        return columns is not None and all(name in columns for name in names)


def layout_of(columns: Mapping[str, Iterable[str]]) -> str:
    """Name the release line from the columns that exist (docs/formats/postgres.md#migrations)."""
    runs = frozenset(columns.get("workflow_runs", ()))
    hooks = frozenset(columns.get("workflow_hooks", ()))
    if "encryption_public_key" in runs and "error_code" not in runs:
        return "upgraded"
    if "attributes" in runs or "is_system" in hooks:
        return "5.0"
    if "spec_version" in runs or "workflow_waits" in columns:
        return "4.3"
    return "4.1" if "input_cbor" in runs else "4.0"


def upgrade_problem(receipt: Receipt, line: str, where: str) -> None:
    """Say what is wrong with a 4.3.7 database upgraded by 5.0.0-beta.29.

    Source: docs/formats/postgres.md#upgraded.
    """
    if line == "upgraded":
        receipt.problem(
            "warning",
            "half-upgraded-database",
            where,
            "This database was upgraded from 4.x, and migrations 0011 to 0014 were skipped: error_code, "
            "attributes and is_system are missing. The 5.x world fails on it with 'column does not exist'.",
            "Apply the four skipped migrations by hand, or move to a fresh database.",
        )


def read_layout(ask: Ask, address: Address, receipt: Receipt) -> Layout:
    """Find the workflow tables.

    Raises:
        OtherTables: they are not there, or have the columns of another world.
        SourceUnreadable: the role may not read what is needed.
    """
    found: dict[str, dict[str, dict[str, str]]] = {}
    denied: dict[str, set[str]] = {}
    hidden: set[str] = set()
    every: dict[str, set[str]] = {}
    role = "<user>"
    for schema, table, column, kind, readable, policed, user in ask(_COLUMNS, [list(TABLES)]):
        tables = found.setdefault(str(schema), {})
        columns = tables.setdefault(str(table), {})
        if readable:
            columns[str(column)] = str(kind)
        else:
            denied.setdefault(f"{schema}.{table}", set()).add(str(column))
        if schema == address.schema:
            role = str(user)
            every.setdefault(str(table), set()).add(str(column))
            if policed:
                hidden.add(str(table))
    tables = found.get(address.schema, {})
    missing = [table for table in _NEEDED if table not in tables]
    strange = [
        f"{table}.{column}"
        for table, columns in _NEEDED_COLUMNS.items()
        for column in columns
        if table in tables and column not in every.get(table, ())
    ]
    if strange:
        raise OtherTables(
            f"The tables in {address.schema} of {address.label} are of another world: "
            f"there is no {', '.join(strange)}.",
            columns=True,
        )
    if missing:
        _no_tables(address, missing, sorted(s for s in found if "workflow_runs" in found[s]))
    unreadable = frozenset(table for table, columns in tables.items() if not columns)
    blocked = [table for table in _NEEDED if table in unreadable]
    if blocked:
        raise SourceUnreadable(
            f"{role} has no SELECT on {address.schema}.{blocked[0]} of {address.label}.",
            hint=grant_hint(address.schema, blocked[0] if len(unreadable) == 1 else "", role),
        )
    for table in sorted(unreadable):
        where = f"{address.schema}.{table}"
        receipt.gap(LISTED.get(table, "others"), f"{where} may not be read")
        receipt.skip(where=where, what="table", why="no SELECT on it")
        receipt.problem(
            "error",
            "missing-grant",
            where,
            "This table may not be read: what it holds is unknown.",
            grant_hint(address.schema, table, role),
        )
    for table in sorted(set(tables) - unreadable):
        columns_denied = denied.get(f"{address.schema}.{table}")
        if columns_denied:
            where = f"{address.schema}.{table}"
            names = ", ".join(sorted(columns_denied))
            receipt.problem(
                "warning",
                "missing-grant",
                where,
                f"These columns may not be read: {names}.",
                grant_hint(address.schema, table, role),
            )
    for table in sorted(hidden):
        receipt.gap(LISTED.get(table, "others"), f"row level security may hide rows of {table}")
        receipt.problem(
            "warning",
            "row-security",
            f"{address.schema}.{table}",
            "Row level security is on: rows may be hidden from this user.",
            "Use a role with BYPASSRLS or the owner of the tables.",
        )
    columns_now = {table: columns for table, columns in tables.items() if table not in unreadable}
    line = layout_of(every)
    upgrade_problem(receipt, line, f"{address.schema}.workflow_runs")
    return Layout(columns=columns_now, unreadable=unreadable, line=line)


def _no_tables(address: Address, missing: list[str], elsewhere: list[str]) -> None:
    name = f"{address.schema}.{missing[0]}"
    if elsewhere:
        names = " or ".join(f"?schema={schema}" for schema in elsewhere)
        hint = f"Such tables are in another schema: add {names} to the address."
    elif len(missing) == len(_NEEDED):
        hint = "Is this the right database? The world's bootstrap command creates the tables."
    else:
        hint = "The other tables are there: was it dropped, or the migration interrupted?"
    raise OtherTables(f"There is no table {name} in {address.label}.", hint=hint)
