"""SurrealDB: tables of documents through its own client, ``surrealdb://HOST:PORT/NAMESPACE/DATABASE``.

Only ``INFO`` and ``SELECT`` are sent; a user with the role VIEWER is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.worlds.base import World
from eve_replay.worlds.layouts.tables import Row
from eve_replay.worlds.services.serve import client_of, layout_world, query_of, said
from eve_replay.worlds.sources import public_source

__all__ = ["SurrealTables", "opener"]

#: Scheme -> how the client connects.
_SCHEMES = {
    "surrealdb": "ws", "surreal": "ws", "surrealdb+ws": "ws", "surrealdb+wss": "wss",
    "surrealdb+http": "http", "surrealdb+https": "https",
}  # fmt: skip
_SAMPLE = 20


class SurrealTables:
    """The tables of one database.

    Args:
        database: a connected client of the package ``surrealdb``, namespace and database chosen.
        label: what a person calls it.
    """

    def __init__(self, database: Any, label: str) -> None:
        self.label = label
        self._database = database
        names = sorted(self._first("INFO FOR DB").get("tables") or ())
        self.tables: Mapping[str, tuple[str, ...]] = {
            name: tuple(dict.fromkeys(key for row in self.sample(name) for key in row)) for name in names
        }

    def _query(self, query: str, values: Mapping[str, object] | None = None) -> Any:
        try:
            return self._database.query(query, dict(values or {}))
        except Exception as error:
            # The client raises errors of websockets, of its own and plain exceptions.
            raise SourceUnreadable(
                f"SurrealDB refuses a question ({self.label}): {said(error)}.",
                hint="Check user, namespace and database; reading needs the role VIEWER.",
            ) from None

    def _first(self, query: str) -> Mapping[str, Any]:
        answer = self._query(query)
        while isinstance(answer, list) and answer:
            answer = answer[0]
        if isinstance(answer, Mapping):
            inner = answer.get("result")
            return inner if isinstance(inner, Mapping) else answer
        return {}

    def _rows(self, query: str, values: Mapping[str, object]) -> Iterator[Row]:
        answer = self._query(query, values)
        if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], list):
            answer = answer[0]
        for row in answer if isinstance(answer, list) else ():
            if isinstance(row, Mapping):
                yield {str(name): _plain(value) for name, value in row.items() if name != "id"}

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the documents whose property is one of ``among``, all without one."""
        if table not in self.tables:
            return
        if not column:
            yield from self._rows("SELECT * FROM type::table($table)", {"table": table})
        elif column.isidentifier():
            yield from self._rows(
                f"SELECT * FROM type::table($table) WHERE {column} IN $among",
                {"table": table, "among": list(among)},
            )

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a property."""
        found = self.rows(table, where[0], [where[1]]) if where else self.rows(table)
        return list(dict.fromkeys(row.get(column) for row in found))

    def sample(self, table: str) -> list[Row]:
        """Return some documents of a table."""
        return list(self._rows(f"SELECT * FROM type::table($table) LIMIT {_SAMPLE}", {"table": table}))

    def close(self) -> None:
        """End the connection."""
        close = getattr(self._database, "close", None)
        if callable(close):
            try:
                close()
            except Exception:
                return  # an embedded database or a broken socket has nothing to end


def _plain(value: object) -> object:
    """Return a value of the client as data: its times are objects of its own."""
    for name in ("dt", "datetime"):
        inner = getattr(value, name, None)
        if inner is not None and not callable(inner):
            return inner
    return value


@dataclass(frozen=True, slots=True)
class _SurrealOpener:
    kind: str = "surrealdb"

    def recognises(self, source: str) -> float:
        """Return 1.0 for an address of SurrealDB."""
        return 1.0 if source.partition("://")[0].lower() in _SCHEMES and "://" in source else 0.0

    def open(self, source: str, **options: object) -> World:
        """Connect and look at the tables. Options: keys, limit, layout."""
        parts, query = urlsplit(source), query_of(source)
        names = [unquote(name) for name in parts.path.split("/") if name]
        if len(names) != 2 or not parts.hostname:
            raise WrongUse(
                "This SurrealDB address names no namespace and database.",
                hint="Write surrealdb://user:password@HOST:8000/NAMESPACE/DATABASE.",
            )
        module = client_of("surrealdb", what="a SurrealDB server", extra="surrealdb", package="surrealdb")
        label = public_source(source)
        place = f"{_SCHEMES[parts.scheme.lower()]}://{parts.netloc.rpartition('@')[2]}"
        user, password = parts.username or query.get("user"), parts.password or query.get("pass")
        try:
            database = module.Surreal(place)
            connect = getattr(database, "connect", None)
            if callable(connect) and getattr(database, "socket", True) is None:
                connect()
            if user:
                login = {"username": unquote(user), "password": unquote(password or "")}
                database.signin(login)
            database.use(*names)
        except Exception as error:
            # The client raises errors of websockets, of its own and plain exceptions.
            raise SourceUnreadable(
                f"SurrealDB cannot be reached ({label}): {said(error)}.",
                hint="Check host and port, user and password: surrealdb://user:password@HOST:8000/NS/DB.",
            ) from None
        return layout_world(
            SurrealTables(database, label), kind=self.kind, what="a SurrealDB database", options=options
        )


opener = _SurrealOpener()
