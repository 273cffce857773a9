"""Rows of the list of sessions, its column heads, and what stands below it about the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from eve_replay.views.kit.safe import cut, pad
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import ago, day_and_clock, plural
from eve_replay.views.verdicts.board import Fold, SortBy
from eve_replay.views.verdicts.landing import LandingRow, standing_now
from eve_replay_tui.lines import TextRow

if TYPE_CHECKING:
    from eve_replay.views.verdicts.plan import PlanView
    from eve_replay.views.verdicts.verdicts import VerdictRow

__all__ = ["column_at", "columns_line", "preview_rows", "session_line"]

#: Column, its heading, its cells at 60, 90 and 120 columns and more; 0 leaves it out, -1 takes what is left.
#: Harm stands left: on a narrow screen the right side gives way.
_COLUMNS: tuple[tuple[SortBy, str, tuple[int, int, int]], ...] = (
    ("state", "state", (28, 30, 38)),
    ("twice", "twice", (6, 7, 8)),
    ("title", "title", (-1, -1, -1)),
    ("last", "last", (8, 9, 10)),
    ("turns", "turns", (0, 0, 6)),
    ("version", "version", (0, 10, 12)),
    ("id", "id", (5, 8, 11)),
)


def _widths(width: int) -> list[tuple[SortBy, str, int]]:
    size = 2 if width >= 120 else 1 if width >= 90 else 0
    taken = sum(max(sizes[size], 0) for _, _, sizes in _COLUMNS)
    return [
        (name, title, sizes[size] if sizes[size] >= 0 else max(width - taken, 8))
        for name, title, sizes in _COLUMNS
        if sizes[size]
    ]


def columns_line(width: int, sort: SortBy, reverse: bool) -> Line:
    """Return the heads of the columns; the one that the rows are sorted by is marked."""
    spans: list[Span] = []
    for name, title, cells in _widths(width):
        by = name == sort or (sort == "worst" and name == "state")
        mark = ("▲" if reverse else "▼") if by else ""
        text = pad(cut(f"{title}{mark}", cells - 1), cells)
        if name in ("last", "turns"):
            text = pad(cut(f"{title}{mark}", cells - 2), cells - 2, align="right") + "  "
        spans.append(Span(text, "strong" if by else "muted"))
    spans[-1] = Span(spans[-1].text.rstrip(), spans[-1].tone)
    return tuple(spans)


def column_at(width: int, x: int) -> SortBy | None:
    """Return the column under a cell of the heads."""
    start = 0
    for name, _, cells in _widths(width):
        if start <= x < start + cells:
            return name
        start += cells
    return None


def session_line(row: LandingRow | Fold, width: int, now: datetime) -> TextRow:
    """Return one session: sign and state, what ran twice, title, last activity, version, end of its id."""
    if isinstance(row, Fold):
        tone = TONES["ok"].sign
        mark = "▾" if row.opened else "▸"
        text = line((f"{mark} ", "muted"), (f"{tone} ", "ok"), (row.words, "muted"))
        return TextRow(line=text, key=row.key, fold=row.key, copy="", data=row)
    spans: list[Span] = []
    for name, _, cells in _widths(width):
        spans += _cell(row, name, cells, now)
    return TextRow(line=tuple(spans), key=row.key, copy=row.id, data=row)


def _cell(row: LandingRow, name: SortBy, cells: int, now: datetime) -> list[Span]:
    if name == "state":
        text = standing_now(row, now)
        if len(text) > cells - 3:
            text = standing_now(row, now, brief=True)
        return [Span(pad(cut(f"{row.sign:<2}{text}", cells - 1), cells), row.tone)]
    if name == "twice":
        return [Span(pad(cut(row.twice.short, cells - 1), cells), "harm")]
    if name == "title":
        kind = f"{row.kind} " if row.kind not in ("session", "workflow") else ""
        room = cells - len(kind) - 1
        title = row.title or ("workflow" if row.kind == "workflow" else "no title")
        tone: Tone = "plain" if row.title else "muted"
        return [Span(kind, "muted"), Span(pad(cut(title, room), room + 1), tone)]
    if name == "last":
        last = ago(row.last_activity, now, coarse=True).replace(" ago", "")
        return [Span(pad(cut(last, cells - 2), cells - 2, align="right") + "  ", "muted")]
    if name == "turns":
        text = str(row.turns) if row.looked else ""
        return [Span(pad(text, cells - 2, align="right") + "  ")]
    if name == "version":
        return [Span(pad(cut(row.version, cells - 1), cells), "muted")]
    return [Span(pad(row.id[-(cells - 1) :], cells), "muted")]


def preview_rows(
    row: LandingRow | Fold,
    told: tuple[PlanView, Sequence[VerdictRow]] | None,
    width: int,
    zone: tzinfo | None,
) -> list[TextRow]:
    """Return id, facts, what to do first and the verdicts; ``told`` None says that it is being worked out."""
    if isinstance(row, Fold):
        return [TextRow(line=line((f" {row.words}.", "muted")))]
    when = day_and_clock(row.last_activity, zone)
    facts = [f"last activity {when}" if when else "", plural(row.runs, "run")]
    if row.looked:
        facts.append(plural(row.turns, "turn"))
        facts.append(row.framework)
    shown = ", ".join(each for each in facts if each)
    rows = [TextRow(line=(Span(f" {row.id}  ", "strong"), Span(shown, "muted")), copy=row.id)]
    if told is None:
        return [*rows, TextRow(line=line((" Looking at it ...", "muted")))]
    plan, verdicts = told
    if plan:
        first = plan.rows[0]
        until = f" {first.until}" if first.until else ""
        sign, count = TONES[first.tone].sign or "-", plural(len(plan.rows), "thing")
        rows.append(
            TextRow(
                line=line(
                    (f" {sign} Do now ({count}, w): ", first.tone),
                    (f"{first.word}{until}", "strong"),
                )
            )
        )
        rows += [TextRow(line=each) for each in paragraph(first.text, width=width - 1, indent=3)]
    for verdict in verdicts:
        head = Span(f" {TONES[verdict.tone].sign or '-'} {verdict.word}  ", verdict.tone)
        rows.append(TextRow(line=(head, Span(verdict.certainty, "muted"))))
        rows += [TextRow(line=each) for each in paragraph(verdict.sentence, width=width - 1, indent=3)]
    return rows
