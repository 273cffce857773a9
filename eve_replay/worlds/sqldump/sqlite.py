"""The text of ``sqlite3 FILE .dump``, loaded into an empty database in memory.

Only CREATE TABLE and INSERT of plain values get through: an authorizer refuses everything else, so that a
dump of unknown origin can open no file and run no function beyond those that ``.dump`` itself writes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

__all__ = ["load_sqlite"]

_ALLOWED = {
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,  # of a primary key
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_SELECT,
}
#: What ``.dump`` writes for texts with line ends, and for control signs from SQLite 3.50 on.
_FUNCTIONS = ("replace", "char", "unistr")
_WANTED = re.compile(r"\s*(?:CREATE\s+TABLE|INSERT\s+INTO|REPLACE\s+INTO)\b", re.IGNORECASE)
_LARGEST = 64 << 20


def load_sqlite(text: str) -> tuple[sqlite3.Connection, list[str]]:
    """Return a database with the tables and rows of a dump, and what could not be loaded.

    A dump that ends inside a statement keeps what came before.
    """
    link = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    link.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
    faults: list[str] = []
    link.set_authorizer(_allow)
    for statement, whole in _statements(text):
        if not whole:
            faults.append(f"the text ends inside a statement: {statement.strip()[:60]!r}")
        elif _WANTED.match(statement):
            try:
                link.execute(statement)
            except (sqlite3.Error, ValueError) as error:  # ValueError: a NUL in the statement
                if len(faults) < 20:
                    faults.append(f"{error}: {statement.strip()[:60]!r}")
    link.set_authorizer(None)
    return link, faults


def _allow(action: int, first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    if action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


_TRIGGER = re.compile(r"\s*CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER\b", re.IGNORECASE)
_SIGN = re.compile(r"""'|"|`|\[|--|/\*""")
_ENDS = {"[": "]", "/*": "*/"}


def _left_in(line: str, inside: str) -> str:
    """Return what ends the text, name or comment that a line leaves open, empty when it leaves none."""
    at = 0
    while True:
        if inside:
            end = line.find(inside, at)
            if end < 0:
                return inside
            at, inside = end + len(inside), ""  # a doubled quote ends a text and begins the next one
        sign = _SIGN.search(line, at)
        if sign is None or sign[0] == "--":
            return ""
        at, inside = sign.end(), _ENDS.get(sign[0], sign[0])


def _statements(text: str) -> Iterator[tuple[str, bool]]:
    """Yield statements and whether each is whole; ``.dump`` begins every one on a line of its own."""
    parts: list[str] = []
    inside = ""  # the sign that ends what a line was left in: a text, a name, a comment
    for line in text.splitlines(keepends=True):
        parts.append(line)
        inside = _left_in(line, inside)
        # A trigger holds statements of its own, and ends with END.
        done = not _TRIGGER.match(parts[0]) or line.rstrip().upper().endswith("END;")
        if not inside and done and line.rstrip().endswith(";"):
            yield "".join(parts), True
            parts = []
    if "".join(parts).strip():
        yield "".join(parts), False
