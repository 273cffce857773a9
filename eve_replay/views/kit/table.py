"""Aligned columns as plain data, laid out in a given number of terminal cells, or written as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from eve_replay.views.kit.safe import cut, display_width, pad, safe_text
from eve_replay.views.kit.text import Line, Span
from eve_replay.views.kit.tone import Tone

__all__ = ["Cell", "Column", "Row", "Table", "table_html", "table_lines"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: text (made safe when laid out) in one tone."""

    text: str
    tone: Tone = "plain"


#: One row: cells, or plain strings for cells in the plain tone.
Row = Sequence[Cell | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    Attributes:
        title: heading, empty for none.
        align: numbers go right.
        shrink: 0 never gets narrower; columns with a higher number give way first.
        minimum: cells a shrinking column keeps at least.
        keep: which part survives when the text is cut: ``start``, ``end`` or ``both``.
        optional: the column is left out when the rows do not fit with it, the last such column first.
        names: its cells name their rows: heads of rows in HTML.
    """

    title: str
    align: Literal["left", "right", "centre"] = "left"
    shrink: int = 0
    minimum: int = 8
    keep: Literal["start", "end", "both"] = "start"
    optional: bool = False
    names: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under columns. A row may be shorter than the columns; what is missing is empty.

    Attributes:
        columns: left to right.
        rows: each a sequence of cells or plain strings.
        empty: what to say when there are no rows: what would fill it, and the command for it.
    """

    columns: Sequence[Column]
    rows: Sequence[Row] = field(default_factory=tuple)
    empty: str = ""


def _cell(value: Cell | str) -> Cell:
    return Cell(safe_text(value)) if isinstance(value, str) else Cell(safe_text(value.text), value.tone)


def _widths(table: Table, rows: list[list[Cell]], width: int, gap: int) -> list[int]:
    """Natural widths, then columns that may shrink give way, highest ``shrink`` and widest first."""
    widths = [display_width(safe_text(column.title)) for column in table.columns]
    for row in rows:
        for index, cell in enumerate(row):
            widths[index] = max(widths[index], display_width(cell.text))
    excess = sum(widths) + gap * (len(widths) - 1) - width
    for level in sorted({column.shrink for column in table.columns if column.shrink}, reverse=True):
        while excess > 0:
            candidates = [
                (widths[index], index)
                for index, column in enumerate(table.columns)
                if column.shrink == level and widths[index] > column.minimum
            ]
            if not candidates:
                break
            candidates.sort(reverse=True)
            widest, index = candidates[0]
            floor = max(
                candidates[1][0] - 1 if len(candidates) > 1 else 0,
                table.columns[index].minimum,
                widest - excess,
            )
            floor = min(floor, widest - 1)
            excess -= widest - floor
            widths[index] = floor
    return widths


def table_lines(table: Table, *, width: int = 80, gap: int = 2, indent: int = 0) -> list[Line]:
    """Return heading and rows as lines of at most ``width`` cells (when the columns can shrink so far).

    A column without any text is left out. Without rows the table's ``empty`` sentence is returned.
    """
    rows = [[_cell(value) for value in row[: len(table.columns)]] for row in table.rows]
    if not rows:
        return [(Span(" " * indent + safe_text(table.empty), "muted"),)] if table.empty else []
    for row in rows:
        row.extend(Cell("") for _ in range(len(table.columns) - len(row)))
    used = [index for index in range(len(table.columns)) if any(row[index].text for row in rows)]
    while True:
        slim = Table(columns=[table.columns[index] for index in used])
        shown = [[row[index] for index in used] for row in rows]
        widths = _widths(slim, shown, width - indent, gap)
        optional = [index for index in used if table.columns[index].optional]
        if not optional or sum(widths) + gap * (len(widths) - 1) <= width - indent:
            break
        used.remove(optional[-1])
    rows = shown
    out = []
    if any(column.title for column in slim.columns):
        head = [Cell(safe_text(column.title), "muted") for column in slim.columns]
        out.append(_row(slim, head, widths, gap, indent))
    out.extend(_row(slim, row, widths, gap, indent) for row in rows)
    return out


def table_html(table: Table, *, label: str = "") -> str:
    """Return a table as HTML, every text escaped; its ``empty`` sentence without rows.

    Args:
        table: what to show; tones are left out.
        label: its name for screen readers.
    """
    if not table.rows and table.empty:
        return f"<p>{escape(safe_text(table.empty))}</p>"
    heads = (f'<th scope="col" style="{_STYLE}">{_text(column.title)}</th>' for column in table.columns)
    body = []
    for row in table.rows:
        cells = []
        for column, value in zip(table.columns, row, strict=False):
            text = _cell(value).text
            if column.names:
                cells.append(f'<th scope="row">{escape(text)}</th>')
            else:
                fold = "normal" if len(text) > 30 else "nowrap"  # words stay whole, sentences fold
                cells.append(f'<td style="{_STYLE}white-space:{fold}">{escape(text)}</td>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    name = f' aria-label="{escape(label, quote=True)}"' if label else ""
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    return f'<table class="dataframe"{name}>{head}<tbody>{"".join(body)}</tbody></table>'


_STYLE = "text-align:left;vertical-align:top;max-width:44em;"


def _text(text: str) -> str:
    return escape(safe_text(text))


def _row(table: Table, row: Sequence[Cell], widths: Sequence[int], gap: int, indent: int) -> Line:
    spans: list[Span] = [Span(" " * indent)] if indent else []
    last = len(row) - 1
    for index, (cell, column, width) in enumerate(zip(row, table.columns, widths, strict=True)):
        text = cut(cell.text, width, keep=column.keep)
        if index < last or column.align != "left":
            text = pad(text, width, align=column.align)
        spans.append(Span(text, cell.tone))
        if index < last:
            spans.append(Span(" " * gap))
    return tuple(spans)
