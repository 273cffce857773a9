"""One connection to a Postgres world: a read-only snapshot, server-side cursors, no way to write.

Everything happens in one ``REPEATABLE READ, READ ONLY`` transaction, so that all tables are seen as they
were at one moment while the world goes on writing (docs/formats/postgres.md#reading). If the server
ends that transaction (an idle limit, a restart) a new one is begun and that is said.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from eve_replay.errors import EveReplayError, SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.postgres.address import Address, explain

__all__ = ["Connection", "Query"]

Query = sql.SQL | sql.Composed

#: Times are printed in ISO form whatever the server prefers.
#: An open snapshot keeps the server from clearing old rows, so one that is forgotten (a notebook left
#: open) is ended by the server after a quarter of an hour; the next question begins a new one.
_SETTINGS = (
    "set local statement_timeout = {}; set local lock_timeout = {}; set local datestyle = 'ISO'; "
    "set local idle_in_transaction_session_timeout = {}"
)
_IDLE = 900.0
#: After this many seconds of silence the connection is tried before it is used.
_QUIET = 30.0
#: Seconds we wait beyond the limit that the server was given.
_GRACE = 2.0
#: A cursor is planned for its first rows only when the reader wants the first rows soon. Elsewhere that
#: makes the planner walk the primary key of the whole table to find the rows of one run.
_FRACTION = "set local cursor_tuple_fraction = {}"


class Connection:
    """A snapshot of one database.

    Args:
        address: where; its password is used here and nowhere else.
        receipt: told when the snapshot had to be renewed.

    Raises:
        SourceUnreadable: the server cannot be reached.
    """

    def __init__(self, address: Address, receipt: Receipt) -> None:
        self.address = address
        self._receipt = receipt
        self._lock = threading.RLock()
        self._count = 0
        self._closed = False
        self._silent = False
        self._used = monotonic()
        self._link = self._connect()

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        limit = max(2, round(self.address.timeout))
        more: dict[str, Any] = {
            "connect_timeout": min(limit, 10),
            "application_name": "eve-replay",
            "keepalives_idle": 30,
            "tcp_user_timeout": limit * 1000,
            "client_encoding": "utf8",
        }
        try:
            given = conninfo_to_dict(self.address.conninfo)
            link = psycopg.connect(
                self.address.conninfo,
                # No prepared statements: a pooler in front of the server may not keep them.
                prepare_threshold=None,
                **{name: value for name, value in more.items() if name not in given},
            )
        except psycopg.Error as error:
            raise explain(error, self.address) from None
        link.read_only = True
        link.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        return link

    def ask(self, query: str | Query, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a small query; times and enums should be cast to text in it."""
        with self._lock:
            try:
                self._begin()
                with self._watched(), self._link.cursor() as cursor:
                    cursor.execute(query, values or None, binary=True)
                    return cursor.fetchall()
            except psycopg.Error as error:
                raise self._failed(error) from None

    def stream(
        self,
        query: Query,
        values: Sequence[object] = (),
        *,
        doing: str = "",
        batch: int = 500,
        first_rows: bool = False,
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows through a server-side cursor, ``batch`` at a time, so that memory stays flat."""
        with self._lock:
            self._count += 1
            try:
                self._begin()
                with self._watched():
                    self._link.execute(_FRACTION.format(0.001 if first_rows else 1))
                    cursor = self._link.cursor(name=f"eve_replay_{self._count}")
                    cursor.execute(query, values or None, binary=True)
            except psycopg.Error as error:
                raise self._failed(error, doing) from None
        try:
            while True:
                with self._lock:
                    try:
                        with self._watched():
                            rows = cursor.fetchmany(batch)
                    except psycopg.Error as error:
                        raise self._failed(error, doing) from None
                yield from rows
                if len(rows) < batch:
                    return
        finally:
            with self._lock:
                self._forget(cursor)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Cut the connection when nothing comes: the server's own limit does not help on a dead line."""
        watch = threading.Timer(self.address.timeout + _GRACE, self._cut, [self._link.fileno()])
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def _cut(self, descriptor: int) -> None:
        self._silent = True
        with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as line:
            line.shutdown(socket.SHUT_RDWR)

    def _forget(self, cursor: psycopg.ServerCursor[Any]) -> None:
        # A reader that stops early leaves a cursor open on the server; a dead connection has none.
        if not self._link.closed and self._link.info.transaction_status == TransactionStatus.INTRANS:
            try:
                cursor.close()
            except psycopg.Error:
                self.refresh()

    def _begin(self) -> None:
        if self._closed:
            raise SourceUnreadable(f"{self.address.label} was closed.", hint="Open the source again.")
        if monotonic() - self._used > _QUIET and not self._link.closed:
            try:
                with self._watched():
                    self._link.execute("select 1")
            except psycopg.Error:
                self._link.close()
        self._used = monotonic()
        if self._link.closed:
            self._link = self._connect()
            self._receipt.problem(
                "info",
                "snapshot-renewed",
                self.address.label,
                "The server had ended the connection; it was made anew.",
                "What was read before and after may show two moments.",
            )
        if self._link.info.transaction_status == TransactionStatus.IDLE:
            limit = round(self.address.timeout * 1000)
            with self._watched():
                self._link.execute(_SETTINGS.format(limit, min(limit, 5000), round(_IDLE * 1000)))

    def _failed(self, error: psycopg.Error, doing: str = "") -> EveReplayError:
        self.refresh()
        if self._silent:
            self._silent = False
            return SourceUnreadable(
                f"The server at {self.address.label} did not answer within "
                f"{self.address.timeout + _GRACE:g} s: the line is dead.",
                hint="Check the network or the proxy in between, and open the source again.",
            )
        return explain(error, self.address, doing=doing)

    def refresh(self) -> None:
        """Forget the snapshot: the next read sees the database as it is then."""
        with self._lock:
            if not self._link.closed:
                try:
                    self._link.rollback()
                except psycopg.Error:
                    self._link.close()

    def close(self) -> None:
        """End the transaction and the connection."""
        with self._lock:
            self._closed = True
            self._link.close()
