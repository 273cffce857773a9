"""JSON text in. ``json.loads`` is used here and nowhere else in the package.

Standard library on purpose: orjson and msgspec refuse lone surrogates, which JSON.stringify writes for
a cut emoji, and orjson turns long integers into floats (docs/evidence/libraries.md#json).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from eve_replay.codec.jsondeep import js_number, read_deep

__all__ = ["JsonFault", "loads_json", "loads_lines", "parse_json"]

# The JSON text "-0" is a float in JS and the integer 0 in Python. One search costs a twentieth of parsing;
# what it finds is nearly always inside a string, and then costs a slower parse, no more.
_MINUS_ZERO = re.compile(r"-0(?:[,\]}\s]|\Z)")


class JsonFault(NamedTuple):
    """Why a text is no JSON, and at which character."""

    message: str
    offset: int | None


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


#: Made once: ``json.loads`` with options makes a decoder for every text.
_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def loads_json(text: str | bytes) -> Any:
    """Return the data of a JSON text. Any depth. Raises ValueError when it is no JSON.

    Bytes are read as UTF-8; a byte order mark is dropped and bad bytes become U+FFFD, as the vendor's
    decoder does. ``NaN`` and ``Infinity`` are no JSON. Integers stay exact here; see ``parse_json``.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = text.removeprefix("\ufeff")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return read_deep(text)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        return json.loads(text, parse_constant=_no_constant, parse_int=js_number)


def parse_json(text: str) -> Any | JsonFault:
    """Return the data of a JSON text with JS numbers (-0 is a float), or why it is no JSON."""
    try:
        if _MINUS_ZERO.search(text):
            try:
                return json.loads(text, parse_constant=_no_constant, parse_int=js_number)
            except RecursionError:
                return read_deep(text)
        return loads_json(text)
    except json.JSONDecodeError as error:
        return JsonFault(error.msg, error.pos)
    except ValueError as error:
        return JsonFault(str(error), None)


def loads_lines(text: str | bytes) -> Iterator[tuple[int, Any | JsonFault]]:
    """Yield ``(line number from 1, data)`` of newline-delimited JSON; a bad line gives its fault."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, parse_json(line)
