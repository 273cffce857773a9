"""A whole devalue text to its value."""

from __future__ import annotations

from typing import Any

from eve_replay.codec.devalue.fast import read_flat
from eve_replay.codec.devalue.parse import Notes, hydrate_all, special
from eve_replay.codec.devalue.salvage import salvage
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.limits import Limits
from eve_replay.values import Undecoded

__all__ = ["decode_devalue", "decode_text", "hydrate_json"]


def decode_devalue(
    text: str | bytes, *, limits: Limits | None = None, own: bool | None = None
) -> tuple[object, Notes]:
    """Return the value of a devalue text and notes on what was odd. Never raises.

    Args:
        text: JSON text; bytes are UTF-8, where bad bytes become U+FFFD as in the vendor's decoder.
        limits: how many values and references it may hold, if that is to be checked: memory is 30 to 60
            times the text of a document that is nothing but small containers.
        own: whether the writer uses devalue's own forms, None when that is unknown.
    """
    notes = Notes()
    comma: Any = b"," if isinstance(text, bytes) else ","
    if limits is not None and len(text) > limits.nodes and text.count(comma) > limits.nodes:
        notes.failed = True
        message = f"It holds more than {limits.nodes} values, the limit. {limits.way_on('nodes')}"
        return Undecoded("too-big", message), notes
    if isinstance(text, bytes):
        flat = read_flat(text)
        if flat is not None:
            value, notes = hydrate_json(flat, notes, own=own)
            if not notes and not notes.failed:
                return value, notes
            notes = Notes()  # something is odd: said in the words of the reference
        text = decode_text(text, notes)
    data = parse_json(text)
    if isinstance(data, JsonFault):
        saved = salvage(text)
        if saved is None:
            notes.failed = True
            return Undecoded("bad-json", f"Not JSON: {data.message}.", "$", data.offset), notes
        data, found = saved
        notes.extend(found)
    return hydrate_json(data, notes, own=own)


def decode_text(data: bytes, notes: Notes) -> str:
    """Return the text of UTF-8 bytes; bad bytes become U+FFFD and a note."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = f"Bytes that are no UTF-8, the first at {error.start}, are shown as U+FFFD."
        notes.append(("bad-utf8", message))
        return data.decode("utf-8", "replace").removeprefix("\ufeff")


def hydrate_json(data: Any, notes: Notes, *, own: bool | None = None) -> tuple[object, Notes]:
    """Return the value of parsed devalue JSON, whose containers are used up."""
    if isinstance(data, list) and data:
        value, more = hydrate_all(data, own=own)
        notes.extend(more)
        notes.failed |= more.failed
        return value, notes
    value = special(data)
    notes.failed |= isinstance(value, Undecoded)
    return value, notes
