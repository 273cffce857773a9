r"""The text pg_dump writes, taken apart: statements, COPY blocks, row values. Nothing is executed.

Both forms are read: ``COPY ... FROM stdin`` (the default) and ``INSERT`` with and without column names,
one or many rows each. psql commands (``\restrict``, ``\connect``) are stepped over. Everything works on
bytes, line by line, so a dump larger than memory is fine. Source: docs/formats/postgres.md#schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from eve_replay.worlds.pgdump.values import next_value

__all__ = ["CopyRow", "Insert", "Note", "Piece", "TableShape", "scan"]

_NAME = rb'("(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
_TABLE = rb"(?:" + _NAME + rb"\s*\.\s*)?" + _NAME
_COPY = re.compile(rb"COPY\s+" + _TABLE + rb"\s*(?:\(([^)]*)\))?\s*FROM\s+stdin\b.*;\s*\Z", re.IGNORECASE)
_INSERT = re.compile(
    rb"INSERT\s+INTO\s+(?:ONLY\s+)?"
    + _TABLE
    + rb"\s*(?:\(([^)]*)\)\s*)?(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*",
    re.IGNORECASE,
)
_CREATE = re.compile(
    rb"CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?" + _TABLE + rb"\s*\(", re.I
)
_CONNECT = re.compile(rb"\\c(?:onnect)?\s+(?:-\S+\s+)*(\S+)")
_PATH = re.compile(rb"SET\s+search_path\s*(?:=|TO)\s*" + _NAME, re.IGNORECASE)
_ENCODING = re.compile(rb"SET\s+client_encoding\s*(?:=|TO)\s*'([^']+)'", re.IGNORECASE)
_SPECIAL = re.compile(rb"""'|"|--|/\*|\$(?:[A-Za-z_][\w]*)?\$|;""")


@dataclass(frozen=True, slots=True)
class TableShape:
    """A ``CREATE TABLE``: the columns in order, and their types."""

    schema: str
    table: str
    columns: dict[str, str]


@dataclass(frozen=True, slots=True)
class CopyRow:
    """One line of a COPY block, its place in the file, and the columns of the block."""

    schema: str
    table: str
    columns: tuple[str, ...]
    line: bytes = field(repr=False)
    offset: int


