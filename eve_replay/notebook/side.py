"""One turn under several runtimes' rules, as a notebook shows it: a table, and a sentence per runtime."""

from __future__ import annotations

from eve_replay.recovery.side_by_side import SideBySide
from eve_replay.views.crashlab.side import side_lines, side_table
from eve_replay.views.kit.html import lines_html
from eve_replay.views.kit.table import table_html, table_lines
from eve_replay.views.kit.text import line, plain

__all__ = ["SidePage"]


class SidePage:
    """Shows a comparison; ``found`` is the comparison itself.

    Args:
        found: the turn under several rules.
        all_points: a row for every crash point.
    """

    def __init__(self, found: SideBySide, *, all_points: bool = False) -> None:
        self.found = found
        self.table = side_table(found, all_points=all_points)

    def _repr_html_(self) -> str:
        said = lines_html([line(text) for text in side_lines(self.found)])
        return f"{table_html(self.table, label='a crash at every point, under each set of rules')}{said}"

    def __repr__(self) -> str:
        return "\n".join([plain(table_lines(self.table, width=110)), *side_lines(self.found)])
