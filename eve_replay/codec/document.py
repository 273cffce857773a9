"""A devalue text that is read as far as somebody asks."""

from __future__ import annotations

from typing import Any

from eve_replay.codec.devalue import INVALID, Notes, hydrate_all, hydrate_part, special
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.values import Undecoded

__all__ = ["decode_devalue"]


def decode_devalue(text: str | bytes, *, max_cells: int | None = None) -> tuple[object, Notes]:
    """Return the value of a devalue text and notes on what was odd. Never raises.

    Args:
        text: JSON text; bytes are UTF-8, where bad bytes become U+FFFD as in the vendor's decoder.
        max_cells: most values and references the text may hold.
    """
    notes: Notes = []
    if isinstance(text, bytes):
        text = decode_text(text, notes)
    if max_cells is not None and text.count(",") > max_cells:
        return Undecoded("too-big", f"It holds more than {max_cells} values, the limit."), notes
    data = parse_json(text)
    if isinstance(data, JsonFault):
        return Undecoded("bad-json", f"Not JSON: {data.message}.", "$", data.offset), notes
    return hydrate_json(data, notes, text)


def decode_text(data: bytes, notes: Notes) -> str:
    """Return the text of UTF-8 bytes; bad bytes become U+FFFD and a note."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = f"Bytes that are no UTF-8, the first at {error.start}, are shown as U+FFFD."
        notes.append(("bad-utf8", message))
        return data.decode("utf-8", "replace").removeprefix("\ufeff")


def hydrate_json(data: Any, notes: Notes, text: str | None = None) -> tuple[object, Notes]:
    """Return the value of parsed devalue JSON; ``text`` is what it was parsed from, if that is at hand."""
    if not isinstance(data, list):
        return special(data), notes
    if not data:
        return Undecoded("invalid-input", INVALID), notes
    bools = True
    if text is not None:
        # A boolean in place of a reference is very rare, and looking at every reference costs a fifth
        # of the whole: as many boolean words in the text as boolean entries means there is none.
        words = text.count("true") + text.count("false")
        bools = words != sum(1 for entry in data if entry is True or entry is False)
    value, more = hydrate_all(data, bools=bools)
    return value, notes + more


_ = hydrate_part
