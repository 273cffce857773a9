"""A table of rows in a notebook, without pandas: it is the same in a browser's Python, which has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Column, Table, table_html, table_lines
from eve_replay.views.kit.text import plain
from eve_replay.views.kit.words import plural

__all__ = ["Rows"]

#: Characters of a cell that are shown; rows that are shown; a width that cuts nothing.
_LONGEST, _MOST, _WIDE = 80, 500, 1_000_000


class Rows:
    """Rows that a notebook shows as a table, and a terminal as aligned text.

    Args:
        rows: dicts, one per row, or lists: a grid whose rows and columns are numbered from 0.
        columns: which keys to show, in order; all there are without any, in the order they occur.
        turned: keys become rows, and rows become columns numbered from 0.
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any] | Sequence[Any]],
        columns: Sequence[str] = (),
        *,
        turned: bool = False,
    ) -> None:
        if all(isinstance(row, Mapping) for row in rows):
            dicts: list[Mapping[str, Any]] = [dict(row) for row in rows]
            head = list(columns) or list(dict.fromkeys(key for row in dicts for key in row))
            grid = [[_text(row.get(key, "")) for key in head] for row in dicts]
            side = [""] * len(grid)
        else:
            grid = [[_text(each) for each in row] for row in rows]
            head = [str(number) for number in range(max(map(len, grid), default=0))]
            side = [str(number) for number in range(len(grid))]
        if turned:
            side, head, grid = (
                head,
                [str(number) for number in range(len(grid))],
                [[row[index] for row in grid] for index in range(len(head))],
            )
        self.head: list[str] = [safe_text(each) for each in head]
        self.side: list[str] = [safe_text(each) for each in side]
        self.grid: list[list[str]] = grid

    @property
    def table(self) -> Table:
        """What is shown of it."""
        names = [Column(title="", names=True)] if any(self.side) else []
        rows = [
            [*([side] if names else []), *row]
            for side, row in zip(self.side[:_MOST], self.grid[:_MOST], strict=True)
        ]
        return Table(
            columns=[*names, *(Column(title=each) for each in self.head)], rows=rows, empty="no rows"
        )

    def _remark(self) -> str:
        """What a reader would not see otherwise: that there is more."""
        return plural(len(self.grid) - _MOST, "more row") if len(self.grid) > _MOST else ""

    def _repr_html_(self) -> str:
        more = f"<p>{self._remark()}</p>" if self._remark() else ""
        return f"{table_html(self.table)}{more}"

    def __repr__(self) -> str:
        lines = plain(table_lines(self.table, width=_WIDE)).split("\n")
        return "\n".join([*(each.rstrip() for each in lines), *filter(None, [self._remark()])])

    def __len__(self) -> int:
        return len(self.grid)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}"[:23]
    return cut(safe_text(str(value)), _LONGEST)