@dataclass(frozen=True, slots=True)
class Insert:
    """One row of an INSERT: the text between its parentheses, both included, and its place."""

    schema: str
    table: str
    columns: tuple[str, ...]
    text: bytes = field(repr=False)
    offset: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something else worth knowing: ``encoding``, ``database``, ``comment``, ``torn`` (ends early)."""

    what: str
    value: str


Piece = TableShape | CopyRow | Insert | Note


def scan(file: BinaryIO, wanted: frozenset[str]) -> Iterator[Piece]:
    """Yield what concerns the tables named in ``wanted``, in file order."""
    return _Scanner(file, wanted).pieces()


class _Scanner:
    def __init__(self, file: BinaryIO, wanted: frozenset[str]) -> None:
        self._lines = iter(file)
        self._wanted = wanted
        self._offset = 0
        #: The schema of names without one: old dumps set a search path.
        self._path = ""

    def pieces(self) -> Iterator[Piece]:
        for line in self._lines:
            start, self._offset = self._offset, self._offset + len(line)
            stripped = line.strip()
            if not stripped or stripped.startswith(b"--"):
                if b"ersion" in stripped:
                    yield Note("comment", stripped[2:].decode("utf-8", "replace").strip())
            elif stripped.startswith(b"\\"):
                match = _CONNECT.match(stripped)
                if match:
                    yield Note("database", match.group(1).decode("utf-8", "replace").strip("'\""))
            elif match := _COPY.match(stripped):
                yield from self._copy(match)
            else:
                yield from self._other(line, start)

    def _copy(self, match: re.Match[bytes]) -> Iterator[Piece]:
        schema, table = _unquote(match.group(1)) or self._path, _unquote(match.group(2))
        columns = _names(match.group(3))
        for row in self._lines:
            at, self._offset = self._offset, self._offset + len(row)
            bare = row.rstrip(b"\r\n")
            if bare == b"\\.":
                return
            if table in self._wanted and row.endswith(b"\n"):
                yield CopyRow(schema, table, columns, bare, at)
        yield Note("torn", f"the rows of {schema}.{table}")

    def _other(self, line: bytes, start: int) -> Iterator[Piece]:
        """Any other statement: to its semicolon, keeping its text only when it is one of ours."""
        keep = _concerns(line, self._wanted)
        parts, state = [line], _Statement()
        while not state.feed(line):
            following = next(self._lines, None)
            if following is None:
                yield Note("torn", "a statement")
                return
            line = following
            self._offset += len(line)
            if keep:
                parts.append(line)
        text = b"".join(parts)
        if keep:
            yield from _statement(text, start, self._path)
        elif match := _ENCODING.match(text):
            yield Note("encoding", match.group(1).decode("ascii", "replace"))
        elif match := _PATH.match(text):
            self._path = _unquote(match.group(1))


class _Statement:
    """Where a statement ends: strings, names, comments and dollar quotes may hold semicolons."""

    def __init__(self) -> None:
        self._inside = b""

    def feed(self, line: bytes) -> bool:
        at = 0
        while True:
            if self._inside:
                end = self._close(line, at)
                if end < 0:
                    return False
                at, self._inside = end, b""
            match = _SPECIAL.search(line, at)
            if match is None:
                return False
            token, at = match.group(), match.end()
            if token == b";":
                return True
            if token == b"--":
                return False
            if token == b"'":
                # E'...' knows backslashes; pg_dump writes it only with old settings.
                before = line[max(0, match.start() - 2) : match.start()]
                escaped = before[-1:] in (b"E", b"e") and not before[:-1].isalnum()
                self._inside = b"E'" if escaped else b"'"
            else:
                self._inside = b"*/" if token == b"/*" else token

    def _close(self, line: bytes, at: int) -> int:
        if self._inside == b"E'":
            while True:
                quote, slash = line.find(b"'", at), line.find(b"\\", at)
                if quote < 0 and slash < 0:
                    return -1
                if slash < 0 or 0 <= quote < slash:
                    return quote + 1
                at = slash + 2
        found = line.find(self._inside, at)
        return -1 if found < 0 else found + len(self._inside)


def _concerns(line: bytes, wanted: frozenset[str]) -> bool:
    line = line.lstrip()
    match = _INSERT.match(line) or _CREATE.match(line)
    if match is None:
        # VALUES may be on the next line: decide by the words alone.
        match = re.match(rb"INSERT\s+INTO\s+(?:ONLY\s+)?" + _TABLE, line, re.IGNORECASE)
    return match is not None and _unquote(match.group(2)) in wanted


def _statement(text: bytes, offset: int, path: str) -> Iterator[Piece]:
    lead = len(text) - len(text.lstrip())
    match = _CREATE.match(text, lead)
    if match:
        schema, table = _unquote(match.group(1)) or path, _unquote(match.group(2))
        yield TableShape(schema, table, _shape(text[match.end() :]))
        return
    match = _INSERT.match(text, lead)
    if match is None:
        yield Note("unread", text[:60].decode("utf-8", "replace"))
        return
    schema, table, columns = (
        _unquote(match.group(1)) or path,
        _unquote(match.group(2)),
        _names(match.group(3)),
    )
    at = match.end()
    while text[at : at + 1] == b"(":
        end = _tuple_end(text, at)
        if end < 0:
            yield Note("unread", f"a row of {schema}.{table}")
            return
        yield Insert(schema, table, columns, text[at:end], offset + at)
        at = end
        while text[at : at + 1] in (b",", b" ", b"\n", b"\r", b"\t"):
            at += 1


def _tuple_end(text: bytes, at: int) -> int:
    at += 1
    while True:
        match = next_value(text, at)
        if match is None:
            return -1
        at = match.end()
        if match.group(3) == b")":
            return at


def _shape(body: bytes) -> dict[str, str]:
    columns: dict[str, str] = {}
    for line in body.splitlines():
        match = re.match(
            rb'\s*("(?:[^"]|"")+"|[a-z_][\w$]*)\s+([\w".]+(?: varying| precision| without| with)?)', line
        )
        if match and match.group(1).upper() not in (
            b"CONSTRAINT",
            b"PRIMARY",
            b"UNIQUE",
            b"CHECK",
            b"FOREIGN",
        ):
            columns[_unquote(match.group(1))] = match.group(2).decode("utf-8", "replace")
    return columns


def _unquote(name: bytes | None) -> str:
    if not name:
        return ""
    if name.startswith(b'"'):
        name = name[1:-1].replace(b'""', b'"')
    return name.decode("utf-8", "replace")


def _names(text: bytes | None) -> tuple[str, ...]:
    return tuple(_unquote(part.strip()) for part in text.split(b",")) if text else ()
