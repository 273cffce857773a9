"""The matrix: every crash point of a turn against every effect, as a grid of coloured cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from eve_replay.views.crashlab.crash import Question
from eve_replay.views.crashlab.matrix import MatrixCell, MatrixRow, MatrixView
from eve_replay.views.kit.safe import cut, pad
from eve_replay.views.kit.text import Span, line, paragraph
from eve_replay.views.kit.tone import TONES
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, Listing, TextRow, notice
from eve_replay_tui.reader import Job
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["MatrixScreen"]


class MatrixScreen(ReplayScreen):
    """Crash points as rows, outcome, paid model calls and effects as columns."""

    TOPIC: ClassVar[str] = "matrix"
    ABOUT: ClassVar[str] = (
        "Every crash point of the turn, and how often the outside would see each effect in the end. Points "
        "that answer alike stand in one row; v shows every point. Enter opens the crash lab at a point."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = ("next-effect", "layout", "copy", "export")
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "Open the crash lab at this point."),
        ("Left Right", "Show other columns."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("layout", "next-effect", "runtime"),
        Binding("left", "columns(-1)", show=False),
        Binding("right", "columns(1)", show=False),
    ]

    DEFAULT_CSS = """
    MatrixScreen { background: $background; }
    MatrixScreen #sentence { height: 6; border-top: solid $panel; }
    """

    def __init__(
        self,
        explorer: Explorer,
        turn_id: str | None,
        asked: dict[str, Any],
        lab: Callable[[str], Screen[str]] | None = None,
    ) -> None:
        """Show a turn; ``lab`` makes the crash lab at an address; None when the lab lies below."""
        super().__init__()
        self._lab = lab
        self.explorer, self.turn_id, self.asked = explorer, turn_id, dict(asked)
        self.matrix: MatrixView | None = None
        self.every = False
        self.first = 0
        self.job = Job("Simulating every crash point")
        self._natural: list[int] = []

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield Heading(id="totals")
        yield Heading(id="columns")
        yield LineView(id="grid")
        yield LineView(id="sentence", marker=False)
        yield KeyBar(
            (
                ("Enter", "crash lab", "open"),
                ("v", "every point", "layout"),
                ("e", "next harm", "next_effect"),
                ("x", "export", "export"),
                ("Esc", "back", "back"),
                ("?", "help", "help"),
            )
        )

    def on_mount(self) -> None:
        """Begin to simulate."""
        below = self.query_one("#sentence", LineView)
        below.can_focus, below.passive = False, True
        self.query_one("#head", Heading).left = line(("Matrix", "strong"))
        self.query_one("#columns", Heading).left_first = True
        self.grid.focus()
        self.grid.show(notice(self.job.text))
        start(self, "matrix", self._load)

    @property
    def grid(self) -> LineView:
        """The grid."""
        return self.query_one("#grid", LineView)

    async def _load(self) -> None:
        progress = self.set_interval(0.2, lambda: self.grid.show(notice(f"{self.job.text}. Esc stops it.")))
        try:
            matrix = await self.work(self.reader.long, self._made, self._failed)
        finally:
            progress.stop()
        if matrix is not None:
            self.take(matrix)

    def _made(self) -> MatrixView:
        """Simulate point by point, so that it can be stopped between two points."""
        lab = self.replay.lab_of(self.explorer, self.turn_id)
        question = Question(**self.asked)
        self.job.total = len(lab.points)
        for index in range(len(lab.points)):
            lab.simulation(index, question)
            self.job.step(index + 1)
        return lab.matrix(question)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self.job.stop()

    def _failed(self, text: str) -> None:
        self.grid.show(notice(text, tone="error"))

    def take(self, matrix: MatrixView) -> None:
        """Show a matrix."""
        self.matrix = matrix
        self._natural = [
            max((cell_width(_cell_text(row.cells[n])) for row in matrix.rows), default=0)
            for n in range(len(matrix.columns))
        ]
        head = self.query_one("#head", Heading)
        turn = (self.turn_id or "run").replace("turn_", "turn ")
        head.left = line(("Matrix  ", "strong"), turn)
        head.right = line((", ".join(f"{name} {words}" for name, words in matrix.assumptions), "muted"))
        totals: list[Span] = []
        for total in matrix.totals:
            sign = TONES[total.tone].sign
            totals += [
                Span(f"{sign} " if sign else "", total.tone),
                Span(f"{total.name} {total.count}   ", total.tone),
            ]
        self.query_one("#totals", Heading).left = tuple(totals)
        self._refit()

    def _rows(self) -> tuple[MatrixRow, ...]:
        matrix = self.matrix
        if matrix is None:
            return ()
        return matrix.rows if self.every else matrix.classes()

    def _refit(self) -> None:
        rows = self._rows()
        current = self.grid.current
        listing: Listing[MatrixRow] = Listing(rows, self._draw, lambda row: str(row.point.index))
        self.grid.show(listing, select=current.key if current is not None and current.key else 0)
        self._columns()
        self._sentence()

    def _columns_for(self, width: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the width of the label and ``(column, width)`` of those that fit."""
        assert self.matrix is not None
        label = max(min(width * 2 // 5, 60), 20)
        used = label
        shown = []
        columns = self.matrix.columns
        for n, column in enumerate(columns):
            if 2 <= n < 2 + self.first:
                continue
            cells = min(max(cell_width(column.title), self._natural[n], 9), 26) + 2
            if used + cells > width:
                break
            shown.append((n, cells))
            used += cells
        return label, shown

    def _columns(self) -> None:
        if self.matrix is None:
            return
        label, shown = self._columns_for(self.grid.room)
        text = pad("  point", label)
        for n, cells in shown:
            text += pad(cut(self.matrix.columns[n].title, cells - 2), cells)
        rest = len(self.matrix.columns) - len(shown)
        self.query_one("#columns", Heading).left = line((text, "muted"))
        self.query_one("#columns", Heading).right = line((f"{rest} more, right" if rest else "", "muted"))

    def _draw(self, row: MatrixRow, width: int) -> TextRow:
        label, shown = self._columns_for(width)
        sign = TONES["harm"].sign if row.harmful else " "
        spans = [
            Span(f"{sign} ", "harm"),
            Span(f"{row.point.number:>4} ", "muted"),
            Span(pad(cut(row.point.label, label - 9), label - 7)),
        ]
        for n, cells in shown:
            cell = row.cells[n]
            spans.append(Span(pad(cut(_cell_text(cell), cells - 1), cells), cell.tone))
        return TextRow(line=tuple(spans), key=str(row.point.index), copy=row.sentence, data=row)

    def _sentence(self) -> None:
        current = self.grid.current
        row = current.data if current is not None else None
        if isinstance(row, MatrixRow):
            self.query_one("#sentence", LineView).show(
                Flow(
                    lambda width: [
                        TextRow(line=each) for each in paragraph(row.sentence, width=width, indent=1)
                    ]
                ),
                select=0,
            )

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another point is selected."""
        self._sentence()

    def on_resize(self) -> None:
        """Fit the headings."""
        self._columns()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open the crash lab at the point."""
        self.action_open()

    def action_open(self) -> None:
        """Open the crash lab at the point; when it is below this screen, go back to it."""
        current = self.grid.current
        row = current.data if current is not None else None
        if not isinstance(row, MatrixRow):
            return
        if self._lab is None:
            self.dismiss(f"point:{row.point.index}")
            return

        def left(key: str | None) -> None:
            if key:
                self.dismiss(key)

        self.app.push_screen(self._lab(row.point.address), left)

    def action_runtime(self) -> None:
        """Show the turn under the rules of several runtimes, side by side."""
        from eve_replay_tui.screens.side import SideScreen

        self.app.push_screen(SideScreen(self.explorer, self.turn_id))

    def action_layout(self) -> None:
        """Show every point, or one row for points that answer alike."""
        self.every = not self.every
        self._refit()

    def action_columns(self, by: int) -> None:
        """Show other columns."""
        if self.matrix is not None:
            self.first = min(max(self.first + by, 0), max(len(self.matrix.columns) - 3, 0))
            self.grid.restyle()
            self._columns()

    def action_next_effect(self) -> None:
        """Go to the next harmful point."""
        rows = self._rows()
        for n in range(self.grid.cursor + 1, len(rows)):
            if rows[n].harmful:
                self.grid.action_line(n - self.grid.cursor)
                return
        self.say("No further harmful point.")


def _cell_text(cell: MatrixCell) -> str:
    """Return the sign and text of a cell, with how often the body ran where that differs."""
    sign = TONES[cell.tone].sign
    runs = f" ({cell.runs} runs)" if cell.runs else ""
    return f"{sign + ' ' if sign else ''}{cell.text}{runs}"
