"""Choices drawn from the fuzzer's bytes, so that a changed byte changes one choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Pick:
    """Draws from bytes, front to back; when they are used up every draw is the first choice."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, below: int) -> int:
        """Return a number from 0 to ``below`` - 1."""
        if below <= 1:
            return 0
        size = 1 if below <= 256 else 2 if below <= 65536 else 4
        return int.from_bytes(self.bytes(size), "little") % below

    def one(self, choices: Sequence[_T]) -> _T:
        """Return one of the choices."""
        return choices[self.number(len(choices))]

    def bytes(self, count: int) -> bytes:
        """Return up to ``count`` bytes."""
        found = self._data[self._at : self._at + count]
        self._at += count
        return found

    @property
    def more(self) -> bool:
        """Whether bytes are left."""
        return self._at < len(self._data)
