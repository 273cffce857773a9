"""The error for a store that can be read and whose layout nobody has described yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eve_replay.errors import SourceUnreadable

__all__ = ["UnknownLayout"]


class UnknownLayout(SourceUnreadable):
    """A store was opened, and no layout fits what it holds.

    Attributes:
        tables: its tables and columns (for keys: their patterns, without columns), for a first draft.
        reader: ``tables``, ``documents`` or ``keys``.
        shapes: for keys, their patterns and some of what they hold.
        samples: some rows of each table, for the same draft.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        tables: Mapping[str, tuple[str, ...]],
        reader: str = "tables",
        samples: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
        shapes: Sequence[Any] = (),
    ) -> None:
        super().__init__(message, hint=hint)
        self.tables = tables
        self.reader = reader
        self.samples = samples or {}
        self.shapes = shapes
