"""One gzip member, bounded."""

from __future__ import annotations

import zlib

from eve_replay.codec.failure import LayerError

__all__ = ["ungzip"]

#: Deflate cannot do better than 1,032 to 1.
_MOST_PER_BYTE = 1032
_STRIDE = 1024 * 1024


def ungzip(data: bytes, limit: int) -> bytes:
    """Return the content of the one gzip member that ``data`` is.

    Raises LayerError: ``truncated``, ``trailing`` (also a second member: the vendor refuses both,
    docs/formats/payload.md#envelope), ``not-gzip``, ``damaged`` or ``too-big``.
    """
    if not data:
        raise LayerError("truncated", "No bytes where a gzip member should be.", 0)
    stream = zlib.decompressobj(31)
    try:
        if len(data) * _MOST_PER_BYTE > limit and _exceeds(data, limit):
            raise LayerError("too-big", f"Decompressed it has more than {limit} bytes, the limit.", 0)
        content = stream.decompress(data)
    except zlib.error as error:
        if data[:2] == b"\x1f\x8b":
            raise LayerError("damaged", f"The gzip member is damaged: {error}.", 0) from error
        raise LayerError("not-gzip", "These bytes are no gzip member.", 0) from error
    if not stream.eof:
        raise LayerError("truncated", "The gzip member is cut off before its end.", len(data))
    if stream.unused_data:
        rest = len(stream.unused_data)
        raise LayerError("trailing", f"{rest} bytes follow the gzip member.", len(data) - rest)
    return content


def _exceeds(data: bytes, limit: int) -> bool:
    """Count what comes out, keeping nothing, so that refusing a bomb costs no memory."""
    stream = zlib.decompressobj(31)
    size = 0
    rest = data
    while rest and not stream.eof:
        size += len(stream.decompress(rest, _STRIDE))
        if size > limit:
            return True
        rest = stream.unconsumed_tail
    return False
