"""Writing JSON documents as UTF-8, or handing them to a caller in this process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.redaction.veil import without_known

__all__ = ["json_bytes", "put_document", "taken", "taking", "write_json"]

_CHUNK = 1 << 20
_TAKEN: ContextVar[list[dict[str, object]] | None] = ContextVar("documents", default=None)


@contextmanager
def taken() -> Iterator[list[dict[str, object]]]:
    """Collect the documents of the commands that run inside, instead of printing them."""
    documents: list[dict[str, object]] = []
    token = _TAKEN.set(documents)
    try:
        yield documents
    finally:
        _TAKEN.reset(token)


def taking() -> bool:
    """Return whether documents are collected: then nothing is to be printed beside them either."""
    return _TAKEN.get() is not None


def put_document(document: dict[str, object]) -> None:
    """Print one document on stdout (indented on a terminal), or hand it to who collects them."""
    documents = _TAKEN.get()
    if documents is not None:
        documents.append(document)
        return
    sys.stdout.flush()
    write_json(document, sys.stdout.buffer, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.buffer.flush()


def write_json(document: object, out: BinaryIO, *, indent: int | None = None) -> None:
    """Write one document of any depth and a line end.

    What a terminal may obey or an eye cannot see is written as its JSON escape: control characters (C0, DEL,
    C1), text direction, zero width. So is a lone surrogate, which UTF-8 cannot hold. To a JSON reader the
    text is the same.
    """
    text = dumps_tagged(document, indent=indent, ensure_ascii=False)
    for start in range(0, len(text), _CHUNK):
        out.write(_encoded(text[start : start + _CHUNK]))
    out.write(b"\n")


def json_bytes(value: object, *, indent: int | None = None) -> bytes:
    """Return a part of a document as ``write_json`` writes it."""
    return _encoded(dumps_tagged(value, indent=indent, ensure_ascii=False))


#: DEL, C1, soft hyphen, direction, zero width and what else has no shape, line and paragraph separators.
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _encoded(text: str) -> bytes:
    text = without_known(text)
    if not text.isascii() or "\x7f" in text:
        text = _UNSEEN.sub(_escaped, text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        escaped = (f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
        return "".join(escaped).encode()
