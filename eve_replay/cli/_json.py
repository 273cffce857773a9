"""Writing JSON documents: exact, whole, and without limits of depth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, BinaryIO

__all__ = ["json_chunks", "write_json"]

_CHUNK = 1 << 16


def write_json(document: object, out: BinaryIO, *, indent: int | None = None) -> None:
    """Write one document and a line end as UTF-8.

    A lone surrogate, which UTF-8 cannot hold, is written as its JSON escape. Numbers JSON cannot hold
    (NaN, Infinity) are written as tagged JSON does (formats/LOCAL.md section 2). A document of any
    depth is written: the standard encoder gives up at about 1,000 levels, ours walks with a stack.
    """
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    except (RecursionError, ValueError):
        for chunk in json_chunks(document):
            out.write(_encoded(chunk))
    else:
        for start in range(0, len(text), 1 << 20):
            out.write(_encoded(text[start : start + (1 << 20)]))
    out.write(b"\n")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join(
            f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text
        ).encode()


def _scalar(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f'{{"$type": "number", "value": "{name}"}}'
    return json.dumps(value, ensure_ascii=False)


def json_chunks(document: object) -> Iterator[str]:
    """Yield the document as JSON text in pieces, without recursion."""
    buffer: list[str] = []
    used = 0
    stack: list[tuple[Iterator[Any], bool]] = []
    pending: Any = document
    have = True
    first = True
    while have or stack:
        if have:
            have = False
            if isinstance(pending, dict):
                piece = "{"
                stack.append((iter(pending.items()), True))
                first = True
            elif isinstance(pending, (list, tuple)):
                piece = "["
                stack.append((iter(pending), False))
                first = True
            else:
                piece = _scalar(pending)
                first = False
        else:
            iterator, is_object = stack[-1]
            try:
                item = next(iterator)
            except StopIteration:
                stack.pop()
                piece = "}" if is_object else "]"
                first = False
            else:
                piece = "" if first else ", "
                if is_object:
                    piece += json.dumps(str(item[0]), ensure_ascii=False) + ": "
                    pending = item[1]
                else:
                    pending = item
                have = True
        buffer.append(piece)
        used += len(piece)
        if used >= _CHUNK:
            yield "".join(buffer)
            buffer, used = [], 0
    yield "".join(buffer)
