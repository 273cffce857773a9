"""The container of a bundle: zstd frames of JSON lines, written and read piece by piece, always bounded.

A cut or damaged frame gives the lines before the damage. Reading never holds more than one line and a slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from eve_replay.codec import dumps_tagged, loads_json
from eve_replay.codec.zstdlib import deflater, failure, inflater
from eve_replay.limits import DEFAULT, Limits, OverLimit
from eve_replay.worlds.bundle.format import VERSION, BundleDamage

__all__ = ["BundleWriter", "FrameReader", "first_version", "last_frame"]

_HEAD, _TAIL = b"everun", b"everunIX"
#: A zstd reader passes over frames of this magic number.
_SKIPPED = b"\x5e\x2a\x4d\x18"
_LEVEL = 6
_BLOCK = 8 * 1024
#: Bytes fed at once: a slice of n bytes gives at most n * 2**15.
_SLICE = 2048


class BundleWriter:
    """Writes frames to a file, holding one line at a time.

    Args:
        file: open for writing, at its start.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._put(_SKIPPED + (len(_HEAD) + 2).to_bytes(4, "little") + _HEAD + VERSION.to_bytes(2, "big"))

    def frame(self, lines: Iterator[Mapping[str, object]]) -> tuple[int, int]:
        """Write one frame and return its offset and how many lines it holds."""
        start, count = self._at, 0
        packer = deflater(_LEVEL)
        unflushed = 0
        for line in lines:
            data = _line(line)
            self._put(packer.compress(data))
            count += 1
            unflushed += len(data)
            if unflushed > _BLOCK:
                # A block is readable on its own: a cut file loses this much and no more.
                self._put(packer.block())
                unflushed = 0
        self._put(packer.compress(_line({"k": "stop", "n": count})))
        self._put(packer.finish())
        return start, count

    def finish(self, end: Mapping[str, object]) -> None:
        """Write the last frame and where it begins."""
        start, _ = self.frame(iter([end]))
        self._put(_SKIPPED + (len(_TAIL) + 8).to_bytes(4, "little") + _TAIL + start.to_bytes(8, "big"))

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)


def _line(line: Mapping[str, object]) -> bytes:
    # ASCII only: a lone surrogate in a recorded text has no UTF-8.
    return dumps_tagged(line).encode("ascii") + b"\n"


class FrameReader:
    """Reads the lines of one frame.

    Attributes:
        end: the offset after the frame, once all of it was read; None before, and when it is cut.
        damage: why the frame ended early, empty when it did not.
    """

    def __init__(self, file: BinaryIO, offset: int, limits: Limits | None = None) -> None:
        self._file = file
        self._offset = offset
        self._limits = limits or DEFAULT
        self.end: int | None = None
        self.damage = ""

    def lines(self) -> Iterator[dict[str, object]]:
        """Yield the parsed lines before the ``stop`` line; damage ends them and is named in ``damage``."""
        for raw in self._raw():
            try:
                line = loads_json(raw)
            except ValueError as error:
                self.damage = f"a line is no JSON: {error}"
                return
            if not isinstance(line, dict):
                self.damage = "a line is no object"
                return
            if line.get("k") == "stop":
                self._finish()
                return
            yield line
        self.damage = self.damage or "it is cut off before its end"

    def _finish(self) -> None:
        for _ in self._raw_rest:
            pass

    def _raw(self) -> Iterator[bytes]:
        self._raw_rest = self._split()
        return self._raw_rest

    def _split(self) -> Iterator[bytes]:
        waiting: list[bytes] = []
        size, most = 0, self._limits.line
        for part in self._parts():
            begin = 0
            while (stop := part.find(b"\n", begin)) >= 0:
                waiting.append(part[begin:stop])
                yield b"".join(waiting)
                waiting, size, begin = [], 0, stop + 1
            waiting.append(part[begin:])
            size += len(part) - begin
            if size > most:
                self.damage = f"a line has more than {most:,} bytes, the limit. {self._limits.way_on('line')}"
                return

    def _parts(self) -> Iterator[bytes]:
        at, out = self._offset, 0
        unpacker = inflater()
        while not unpacker.eof:
            self._file.seek(at)
            data = self._file.read(_SLICE)
            if not data:
                return
            try:
                part = unpacker.decompress(data)
            except failure() as error:
                self.damage = f"it is damaged ({error})"
                return
            at += len(data)
            out += len(part)
            try:
                self._limits.swell(out, at - self._offset, "a part of the bundle")
                self._limits.check("the bundle")
            except OverLimit as error:
                self.damage = f"{error.phrase}. {error.hint}"
                return
            if part:
                yield part
        self.end = at - len(unpacker.unused_data)


def first_version(head: bytes) -> int | None:
    """Return the version that the first bytes of a bundle name, None when they are of no bundle."""
    start = 8 + len(_HEAD)
    if head[:4] != _SKIPPED or head[8:start] != _HEAD or len(head) < start + 2:
        return None
    return int.from_bytes(head[start : start + 2], "big")


#: Where the first frame begins.
FIRST = 8 + len(_HEAD) + 2


def last_frame(file: BinaryIO) -> int | None:
    """Return the offset of the ``end`` frame, None when the file does not end as a bundle does."""
    size = file.seek(0, 2)
    length = 8 + len(_TAIL) + 8
    if size < FIRST + length:
        return None
    file.seek(size - length)
    tail = file.read(length)
    if tail[:4] != _SKIPPED or tail[8 : 8 + len(_TAIL)] != _TAIL:
        return None
    offset = int.from_bytes(tail[-8:], "big")
    return offset if FIRST <= offset < size - length else None


def checked(line: Mapping[str, object], kind: str) -> Mapping[str, object]:
    """Return a line of a kind. Raises BundleDamage."""
    if line.get("k") != kind:
        raise BundleDamage(f"a line of kind {line.get('k')!r} stands where {kind!r} should")
    return line
