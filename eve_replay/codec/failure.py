"""How codec modules tell each other that a layer failed; it never leaves the package."""

from __future__ import annotations

from eve_replay.values import Undecoded

__all__ = ["LayerError"]


class LayerError(Exception):
    """A layer cannot be opened. ``envelope`` turns it into an ``Undecoded``; callers never see it."""

    def __init__(self, reason: str, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.offset = offset

    def undecoded(self, shift: int = 0) -> Undecoded:
        """Return the value that stands in for what could not be opened."""
        offset = None if self.offset is None else self.offset + shift
        return Undecoded(self.reason, self.message, "$", offset)
