"""Where each row of a dump lies: keys and places only, the rows themselves stay in the file."""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from eve_replay.limits import Limits, as_limits
from eve_replay.problems import LISTS, Receipt
from eve_replay.times import parse_time
from eve_replay.worlds.export.entities import from_json
from eve_replay.worlds.pgdump.packed import open_dump_file
from eve_replay.worlds.pgdump.text import CopyRow, Insert, Note, Scanner, TableShape
from eve_replay.worlds.pgdump.values import copy_values, tuple_values
from eve_replay.worlds.postgres.queue import QueueJob, job_of
from eve_replay.worlds.postgres.rows import KEYS, LISTED, TABLES, Row

__all__ = ["DumpIndex", "DumpTable", "Place"]

_JOBS = "_private_jobs"
_GROUPED_BY = {"workflow_runs": "id", "workflow_stream_chunks": "stream_id"}
_TEXT = re.compile(r"(?:utf|ascii|latin|iso8859|cp\d|koi8|euc|big5|gb|shift|johab|tis|hz)")
_ENCODINGS = {"SQL_ASCII": "utf-8", "WIN1252": "cp1252", "UNICODE": "utf-8", "MULE_INTERNAL": "utf-8"}


@dataclass(frozen=True, slots=True)
class Place:
    """One row: its key, where its text lies, whether it is a COPY line."""

    key: str
    offset: int
    length: int
    copy: bool
    columns: tuple[str, ...]


@dataclass(slots=True)
class DumpTable:
    """One table of one schema.

    Attributes:
        columns: column to type, types empty when the dump has no CREATE TABLE for it.
        streams: run id to stream names, chunks only; the empty run id for rows without one.
    """

    name: str
    columns: dict[str, str] = field(default_factory=dict)
    groups: dict[str, list[Place]] = field(default_factory=dict)
    streams: dict[str, set[str]] = field(default_factory=dict)
    count: int = 0

    def places(self, group: str | None = None) -> list[Place]:
        """Return the rows of a run (of a stream for chunks), or all of them, by key."""
        if group is None:
            found = [place for places in self.groups.values() for place in places]
        else:
            found = self.groups.get(group, [])
        return sorted(found, key=lambda place: place.key)

    def sample(self, count: int) -> list[Place]:
        """Return the first and the last rows by key."""
        places = self.places()
        return places if len(places) <= 2 * count else places[:count] + places[-count:]


