"""Length-prefixed frames, in one piece of bytes or spread over chunks (docs/formats/local.md#streams)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from eve_replay.codec.envelope import PREFIXES

__all__ = ["MAX_FRAME", "Chunk", "Frame", "Piece", "iter_frames", "pieces"]

#: A length of this or more is no length: the vendor then reads the chunk as text lines.
MAX_FRAME = 100_000_000


@runtime_checkable
class Chunk(Protocol):
    """What of a stored chunk is needed here; ``records.StreamChunk`` is one."""

    @property
    def chunk_id(self) -> str:
        """The chunk's id."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes after the end flag."""
        ...

    @property
    def end(self) -> bool:
        """Whether the chunk ends the stream."""
        ...


class Frame(NamedTuple):
    """One frame: where its length word stands, its bytes, and whether all of them are there."""

    offset: int
    data: bytes
    complete: bool


class Piece(NamedTuple):
    """A part of a stream before decoding.

    Attributes:
        chunk_id: the chunk in which it starts.
        kind: ``frame`` (length prefixed), ``bare`` (a payload without length), ``text`` (a chunk of
            lines, or raw bytes), ``cut`` (a frame whose end is missing), ``junk`` (after a bad length).
        data: its bytes, without the length word.
    """

    chunk_id: str
    kind: str
    data: bytes


def iter_frames(data: bytes) -> Iterator[Frame]:
    """Yield the frames of ``data``: 4-byte big-endian length, then that many bytes. Never raises.

    The last frame is incomplete when bytes are missing; so is whatever follows a length that can be none.
    """
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        end = at + 4 + length
        if len(data) - at < 4 or length >= MAX_FRAME or end > len(data):
            yield Frame(at, data[at + 4 :] if len(data) - at >= 4 else data[at:], False)
            return
        yield Frame(at, data[at + 4 : end], True)
        at = end


def chunk_parts(chunks: Iterable[Chunk | bytes]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield ``(chunk id, data, end)``; bare bytes get their number as id."""
    for number, chunk in enumerate(chunks):
        if isinstance(chunk, (bytes, bytearray, memoryview)):
            yield str(number), bytes(chunk), False
        else:
            yield chunk.chunk_id, chunk.data, chunk.end


def pieces(chunks: Iterable[tuple[str, bytes]]) -> Iterator[Piece]:
    """Yield the parts of an object stream. A chunk may hold several frames, a frame several chunks.

    How a chunk is to be read is decided at its start, as the vendor does: a payload prefix means a bare
    payload (abort streams), a plausible length means frames, anything else means text. A frame whose end
    is missing does not swallow the next chunk (``_begins_anew``).
    """
    waiting = bytearray()
    owner = ""
    for chunk_id, data in chunks:
        if not waiting:
            if data[:4] in PREFIXES:
                yield Piece(chunk_id, "bare", data)
                continue
            if not _starts_frame(data):
                yield Piece(chunk_id, "text", data)
                continue
            owner = chunk_id
        elif _begins_anew(waiting, data):
            # The chunk before was cut: what is missing of it is not in this one, which is whole itself.
            yield Piece(owner, "cut", bytes(waiting))
            waiting.clear()
            owner = chunk_id
        waiting += data
        at = 0
        while len(waiting) - at >= 4:
            length = int.from_bytes(waiting[at : at + 4], "big")
            if length >= MAX_FRAME:
                yield Piece(owner, "junk", bytes(waiting[at:]))
                at = len(waiting)
                break
            if len(waiting) - at < 4 + length:
                break
            yield Piece(owner, "frame", bytes(waiting[at + 4 : at + 4 + length]))
            at += 4 + length
            owner = chunk_id  # What is left over can only have begun in the chunk just added.
        del waiting[:at]
    if waiting:
        yield Piece(owner, "cut", bytes(waiting))


def _begins_anew(waiting: bytearray, data: bytes) -> bool:
    """Return whether a chunk is the beginning of frames although the frame before it is not complete.

    It is when it begins with a whole frame around a payload, and going on with the frame before would end in
    the middle of something: only writers that cut a file leave such a place.
    """
    if not _whole_frame(data):
        return False
    if len(waiting) < 4:
        joined = bytes(waiting) + data[: 4 - len(waiting)]
        missing = int.from_bytes(joined, "big") + 4 - len(waiting)
    else:
        missing = int.from_bytes(waiting[:4], "big") + 4 - len(waiting)
    rest = data[missing:]
    return missing > len(data) or (bool(rest) and not _whole_frame(rest))


def _whole_frame(data: bytes) -> bool:
    """Return whether bytes begin with a complete frame around a payload."""
    length = int.from_bytes(data[:4], "big")
    return data[4:8] in PREFIXES and 0 < length < MAX_FRAME and length + 4 <= len(data)


def _starts_frame(data: bytes) -> bool:
    if len(data) < 4:
        # Too short for a length: a first byte this low is no text, so the rest comes in the next chunk.
        return bool(data) and data[0] <= MAX_FRAME >> 24
    return 0 < int.from_bytes(data[:4], "big") < MAX_FRAME
