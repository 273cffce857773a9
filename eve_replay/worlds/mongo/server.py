"""A live MongoDB, read through pymongo: collections as tables of documents. Nothing is written or watched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.tables import Row
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.sources import public_source

__all__ = ["MongoCollections", "server_world"]

#: The database of the world unless the address names one.
_DATABASE = "workflow"
_SAMPLE = 20


class MongoCollections:
    """The collections of one database as tables.

    Args:
        database: a database of pymongo, or anything with its ``list_collection_names`` and ``find``.
        label: what a person calls it.
        close: ends the connection.
    """

    def __init__(self, database: Any, label: str, close: Any = None) -> None:
        self._database = database
        self._end = close
        self.label = label
        self.tables: Mapping[str, tuple[str, ...]] = {
            name: tuple(dict.fromkeys(key for found in self.sample(name) for key in found))
            for name in sorted(database.list_collection_names())
        }

    def sample(self, table: str) -> list[Row]:
        """Return some documents of a collection."""
        return list(self._database[table].find({}, limit=_SAMPLE))

    def rows(self, table: str, column: str = "", among: Sequence[object] = ()) -> Iterator[Row]:
        """Yield the documents whose property is one of ``among``, all without one."""
        if table in self.tables:
            yield from self._database[table].find({column: {"$in": list(among)}} if column else {})

    def values(self, table: str, column: str, where: tuple[str, object] | None = None) -> list[object]:
        """Return the different values of a property."""
        if table not in self.tables:
            return []
        return list(self._database[table].distinct(column, {where[0]: where[1]} if where else {}))

    def close(self) -> None:
        """End the connection."""
        if self._end is not None:
            self._end()


def server_world(source: str, *, given: str | None, wrap: Wrap, timeout: float | None = None) -> LayoutWorld:
    """Return the world on a MongoDB server.

    Args:
        source: ``mongodb://user:password@host:port/database``.
        given: a layout somebody named.
        wrap: makes the payloads.
        timeout: seconds to wait for the server.

    Raises:
        SourceUnreadable: no package, no server, no access, no layout that fits.
    """
    try:
        import pymongo
        from pymongo.errors import PyMongoError
    except ImportError as error:
        raise SourceUnreadable(
            "Reading a MongoDB server needs the package pymongo, which is not installed here.",
            hint="pip install 'eve-replay[mongo]', or export the database: mongodump --db workflow, and open "
            "the folder.",
        ) from error
    label = public_source(source)
    try:
        client: Any = pymongo.MongoClient(
            source, serverSelectionTimeoutMS=int((timeout or 10) * 1000), readPreference="secondaryPreferred"
        )
        database = client.get_default_database(_DATABASE)
        store = MongoCollections(database, label, client.close)
    except (PyMongoError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise SourceUnreadable(
            f"The MongoDB server of {label} cannot be read: {said}.",
            hint="Check host, port, user and password: mongodb://user:password@host:27017/workflow. Or "
            "export it: mongodump --db workflow, and open the folder.",
        ) from None
    layout = choose(
        store.tables,
        given=given,
        what="a MongoDB database",
        label=label,
        reader="documents",
        sample=store.sample,
    )
    return LayoutWorld(TableAccess(store), layout, kind="mongo", wrap=wrap)