class DumpIndex:
    """A scanned dump.

    Args:
        path: the file; ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` are unpacked into memory.
        receipt: told about torn ends and rows that cannot be read.

    Attributes:
        tables: (schema, table) to what was found, among them tables that are only created.
        filled: tables (``schema.table``) whose rows the dump holds, if only none of them.
        copies: whether rows come as COPY blocks; then a table without one was left out of the dump.
        torn: whether the dump ends early.
        facts: versions the dump names.
    """

    def __init__(
        self,
        path: Path,
        receipt: Receipt,
        wanted: frozenset[str] = frozenset(TABLES),
        limits: Limits | None = None,
    ) -> None:
        self.filled: set[str] = set()
        self.copies = False
        self.torn = self._begun = self._ended = False
        self._wanted = wanted
        self.tables: dict[tuple[str, str], DumpTable] = {}
        self.facts: dict[str, object] = {}
        self._receipt = receipt
        self._label = str(path)
        self._encoding = "utf-8"
        self._lock = threading.Lock()
        self._file, fault = open_dump_file(path, lambda name: name.startswith((*wanted, _JOBS)), limits)
        databases: list[str] = []
        scanner = Scanner(self._file, frozenset((*wanted, _JOBS)), as_limits(limits).line)
        for piece in scanner.pieces():
            if isinstance(piece, Note):
                self._note(piece, databases)
            elif isinstance(piece, TableShape):
                self._table(piece.schema, piece.table).columns.update(piece.columns)
            else:
                self._add(piece)
        for where in scanner.too_long:
            self._too_long(where, as_limits(limits))
        self.fault = fault
        if fault:
            self.torn = True
            receipt.problem(
                "error",
                "torn-dump",
                self._label,
                f"The dump is not whole: {fault.rstrip('.')}. What came before is shown.",
                "" if "--limit" in fault else "Was the disk full, or the copy interrupted? Dump again.",
            )
        if self._begun and not self._ended and not self.torn:
            self.torn = True
            receipt.problem(
                "error",
                "torn-dump",
                self._label,
                "The dump does not end as pg_dump ends one: it was cut between two statements. What came "
                "before is shown.",
                "Was the disk full, or the copy interrupted? Dump again.",
            )
        if len(databases) > 1:
            receipt.problem(
                "warning",
                "several-databases",
                self._label,
                f"This dump holds several databases ({', '.join(databases)}); their runs are shown together.",
                "Dump one database with pg_dump.",
            )

    def _too_long(self, where: str, limits: Limits) -> None:
        self._receipt.skip(
            where=where,
            what="line",
            why=f"It has more than {limits.line:,} bytes, the limit. {limits.way_on('line')}",
        )
        for of in LISTS:
            self._receipt.gap(of, "a line of the dump is over the limit")

    def _note(self, note: Note, databases: list[str]) -> None:
        if note.what == "comment":
            self._ended = self._ended or "database dump complete" in note.value
            self._begun = self._begun or note.value == "PostgreSQL database dump"
            for words, name in (("from database version ", "server"), ("by pg_dump version ", "pgDump")):
                if words in note.value:
                    self.facts[name] = note.value.partition(words)[2].split()[0]
        elif note.what == "encoding":
            name = _ENCODINGS.get(note.value.upper(), note.value)
            try:
                known = codecs.lookup(name).name
            except (LookupError, ValueError):  # ValueError: a NUL in the name
                known = ""
            # Not every codec of Python is one of a database: some undo base64, some take quadratic time.
            self._encoding = known if _TEXT.match(known) else "utf-8"
        elif note.what == "database":
            databases.append(note.value)
        elif note.what == "rows":
            self.filled.add(note.value)
            self.copies = True
        elif note.what == "partition":
            child, parent = note.value.split(" ")
            self._receipt.problem(
                "info",
                "partition-by-name",
                child,
                f"The dump does not say what {child} belongs to; by its name it is a part of {parent}.",
            )
        elif note.what == "torn":
            self.torn = True
            for of in dict.fromkeys(LISTED.values()):
                self._receipt.gap(of, f"the dump ends in the middle of {note.value}")
            self._receipt.problem(
                "error",
                "torn-dump",
                self._label,
                f"The file ends in the middle of {note.value}: later rows are missing. What came before is "
                "shown.",
                "Was the disk full, or the copy interrupted? Dump again.",
            )
        else:
            self._receipt.skip(where=self._label, what=note.value, why="this statement cannot be read")

    def _table(self, schema: str, name: str) -> DumpTable:
        return self.tables.setdefault((schema, name), DumpTable(name))

    def _add(self, piece: CopyRow | Insert) -> None:
        table = self._table(piece.schema, piece.table)
        self.filled.add(f"{piece.schema}.{piece.table}")
        columns = piece.columns or tuple(table.columns)
        for column in columns:
            table.columns.setdefault(column, "")
        copy = isinstance(piece, CopyRow)
        text = piece.line if isinstance(piece, CopyRow) else piece.text
        try:
            values = _values(text, columns, copy)
        except ValueError as error:
            self._receipt.gap(LISTED.get(piece.table, "others"), "a row of the dump cannot be read")
            self._receipt.skip(where=f"{self._label} at byte {piece.offset}", what="row", why=str(error))
            return
        key = self._text(values.get(KEYS.get(piece.table, "id"))) or ""
        group = self._text(values.get(_GROUPED_BY.get(piece.table, "run_id"))) or ""
        if piece.table in TABLES and self._wanted == frozenset(TABLES) and not (key and group):
            where = f"{self._label} at byte {piece.offset}"
            self._receipt.skip(where=where, what="row", why="it has no id or names no run")
            return
        table.count += 1
        table.groups.setdefault(group, []).append(Place(key, piece.offset, len(text), copy, columns))
        if piece.table == "workflow_stream_chunks":
            table.streams.setdefault(self._text(values.get("run_id")) or "", set()).add(group)

    def _text(self, value: bytes | None) -> str | None:
        return None if value is None else value.decode(self._encoding, "replace")

    def row(self, table: DumpTable, place: Place) -> Row:
        """Read one row again. Raises ValueError when it is no row any more."""
        with self._lock:
            self._file.seek(place.offset)
            text = self._file.read(place.length)
        row: dict[str, str | bytes | None] = {}
        for column, value in _values(text, place.columns, place.copy).items():
            row[column] = _bytea(value) if _is_bytea(table, column) else self._text(value)
        return row

    def jobs(self) -> Iterator[QueueJob]:
        """Yield the jobs of graphile-worker."""
        for (_, name), table in self.tables.items():
            if name != _JOBS:
                continue
            for place in table.places():
                row = {k: v if isinstance(v, str) else "" for k, v in self.row(table, place).items()}
                try:
                    payload = from_json(row.get("payload") or "{}")
                    counts = int(row.get("attempts") or 0), int(row.get("max_attempts") or 0)
                except ValueError:
                    continue
                yield job_of(
                    row.get("key", ""),
                    payload,
                    attempts=counts[0],
                    max_attempts=counts[1],
                    run_at=parse_time(row.get("run_at")),
                    locked_at=parse_time(row.get("locked_at")),
                    last_error=row.get("last_error", ""),
                )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _values(text: bytes, columns: Iterable[str], copy: bool) -> dict[str, bytes | None]:
    values = copy_values(text) if copy else tuple_values(text)
    names = tuple(columns)
    if len(values) != len(names):
        raise ValueError(f"{len(values)} values for {len(names)} columns")
    return dict(zip(names, values, strict=True))


def _is_bytea(table: DumpTable, column: str) -> bool:
    kind = table.columns.get(column)
    # A dump of data only has no types: the names tell.
    return kind == "bytea" if kind else column.endswith("_cbor") or column in ("data", "resume_context")


def _bytea(value: bytes | None) -> bytes | None:
    if value is None:
        return None
    if value.startswith(b"\\x"):
        try:
            return bytes.fromhex(value[2:].decode("ascii", "replace"))
        except ValueError:
            # One damaged column: what is made of it says so, and the rest of the row is good.
            return value
    # The old "escape" form: \\ooo for bytes that do not print.
    return re.sub(
        rb"\\(\\|[0-7]{3})",
        lambda m: b"\\" if m.group(1) == b"\\" else bytes([int(m.group(1), 8) & 255]),
        value,
    )
