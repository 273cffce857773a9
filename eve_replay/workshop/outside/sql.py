"""A table store with unique constraints and transactions, and an optional outbox worker beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

from eve_replay.workshop.outside.answers import Answer, Count, Rows, copied, shown
from eve_replay.workshop.outside.base import Service, UniqueViolation
from eve_replay.workshop.wire import Wire

__all__ = ["Sql", "Transaction"]

_Tables = dict[str, list[dict[str, Any]]]
#: A write of a transaction, ready to be repeated on the real tables when it commits.
_Write = Callable[["_State"], object]


class _State:
    """Tables, and the constraints that inserts have declared on them."""

    __slots__ = ("tables", "unique")

    def __init__(self) -> None:
        self.tables: _Tables = {}
        self.unique: dict[str, set[tuple[str, ...]]] = {}

    def copy(self) -> _State:
        new = _State()
        new.tables = {name: [dict(row) for row in rows] for name, rows in self.tables.items()}
        new.unique = {name: set(columns) for name, columns in self.unique.items()}
        return new

    def select(self, table: str, where: Mapping[str, object]) -> list[dict[str, Any]]:
        return [
            row
            for row in self.tables.get(table, ())
            if all(name in row and row[name] == value for name, value in where.items())
        ]

    def insert(self, table: str, unique: tuple[str, ...], row: dict[str, Any]) -> dict[str, Any]:
        constraints = self.unique.setdefault(table, set())
        if unique:
            constraints.add(unique)
        self._check(table, row, None)
        self.tables.setdefault(table, []).append(dict(row))
        return row

    def update(self, table: str, where: Mapping[str, object], changes: Mapping[str, object]) -> int:
        rows = self.select(table, where)
        for row in rows:
            self._check(table, {**row, **changes}, row)
            row.update(changes)
        return len(rows)

    def _check(self, table: str, row: Mapping[str, object], me: object) -> None:
        for columns in sorted(self.unique.get(table, ())):
            values = [row.get(name) for name in columns]
            if None in values:  # as in SQL: no value is not equal to another no value
                continue
            for other in self.tables.get(table, ()):
                if other is not me and [other.get(name) for name in columns] == values:
                    said = ", ".join(f"{name}={shown(row.get(name))}" for name in columns)
                    raise UniqueViolation(
                        f"a row with {said} is in table {table} already. Nothing was written."
                    )


class Sql(Service):
    """Tables with unique constraints.

    Setting: ``outbox`` (False; True: a worker outside sends every row of the table ``outbox`` once, by its
    ``id``, when no process is running).
    """

    __slots__ = ("_outbox", "_sent", "_state")

    name = "sql"
    can = (
        "insert(table, unique=(), **row)",
        "select(table, **where)",
        "update(table, where, **changes)",
        "transaction()",
    )

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._state = _State()
        self._outbox = bool(self._option("outbox", False))
        self._sent: set[str] = set()

    def insert(self, table: str, unique: Iterable[str] = (), **row: object) -> Answer:
        """Insert a row.

        Args:
            table: its name; tables need no declaration.
            unique: columns that together must be unique in this table, from now on.
            row: the columns.

        Raises:
            UniqueViolation: such a row is there already.
        """
        name, columns, values = self._row("insert", table, unique, row)

        def act() -> Answer:
            try:
                self._state.insert(name, columns, values)
            except UniqueViolation:
                self._acted("insert", "violated", table=name, row=dict(values), unique=list(columns))
                raise
            entry = self._wire.happened("sql", "row", {"table": name, **values}, None)
            self._acted("insert", "inserted", table=name, row=dict(values), entries=[entry])
            return Answer(copied(values))

        return self._call("insert", {"table": name, "unique": list(columns), **values}, act)

    def select(self, table: str, **where: object) -> Rows:
        """Return copies of the rows with these values."""
        name = self._text("select", "table", table)
        wanted = self._about("select", where)

        def act() -> Rows:
            rows = Rows(copied(row) for row in self._state.select(name, wanted))
            self._acted("select", "found", table=name, count=len(rows), rows=[dict(row) for row in rows[:3]])
            return rows

        return self._call("select", {"table": name, **wanted}, act, reads=True)

    def update(self, table: str, where: Mapping[str, object], **changes: object) -> Count:
        """Change the rows with these values; returns how many."""
        name, wanted, new = self._change("update", table, where, changes)

        def act() -> Count:
            trial = self._state.copy()  # so that a violation in the middle changes nothing
            try:
                count = trial.update(name, wanted, new)
            except UniqueViolation:
                self._acted("update", "violated", table=name, row=dict(new), unique=[])
                raise
            self._state = trial
            self._acted("update", "updated", table=name, count=count, changes=dict(new))
            return Count(count)

        return self._call("update", {"table": name, "where": wanted, **new}, act)

    def transaction(self) -> Transaction:
        """Return a transaction for ``with``: all of it is written by one commit at its end, or nothing."""
        return Transaction(self)

    def settle(self) -> None:
        """Let the outbox worker send what it finds: each ``id`` once, ever (it remembers them itself)."""
        if not self._outbox:
            return
        for number, row in enumerate(self._state.tables.get("outbox", ())):
            name = str(row.get("id", f"row {number}"))
            if name in self._sent:
                continue
            self._sent.add(name)
            fields = {column: value for column, value in row.items() if column != "effect"}
            effect = row.get("effect")
            entry = self._wire.happened("outbox", effect if isinstance(effect, str) else "mail", fields, name)
            self._wire.tell(
                "acted",
                {"service": "outbox", "method": "send", "did": "sent", "id": name, "entries": [entry]},
            )

    # -- shared with transactions ------------------------------------------------------------------

    def _row(
        self, method: str, table: object, unique: object, row: Mapping[str, object]
    ) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        name = self._text(method, "table", table)
        columns = (unique,) if isinstance(unique, str) else unique
        if not isinstance(columns, (tuple, list, set, frozenset)) or not all(
            isinstance(c, str) for c in columns
        ):
            self._refuse(method, "not-columns", name="unique", value=shown(unique))
        values = self._about(method, row)
        if not values:
            self._refuse(method, "no-columns", name=name)
        for column in columns:
            if column not in values:
                self._refuse(method, "column-missing", name=str(column), value=name)
        ordered = sorted(columns) if isinstance(columns, (set, frozenset)) else columns
        return name, tuple(str(column) for column in ordered), values

    def _change(
        self, method: str, table: object, where: object, changes: Mapping[str, object]
    ) -> tuple[str, dict[str, object], dict[str, object]]:
        name = self._text(method, "table", table)
        if not isinstance(where, Mapping) or not all(isinstance(each, str) for each in where):
            self._refuse(method, "not-where", name="where", value=shown(where))
        return name, self._about(method, where), self._about(method, changes)


class Transaction:
    """Writes that become true together. Statements see what the transaction itself has written."""

    __slots__ = ("_sql", "_trial", "_writes")

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self._trial: _State | None = None
        self._writes: list[tuple[dict[str, object], _Write]] = []

    def __enter__(self) -> Transaction:
        self._trial = self._sql._state.copy()
        self._writes = []
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._trial = None
        writes, self._writes = self._writes, []
        if kind is None and writes:
            self._commit(writes)

    async def __aenter__(self) -> Transaction:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def insert(self, table: str, unique: Iterable[str] = (), **row: object) -> Answer:
        """Insert a row when the transaction commits; raises ``UniqueViolation`` at once when it cannot."""
        name, columns, values = self._sql._row("transaction.insert", table, unique, row)
        self._open().insert(name, columns, values)
        said: dict[str, object] = {"insert": name, **values}
        self._writes.append((said, lambda state: state.insert(name, columns, values)))
        return Answer(copied(values))

    def update(self, table: str, where: Mapping[str, object], **changes: object) -> Count:
        """Change rows when the transaction commits; returns how many it will be."""
        name, wanted, new = self._sql._change("transaction.update", table, where, changes)
        count = self._open().update(name, wanted, new)
        said: dict[str, object] = {"update": name, "where": wanted, **new}
        self._writes.append((said, lambda state: state.update(name, wanted, new)))
        return Count(count)

    def select(self, table: str, **where: object) -> Rows:
        """Return rows as the transaction sees them."""
        name = self._sql._text("transaction.select", "table", table)
        return Rows(
            copied(row) for row in self._open().select(name, self._sql._about("transaction.select", where))
        )

    def _open(self) -> _State:
        if self._trial is None:
            self._sql._refuse("transaction", "not-open")
        return self._trial

    def _commit(self, writes: list[tuple[dict[str, object], _Write]]) -> None:
        sql = self._sql
        said = [dict(each) for each, _ in writes]

        def act() -> None:
            trial = sql._state.copy()
            try:
                for _, write in writes:
                    write(trial)
            except UniqueViolation:
                sql._acted("commit", "violated", writes=said)
                raise
            sql._state = trial
            rows = [each for each in said if "insert" in each]
            entries = [
                sql._wire.happened(
                    "sql",
                    "row",
                    {"table": row["insert"], **{k: v for k, v in row.items() if k != "insert"}},
                    None,
                )
                for row in rows
            ]
            sql._acted("commit", "committed", writes=said, entries=entries)

        sql._call("commit", {"writes": said}, act)
