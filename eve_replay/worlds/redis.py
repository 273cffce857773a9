"""The community Redis world: ``redis://`` addresses and ``keys.json`` files of the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.base import World
from eve_replay.worlds.export_entities import Wrap, number_option, read_json, text_option
from eve_replay.worlds.redis_store import FileStore, KeyStore, ServerStore
from eve_replay.worlds.redis_world import RedisWorld

__all__ = ["opener"]

_SCHEMES = ("redis://", "rediss://", "redis+unix://", "unix://")
_HEAD = 65_536
_RDB = b"REDIS00"


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
                return 0.55 if (path / "keys.json").is_file() else 0.0
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except (OSError, ValueError):
            return 0.0
        if head.startswith(_RDB):
            return 0.9
        if not head.lstrip().startswith(b"{"):
            return 0.0
        if b'"pttl"' in head and b'"type"' in head and b'"value"' in head:
            return 0.95
        return 0.9 if b":runs:idx:all" in head and b'"zset"' in head else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open a server or a file. Options: keys, limit, prefix, timeout."""
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
            return RedisWorld(store, prefix=prefix, wrap=Wrap.of(options))
        except BaseException:
            store.close()
            raise


def _file_store(path: Path) -> FileStore:
    if path.is_dir():
        path = path / "keys.json"
    try:
        with path.open("rb") as file:
            binary = file.read(len(_RDB)) == _RDB
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    if binary:
        raise SourceUnreadable(
            f"{path} is an RDB file in Redis' own binary form.",
            hint="Start a private redis-server on a copy of it (--dbfilename) and open redis://localhost:PORT.",
        )
    keys = read_json(path)
    if not isinstance(keys, dict):
        raise SourceUnreadable(f"{path} is no dump of Redis keys: it is no JSON object.")
    return FileStore(keys, str(path))


opener = _RedisOpener()
