"""Files of a recording with their payloads opened, so that an archive of them packs to a third.

A record holds its payload as base64 of a zstd frame, and nothing compresses that any further; yet every
payload of a session repeats what the one before it said. In an archive named ``*.parts.tar.xz`` each such
payload stands as the bytes it was made from, and is made again when the archive is opened: a frame at level
3, as the runtime wrote it (with libzstd 1.5.7 to the byte; another version may take a byte more or less
for the same content), and its base64.

A file that was taken apart is a line ``parts 1``, then parts: a letter (``t`` as it is, ``b`` base64 of it,
``z`` base64 of ``zstd`` and a frame of it), the length in decimal, a line feed, and so many bytes.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error

from eve_replay.codec.zstdlib import declared_size, deflate, failure, inflate

__all__ = ["SUFFIX", "apart", "whole"]

#: How the name of such an archive ends.
SUFFIX = ".parts.tar.xz"

_HEAD = b"parts 1\n"
_MARK = b"zstd"
_LEVEL = 3
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")
#: A payload of a recording is smaller by far.
_LARGEST = 64 << 20


def apart(data: bytes) -> bytes:
    """Return a file with its payloads opened, or as it is when there are none or it cannot be made again."""
    parts: list[bytes] = [_HEAD]
    end = 0
    for match in _BASE64.finditer(data):
        part = _opened(match[0])
        if part is not None:
            parts += [_part(b"t", data[end : match.start()]), part]
            end = match.end()
    if not end:
        return data
    packed = b"".join([*parts, _part(b"t", data[end:])])
    return packed if whole(packed) == data else data


def whole(packed: bytes) -> bytes:
    """Return the file that was taken apart; one that was not is returned as it is.

    Raises:
        ValueError: it is cut or damaged.
    """
    if not packed.startswith(_HEAD):
        return packed
    out = []
    at = len(_HEAD)
    while at < len(packed):
        end = packed.index(b"\n", at, at + 20)
        kind, length = packed[at : at + 1], int(packed[at + 1 : end])
        at = end + 1 + length
        part = packed[end + 1 : at]
        if len(part) != length or kind not in b"tbz":
            raise ValueError("a part is cut")
        if kind == b"z":
            part = _MARK + deflate(part, _LEVEL)
        out.append(part if kind == b"t" else b64encode(part))
    return b"".join(out)


def _part(kind: bytes, data: bytes) -> bytes:
    return b"%s%d\n%s" % (kind, len(data), data)


def _opened(text: bytes) -> bytes | None:
    """Return a run of base64 as a part, None when it is none."""
    try:
        data = b64decode(text, validate=True)
    except Error:
        return None
    if b64encode(data) != text:
        return None
    frame = data[len(_MARK) :]
    if data.startswith(_MARK):
        try:
            size = declared_size(frame)
            content = inflate(frame, size) if size is not None and size <= _LARGEST else None
        except failure():
            content = None
        if content is not None and deflate(content, _LEVEL) == frame:
            return _part(b"z", content)
    return _part(b"b", data)
