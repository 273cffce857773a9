"""JSON text of a devalue document read by orjson, where that is installed (the extra ``fast``).

The standard library's reader is the reference. What the two read differently is not read here at all: None
sends the caller to the reference (docs/evidence/libraries.md#json). orjson refuses lone surrogates, bad
UTF-8, a byte order mark, ``NaN``, ``1e400`` and a depth over 1024 by itself; ``-0`` is looked for, and an
integer beyond 64 bits, which it makes a float, is seen in what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["read_flat"]

_MINUS_ZERO = re.compile(rb"-0(?:[,\]}\s]|\Z)")
#: From here on an integer no longer fits 64 bits.
_WIDE = float(1 << 63)


@cache
def _reader() -> Callable[[bytes], Any] | None:
    try:
        import orjson
    except ImportError:
        return None
    loads: Callable[[bytes], Any] = orjson.loads
    return loads


def read_flat(text: bytes) -> list[Any] | None:
    """Return the flat array of a devalue text, None where the reference has to read it."""
    loads = _reader()
    if loads is None or _MINUS_ZERO.search(text):
        return None
    try:
        found = loads(text)
    except ValueError:
        return None
    if not isinstance(found, list) or not found:
        return None
    for entry in found:
        if entry.__class__ is float and not -_WIDE < entry < _WIDE:
            return None
    return found
