"""What is left of a devalue text that is no JSON: one bad token costs its entry, not the payload.

devalue 5.6 to 5.8 writes ``["DataView",1,4,undefined]`` (sveltejs/devalue#161), which no reader accepts, the
vendor's included; a text may also end early. Entries are cut apart at the commas of the outer list and
parsed one by one.
"""

from __future__ import annotations

import re
from typing import Any

from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.values import Undecoded

__all__ = ["salvage"]

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},]|"', re.DOTALL)
_BARE = re.compile(r'"(?:[^"\\]++|\\.)*+"|\bundefined\b', re.DOTALL)
#: A text in so many pieces is no payload with a slip in it.
_MOST_BAD = 1000


def salvage(text: str) -> tuple[list[Any], list[tuple[str, str]]] | None:
    """Return the entries of a broken text and notes on what was wrong, None when nothing is left.

    An entry that is no JSON is an ``Undecoded``. The first entry is the value itself: without it there is
    nothing to show.
    """
    body = text.lstrip()
    if not body.startswith("["):
        return None
    entries: list[Any] = []
    bad = 0
    undefined = False
    pieces, end = _pieces(body, len(text) - len(body))
    for number, (start, piece) in enumerate(pieces):
        entry = parse_json(piece)
        if end is None and number == len(pieces) - 1:
            # The text ends here: what looks whole may be the front of something longer.
            entry = JsonFault("the text ends inside this entry", None)
        if isinstance(entry, JsonFault):
            repaired = _BARE.sub(lambda found: "null" if found[0] == "undefined" else found[0], piece)
            entry = parse_json(repaired) if repaired != piece else entry
            undefined |= not isinstance(entry, JsonFault)
        if isinstance(entry, JsonFault):
            bad += 1
            offset = None if entry.offset is None else start + entry.offset
            entry = Undecoded("bad-json", f"Not JSON: {entry.message}.", "$", offset)
        entries.append(entry)
    if not entries or isinstance(entries[0], Undecoded) or bad > _MOST_BAD:
        return None
    notes = []
    if undefined:
        notes.append(
            (
                "undefined-in-json",
                "The writer put the word undefined into JSON (a fault of devalue 5.6 to 5.8): the vendor's "
                "reader fails on the whole value.",
            )
        )
    if end is not None and body[end:].strip():
        notes.append(("trailing", f"{len(body) - end} characters follow the document; they are no JSON."))
    if bad:
        notes.append(("salvaged", f"The text is no JSON: {bad} of {len(entries)} entries could not be read."))
    return entries, notes


def _pieces(body: str, offset: int) -> tuple[list[tuple[int, str]], int | None]:
    """Return the entries of the outer list with their offsets, and where it ends (None: it does not)."""
    found: list[tuple[int, str]] = []
    depth, begin = 0, 1
    for token in _TOKEN.finditer(body):
        sign = token[0]
        if sign in ("[", "{"):
            depth += 1
        elif sign in ("]", "}"):
            depth -= 1
            if depth == 0:
                found.append((offset + begin, body[begin : token.start()]))
                return found, token.end()
        elif sign == "," and depth == 1:
            found.append((offset + begin, body[begin : token.start()]))
            begin = token.end()
        elif sign == '"':
            break  # a text without its end: nothing behind it can be told apart
    found.append((offset + begin, body[begin:]))
    return found, None
