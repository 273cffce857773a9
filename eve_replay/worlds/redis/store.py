"""Keys of a Redis database, from a live server or from a file: only what the Redis world reads of them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.worlds.redis.rdb import RdbKey

__all__ = ["FileStore", "KeyStore", "RdbStore", "ServerStore", "StreamEntry", "entry_order"]

StreamEntry = tuple[str, dict[bytes, bytes]]
_BATCH = 500


def entry_order(entry: str) -> str:
    """Return the id of a stream's entry so that ids sort as text: ``5-10`` comes after ``5-9``."""
    head, _, number = entry.partition("-")
    return f"{head:0>13}-{number:0>6}" if head.isdigit() and number.isdigit() else entry


class KeyStore(Protocol):
    """What is read of a Redis database. Every name is text, every value bytes."""

    label: str

    def find(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match a pattern in which only ``*`` is special."""
        ...

    def strings(self, keys: list[str]) -> list[bytes | None]:
        """Return the strings under these keys, None where there is none."""
        ...

    def hashes(self, keys: list[str]) -> list[dict[bytes, bytes]]:
        """Return the hashes of these keys, empty ones where there is none."""
        ...

    def sorted_members(self, key: str) -> Iterator[bytes]:
        """Yield the members of a sorted set by score."""
        ...

    def members(self, key: str) -> list[bytes]:
        """Return the members of a set."""
        ...

    def items(self, key: str) -> list[bytes]:
        """Return the items of a list, in its order."""
        ...

    def entries(self, key: str) -> Iterator[StreamEntry]:
        """Yield the entries of a stream in order."""
        ...

    def close(self) -> None:
        """Release the connection."""
        ...


class ServerStore:
    """A live server. Only reading commands are sent; nothing is watched, blocked or scripted.

    Args:
        source: ``redis://user:password@host:port/0`` or ``rediss://``; ``prefix`` and ``timeout`` in the
            query are ours.
        timeout: seconds one answer may take.

    Raises:
        SourceUnreadable: no server, no access; one clear sentence without the password.
    """

    def __init__(self, source: str, *, timeout: float = 30.0) -> None:
        try:
            import redis
        except ImportError as error:
            raise SourceUnreadable(
                "Reading a Redis server needs the redis package, which is not installed here.",
                hint="pip install 'eve-replay[redis]'.",
            ) from error
        self._timeout = timeout
        try:
            parts = urlsplit(source)
            host = parts.hostname or "localhost"
            place = f"[{host}]" if ":" in host else host
            self.label = f"{parts.scheme}://{place}:{parts.port or 6379}/{parts.path.lstrip('/') or 0}"
            query = "&".join(
                f"{name}={values[-1]}"
                for name, values in parse_qs(parts.query).items()
                if name not in ("prefix", "timeout")
            )
            self._errors: Any = redis.exceptions
            self._link: Any = redis.Redis.from_url(
                f"{parts.scheme}://{parts.netloc}{parts.path}" + (f"?{query}" if query else ""),
                socket_timeout=timeout,
                socket_connect_timeout=min(timeout, 10.0),
                decode_responses=False,
            )
        except (ValueError, TypeError):
            raise WrongUse(
                "This Redis address cannot be read.", hint="Write redis://user:password@host:6379/0."
            ) from None
        self._ask("exists", "workflow:runs:idx:all")

    def _ask(self, command: str, *values: Any, **named: Any) -> Any:
        try:
            return getattr(self._link, command)(*values, **named)
        except self._errors.RedisError as error:
            if str(error).startswith("WRONGTYPE"):
                return []  # a key of another type holds none of what was asked for, as in a file
            raise self._explain(error) from None
        except UnicodeDecodeError:
            raise SourceUnreadable(f"What answers at {self.label} is no Redis server.") from None

    def _explain(self, error: Exception) -> EveReplayError:
        said = " ".join(str(error).split()).rstrip(".")
        kinds = self._errors
        if isinstance(error, kinds.NoPermissionError):
            return SourceUnreadable(
                f"The user of {self.label} may not read: {said}.",
                hint="Ask for: ACL SETUSER <user> +@read ~workflow:*",
            )
        if isinstance(error, (kinds.AuthenticationError, kinds.AuthenticationWrongNumberOfArgsError)):
            return SourceUnreadable(
                f"The server refused the user name or the password for {self.label}.",
                hint="Write redis://user:password@host:6379/0, special characters as %XX.",
            )
        if isinstance(error, kinds.BusyLoadingError):
            return SourceUnreadable(f"The server at {self.label} is still loading.", hint="Try again soon.")
        if isinstance(error, kinds.TimeoutError):
            return SourceUnreadable(
                f"The server at {self.label} did not answer within {self._timeout:g} s.",
                hint="Check host, port and firewall, or give more time with ?timeout=SECONDS.",
            )
        if isinstance(error, kinds.ConnectionError):
            if "invalid username-password" in said.lower() or "noauth" in said.lower():
                return SourceUnreadable(f"The server refused the password for {self.label}.")
            return SourceUnreadable(
                f"No Redis server answers at {self.label}.",
                hint="Check host and port, and that it is running.",
            )
        if "DB index" in said or "invalid DB" in said:
            return SourceUnreadable(f"The server has no database of the number in {self.label}.")
        if "NOAUTH" in said.upper() or "Authentication required" in said:
            return SourceUnreadable(
                f"The server wants a password for {self.label}.", hint="Write redis://:password@host:6379/0."
            )
        return SourceUnreadable(f"Redis reports a problem at {self.label}: {said}.")

    def strings(self, keys: list[str]) -> list[bytes | None]:
        """Return strings, all in one round trip; a key of another type has none."""
        pipe = self._link.pipeline(transaction=False)
        for key in keys:
            pipe.get(key)
        try:
            found = pipe.execute(raise_on_error=False)
        except self._errors.RedisError as error:
            raise self._explain(error) from None
        refused = next((f for f in found if isinstance(f, self._errors.NoPermissionError)), None)
        if refused is not None:
            raise self._explain(refused)
        return [value if isinstance(value, bytes) else None for value in found]

    def find(self, pattern: str) -> Iterator[str]:
        """Yield matching keys, found by SCAN."""
        cursor = 0
        while True:
            cursor, keys = self._ask("scan", cursor=cursor, match=pattern, count=1000)
            yield from (key.decode("utf-8", "replace") for key in keys)
            if cursor == 0:
                return

    def hashes(self, keys: list[str]) -> list[dict[bytes, bytes]]:
        """Return hashes, all in one round trip; a key of another type has none."""
        pipe = self._link.pipeline(transaction=False)
        for key in keys:
            pipe.hgetall(key)
        try:
            found = pipe.execute(raise_on_error=False)
        except self._errors.RedisError as error:
            raise self._explain(error) from None
        refused = next((f for f in found if isinstance(f, self._errors.NoPermissionError)), None)
        if refused is not None:
            raise self._explain(refused)
        return [value if isinstance(value, dict) else {} for value in found]

    def sorted_members(self, key: str) -> Iterator[bytes]:
        """Yield members by score, some hundred at a time."""
        start = 0
        while True:
            some = self._ask("zrange", key, start, start + _BATCH - 1)
            yield from some
            if len(some) < _BATCH:
                return
            start += _BATCH

    def members(self, key: str) -> list[bytes]:
        """Return the members of a set."""
        return list(self._ask("smembers", key))

    def items(self, key: str) -> list[bytes]:
        """Return the items of a list, some hundred at a time."""
        found: list[bytes] = []
        while True:
            some = self._ask("lrange", key, len(found), len(found) + _BATCH - 1)
            found += some
            if len(some) < _BATCH:
                return found

    def entries(self, key: str) -> Iterator[StreamEntry]:
        """Yield stream entries, some hundred at a time."""
        start = "-"
        while True:
            some = self._ask("xrange", key, min=start, max="+", count=_BATCH)
            for id_, fields in some:
                yield id_.decode(), fields or {}
            if len(some) < _BATCH:
                return
            start = f"({some[-1][0].decode()}"

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


class FileStore:
    """A ``keys.json``: ``{key: {"type": ..., "value": ...}}``, every byte string as base64.

    ``value`` is ``[[field, value]]`` for a hash, ``[[member, score]]`` for a sorted set, ``[member]`` for a
    set or list, one string for a string, ``[[id, [[field, value]]]]`` for a stream.
    """

    def __init__(self, keys: Mapping[str, object], label: str) -> None:
        self.label = label
        self._keys = keys

    def _value(self, key: str, kind: str) -> list[Any]:
        entry = self._keys.get(key)
        if not isinstance(entry, Mapping) or entry.get("type") != kind:
            return []
        value = entry.get("value")
        return value if isinstance(value, list) else []

    def find(self, pattern: str) -> Iterator[str]:
        """Yield matching keys."""
        yield from _matching(self._keys, pattern)

    def strings(self, keys: list[str]) -> list[bytes | None]:
        """Return strings; one that is no base64 is as if it were not there."""
        found = ((entry.get("type"), entry.get("value")) for entry in map(self._entry, keys))
        return [_bytes(value) if kind == "string" else None for kind, value in found]

    def _entry(self, key: str) -> Mapping[str, Any]:
        entry = self._keys.get(key)
        return entry if isinstance(entry, Mapping) else {}

    def hashes(self, keys: list[str]) -> list[dict[bytes, bytes]]:
        """Return hashes; a field that is no base64 is left out."""
        return [_pairs(self._value(key, "hash")) for key in keys]

    def sorted_members(self, key: str) -> Iterator[bytes]:
        """Yield members in the order of the file, which is by score."""
        for pair in self._value(key, "zset"):
            member = _bytes(pair[0]) if isinstance(pair, list) and pair else None
            if member is not None:
                yield member

    def members(self, key: str) -> list[bytes]:
        """Return the members of a set."""
        return [member for item in self._value(key, "set") if (member := _bytes(item)) is not None]

    def items(self, key: str) -> list[bytes]:
        """Return the items of a list."""
        return [member for item in self._value(key, "list") if (member := _bytes(item)) is not None]

    def entries(self, key: str) -> Iterator[StreamEntry]:
        """Yield stream entries."""
        for item in self._value(key, "stream"):
            if isinstance(item, list) and len(item) == 2 and isinstance(item[1], list):
                yield str(item[0]), _pairs(item[1])

    def close(self) -> None:
        """Nothing is open."""


def _matching(keys: Iterable[str], pattern: str) -> Iterator[str]:
    """Yield the keys a pattern means; an end alone, the usual case, needs no expression."""
    end = pattern.removeprefix("*")
    if pattern.startswith("*") and "*" not in end:
        yield from (key for key in keys if key.endswith(end))
        return
    wanted = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    yield from (key for key in keys if wanted.fullmatch(key))


def _bytes(text: object) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None


def _pairs(items: list[Any]) -> dict[bytes, bytes]:
    pairs: dict[bytes, bytes] = {}
    for item in items:
        if isinstance(item, list) and len(item) == 2:
            name, value = _bytes(item[0]), _bytes(item[1])
            if name is not None and value is not None:
                pairs[name] = value
    return pairs


class RdbStore:
    """The keys of one database of an RDB file."""

    def __init__(self, keys: Mapping[str, RdbKey], label: str) -> None:
        self.label = label
        #: Why the file was not read to its end, empty when it was.
        self.fault = ""
        self._keys = keys

    def _value(self, key: str, kind: str) -> Any:
        found = self._keys.get(key)
        return found.value if found is not None and found.kind == kind else None

    def find(self, pattern: str) -> Iterator[str]:
        """Yield matching keys."""
        yield from _matching(self._keys, pattern)

    def strings(self, keys: list[str]) -> list[bytes | None]:
        """Return strings."""
        return [self._value(key, "string") for key in keys]

    def hashes(self, keys: list[str]) -> list[dict[bytes, bytes]]:
        """Return hashes."""
        return [self._value(key, "hash") or {} for key in keys]

    def sorted_members(self, key: str) -> Iterator[bytes]:
        """Yield members by score."""
        yield from self._value(key, "zset") or ()

    def members(self, key: str) -> list[bytes]:
        """Return the members of a set."""
        return self._value(key, "set") or []

    def items(self, key: str) -> list[bytes]:
        """Return the items of a list."""
        return self._value(key, "list") or []

    def entries(self, key: str) -> Iterator[StreamEntry]:
        """Yield stream entries."""
        yield from self._value(key, "stream") or ()

    def close(self) -> None:
        """Nothing is open."""
