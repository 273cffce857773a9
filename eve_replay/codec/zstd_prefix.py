"""The front of a zstd frame, decompressed as far as somebody reads."""

from __future__ import annotations

from eve_replay.codec.zstdlib import failure, inflater

__all__ = ["Front", "WORTH_IT"]

#: Payloads smaller than this are opened at once.
WORTH_IT = 16 * 1024
# Compressed bytes fed at once. A slice of a zstd frame can give 32,768 times its size.
_SLICE = 512


class Front:
    """Decompressed bytes from the start, more of them with every ``more()``.

    Damage further back is not noticed here: what lies before it is good, and is all that is handed out.

    Attributes:
        text: what there is so far, without the 4-byte prefix.
        usable: False when the content does not start as devalue text; then the front tells nothing.
    """

    __slots__ = ("_at", "_data", "_limit", "_stream", "size_hint", "text", "usable")

    def __init__(self, data: bytes, limit: int) -> None:
        self._data = data
        self._limit = limit
        self._at = 0
        self._stream = inflater()
        self.size_hint = len(data) * 3
        self.text = b""
        self.usable = True
        self.usable = self.more() and self.text[:4] == b"devl"
        self.text = self.text[4:]

    def more(self) -> bool:
        """Decompress about as much again as there is already; False at the end, or when it fails."""
        parts = [self.text]
        size = len(self.text)
        while self.usable and self._at < len(self._data) and not self._stream.eof and size < self._limit:
            try:
                part = self._stream.decompress(self._data[self._at : self._at + _SLICE])
            except failure():  # The whole is opened next, and tells what is wrong.
                self.usable = False
                break
            self._at += _SLICE
            parts.append(part)
            size += len(part)
            if part and size >= 2 * len(self.text):
                break
        grown = size > len(self.text)
        self.text = b"".join(parts)
        return grown and size <= self._limit
