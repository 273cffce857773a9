"""A dump of PostgreSQL whose tables are not those of world-postgres: Flue's, or read with a layout.

The rows are in memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import LISTS, Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import given_layout, layouts
from eve_replay.worlds.layouts.model import Layout
from eve_replay.worlds.layouts.signs import FLUE, is_flue
from eve_replay.worlds.layouts.tables import MemoryTables, Row
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.pgdump.index import DumpIndex
from eve_replay.worlds.pgdump.packed import open_dump_file

__all__ = ["flue_dump", "layout_world", "unknown_tables"]

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


def flue_dump(path: Path, *, schema: str | None, wrap: Wrap) -> World | None:
    """Return the world of a dump that holds Flue's tables, None when it does not.

    Args:
        path: the dump.
        schema: the schema of the tables, None for the first that holds them.
        wrap: its limits are kept.
    """
    receipt = Receipt()
    try:
        index = DumpIndex(path, receipt, FLUE, wrap.limit)
    except (OSError, EOFError):
        return None
    try:
        shapes: dict[str, dict[str, tuple[str, ...]]] = {}
        for (owner, name), table in index.tables.items():
            shapes.setdefault(owner, {})[name] = tuple(table.columns)
        owners = [owner for owner in sorted(shapes) if schema in (None, owner) and is_flue(shapes[owner])]
        if not owners:
            return None
        rows = _rows(index, owners[0], FLUE)
        for name in sorted(FLUE & shapes[owners[0]].keys()):
            if index.copies and f"{owners[0]}.{name}" not in index.filled:
                for of in LISTS:
                    receipt.gap(of, f"the dump has the table {name} and none of its rows")
        if index.torn:
            for of in LISTS:
                receipt.gap(of, "the dump ends early")
        store = MemoryTables(str(path), rows, shapes[owners[0]])
        from eve_replay.worlds.flue.opener import flue_world  # nobody else's path loads it

        return flue_world(store, receipt, kind="pgdump", schema=owners[0], **index.facts)
    finally:
        index.close()


def _rows(index: DumpIndex, owner: str, wanted: Collection[str]) -> dict[str, list[Row]]:
    return {
        name: [index.row(table, place) for place in table.places()]
        for (where, name), table in index.tables.items()
        if where == owner and name in wanted
    }


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
    rows = _rows(index, owner, _tables(layout))
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
