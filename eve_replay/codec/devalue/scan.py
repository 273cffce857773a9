"""Entries of a devalue text one by one, from the front, without parsing the rest.

devalue numbers entries in the order it meets values, so what a path near the front of a value needs
lies near the front of the text: ``$.args[0].history[3]`` of a 2 MB payload within its first kilobytes.
Reading only so far is what makes one field many times cheaper than the whole. Further back the C parser
is faster than any scanner in Python, so then the text is parsed as a whole (and still not hydrated).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from eve_replay.codec.devalue.salvage import salvage
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.codec.zstd_prefix import Front
from eve_replay.values import Undecoded

__all__ = ["SMALL", "Entries", "Fault"]

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_INSIDE = rb'(?:[^\[\]{}"]++|' + _STRING + rb")*+"
_ENTRY = re.compile(
    rb"[ \t\r\n]*+(?:"
    + _STRING
    + rb"|\["
    + _INSIDE
    + rb"\]|\{"
    + _INSIDE
    + rb'\}|[^\[\]{}",\s]++)[ \t\r\n]*+',
    re.DOTALL,
)
_OPEN = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[")
#: Scanning is given up after this part of the text, but not before so many bytes.
_PART = 16
SMALL = 65_536


class Fault(Exception):
    """The text is no devalue list where it was read; carries the stand-in for the value."""

    def __init__(self, undecoded: Undecoded) -> None:
        super().__init__(undecoded.message)
        self.undecoded = undecoded


class Entries:
    """The entries of one document by index.

    Args:
        whole: gives the whole devalue text, or raises Fault.
        front: its front, if that is cheaper to have.
        parsed: what JSON gave, when there is no text (legacy payloads).
        own: whether the writer uses devalue's own forms, None when that is unknown.
    """

    def __init__(
        self,
        whole: Callable[[], bytes] | None,
        front: Front | None = None,
        *,
        parsed: Any = None,
        own: bool | None = None,
    ) -> None:
        self.own = own
        self._whole = whole
        self._parsed: Any = parsed
        self._source = front
        self._data = b""
        self._stop = 0
        self._at = 0
        self._spans: list[tuple[int, int]] = []
        self._known: dict[int, Any] = {}
        #: Whether entries are still looked for from the front.
        self._scanning = whole is not None and self._begin(whole)

    def _begin(self, whole: Callable[[], bytes]) -> bool:
        front = self._source
        if front is not None and front.usable:
            self._data = front.text
            size = front.size_hint
        else:
            self._source = None
            self._data = whole()
            size = len(self._data)
            if size <= SMALL:
                return False  # Parsing it all takes less than a millisecond, and sees all damage.
        match = _OPEN.match(self._data)
        self._at = match.end() if match else 0
        self._stop = max(SMALL, size // _PART)
        return match is not None

    def root(self) -> Any:
        """Return the document as JSON when it is no list of entries (a bare number), else None."""
        if self._scanning:
            return None
        parsed = self.all()
        return None if isinstance(parsed, list) and parsed else parsed

    def entry(self, index: int) -> Any:
        """Return one raw entry; do not change it. Raises IndexError beyond the end, Fault on bad text."""
        if index in self._known:
            return self._known[index]
        if self._scanning and self._scan_to(index):
            raw = self._known[index] = _parse(self._data, *self._spans[index])
            return raw
        parsed = self.all()
        if not isinstance(parsed, list) or index < 0:
            raise IndexError(index)
        return parsed[index]

    def all(self) -> Any:
        """Return the whole document as JSON gave it; do not change it. Raises Fault."""
        if self._parsed is None and self._whole is not None:
            text = self._whole()
            self._parsed = _parse_all(text)
            self._scanning = False
            self._known.clear()
            self._source, self._data = None, b""
        return self._parsed

    def _grow(self) -> bool:
        if self._source is None or not self._source.more():
            return False
        self._data = self._source.text
        return True

    def _scan_to(self, index: int) -> bool:
        """Find the span of entry ``index`` if it lies near enough; False means: parse it all."""
        spans, match = self._spans, _ENTRY.match
        while len(spans) <= index:
            found = match(self._data, self._at)
            after = self._data[found.end() : found.end() + 1] if found else b""
            if not after and self._grow():
                continue  # The entry may have been cut where the front ended.
            if found is None or after not in (b",", b"]") or found.end() > self._stop:
                self._scanning = False
                return False
            spans.append(found.span())
            self._at = found.end() + 1
            if after == b"]" and len(spans) <= index:
                self._scanning = False
                return False
        return True


def _parse_all(text: bytes) -> Any:
    try:
        return _parse(text, 0, len(text))
    except Fault:
        saved = salvage(text.decode("utf-8", "replace").removeprefix("\ufeff"))
        if saved is None:
            raise
        return saved[0]


def _parse(data: bytes, start: int, end: int) -> Any:
    found = parse_json(data[start:end].decode("utf-8", "replace").removeprefix("\ufeff"))
    if isinstance(found, JsonFault):
        offset = None if found.offset is None else start + found.offset
        raise Fault(Undecoded("bad-json", f"Not JSON: {found.message}.", "$", offset))
    return found
