"""A byte stream that is text, shown as text: characters that lie across two chunks are put together."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from eve_replay.values import JsBytes

__all__ = ["text_of_chunks"]

_LAYOUT = frozenset("\t\n\r")


def text_of_chunks(values: Iterable[object]) -> list[str] | None:
    """Return the text of each chunk of a byte stream, None when it is no UTF-8 text.

    A character that is split belongs to the chunk that holds its last byte. Bytes cut off at the end, binary
    data and control characters make it no text: then the bytes are what there is to show.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    out: list[str] = []
    try:
        for value in values:
            if not isinstance(value, JsBytes) or value.kind != "Uint8Array":
                return None
            out.append(decoder.decode(value.data))
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    whole = "".join(out)
    return out if whole and all(each.isprintable() or each in _LAYOUT for each in whole) else None
