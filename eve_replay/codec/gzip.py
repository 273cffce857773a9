"""One gzip member, bounded."""

from __future__ import annotations

import zlib

from eve_replay.codec.failure import LayerError

__all__ = ["ungzip"]


def ungzip(data: bytes, limit: int) -> bytes:
    """Return the content of the one gzip member that ``data`` is.

    Raises LayerError: ``truncated``, ``trailing`` (also a second member: the vendor refuses both,
    LOCAL.md section 3), ``not-gzip``, ``damaged`` or ``too-big``.
    """
    if not data:
        raise LayerError("truncated", "No bytes where a gzip member should be.", 0)
    stream = zlib.decompressobj(31)
    try:
        content = stream.decompress(data, limit + 1)
        if len(content) > limit:
            raise LayerError("too-big", f"Decompressed it has more than {limit} bytes, the limit.")
        content += stream.flush() if not stream.eof else b""
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
