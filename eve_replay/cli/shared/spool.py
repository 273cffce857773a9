"""JSON documents of any size in the memory of one entry: long lists wait in a file until the head is known.

The head of a document holds the receipt, and what has been read is known only at its end.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Mapping
from typing import IO, Any

from eve_replay.cli.shared.json import json_bytes, put_document, taking
from eve_replay.codec.jsontext import loads_json
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.sources import public_source

__all__ = ["Spool", "emit_spooled"]

#: Bytes of a list that are kept in memory.
_KEPT = 1 << 20


class Spool:
    """One list or mapping of a document, written down as it is made.

    Args:
        mapping: it is a mapping: every entry has a name.
        by_key: it is sorted by the keys of its entries.
        indent: cells per level, None for one line.
    """

    def __init__(self, *, mapping: bool = False, by_key: bool = False, indent: int | None = None) -> None:
        self._signs = b"{}" if mapping else b"[]"
        self._sorted = by_key
        self._indent = indent
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_KEPT)  # noqa: SIM115
        self._places: list[tuple[str, int, int]] = []

    def add(self, value: Any, *, name: str = "", key: str = "") -> None:
        """Write one entry down.

        Args:
            value: JSON data.
            name: its name in a mapping; a later entry of the same name replaces it.
            key: what it is sorted by, where the list is sorted.
        """
        data = self._text(value, 2)
        if self._signs == b"{}":
            data = self._text(name, 0) + b": " + data
        self._places.append((name or key, self._file.tell(), len(data)))
        self._file.write(data)

    def write(self, out: IO[bytes]) -> None:
        """Write the list to ``out`` and forget it."""
        places = sorted(self._places, key=lambda place: place[0]) if self._sorted else self._places
        if self._signs == b"{}":
            places = list({place[0]: place for place in places}.values())
        gap = b", " if self._indent is None else b",\n" + b" " * self._indent * 2
        out.write(self._signs[:1])
        for number, (_, start, size) in enumerate(places):
            if number:
                out.write(gap)
            elif self._indent is not None:
                out.write(gap[1:])
            self._file.seek(start)
            while size > 0 and (block := self._file.read(min(size, _KEPT))):
                out.write(block)
                size -= len(block)
        if places and self._indent is not None:
            out.write(b"\n" + b" " * self._indent)
        out.write(self._signs[1:])
        self._file.close()

    def value(self) -> Any:
        """Return the list as data, for who collects documents instead of printing them."""
        out = io.BytesIO()
        self.write(out)
        return loads_json(out.getvalue())

    def _text(self, value: Any, level: int) -> bytes:
        data = json_bytes(value, indent=self._indent)
        return data if self._indent is None else data.replace(b"\n", b"\n" + b" " * self._indent * level)


def emit_spooled(
    command: str,
    world: World,
    receipt: Receipt,
    lists: dict[str, Spool],
    *,
    indent: int | None = None,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Print the one JSON document of a command, as ``emit_json`` does, its lists taken from spools.

    Args:
        command: the command.
        world: what was read.
        receipt: what was seen of it.
        lists: the lists by their names, in the order of the document.
        indent: as the spools were made.
        facts: what stands before the lists.
    """
    head = {
        "format": f"eve-replay/{command}",
        "version": 1,
        "source": public_source(world.label),
        "receipt": receipt.to_json(),
        **(facts or {}),
    }
    if taking():
        put_document(head | {name: spool.value() for name, spool in lists.items()})
        return
    text = json_bytes(head, indent=indent)
    out = sys.stdout.buffer
    sys.stdout.flush()
    out.write(text[: text.rindex(b"}")].rstrip())
    for name, spool in lists.items():
        out.write(b", " if indent is None else b",\n" + b" " * indent)
        out.write(json_bytes(name) + b": ")
        spool.write(out)
    out.write(b"}\n" if indent is None else b"\n}\n")
    out.flush()
