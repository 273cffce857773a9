"""Dumps of MySQL, MariaDB and SQLite as worlds: recognised by their first lines, packed or not."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import as_limits
from eve_replay.problems import LISTS, Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, text_option
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import given_layout, layouts
from eve_replay.worlds.layouts.signs import FLUE, is_flue
from eve_replay.worlds.layouts.tables import MemoryTables, Row
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.pgdump.packed import open_dump_file, unpacked_head
from eve_replay.worlds.sqldump.mysql import read_mysql
from eve_replay.worlds.sqldump.sqlite import load_sqlite

__all__ = ["opener"]

_HEAD = 65_536
_MYSQL = re.compile(rb"(?:MySQL|MariaDB) dump|^/\*!\d{5} |ENGINE=InnoDB", re.MULTILINE)
_MYSQL_BEGIN = re.compile(rb"^(?:/\*.*\*/\s*;?\s*)?-- (?:MySQL|MariaDB) dump", re.MULTILINE)
_SQLITE = re.compile(
    rb"\APRAGMA foreign_keys|\ABEGIN TRANSACTION;|^CREATE TABLE [^\n]*\n?.*^INSERT INTO", re.M
)
_POSTGRES = b"PostgreSQL database dump"


@dataclass(frozen=True, slots=True)
class _SqlDumpOpener:
    kind: str = "sqldump"

    def recognises(self, source: str) -> float:
        """Return how much the file looks like a dump of MySQL or SQLite."""
        path = Path(source).expanduser()
        try:
            if not path.is_file():
                return 0.0
        except (OSError, ValueError):
            return 0.0
        head = unpacked_head(path, _HEAD)
        if not head or b"\0SQLite" in head[:20] or _POSTGRES in head:
            return 0.0
        return 0.9 if _form(head) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a dump. Options: keys, limit, layout."""
        path, receipt = Path(source).expanduser(), Receipt()
        given = text_option(options, "layout")
        known = [given_layout(given)] if given else list(layouts())
        wanted = {part.table for layout in known for part in layout.parts.values()}
        wanted |= {part.join.table for layout in known for part in layout.parts.values() if part.join}
        wanted |= FLUE
        try:
            file, fault = open_dump_file(path, lambda name: name in wanted, as_limits(options.get("limit")))
            with file:
                text = file.read()
        except (OSError, EOFError) as error:
            raise SourceUnreadable(f"{path} cannot be read: {error}.") from error
        form = _form(text[:_HEAD]) or "SQLite"
        if form == "MySQL":
            rows, tables, faults = _from_mysql(text, lambda name: name in wanted)
        else:
            rows, tables, faults = _from_sqlite(text.decode("utf-8", "replace"), wanted)
        flue = not given and is_flue(tables)
        if form == "MySQL" and not flue and b"TIME_ZONE='+00:00'" not in text:
            receipt.problem(
                "warning",
                "unknown-zone",
                str(path),
                "The dump does not say that its times are in UTC (--skip-tz-utc): all times may be shifted.",
            )
        if form == "MySQL" and _MYSQL_BEGIN.search(text[:_HEAD]) and b"-- Dump completed" not in text[-400:]:
            faults.append("it has no line that says it was completed")
        for said in [*([fault] if fault else []), *faults]:
            receipt.problem(
                "error",
                "torn-dump",
                str(path),
                f"The dump is not whole: {said.rstrip('.')}. What came before is shown.",
            )
            for of in LISTS:
                receipt.gap(of, "the dump ends early or is damaged")
        store = MemoryTables(str(path), rows, tables)
        if flue:
            # What @flue/mysql writes was read in its code; a dump of SQLite holds what was recorded.
            status = {"layoutStatus": "untested"} if form == "MySQL" else {}
            from eve_replay.worlds.flue.opener import flue_world  # nobody else's path loads it

            return flue_world(store, receipt, kind=self.kind, form=form, **status)
        layout = choose(tables, given=given, what=f"a dump of {form}", label=str(path))
        return LayoutWorld(
            TableAccess(store),
            layout,
            kind=self.kind,
            wrap=Wrap.of(options),
            receipt=receipt,
            about={"form": form},
        )


_Read = tuple[dict[str, list[Row]], dict[str, tuple[str, ...]], list[str]]


def _from_mysql(text: bytes, wanted: Callable[[str], bool]) -> _Read:
    found = read_mysql(text, wanted)
    tables = {table: tuple(columns) for table, columns in found.tables.items()}
    rows: dict[str, list[Row]] = {name: list(some) for name, some in found.rows.items() if wanted(name)}
    return rows, tables, [found.fault] if found.fault else []


def _from_sqlite(text: str, wanted: set[str]) -> _Read:
    link, faults = load_sqlite(text)
    link.text_factory = lambda raw: raw.decode("utf-8", "replace")
    rows: dict[str, list[Row]] = {}
    tables: dict[str, tuple[str, ...]] = {}
    try:
        for (name,) in link.execute("select name from sqlite_master where type = 'table'").fetchall():
            quoted = str(name).replace('"', '""')
            cursor = link.execute(f'select * from "{quoted}"')
            columns = tuple(str(item[0]) for item in cursor.description)
            tables[str(name)] = columns
            if name in wanted:
                rows[str(name)] = [dict(zip(columns, row, strict=True)) for row in cursor]
    except sqlite3.Error as error:
        faults.append(str(error))
    finally:
        link.close()
    return rows, tables, faults


def _form(head: bytes) -> str:
    if _MYSQL.search(head):
        return "MySQL"
    return "SQLite" if _SQLITE.search(head) else ""


opener = _SqlDumpOpener()
