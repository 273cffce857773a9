"""Several stream chunks in one stored row, as the world of eveland packs ended streams (its migration 0008).

A block is a run of entries: length of the id (16 bits), length of the data (32 bits), both big-endian, then
the id and the data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from eve_replay.problems import Receipt

__all__ = ["unpack_blocks"]


def unpack_blocks(data: bytes, receipt: Receipt, where: str) -> Iterator[tuple[str, bytes]]:
    """Yield ``(chunk id, data)`` of every entry; a block that ends early is named, what came before stays."""
    at = 0
    while at < len(data):
        if at + 6 > len(data):
            break
        id_size, size = struct.unpack_from(">HI", data, at)
        end = at + 6 + id_size + size
        if end > len(data):
            break
        yield data[at + 6 : at + 6 + id_size].decode("utf-8", "replace"), data[at + 6 + id_size : end]
        at = end
    if at < len(data):
        receipt.gap("chunks", f"{where} ends inside an entry")
        receipt.problem(
            "error",
            "torn-block",
            where,
            f"A block of stream chunks ends after {len(data)} bytes, inside an entry: the rest is missing.",
        )
