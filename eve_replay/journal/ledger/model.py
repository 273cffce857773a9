"""An outside record of what really happened: payments, mails, rows. Imported as it is, never written.

A ledger is any table with one line per effect that happened: NDJSON, CSV, rows of a SQL query, a data frame.
Columns are mapped to the few names joining needs; everything else is kept in ``fields``. Joining with a
journal is in :mod:`eve_replay.journal.ledger.join`.
"""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from eve_replay.brief import Brief
from eve_replay.codec.jsontext import JsonFault, loads_lines, parse_json
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.problems import Receipt
from eve_replay.times import parse_time
from eve_replay.values import preview

__all__ = ["COLUMNS", "Column", "Connection", "DataFrame", "Entry", "Ledger", "LedgerLike"]

Column = Literal["at", "effect", "key", "call_id", "session_id", "run_id", "step_id", "attempt", "count"]

#: Names under which a column is found when no mapping is given, first match wins. Compared without case and
#: without ``_``, ``-`` and spaces.
COLUMNS: Mapping[Column, tuple[str, ...]] = {
    "at": ("at", "time", "timestamp", "ts", "createdat", "created", "occurredat", "date", "datetime"),
    "effect": ("effect", "tool", "toolname", "name", "type", "kind", "event", "action", "operation"),
    "key": ("idempotencykey", "key", "dedupekey", "deduplicationid", "idempotencytoken", "clienttoken"),
    "call_id": ("callid", "toolcallid", "call"),
    "session_id": ("sessionid", "session"),
    "run_id": ("runid", "run", "workflowrunid"),
    "step_id": ("stepid", "step"),
    "attempt": ("attempt", "attemptnumber"),
    "count": ("count", "times", "n"),
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry(Brief):
    """One line of a ledger.

    Attributes:
        line: 1-based line or row.
        at: when it happened, None when the ledger does not say.
        effect: what it calls the effect.
        key, call_id, session_id, run_id, step_id: ids it carries, None where it carries none.
        times: how many effects the line stands for (a ``count`` column), normally 1.
        fields: the whole line.
    """

    line: int
    at: datetime | None = None
    effect: str = ""
    key: str | None = None
    call_id: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    step_id: str | None = None
    attempt: int | None = None
    times: int = 1
    fields: Mapping[str, object] = field(default_factory=dict, repr=False)


@runtime_checkable
class Connection(Protocol):
    """A DB-API connection, as far as we use one: the caller opens it, we only read."""

    def cursor(self) -> Any:
        """Return a cursor with ``execute``, ``description`` and iteration."""
        ...


class DataFrame(Protocol):
    """A data frame, as far as we use one."""

    @property
    def to_dict(self) -> Callable[..., Any]:
        """Called with ``"records"`` for one dict per row."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ledger(Brief):
    """The lines of one ledger, in order.

    Attributes:
        entries: the lines that could be read.
        origin: what a person calls it (file name, query).
        columns: which column was taken for what.
        receipt: lines seen, used and skipped.
    """

    entries: tuple[Entry, ...] = ()
    origin: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    receipt: Receipt = field(default_factory=Receipt, repr=False)

    @classmethod
    def load(
        cls,
        source: LedgerLike,
        *,
        columns: Mapping[str, str] | None = None,
        query: str | None = None,
        format: str | None = None,
    ) -> Ledger:
        """Read a ledger from a path, rows, a data frame or a connection.

        Args:
            source: a path (``.ndjson``, ``.jsonl``, ``.csv``, ``.tsv``, ``.db``, ``.sqlite``), an iterable of
                mappings, a data frame (anything with ``to_dict("records")``), or a DB-API connection.
            columns: our names to the ledger's: ``{"key": "stripe_idempotency", "at": "created"}``.
            query: the SELECT for a connection or an SQLite file.
            format: ``ndjson``, ``csv``, ``tsv`` or ``sqlite`` when the suffix does not tell.

        Raises:
            WrongUse: no query for a database, an unknown column name, or a source of another kind.
            SourceUnreadable: the file or database cannot be read.
        """
        if isinstance(source, Ledger):
            return source
        if isinstance(source, str | PathLike):
            return cls._from_path(Path(source), columns, query, format)
        if isinstance(source, Connection):
            return cls.from_sql(source, query or "", columns=columns)
        to_dict = getattr(source, "to_dict", None)
        if callable(to_dict):
            return cls.from_rows(to_dict("records"), columns=columns, origin="data frame")
        if isinstance(source, Iterable):
            return cls.from_rows(source, columns=columns)
        raise WrongUse(f"A ledger cannot be read from {type(source).__name__}.")

    @classmethod
    def _from_path(
        cls, path: Path, columns: Mapping[str, str] | None, query: str | None, format: str | None
    ) -> Ledger:
        kind = (format or path.suffix).lower().lstrip(".")
        if kind in ("db", "sqlite", "sqlite3"):
            if not path.is_file():
                raise SourceUnreadable(f"The ledger {path.name} does not exist.")
            try:
                # Immutable: we neither lock the file nor leave a journal beside it. A file with a write-ahead
                # log beside it is in use, and without that log it would show old rows.
                still = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
                link = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{still}", uri=True)
                with closing(link):
                    return cls.from_sql(link, query or "", columns=columns, origin=path.name)
            except sqlite3.Error as exc:
                raise SourceUnreadable(f"The ledger {path.name} cannot be read as SQLite: {exc}.") from exc
        try:
            text = path.read_text(encoding="utf-8-sig", errors="replace")
        except OSError as exc:
            raise SourceUnreadable(f"The ledger {path} cannot be read: {exc.strerror or exc}.") from exc
        if kind in ("csv", "tsv"):
            rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if kind == "tsv" else ",")
            return cls._read(((rows.line_num, row) for row in rows), columns, path.name, Receipt())
        receipt = Receipt()
        lines = _json_rows(text, path.name, receipt)
        return cls._read(lines, columns, path.name, receipt)

    @classmethod
    def from_sql(
        cls,
        connection: Connection,
        query: str,
        *,
        columns: Mapping[str, str] | None = None,
        origin: str = "query",
    ) -> Ledger:
        """Read the rows of one SELECT. The connection stays open and is not committed."""
        if not query.strip():
            raise WrongUse("A ledger in a database needs a query.", hint="Give a SELECT, one row per effect.")
        cursor = connection.cursor()
        try:
            cursor.execute(query)
            names = [str(column[0]) for column in cursor.description or ()]
            rows = [dict(zip(names, row, strict=False)) for row in cursor]
        finally:
            cursor.close()
        return cls.from_rows(rows, columns=columns, origin=origin)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[object],
        *,
        columns: Mapping[str, str] | None = None,
        origin: str = "rows",
    ) -> Ledger:
        """Read an iterable of mappings, one per effect that happened."""
        return cls._read(enumerate(rows, start=1), columns, origin, Receipt())

    @classmethod
    def _read(
        cls,
        rows: Iterable[tuple[int, object]],
        columns: Mapping[str, str] | None,
        origin: str,
        receipt: Receipt,
    ) -> Ledger:
        wrong = sorted(set(columns or ()) - set(COLUMNS))
        if wrong:
            raise WrongUse(
                f"A ledger has no column {wrong[0]!r} to map.", hint=f"Use {', '.join(sorted(COLUMNS))}."
            )
        entries: list[Entry] = []
        used: dict[str, str] = {}
        for number, row in rows:
            receipt.seen += 1
            if not isinstance(row, Mapping):
                receipt.skip(where=f"{origin}:{number}", what="ledger line", why="it is not an object")
                continue
            receipt.parsed += 1
            entries.append(_entry(number, {str(k): v for k, v in row.items()}, columns or {}, used))
        return cls(entries=tuple(entries), origin=origin, columns=used, receipt=receipt)

    @property
    def names(self) -> tuple[str, ...]:
        """The effect names it uses, in order of appearance."""
        return tuple(dict.fromkeys(entry.effect for entry in self.entries if entry.effect))


def _json_rows(text: str, origin: str, receipt: Receipt) -> Iterator[tuple[int, object]]:
    """Yield the objects of NDJSON with their lines, or of one JSON array with their places."""
    if text.lstrip().startswith("["):
        whole = parse_json(text)
        if isinstance(whole, list):
            yield from enumerate(whole, start=1)
            return
    for number, value in loads_lines(text):
        if isinstance(value, JsonFault):
            receipt.seen += 1
            receipt.skip(where=f"{origin}:{number}", what="ledger line", why=f"no JSON: {value.message}")
        else:
            yield number, value


def _entry(line: int, row: Mapping[str, object], columns: Mapping[str, str], used: dict[str, str]) -> Entry:
    plain = {_plain(name): name for name in reversed(list(row))}
    values: dict[str, object] = {}
    for column, aliases in COLUMNS.items():
        name = columns.get(column) or next((plain[a] for a in aliases if a in plain), None)
        if name is not None and name in row:
            values[column] = row[name]
            used.setdefault(column, name)
    attempt = _whole(values.get("attempt"))
    times = _whole(values.get("count")) if "count" in columns else None
    return Entry(
        line=line,
        at=_when(values.get("at")),
        effect=_text(values.get("effect")) or "",
        key=_text(values.get("key")),
        call_id=_text(values.get("call_id")),
        session_id=_text(values.get("session_id")),
        run_id=_text(values.get("run_id")),
        step_id=_text(values.get("step_id")),
        attempt=attempt,
        times=1 if times is None else times,
        fields=row,
    )


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _text(value: object) -> str | None:
    # NaN is how a data frame says that a cell is empty.
    if value is None or value != value:
        return None
    if isinstance(value, (dict, list)):
        return preview(value, 200)  # as deep as somebody likes: str() would follow it down
    text = str(value).strip()
    return text or None


def _whole(value: object) -> int | None:
    text = _text(value)
    try:
        return int(float(text)) if text is not None else None
    except (ValueError, OverflowError):
        return None


def _when(value: object) -> datetime | None:
    """Instants as ledgers write them: ISO text, datetimes, epoch seconds or milliseconds."""
    text = _text(value)
    if text is None:
        return None
    if not isinstance(value, (str, datetime, int, float)):
        # pandas timestamps and numpy scalars print as ISO text.
        return parse_time(text)
    if isinstance(value, str):
        parsed = parse_time(value.strip())
        if parsed is not None:
            return parsed
        try:
            value = float(text)
        except ValueError:
            return None
    if isinstance(value, (int, float)):
        # Epoch seconds of our time have ten digits, milliseconds thirteen.
        return parse_time(value * 1000 if abs(value) < 1e11 else value)
    return parse_time(value)


#: What every ``ledger`` argument takes.
LedgerLike: TypeAlias = Ledger | str | PathLike[str] | Iterable[Mapping[str, object]] | Connection | DataFrame
