"""Widths of short texts, remembered: the same labels are measured at every key."""

from __future__ import annotations

from functools import lru_cache

from eve_replay.views.kit import safe

__all__ = ["cells", "shortened"]


@lru_cache(16_384)
def cells(text: str) -> int:
    """Return how many terminal cells a safe text takes."""
    return safe.display_width(text)


@lru_cache(4096)
def shortened(text: str, width: int, end: str = "…") -> str:
    """Return a safe text in at most ``width`` cells, with ``end`` where something was left out."""
    return text if cells(text) <= width else safe.cut(text, width, end=end)
