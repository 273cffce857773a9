"""One zstd frame, bounded, with the library that ``codec/zstdlib.py`` finds.

Why not simply ``decompress`` (docs/evidence/libraries.md#zstd, measured): it refuses frames without a
declared size (Node's streaming writer makes those), ``max_output_size`` is ignored when a size is declared,
and ``decompressobj`` returns nothing at all, silently, for a cut frame.
"""

from __future__ import annotations

from eve_replay.codec.failure import LayerError
from eve_replay.codec.zstdlib import declared_size, failure, inflate, inflater

__all__ = ["unzstd"]

#: A block is at least 4 bytes and gives at most 128 KiB, so a slice of n bytes gives at most n * 2**15.
_MOST_PER_BYTE = 1 << 15
#: At most about so much comes out of one slice.
_STRIDE = 16 * 1024 * 1024
_MAGIC = b"\x28\xb5\x2f\xfd"


def unzstd(data: bytes, limit: int) -> tuple[bytes, int]:
    """Return the content of the frame at the start of ``data`` and how many bytes follow the frame.

    Raises LayerError: ``truncated``, ``not-zstd``, ``damaged`` or ``too-big`` (before allocating).
    """
    if not data:
        raise LayerError("truncated", "No bytes where a zstd frame should be.", 0)
    try:
        failed = failure()
    except ImportError as error:
        raise LayerError("missing-library", "Reading zstd needs the package zstandard.") from error
    try:
        declared = declared_size(data)
    except failed as error:
        if data[:4] == _MAGIC[: len(data[:4])]:
            raise LayerError(
                "truncated", f"The zstd frame ends in its header: {error}.", len(data)
            ) from error
        raise LayerError("not-zstd", "These bytes are no zstd frame.", 0) from error
    if declared is not None and declared > limit:
        raise LayerError("too-big", f"Decompressed it has {declared} bytes; the limit is {limit}.", 0)
    if declared:  # Of a frame that declares 0 bytes zstandard reads nothing, and notices nothing.
        try:
            return inflate(data, declared), 0
        except failed:
            pass  # Cut, damaged, or followed by other bytes: the slow way tells which.
    return _in_slices(data, limit, declared)


def _in_slices(data: bytes, limit: int, declared: int | None) -> tuple[bytes, int]:
    if len(data) * _MOST_PER_BYTE > limit:
        # It could be a bomb: count first, keeping nothing, so that a refusal costs no memory.
        _pass(data, limit, None)
    parts: list[bytes] = []
    rest = _pass(data, limit, parts)
    content = b"".join(parts)
    if declared is not None and declared != len(content):
        raise LayerError("damaged", f"The frame declares {declared} bytes and holds {len(content)}.", 0)
    return content, rest


def _pass(data: bytes, limit: int, parts: list[bytes] | None) -> int:
    """Decompress slice by slice into ``parts``; return how many bytes follow the frame."""
    stream = inflater(brief=True)
    size = at = 0
    while at < len(data) and not stream.eof:
        step = max(256, min(limit - size, _STRIDE) // _MOST_PER_BYTE)
        try:
            part = stream.decompress(data[at : at + step])
        except failure() as error:
            raise LayerError("damaged", f"The zstd frame is damaged: {error}.", at) from error
        at += step
        size += len(part)
        if size > limit:
            raise LayerError("too-big", f"Decompressed it has more than {limit} bytes, the limit.", at)
        if parts is not None:
            parts.append(part)
    if not stream.eof:
        raise LayerError("truncated", "The zstd frame is cut off before its end.", len(data))
    return len(stream.unused_data) + max(0, len(data) - at)
