r"""The text pg_dump writes, taken apart: statements, COPY blocks, row values. Nothing is executed.

Both forms are read: ``COPY ... FROM stdin`` (the default) and ``INSERT`` with and without column names,
one or many rows each. psql commands (``\restrict``, ``\connect``) are stepped over. Everything works on
bytes, line by line, so a dump larger than memory is fine. Source: docs/formats/postgres.md#schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from eve_replay.limits import DEFAULT
from eve_replay.worlds.pgdump.values import next_value

__all__ = ["Scanner", "CopyRow", "Insert", "Note", "Piece", "TableShape", "scan"]

_NAME = rb'("(?:[^"]++|"")++"|[A-Za-z_][\w$]*+)'
_PIECE = 1 << 20
_TABLE = rb"(?:" + _NAME + rb"\s*+\.\s*+)?" + _NAME
_COPY = re.compile(
    rb"COPY\s++" + _TABLE + rb"\s*+(?:\(([^)]*+)\))?+\s*+FROM\s++stdin\b.*;\s*\Z", re.IGNORECASE
)
_INSERT = re.compile(
    rb"INSERT\s++INTO\s++(?:ONLY\s++)?"
    + _TABLE
    + rb"\s*+(?:\(([^)]*+)\)\s*+)?(?:OVERRIDING\s++\w++\s++VALUE\s++)?VALUES\s*+",
    re.IGNORECASE,
)
_CREATE = re.compile(
    rb"CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?" + _TABLE + rb"\s*\(", re.I
)
_ATTACH = re.compile(
    rb"ALTER\s+TABLE\s+(?:ONLY\s+)?(?:IF\s+EXISTS\s+)?" + _TABLE + rb"\s+ATTACH\s+PARTITION\s+" + _TABLE, re.I
)
_PARTITION = re.compile(
    rb"CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    + _TABLE
    + rb"\s+PARTITION\s+OF\s+"
    + _TABLE,
    re.I,
)
_INHERITS = re.compile(rb"\)\s*+INHERITS\s*+\(\s*+" + _TABLE + rb"\s*+\)", re.I)
_RELATES = re.compile(rb"(?:ALTER\s+TABLE|CREATE\s+(?:UNLOGGED\s+)?TABLE)\b", re.I)
_CONNECT = re.compile(rb"\\c(?:onnect)?\s+(?:-\S+\s+)*(\S+)")
_PATH = re.compile(rb"SET\s+search_path\s*(?:=|TO)\s*" + _NAME, re.IGNORECASE)
_ENCODING = re.compile(rb"SET\s+client_encoding\s*(?:=|TO)\s*'([^']+)'", re.IGNORECASE)
_COLUMN = re.compile(
    rb'\s*("(?:[^"]|"")+"|[A-Za-z_][\w$]*)\s+([\w".]+(?: varying| precision| without| with)?)', re.DOTALL
)
_CONSTRAINTS = (b"CONSTRAINT", b"PRIMARY", b"UNIQUE", b"CHECK", b"FOREIGN", b"EXCLUDE", b"LIKE")
_LIST = re.compile(rb"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[(),]""")
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
    """Something else worth knowing: ``encoding``, ``database``, ``comment``, ``torn`` (ends early).

    ``rows`` says that rows of a table (``schema.table``) begin, if only none of them; ``partition`` that a
    table's rows lie in another one, which the dump does not say.
    """

    what: str
    value: str


Piece = TableShape | CopyRow | Insert | Note


def scan(file: BinaryIO, wanted: frozenset[str]) -> Iterator[Piece]:
    """Yield what concerns the tables named in ``wanted``, in file order, and the shape of every table.

    Rows of a partition come under the name of the table it belongs to, as they were written.
    """
    return Scanner(file, wanted).pieces()


