"""``mysql://user:password@host:3306/database``: the tables of a database, read with a layout.

The session is read only and sees one moment; only SELECT is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, number_option, text_option
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.library import fits_tables
from eve_replay.worlds.layouts.signs import is_flue
from eve_replay.worlds.layouts.tables import Row, SqlTables
from eve_replay.worlds.layouts.world import LayoutWorld

__all__ = ["opener"]

_SCHEMES = ("mysql://", "mariadb://", "mysql+pymysql://")
_SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
_BINARY = ("blob", "binary", "bit")
_COLUMNS = (
    "select table_schema, table_name, column_name, data_type from information_schema.columns "
    f"where table_schema not in ({', '.join(repr(name) for name in _SYSTEM)}) "
    "order by table_schema, table_name, ordinal_position"
)
#: Server error -> what to say: unknown database, no access, no such host.
_SAID = {
    1045: ("The server refused the user name or the password", "Write mysql://user:password@host/database."),
    1049: ("There is no such database", "Check the name after the last slash of the address."),
    1044: ("This user may not read that database", "GRANT SELECT ON database.* TO the user."),
    2003: ("No MySQL server answers", "Check host and port, and that it is running."),
}


@dataclass(frozen=True, slots=True)
class _MysqlOpener:
    kind: str = "mysql"

    def recognises(self, source: str) -> float:
        """Return 1 for a MySQL or MariaDB address."""
        return 1.0 if source.lower().startswith(_SCHEMES) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Connect and look at the tables. Options: keys, limit, timeout, layout."""
        try:
            import pymysql
        except ImportError as error:
            raise SourceUnreadable(
                "Reading a MySQL or MariaDB server needs the package PyMySQL, which is not installed here.",
                hint="pip install 'eve-replay[mysql]', or dump it: mysqldump --hex-blob workflow > dump.sql, "
                "and open the file.",
            ) from error
        address = _Address.of(source, number_option(options, "timeout"))
        try:
            link = pymysql.connect(
                host=address.host,
                port=address.port,
                user=address.user,
                password=address.password,
                database=address.database or None,
                connect_timeout=min(int(address.timeout), 10) or 1,
                read_timeout=int(address.timeout) or 1,
                charset="utf8mb4",
                # Times as text: the server keeps more than Python's dates can.
                conv=dict(pymysql.converters.encoders),
                init_command="SET time_zone = '+00:00'",
            )
        except pymysql.MySQLError as error:
            raise _explain(error, address) from None
        try:
            return _world(link, address, pymysql.MySQLError, options)
        except BaseException:
            link.close()
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    host: str
    port: int
    user: str
    password: str
    database: str
    timeout: float

    @property
    def label(self) -> str:
        """The address without its secrets."""
        return f"mysql://{self.host}:{self.port}/{self.database}".rstrip("/")

    @classmethod
    def of(cls, source: str, timeout: float | None) -> _Address:
        """Take an address apart. Raises WrongUse."""
        try:
            parts = urlsplit(source)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            return cls(
                host=parts.hostname or "127.0.0.1",
                port=parts.port or 3306,
                user=unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                database=unquote(parts.path.strip("/")),
                timeout=timeout or number_option(query, "timeout") or 30.0,
            )
        except ValueError:
            raise WrongUse(
                "This MySQL address cannot be read.", hint="Write mysql://user:password@host:3306/database."
            ) from None


def _world(link: Any, address: _Address, failure: type[Exception], options: dict[str, object]) -> World:
    def ask(query: str, values: Sequence[object]) -> Iterator[Sequence[object]]:
        try:
            with link.cursor() as cursor:
                cursor.execute(query, tuple(values) or None)
                yield from cursor.fetchall()
        except failure as error:
            raise _explain(error, address) from None

    def started() -> None:
        # One snapshot for everything that follows; ended with the connection.
        list(ask("set session transaction read only", ()))
        list(ask("start transaction with consistent snapshot, read only", ()))

    started()
    kinds: dict[str, dict[str, dict[str, str]]] = {}
    for schema, table, column, kind in ask(_COLUMNS, ()):
        place = kinds.setdefault(_text(schema), {}).setdefault(_text(table), {})
        place[_text(column)] = _text(kind).lower()
    database = address.database if address.database in kinds else _best(kinds) or address.database
    tables = {table: tuple(columns) for table, columns in kinds.get(database, {}).items()}

    def shown(table: str, column: str) -> str:
        binary = any(word in kinds[database][table][column] for word in _BINARY)
        return _quote(column) if binary else f"cast({_quote(column)} as char)"

    store = SqlTables(
        address.label, tables, ask, mark="%s", quote=_quote, shown=shown, schema=database, close=link.close
    )
    decoded = _Decoded(store, kinds.get(database, {}))
    flue = is_flue(tables)
    layout = (
        None
        if flue
        else choose(
            tables,
            given=text_option(options, "layout"),
            what="a MySQL or MariaDB database",
            label=f"{address.label} ({database})" if database != address.database else address.label,
            sample=decoded.sample,
        )
    )
    if layout is None:
        from eve_replay.worlds.flue.opener import flue_world  # nobody else's path loads it

        return flue_world(decoded, Receipt(), kind="mysql", layoutStatus="untested")
    return LayoutWorld(TableAccess(decoded), layout, kind="mysql", wrap=Wrap.of(options))


class _Decoded(SqlTables):
    """Rows with text where the column holds text: the driver gives bytes for everything."""

    def __init__(self, store: SqlTables, kinds: dict[str, dict[str, str]]) -> None:
        self._store = store
        self._kinds = kinds
        self.label = store.label
        self.tables = store.tables

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[dict[str, object]]:
        """Yield rows as ``SqlTables`` does."""
        kinds = self._kinds.get(table, {})
        for row in self._store.rows(table, column, among):
            yield {name: _value(value, kinds.get(name, "")) for name, value in row.items()}

    def sample(self, table: str) -> list[Row]:
        """Return some rows of a table, decoded."""
        kinds = self._kinds.get(table, {})
        return [
            {name: _value(value, kinds.get(name, "")) for name, value in row.items()}
            for row in self._store.sample(table)
        ]

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a column, as text."""
        return [_text(value) for value in self._store.values(table, column, where) if value is not None]

    def close(self) -> None:
        """End the connection."""
        self._store.close()


def _value(value: object, kind: str) -> object:
    if not isinstance(value, (bytes, bytearray)):
        return value
    return bytes(value) if any(word in kind for word in _BINARY) else _text(value)


def _text(value: object) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, (bytes, bytearray)) else str(value)


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``").replace("%", "%%") + "`"


def _best(kinds: dict[str, dict[str, dict[str, str]]]) -> str:
    """Return the database with Flue's tables, else that whose tables fit a layout best; empty for none."""
    for name, tables in sorted(kinds.items()):
        if is_flue({table: tuple(columns) for table, columns in tables.items()}):
            return name
    scores = {
        name: max((fit.score - 100 * len(fit.gaps) for fit in fits_tables(tables)), default=None)
        for name, tables in kinds.items()
    }
    good = {name: score for name, score in scores.items() if score is not None}
    return max(sorted(good), key=lambda name: good[name], default="")


def _explain(error: Exception, address: _Address) -> SourceUnreadable:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    words, hint = _SAID.get(code, ("MySQL reports a problem", ""))
    said = " ".join(str(error.args[-1] if error.args else error).split())[:200].rstrip(".")
    if address.password:
        said = said.replace(address.password, "***")
    return SourceUnreadable(f"{words} at {address.label}: {said}.", hint=hint)


opener = _MysqlOpener()
