"""Entries of a devalue text one by one, from the front, without parsing the rest.

devalue numbers entries in the order it meets values, so what a path near the front of a value needs
lies near the front of the text: ``$.args[0].history[3]`` of a 2 MB payload within its first kilobytes.
Reading only so far is what makes one field hundreds of times cheaper than the whole.
"""

from __future__ import annotations

import re
from typing import Any

from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.values import Undecoded

__all__ = ["Entries", "Fault"]

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_INSIDE = rb'(?:[^\[\]{}"]++|' + _STRING + rb")*+"
_ENTRY = re.compile(
    rb"[ \t\r\n]*+(?:" + _STRING + rb"|\[" + _INSIDE + rb"\]|\{" + _INSIDE + rb'\}|[^\[\]{}",\s]++)[ \t\r\n]*+',
    re.DOTALL,
)
_OPEN = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[")
#: Scanning costs more per byte than the C parser, so it is given up after this part of the text.
_GIVE_UP = 8
_ALWAYS = 65_536


class Fault(Exception):
    """The text is no devalue list where it was read; carries the stand-in for the value."""

    def __init__(self, undecoded: Undecoded) -> None:
        super().__init__(undecoded.message)
        self.undecoded = undecoded


class Entries:
    """The entries of one document by index."""

    def __init__(self, data: bytes | None, parsed: Any = None) -> None:
        """Take the devalue bytes, or (``data`` None) what JSON already gave."""
        self.data = data
        self._parsed: Any = parsed
        self._spans: list[tuple[int, int]] = []
        self._known: dict[int, Any] = {}
        self._at = 0
        self._front = data is not None and self._begin(data)

    def _begin(self, data: bytes) -> bool:
        match = _OPEN.match(data)
        self._at = match.end() if match else 0
        return match is not None

    def root(self) -> Any:
        """Return the document as JSON when it is no list of entries (a bare number), else None."""
        if self._front:
            return None
        parsed = self.all()
        return None if isinstance(parsed, list) else parsed

    def entry(self, index: int) -> Any:
        """Return one raw entry; do not change it. Raises IndexError beyond the end, Fault on bad text."""
        if self._front and self._scan_to(index):
            if index not in self._known:
                start, end = self._spans[index]
                self._known[index] = self._parse(start, end)
            return self._known[index]
        parsed = self.all()
        if not isinstance(parsed, list) or index < 0:
            raise IndexError(index)
        return parsed[index]

    def all(self) -> Any:
        """Return the whole document as JSON gave it; do not change it. Raises Fault."""
        if self.data is not None and self._parsed is None:
            self._parsed = self._parse(0, len(self.data))
            self._front = False
        return self._parsed

    def _parse(self, start: int, end: int) -> Any:
        assert self.data is not None
        found = parse_json(self.data[start:end].decode("utf-8", "replace").removeprefix("\ufeff"))
        if isinstance(found, JsonFault):
            offset = None if found.offset is None else start + found.offset
            raise Fault(Undecoded("bad-json", f"Not JSON: {found.message}.", "$", offset))
        return found

    def _scan_to(self, index: int) -> bool:
        """Find the span of entry ``index`` if it lies near enough; False means: parse it all."""
        data = self.data
        assert data is not None
        spans, at, match = self._spans, self._at, _ENTRY.match
        stop = max(_ALWAYS, len(data) // _GIVE_UP)
        while len(spans) <= index:
            if at > stop:
                self._front = False
                break
            found = match(data, at)
            after = data[found.end() : found.end() + 1] if found else b""
            if found is None or after not in (b",", b"]"):
                self._front = False
                break
            spans.append(found.span())
            at = found.end() + 1
            if after == b"]":
                self._front = len(spans) > index
                break
        self._at = at
        return self._front and len(spans) > index
