"""Writing JSON documents as UTF-8."""

from __future__ import annotations

from typing import BinaryIO

from eve_replay.codec.jsonout import dumps_tagged

__all__ = ["write_json"]

_CHUNK = 1 << 20


def write_json(document: object, out: BinaryIO, *, indent: int | None = None) -> None:
    """Write one document of any depth and a line end.

    A lone surrogate, which UTF-8 cannot hold, is written as its JSON escape.
    """
    text = dumps_tagged(document, indent=indent, ensure_ascii=False)
    for start in range(0, len(text), _CHUNK):
        out.write(_encoded(text[start : start + _CHUNK]))
    out.write(b"\n")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        escaped = (f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
        return "".join(escaped).encode()
