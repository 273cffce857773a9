"""A dump of PostgreSQL whose tables are not those of world-postgres: read with a layout, rows in memory."""

from __future__ import annotations

import re
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import given_layout, layouts
from eve_replay.worlds.layouts.model import Layout
from eve_replay.worlds.layouts.tables import MemoryTables, Row
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.pgdump.index import DumpIndex
from eve_replay.worlds.pgdump.packed import open_dump_file

__all__ = ["layout_world", "unknown_tables"]

_TABLE = re.compile(
    rb"(?:CREATE TABLE|COPY|INSERT INTO) (?:IF NOT EXISTS )?"
    rb"""(?:(?:\w+|"[^"]+")\.)?(\w+|"[^"]+")[ (]"""
)


def unknown_tables(
    path: Path, missing: SourceUnreadable, *, schema: str | None, wrap: Wrap
) -> SourceUnreadable:
    """Return the error for a dump without any known table: what it holds, and how to describe it.

    Args:
        path: the dump.
        missing: what was looked for first.
        schema: the schema of the tables, None for that with most of them.
        wrap: makes the payloads.
    """
    receipt = Receipt()
    try:
        index = DumpIndex(path, receipt, _names(path))
    except (OSError, EOFError, SourceUnreadable):
        return missing
    try:
        everything = frozenset(name for _, name in index.tables)
        _read(index, path, given=None, schema=schema, wrap=wrap, receipt=receipt, wanted=everything)
    except UnknownLayout as error:
        if error.tables:
            return UnknownLayout(
                f"{missing.message} {error.message}",
                hint=f"{missing.hint} {error.hint}",
                tables=error.tables,
                samples=error.samples,
            )
    except SourceUnreadable:
        pass
    finally:
        index.close()
    return missing


def _names(path: Path) -> frozenset[str]:
    """Return the names of all tables of a dump."""
    file, _ = open_dump_file(path, lambda _name: True)
    with file:
        found = (_TABLE.match(line) for line in file)
        return frozenset(match[1].decode("utf-8", "replace").strip('"') for match in found if match)


def layout_world(path: Path, *, given: str | None, schema: str | None, wrap: Wrap) -> LayoutWorld:
    """Return the world in a dump, read as a layout says.

    Args:
        path: the dump.
        given: a layout somebody named, None looks for one that fits.
        schema: the schema of the tables, None for the one that fits.
        wrap: makes the payloads.

    Raises:
        SourceUnreadable: no layout fits the tables; the message names them.
    """
    receipt = Receipt()
    known = [given_layout(given)] if given else list(layouts())
    wanted = frozenset(table for layout in known if layout.reader == "tables" for table in _tables(layout))
    try:
        index = DumpIndex(path, receipt, wanted, wrap.limit)
    except (OSError, EOFError) as error:
        raise SourceUnreadable(f"{path} cannot be read: {error}.") from error
    try:
        return _read(index, path, given=given, schema=schema, wrap=wrap, receipt=receipt, wanted=wanted)
    finally:
        index.close()  # all rows that are needed are in memory


#: Rows of a table that tell what its columns are.
_SOME = 40


def _read(
    index: DumpIndex,
    path: Path,
    *,
    given: str | None,
    schema: str | None,
    wrap: Wrap,
    receipt: Receipt,
    wanted: frozenset[str],
) -> LayoutWorld:
    shapes: dict[str, dict[str, tuple[str, ...]]] = {}
    for (owner, name), table in index.tables.items():
        shapes.setdefault(owner, {})[name] = tuple(table.columns)
    owners = [schema] if schema else sorted(shapes, key=lambda each: -len(wanted & shapes[each].keys()))
    if not owners or owners[0] not in shapes:
        raise SourceUnreadable(
            f"{path} holds no tables in the schema {schema}.", hint=f"It holds {', '.join(sorted(shapes))}."
        )
    owner = owners[0]

    def sample(name: str) -> list[Row]:
        table = index.tables[owner, name]
        return [index.row(table, place) for place in list(table.places())[:_SOME]]

    layout = choose(shapes[owner], given=given, what="a dump of PostgreSQL", label=str(path), sample=sample)
    rows: dict[str, list[Row]] = {}
    for (where, name), table in index.tables.items():
        if where == owner and name in _tables(layout):
            rows[name] = [index.row(table, place) for place in table.places()]
    tables = {name: shapes[owner][name] for name in shapes[owner]}
    receipt.seen = receipt.parsed = 0
    return LayoutWorld(
        TableAccess(MemoryTables(str(path), rows, tables)),
        layout,
        kind="pgdump",
        wrap=wrap,
        receipt=receipt,
        about={"schema": owner, **index.facts},
    )


def _tables(layout: Layout) -> set[str]:
    joined = {part.join.table for part in layout.parts.values() if part.join is not None}
    return {part.table for part in layout.parts.values()} | joined
