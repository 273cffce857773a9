"""An RDB file, what Redis itself saves, read without a server: hashes, sets, streams of any encoding.

Checked key by key against the recordings' ``dump.rdb`` (Redis 7.0, RDB version 10). A type of a newer server
that is not known ends the reading; what came before stays readable.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from eve_replay.worlds.redis.listpack import intset, listpack, lzf, stream_entries, ziplist

__all__ = ["MAGIC", "Rdb", "RdbKey", "read_rdb"]

MAGIC = b"REDIS00"
_PAIR_TYPES = {13: ziplist, 16: listpack}
_SCORED = {12: ziplist, 17: listpack}


@dataclass(frozen=True, slots=True)
class RdbKey:
    """One key.

    Attributes:
        kind: ``string``, ``hash``, ``zset``, ``set``, ``list``, ``stream``.
        value: bytes; ``{field: value}``; members by score; members; items; ``[(id, {field: value})]``.
    """

    kind: str
    value: object


@dataclass(slots=True)
class Rdb:
    """The keys of a file.

    Attributes:
        databases: number to keys by name.
        version: of the server that wrote the file, when it says so.
        fault: why the reading ended early, empty when it did not.
    """

    databases: dict[int, dict[str, RdbKey]] = field(default_factory=dict)
    version: str = ""
    fault: str = ""


class _Unknown(ValueError):
    """A value of a type that cannot even be stepped over."""


def read_rdb(data: bytes) -> Rdb:
    """Return the keys of an RDB file; a damaged one gives those before the damage, and says so."""
    found, reader, name = Rdb(), _Reader(data), ""
    keys = found.databases.setdefault(0, {})
    try:
        if not data.startswith(MAGIC[:5]):
            raise ValueError("it does not begin with REDIS")
        reader.at = 9
        while True:
            code = reader.byte()
            if code == 0xFF:
                return found
            if code == 0xFE:
                keys = found.databases.setdefault(reader.length(), {})
            elif code == 0xFA:
                aux, text = reader.string(), reader.string()
                if aux == b"redis-ver":
                    found.version = text.decode("utf-8", "replace")
            elif code >= 0xF4:
                reader.step_over(code)
            else:
                name = reader.string().decode("utf-8", "replace")
                keys[name] = reader.value(code)
    except _Unknown as error:
        found.fault = f"{name!a} has {error}: the keys after it are not read"
    except (ValueError, IndexError, OverflowError, struct.error, MemoryError) as error:
        found.fault = f"it is cut or damaged after byte {reader.at} ({error})"
    return found


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def take(self, count: int) -> bytes:
        if count < 0 or self.at + count > len(self._data):
            raise ValueError("the file ends early")
        self.at += count
        return self._data[self.at - count : self.at]

    def _coded(self) -> tuple[int, bool]:
        """Return a length, or the number of a special string encoding and True."""
        first = self.byte()
        form = first >> 6
        if form == 0:
            return first, False
        if form == 1:
            return (first & 63) << 8 | self.byte(), False
        if form == 3:
            return first & 63, True
        return int.from_bytes(self.take(8 if first == 0x81 else 4), "big"), False

    def length(self) -> int:
        value, special = self._coded()
        if special:
            raise ValueError("a length is expected")
        return value

    def string(self) -> bytes:
        value, special = self._coded()
        if not special:
            return self.take(value)
        if value < 3:
            return b"%d" % int.from_bytes(self.take(1 << value), "little", signed=True)
        if value == 3:
            packed, size = self.length(), self.length()
            return lzf(self.take(packed), size)
        raise ValueError("a string of an unknown encoding")

    def step_over(self, code: int) -> None:
        """Step over what is no key: expiry, usage, sizes, functions, data of modules."""
        if code == 0xFC:
            self.take(8)
        elif code == 0xFD:
            self.take(4)
        elif code == 0xF9:
            self.take(1)
        elif code == 0xF8:
            self.length()
        elif code == 0xF5:
            self.string()
        elif code in (0xFB, 0xF4):
            for _ in range(2 if code == 0xFB else 3):
                self.length()
        elif code == 0xF7:
            self.length(), self.length(), self.length()
            self._module()
        else:
            raise _Unknown(f"an entry of the unknown code {code}")

    def _module(self) -> None:
        sizes: dict[int, Callable[[], object]] = {
            1: self.length,
            2: self.length,
            3: lambda: self.take(4),
            4: lambda: self.take(8),
            5: self.string,
        }
        while (code := self.length()) != 0:
            if code not in sizes:
                raise _Unknown("data of a module")
            sizes[code]()

    def value(self, kind: int) -> RdbKey:
        """Read the value of a type."""
        if kind == 0:
            return RdbKey("string", self.string())
        if kind in (1, 2):
            return RdbKey("list" if kind == 1 else "set", [self.string() for _ in range(self.length())])
        if kind in (3, 5):
            read = self._old_score if kind == 3 else self._score
            return _scored([(self.string(), read()) for _ in range(self.length())])
        if kind == 4:
            return RdbKey("hash", {self.string(): self.string() for _ in range(self.length())})
        if kind in _PAIR_TYPES:
            return RdbKey("hash", dict(_pairs(_PAIR_TYPES[kind](self.string()))))
        if kind in _SCORED:
            items = _pairs(_SCORED[kind](self.string()))
            return _scored([(member, float(score)) for member, score in items])
        if kind == 11:
            return RdbKey("set", intset(self.string()))
        if kind == 20:
            return RdbKey("set", list(listpack(self.string())))
        if kind in (10, 14, 18):
            return RdbKey("list", list(self._list(kind)))
        if kind in (15, 19, 21):
            return RdbKey("stream", self._stream(kind))
        if kind == 7:
            self.length()
            self._module()
            return RdbKey("module", None)
        raise _Unknown(f"a value of the unknown type {kind}")

    def _score(self) -> float:
        return float(struct.unpack("<d", self.take(8))[0])

    def _old_score(self) -> float:
        size = self.byte()
        special = {253: "nan", 254: "inf", 255: "-inf"}.get(size)
        return float(special if special is not None else self.take(size))

    def _list(self, kind: int) -> Iterator[bytes]:
        if kind == 10:
            yield from ziplist(self.string())
            return
        for _ in range(self.length()):
            plain = kind == 18 and self.length() == 1
            node = self.string()
            if plain:
                yield node
            else:
                yield from (listpack if kind == 18 else ziplist)(node)

    def _stream(self, kind: int) -> list[tuple[str, dict[bytes, bytes]]]:
        entries: list[tuple[str, dict[bytes, bytes]]] = []
        for _ in range(self.length()):
            master = struct.unpack(">QQ", self.string())
            entries += stream_entries(master, self.string())
        for _ in range(3 if kind == 15 else 8):
            self.length()
        for _ in range(self.length()):
            self._group(kind)
        return entries

    def _group(self, kind: int) -> None:
        """Step over a consumer group: what was delivered to whom is not part of the journal."""
        self.string()
        for _ in range(2 if kind == 15 else 3):
            self.length()
        for _ in range(self.length()):
            self.take(24)
            self.length()
        for _ in range(self.length()):
            self.string()
            self.take(16 if kind == 21 else 8)
            for _ in range(self.length()):
                self.take(16)


def _pairs(items: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for first in items:
        second = next(items, None)
        if second is None:
            raise ValueError("a field without a value")
        yield first, second


def _scored(items: list[tuple[bytes, float]]) -> RdbKey:
    # Saved from the highest score down; a server lists by score, then by member.
    return RdbKey("zset", [member for member, _ in sorted(items, key=lambda item: (item[1], item[0]))])
