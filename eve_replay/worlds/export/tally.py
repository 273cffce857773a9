"""Counting rows for the receipt once, however often they are read: live worlds keep no rows to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from eve_replay.problems import Receipt

__all__ = ["Tally"]

T = TypeVar("T")
_ALL = ""


class Tally:
    """Knows which groups of rows (a table and an owner) have been counted.

    Args:
        receipt: where rows are counted as seen and parsed.
    """

    def __init__(self, receipt: Receipt) -> None:
        self._receipt = receipt
        self._done: set[tuple[str, str]] = set()

    def group(self, table: str, owner: str, rows: Iterable[T]) -> Iterator[T]:
        """Yield the rows of one owner; they count unless this group was read to its end before."""
        key = (table, owner)
        if key in self._done or (table, _ALL) in self._done:
            yield from rows
            return
        for row in rows:
            self._count()
            yield row
        self._done.add(key)

    def listing(self, table: str, rows: Iterable[T], owner: Callable[[T], str]) -> Iterator[T]:
        """Yield all rows of a table; those counted one by one do not count again."""
        new = (table, _ALL) not in self._done
        for row in rows:
            if new and (table, owner(row)) not in self._done:
                self._count()
            yield row
        self._done.add((table, _ALL))

    def _count(self) -> None:
        self._receipt.seen += 1
        self._receipt.parsed += 1
