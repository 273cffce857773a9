"""The packed forms inside RDB files: listpack, ziplist, intset, LZF, and the entries of a stream node."""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["intset", "listpack", "lzf", "stream_entries", "ziplist"]

_DELETED = 1
_SAME_FIELDS = 2


def lzf(packed: bytes, size: int) -> bytes:
    """Return the unpacked bytes. Raises ValueError when they are not ``size`` long."""
    out = bytearray()
    at = 0
    while at < len(packed):
        control = packed[at]
        at += 1
        if control < 32:
            out += packed[at : at + control + 1]
            at += control + 1
        else:
            length = control >> 5
            if length == 7:
                length += packed[at]
                at += 1
            start = len(out) - ((control & 31) << 8) - packed[at] - 1
            at += 1
            if start < 0:
                raise ValueError("LZF points before its start")
            for _ in range(length + 2):
                out.append(out[start])
                start += 1
        if len(out) > size:
            break
    if len(out) != size:
        raise ValueError("LZF of another size")
    return bytes(out)


def intset(data: bytes) -> list[bytes]:
    """Return the members of a set of integers, as text. Raises ValueError when it is none."""
    width, count = struct.unpack_from("<II", data)
    if width not in (2, 4, 8) or len(data) < 8 + width * count:
        raise ValueError("no set of integers")
    return [
        b"%d" % int.from_bytes(data[at : at + width], "little", signed=True)
        for at in range(8, 8 + width * count, width)
    ]


def listpack(data: bytes) -> Iterator[bytes]:
    """Yield the elements of a listpack, integers as text. Raises ValueError or IndexError when it is none."""
    at = 6
    while (first := data[at]) != 0xFF:
        if first < 0x80:
            size, value = 1, b"%d" % first
        elif first < 0xC0:
            size, value = _text(data, at + 1, first & 63, 1)
        elif first < 0xE0:
            number = (first & 31) << 8 | data[at + 1]
            size, value = 2, b"%d" % (number - 8192 if number >= 4096 else number)
        elif first < 0xF0:
            size, value = _text(data, at + 2, (first & 15) << 8 | data[at + 1], 2)
        elif first == 0xF0:
            size, value = _text(data, at + 5, int.from_bytes(data[at + 1 : at + 5], "little"), 5)
        elif first <= 0xF4:
            width = (2, 3, 4, 8)[first - 0xF1]
            size, value = (
                1 + width,
                b"%d" % int.from_bytes(data[at + 1 : at + 1 + width], "little", signed=True),
            )
        else:
            raise ValueError("no listpack")
        yield value
        at += size + _back(size)


def _text(data: bytes, start: int, length: int, head: int) -> tuple[int, bytes]:
    if start + length > len(data):
        raise ValueError("a listpack that ends early")
    return head + length, data[start : start + length]


def _back(size: int) -> int:
    """Return how many bytes the length of an element takes behind it."""
    return next((n for n, most in enumerate((127, 16_382, 2_097_150, 268_435_454), 1) if size <= most), 5)


def ziplist(data: bytes) -> Iterator[bytes]:
    """Yield the elements of a ziplist (servers before 7.0), integers as text. Raises ValueError for none."""
    at = 10
    while data[at] != 0xFF:
        at += 1 if data[at] < 254 else 5
        first = data[at]
        form = first >> 6
        if form < 3:
            head = (1, 2, 5)[form]
            if form == 0:
                length = first & 63
            elif form == 1:
                length = (first & 63) << 8 | data[at + 1]
            else:
                length = int.from_bytes(data[at + 1 : at + 5], "big")
            size, value = _text(data, at + head, length, head)
            yield value
            at += size
        elif 0xF1 <= first <= 0xFD:
            yield b"%d" % (first - 0xF1)
            at += 1
        else:
            width = {0xC0: 2, 0xD0: 4, 0xE0: 8, 0xF0: 3, 0xFE: 1}.get(first)
            if width is None:
                raise ValueError("no ziplist")
            yield b"%d" % int.from_bytes(data[at + 1 : at + 1 + width], "little", signed=True)
            at += 1 + width


def stream_entries(master: tuple[int, ...], node: bytes) -> Iterator[tuple[str, dict[bytes, bytes]]]:
    """Yield ``(id, fields)`` of a stream's node; deleted entries are left out.

    Args:
        master: the id (milliseconds, sequence) that the entries' ids are relative to.
        node: the listpack: a head with the common field names, then the entries.
    """
    items = listpack(node)

    def item() -> bytes:
        value = next(items, None)
        if value is None:
            raise ValueError("a stream node that ends early")
        return value

    count, deleted, fields = int(item()), int(item()), int(item())
    common = [item() for _ in range(fields)]
    item()
    for _ in range(count + deleted):
        flags, milliseconds, sequence = int(item()), int(item()), int(item())
        if flags & _SAME_FIELDS:
            pairs = {name: item() for name in common}
        else:
            pairs = {item(): item() for _ in range(int(item()))}
        item()
        if not flags & _DELETED:
            yield f"{master[0] + milliseconds}-{master[1] + sequence}", pairs
