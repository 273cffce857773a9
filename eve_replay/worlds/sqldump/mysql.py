"""The text of ``mysqldump`` and ``mariadb-dump``: tables and rows, binary values in either form.

Escaped (the default, ``_binary '...'`` from MySQL 8 on), ``--hex-blob``, ``--complete-insert``, one or many
rows per statement. Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["MysqlDump", "read_mysql"]

_STATEMENT = re.compile(
    rb"^(?:CREATE TABLE (?:IF NOT EXISTS )?(?P<made>`(?:[^`]|``)+`) \(|"
    rb"(?:INSERT|REPLACE)(?: IGNORE)? INTO (?P<into>`(?:[^`]|``)+`)\s*"
    rb"(?:\((?P<columns>[^)]*)\)\s*)?VALUES\s*)",
    re.MULTILINE,
)
_COLUMN = re.compile(rb"^\s+(`(?:[^`]|``)+`)\s+(\w+)", re.MULTILINE)
_END_OF_TABLE = re.compile(rb"^\)[^\n]*;", re.MULTILINE)
_VALUE = re.compile(
    rb"\s*(?:(?P<null>NULL)|(?P<hex>0x[0-9A-Fa-f]*|[xX]'[0-9A-Fa-f]*')|"
    rb"(?:_binary\s+)?'(?P<text>(?:[^'\\]++|''|\\.)*+)'|(?P<word>[^,()'\s][^,()']*?))\s*(?P<end>[,)])",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_LETTERS = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}
_BINARY = ("blob", "binary", "bit")


class MysqlDump:
    """What a dump holds.

    Attributes:
        tables: table to column to type.
        rows: table to rows, of the wanted tables; binary columns are bytes, all else text.
        fault: where the text ends early, empty when it does not.
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, str]] = {}
        self.rows: dict[str, list[dict[str, object]]] = {}
        self.fault = ""


def read_mysql(text: bytes, wanted: Callable[[str], bool]) -> MysqlDump:
    """Return the tables of a dump and the rows of the wanted ones."""
    found = MysqlDump()
    for match in _STATEMENT.finditer(text):
        if match["made"]:
            end = _END_OF_TABLE.search(text, match.end())
            body = text[match.end() : end.start() if end else len(text)]
            columns = {_name(c[1]): c[2].decode("ascii", "replace").lower() for c in _COLUMN.finditer(body)}
            found.tables[_name(match["made"])] = columns
            if end is None:
                found.fault = f"the text ends inside the table {_name(match['made'])}"
            continue
        table = _name(match["into"])
        shape = found.tables.setdefault(table, {})
        given = match["columns"]
        columns_of = [_name(part.strip()) for part in given.split(b",")] if given else list(shape)
        rows = found.rows.setdefault(table, [])
        if wanted(table):
            fault = _rows(text, match.end(), columns_of, shape, rows)
            if fault:
                found.fault = f"{fault} in the rows of {table}"
    return found


def _rows(
    text: bytes, at: int, columns: list[str], kinds: dict[str, str], rows: list[dict[str, object]]
) -> str:
    """Add the rows of one statement; return why it ended early, empty when it did not."""
    while text[at : at + 1] == b"(":
        at += 1
        values: list[object] = []
        while True:
            match = _VALUE.match(text, at)
            if match is None:
                return f"the text ends, or is damaged, at byte {at}"
            at = match.end()
            kind = kinds.get(columns[len(values)], "") if len(values) < len(columns) else ""
            values.append(_value(match, kind))
            if match["end"] == b")":
                break
        rows.append(dict(zip(columns, values, strict=False)))
        while text[at : at + 1] in (b",", b"\n", b"\r", b" "):
            at += 1
    return "" if text[at : at + 1] == b";" else f"the text ends, or is damaged, at byte {at}"


def _value(match: re.Match[bytes], kind: str) -> object:
    binary = any(word in kind for word in _BINARY)
    if match["null"]:
        return None
    if match["hex"] is not None:
        digits = match["hex"].lower().removeprefix(b"0x").removeprefix(b"x").strip(b"'")
        raw = bytes.fromhex((b"0" * (len(digits) % 2) + digits).decode("ascii"))
    elif match["text"] is not None:
        raw = _ESCAPE.sub(_unescape, match["text"])
    else:
        raw = match["word"]
        binary = False
    return raw if binary else raw.decode("utf-8", "replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    if letter is None:
        return b"'"
    return match[0] if letter in (b"%", b"_") else _LETTERS.get(letter, bytes(letter))


def _name(quoted: bytes) -> str:
    return quoted.strip(b"`").replace(b"``", b"`").decode("utf-8", "replace")
