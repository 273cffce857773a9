"""Side by side: a recorded turn under the rules of several runtimes, point by point."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult

from eve_replay.views.crashlab.side import side_lines, side_table
from eve_replay.views.kit.table import Table, table_lines
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.lines import Flow, LineView, TextRow, notice
from eve_replay_tui.reader import Job
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["SideScreen"]


class SideScreen(ReplayScreen):
    """What each runtime repeats, loses or leaves unknown when the process dies."""

    TOPIC: ClassVar[str] = "matrix"
    ABOUT: ClassVar[str] = (
        "One recorded turn under the rules of several runtimes: what a crash at each point repeats, loses or "
        "leaves unknown under each. The turn is what its own runtime recorded."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, explorer: Explorer, turn_id: str | None) -> None:
        """Show a turn."""
        super().__init__()
        self.explorer, self.turn_id = explorer, turn_id
        self.job = Job("Simulating every crash point")

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield LineView(id="grid", marker=False)
        yield KeyBar((("Esc", "back", "back"), ("?", "help", "help")))

    def on_mount(self) -> None:
        """Begin to simulate."""
        turn = self.turn_id or "run"
        self.query_one("#head", Heading).left = line(("Side by side  ", "strong"), turn)
        grid = self.query_one("#grid", LineView)
        grid.focus()
        grid.show(notice(self.job.text))
        start(self, "side", self._load)

    async def _load(self) -> None:
        made = await self.work(self.reader.long, self._made, self._failed)
        if made is not None:
            table, said = made
            self.query_one("#grid", LineView).show(Flow(lambda width: _rows(table, said, width)))

    def _made(self) -> tuple[Table, tuple[str, ...]]:
        lab = self.replay.lab_of(self.explorer, self.turn_id)
        found = lab.beside()
        return side_table(found), side_lines(found)

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self.job.stop()

    def _failed(self, text: str) -> None:
        self.query_one("#grid", LineView).show(notice(text, tone="error"))


def _rows(table: Table, said: tuple[str, ...], width: int) -> list[TextRow]:
    rows = [TextRow(line=each) for each in table_lines(table, width=width)]
    rows.append(TextRow(line=()))
    for text in said:
        rows += [TextRow(line=each) for each in paragraph(text, width=width)]
    return rows
