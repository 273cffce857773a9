"""Worlds in Redis: ``redis://`` addresses, RDB files, and ``keys.json`` files of the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, number_option, read_json, text_option
from eve_replay.worlds.redis.choose import world_of_keys
from eve_replay.worlds.redis.rdb import MAGIC, read_rdb
from eve_replay.worlds.redis.store import FileStore, KeyStore, RdbStore, ServerStore

__all__ = ["opener"]

_SCHEMES = ("redis://", "rediss://", "redis+unix://", "unix://")
_HEAD = 65_536
#: Keys that list the runs of a world; the database of a file that has one is meant.
_INDEXES = (":runs:idx:all", "runs:index")


@dataclass(frozen=True, slots=True)
class _RedisOpener:
    kind: str = "redis"

    def recognises(self, source: str) -> float:
        """Return how sure this is Redis: an address, or a file whose head looks like a dump of keys."""
        if source.lower().startswith(_SCHEMES):
            return 1.0
        try:
            path = Path(source)
            if path.is_dir():
                named = ((path / name).is_file() for name in ("keys.json", "dump.rdb"))
                return 0.55 if any(named) else 0.0
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except (OSError, ValueError):
            return 0.0
        if head.startswith(MAGIC):
            return 0.9
        if not head.lstrip().startswith(b"{"):
            return 0.0
        if b'"pttl"' in head and b'"type"' in head and b'"value"' in head:
            return 0.95
        return 0.9 if b":runs:idx:all" in head and b'"zset"' in head else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a server or a file. Options: keys, limit, prefix, timeout, layout."""
        prefix = text_option(options, "prefix")
        store: KeyStore
        if source.lower().startswith(_SCHEMES):
            query = {name: values[-1] for name, values in parse_qs(urlsplit(source).query).items()}
            given = number_option(options, "timeout")
            timeout = given if given is not None else number_option(query, "timeout")
            store = ServerStore(source, timeout=timeout if timeout is not None else 30.0)
            prefix = prefix or query.get("prefix")
        else:
            store = _file_store(Path(source))
        try:
            world = world_of_keys(
                store, prefix=prefix, wrap=Wrap.of(options), given=text_option(options, "layout")
            )
        except BaseException:
            store.close()
            raise
        if isinstance(store, RdbStore) and store.fault:
            world.receipt.problem(
                "error", "torn-rdb", store.label, f"The RDB file is not whole: {store.fault}."
            )
        return world


def _file_store(path: Path) -> KeyStore:
    if path.is_dir():
        path = path / ("keys.json" if (path / "keys.json").is_file() else "dump.rdb")
    try:
        with path.open("rb") as file:
            binary = file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    if binary:
        return _rdb_store(path)
    keys = read_json(path)
    if not isinstance(keys, dict):
        raise SourceUnreadable(f"{path} is no dump of Redis keys: it is no JSON object.")
    return FileStore(keys, str(path))


def _rdb_store(path: Path) -> RdbStore:
    found = read_rdb(path.read_bytes())
    # A file may hold several databases; the one with runs in it is meant.
    listed = (n for n, keys in found.databases.items() if any(key.endswith(_INDEXES) for key in keys))
    number = next(listed, next((n for n, keys in found.databases.items() if keys), 0))
    if found.fault and not found.databases.get(number):
        raise SourceUnreadable(f"{path} cannot be read: {found.fault}.")
    store = RdbStore(found.databases.get(number, {}), str(path))
    store.fault = found.fault
    return store


opener = _RedisOpener()
