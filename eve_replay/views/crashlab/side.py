"""One turn under several runtimes' rules, as a table that every front end draws."""

from __future__ import annotations

from collections.abc import Sequence

from eve_replay.recovery.side_by_side import Answer, SideBySide, SidePoint
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.tone import Tone

__all__ = ["side_cell", "side_lines", "side_table"]


def side_cell(answer: Answer) -> tuple[str, Tone]:
    """Return what a runtime does at a point, worst first, and its tone."""
    parts: list[tuple[str, Tone]] = []
    if answer.outcome in ("fails", "hangs"):
        parts.append((answer.outcome, "harm"))
    if answer.repeats:
        parts.append((f"repeats {_listed(answer.repeats)}", "harm"))
    if answer.maybe:
        parts.append((f"may repeat {_listed(answer.maybe)}", "harm"))
    if answer.loses:
        parts.append((f"loses {_listed(answer.loses)}", "again"))
    if answer.unknown:
        parts.append((f"{_listed(answer.unknown)} unknown", "unknown"))
    if answer.resumes:
        parts.append((f"resumes {_listed(answer.resumes)}", "again"))
    if answer.outcome in ("needs-person", "needs-message"):
        parts.append((answer.outcome.replace("-", " a "), "again"))
    if not parts:
        quiet = "nothing open" if answer.outcome == "nothing-open" else "nothing twice"
        return quiet, "muted" if answer.outcome == "nothing-open" else "ok"
    return "; ".join(text for text, _ in parts), parts[0][1]


def _listed(names: Sequence[str]) -> str:
    counted = {name: names.count(name) for name in dict.fromkeys(names)}
    return ", ".join(safe_text(name) + (f" ({n})" if n > 1 else "") for name, n in counted.items())


def side_table(found: SideBySide, *, all_points: bool = False) -> Table:
    """Return the table: a row per run of points at which every runtime does the same.

    Args:
        found: the comparison.
        all_points: a row for every point.
    """
    rows: list[Row] = []
    last: tuple[object, ...] | None = None
    first = found.points[0].point.position if found.points else 0
    for point in found.points:
        cells = [side_cell(answer) for answer in point.answers]
        key = (point.point.label, *cells)
        if key == last and not all_points:
            continue
        last = key
        rows.append(_row(point, cells, first))
    return Table(
        columns=[
            Column(title="from", align="right"),
            Column(title="killed", shrink=2, minimum=18),
            *(Column(title=f"under {safe_text(name)}", shrink=1, minimum=16) for name in found.runtimes),
        ],
        rows=rows,
    )


def _row(point: SidePoint, cells: Sequence[tuple[str, Tone]], first: int) -> Row:
    number = str(point.point.position - first + 1)
    return [number, safe_text(point.point.label), *(Cell(text, tone) for text, tone in cells)]


def side_lines(found: SideBySide) -> tuple[str, ...]:
    """Return a sentence per runtime: at how many points it repeats, loses, leaves unknown."""
    out = []
    for name in found.runtimes:
        sums = found.totals(name)
        words = [
            f"{sums[key]} {text}"
            for key, text in (
                ("repeats", "with a sure repeat"),
                ("mayRepeat", "with a possible one"),
                ("loses", "with a loss"),
                ("unknown", "with an unknown outcome"),
                ("fails", "that end badly"),
            )
            if sums[key]
        ]
        said = ", ".join(words) if words else "none with a repeat, a loss or an unknown outcome"
        out.append(f"{safe_text(name)}: of {sums['points']} crash points {said}.")
    return tuple(out)