class Scanner:
    """Goes through a dump line by line.

    Args:
        file: the dump's text.
        wanted: tables whose rows are needed.
        longest: most bytes of a line; a longer one is passed over and named in ``too_long``.
    """

    def __init__(self, file: BinaryIO, wanted: frozenset[str], longest: int = DEFAULT.line) -> None:
        self._file, self._longest = file, longest
        self.too_long: list[str] = []
        self._lines = self._bounded()
        self._wanted = wanted
        self._offset = 0
        #: The schema of names without one: old dumps set a search path.
        self._path = ""
        #: Partition to the table it belongs to: a dump has rows under the partition's name.
        self._parents: dict[tuple[str, str], tuple[str, str]] = {}
        self._shapes: dict[tuple[str, str], tuple[str, ...]] = {}

    def _owner(self, schema: str, table: str, columns: tuple[str, ...] = ()) -> tuple[str, str]:
        """Return the table whose rows these are: the table itself, or what it is a partition of."""
        seen = set()
        while (schema, table) in self._parents and (schema, table) not in seen:
            seen.add((schema, table))
            schema, table = self._parents[schema, table]
        if table not in self._wanted and not seen:
            # A dump of rows alone does not say what belongs to what: the name and the columns do.
            for name in sorted(self._wanted, key=len, reverse=True):
                if table.startswith(name) and {"run_id", "id"} & set(columns):
                    return schema, name
        return schema, table

    def _bounded(self) -> Iterator[bytes]:
        while line := self._file.readline(self._longest + 1):
            if len(line) <= self._longest or line.endswith(b"\n"):
                yield line
                continue
            if len(self.too_long) < 100:
                self.too_long.append(f"byte {self._offset:,}")
            while line and not line.endswith(b"\n"):
                self._offset += len(line)
                line = self._file.readline(_PIECE)
            self._offset += len(line)

    def pieces(self) -> Iterator[Piece]:
        """Yield what concerns the tables that are wanted."""
        for line in self._lines:
            start, self._offset = self._offset, self._offset + len(line)
            stripped = line.strip()
            if not stripped or stripped.startswith(b"--"):
                if b"ersion" in stripped or b"database dump" in stripped:
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
        first = table
        schema, table = self._owner(schema, table, columns)
        if table in self._wanted:
            yield Note("rows", f"{schema}.{table}")
            if first != table and (schema, first) not in self._parents:
                yield Note("partition", f"{schema}.{first} {schema}.{table}")
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
        keep = _concerns(line, self._wanted, self._owner, self._path)
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
        self._relate(text)
        if keep:
            for piece in _statement(text, start, self._path):
                if isinstance(piece, TableShape):
                    self._shapes[piece.schema, piece.table] = tuple(piece.columns)
                elif isinstance(piece, Insert):
                    columns = piece.columns or self._shapes.get((piece.schema, piece.table), ())
                    schema, table = self._owner(piece.schema, piece.table, columns)
                    piece = replace(piece, schema=schema, table=table, columns=columns)
                yield piece
        elif match := _ENCODING.match(text):
            yield Note("encoding", match.group(1).decode("ascii", "replace"))
        elif match := _PATH.match(text):
            self._path = _unquote(match.group(1))

    def _relate(self, text: bytes) -> None:
        """Remember that a table is a part of another one, however the dump says so."""
        text = text.lstrip()
        if match := _ATTACH.match(text):
            child, parent = (match.group(3), match.group(4)), (match.group(1), match.group(2))
        elif match := _PARTITION.match(text):
            child, parent = (match.group(1), match.group(2)), (match.group(3), match.group(4))
        elif (match := _INHERITS.search(text)) and (made := _CREATE.match(text)):
            child, parent = (made.group(1), made.group(2)), (match.group(1), match.group(2))
        else:
            return
        self._parents[self._name(*child)] = self._name(*parent)

    def _name(self, schema: bytes | None, table: bytes) -> tuple[str, str]:
        return _unquote(schema) or self._path, _unquote(table)


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


def _concerns(
    line: bytes, wanted: frozenset[str], owner: Callable[[str, str], tuple[str, str]], path: str
) -> bool:
    line = line.lstrip()
    if line[:6].upper() in (b"CREATE", b"ALTER "):
        return _CREATE.match(line) is not None or _RELATES.match(line) is not None
    match = _INSERT.match(line)
    if match is None:
        # VALUES may be on the next line: decide by the words alone.
        match = re.match(rb"INSERT\s++INTO\s++(?:ONLY\s++)?" + _TABLE, line, re.IGNORECASE)
    if match is None:
        return False
    schema, table = _unquote(match.group(1)) or path, _unquote(match.group(2))
    return table in wanted or owner(schema, table)[1] in wanted or table.startswith(tuple(wanted))


def _statement(text: bytes, offset: int, path: str) -> Iterator[Piece]:
    lead = len(text) - len(text.lstrip())
    match = _CREATE.match(text, lead)
    if match:
        schema, table = _unquote(match.group(1)) or path, _unquote(match.group(2))
        yield TableShape(schema, table, _shape(text[match.end() :]))
        return
    match = _INSERT.match(text, lead)
    if match is None and _RELATES.match(text, lead):
        return
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
    """Return the columns of ``CREATE TABLE ... (`` and their types: a line each, or all in one."""
    columns: dict[str, str] = {}
    for part in _parts(body):
        match = _COLUMN.match(part)
        if match and match.group(1).upper() not in _CONSTRAINTS:
            columns[_unquote(match.group(1))] = match.group(2).decode("utf-8", "replace")
    return columns


def _parts(body: bytes) -> Iterator[bytes]:
    """Yield what stands between the commas of a list, to the parenthesis that ends it."""
    depth, start = 0, 0
    for token in _LIST.finditer(body):
        sign = token.group()
        if sign == b"(":
            depth += 1
        elif sign == b")":
            if depth == 0:
                yield body[start : token.start()]
                return
            depth -= 1
        elif sign == b"," and depth == 0:
            yield body[start : token.start()]
            start = token.end()


def _unquote(name: bytes | None) -> str:
    if not name:
        return ""
    if name.startswith(b'"'):
        name = name[1:-1].replace(b'""', b'"')
    return name.decode("utf-8", "replace")


def _names(text: bytes | None) -> tuple[str, ...]:
    return tuple(_unquote(part.strip()) for part in text.split(b",")) if text else ()
