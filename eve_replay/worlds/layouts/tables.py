"""Tables and collections behind one small face: SQL over any DB-API connection, or rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from eve_replay.codec import loads_json
from eve_replay.worlds.layouts.model import Rule

__all__ = ["MemoryTables", "Row", "SqlTables", "TableStore", "as_id", "dig"]

Row = Mapping[str, object]
#: Values of one ``IN (...)``: SQLite allows 999 in old versions.
_BATCH = 200
#: Rows of a sample.
_SOME = 40


def as_id(value: object) -> str:
    """Return a stored id as text, whatever type the store gave it."""
    return bytes(value).decode("utf-8", "replace") if isinstance(value, (bytes, bytearray)) else str(value)


def dig(row: Row, rule: Rule) -> object:
    """Return what a rule means in a row: a column, or what its path leads to in a column of JSON."""
    value = row.get(rule.column)
    if not rule.path or value is None:
        return value
    if isinstance(value, (str, bytes, bytearray)):
        try:
            value = loads_json(bytes(value) if isinstance(value, bytearray) else value)
        except ValueError:
            return None
    for name in rule.path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


class TableStore(Protocol):
    """What is read of a store of tables. It never writes.

    Attributes:
        label: what a person calls it.
        tables: table to its columns, in stored order; for documents the properties seen in it.
    """

    label: str
    tables: Mapping[str, tuple[str, ...]]

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows whose ``column`` is one of ``among`` (all rows without a column), in any order."""
        ...

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a column, of the rows where another column has a value."""
        ...

    def sample(self, table: str) -> list[Row]:
        """Return some rows of a table."""
        ...

    def close(self) -> None:
        """Release what is open."""
        ...


class SqlTables:
    """Tables read through SQL.

    Args:
        label: what a person calls the store.
        tables: table to columns.
        ask: runs a query and yields its rows.
        mark: the placeholder of the driver, ``?`` or ``%s``.
        quote: quotes a name.
        shown: what to select for a column, where it is not the column itself (a cast to text).
        schema: put in front of every table.
    """

    def __init__(
        self,
        label: str,
        tables: Mapping[str, tuple[str, ...]],
        ask: Callable[[str, Sequence[object]], Iterable[Sequence[object]]],
        *,
        mark: str = "?",
        quote: Callable[[str], str] = lambda name: '"' + name.replace('"', '""') + '"',
        shown: Callable[[str, str], str] | None = None,
        schema: str = "",
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.label = label
        self.tables = tables
        self._ask = ask
        self._mark = mark
        self._quote = quote
        self._shown = shown or (lambda _table, column: quote(column))
        self._schema = schema
        self._close = close

    def _from(self, table: str) -> str:
        return f"{self._quote(self._schema)}.{self._quote(table)}" if self._schema else self._quote(table)

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows whose ``column`` is one of ``among``, all rows without a column."""
        columns = self.tables.get(table, ())
        if not columns or (column and column not in columns):
            return
        what = ", ".join(self._shown(table, name) for name in columns)
        query = f"select {what} from {self._from(table)}"
        batches = [among[i : i + _BATCH] for i in range(0, len(among), _BATCH)] if column else [()]
        for batch in batches:
            where = (
                f" where {self._quote(column)} in ({', '.join([self._mark] * len(batch))})" if batch else ""
            )
            for row in self._ask(query + where, batch):
                yield dict(zip(columns, row, strict=True))

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a column."""
        columns = self.tables.get(table, ())
        if column not in columns or (where and where[0] not in columns):
            return []
        query = f"select distinct {self._shown(table, column)} from {self._from(table)}"
        if where:
            query += f" where {self._quote(where[0])} = {self._mark}"
        return [row[0] for row in self._ask(query, (where[1],) if where else ())]

    def sample(self, table: str) -> list[Row]:
        """Return some rows of a table."""
        columns = self.tables.get(table, ())
        if not columns:
            return []
        what = ", ".join(self._shown(table, name) for name in columns)
        query = f"select {what} from {self._from(table)} limit {_SOME}"
        return [dict(zip(columns, row, strict=True)) for row in self._ask(query, ())]

    def close(self) -> None:
        """Close the connection."""
        self._close()


class MemoryTables:
    """Rows that are in memory already: documents of an export, rows of a dump.

    Args:
        label: what a person calls the store.
        rows: table to its rows.
        tables: table to columns, for tables that have no rows; else the columns are those seen in the rows.
    """

    def __init__(
        self,
        label: str,
        rows: Mapping[str, Sequence[Row]],
        tables: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.label = label
        self._rows = rows
        self._index: dict[tuple[str, str], dict[object, list[Row]]] = {}
        known = {table: dict.fromkeys(columns) for table, columns in (tables or {}).items()}
        for table, found in rows.items():
            columns = known.setdefault(table, {})
            for row in found:
                columns.update(dict.fromkeys(row))
        self.tables: Mapping[str, tuple[str, ...]] = {name: tuple(columns) for name, columns in known.items()}

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the rows whose ``column`` is one of ``among``, all rows without a column."""
        if not column:
            yield from self._rows.get(table, ())
            return
        index = self._by(table, column)
        for value in among:
            yield from index.get(_key(value), ())

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a column."""
        rows = self._by(table, where[0]).get(_key(where[1]), []) if where else self._rows.get(table, [])
        return list({_key(row.get(column)): row.get(column) for row in rows}.values())

    def _by(self, table: str, column: str) -> dict[object, list[Row]]:
        found = self._index.get((table, column))
        if found is None:
            found = self._index[table, column] = {}
            for row in self._rows.get(table, ()):
                found.setdefault(_key(row.get(column)), []).append(row)
        return found

    def sample(self, table: str) -> list[Row]:
        """Return some rows of a table."""
        return list(self._rows.get(table, ()))[:_SOME]

    def close(self) -> None:
        """Nothing is open."""


def _key(value: object) -> object:
    return value if isinstance(value, (str, int, float, bytes, type(None))) else repr(value)
