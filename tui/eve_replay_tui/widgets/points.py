"""All crash points of a turn as one strip: what a crash at each does, and which is selected."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from eve_replay.views.kit.text import Line, Span
from eve_replay.views.kit.tone import Tone
from eve_replay_tui.paint import Painter

__all__ = ["PointStrip"]

_GRAVITY: tuple[Tone, ...] = ("muted", "ok", "again", "warning", "error", "harm")
_FILL: dict[Tone, tuple[str, str]] = {
    "muted": ("─", "-"),
    "ok": ("─", "-"),
    "again": ("╍", "~"),
    "warning": ("╌", "="),
    "error": ("━", "x"),
    "harm": ("━", "#"),
}


class PointStrip(Widget):
    """Two lines: the points, and a mark below the selected one."""

    DEFAULT_CSS = """
    PointStrip { height: 2; width: 1fr; background: $background; }
    """

    class Picked(Message):
        """A point was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tones: tuple[Tone, ...] = ()
        self._at = 0

    def show(self, tones: Sequence[Tone], at: int) -> None:
        """Show points by the tones of what a crash at each does, with one of them selected."""
        self._tones = tuple(tones)
        self._at = at
        self.refresh()

    def _cell(self, index: int, width: int) -> int:
        return index * (width - 1) // max(len(self._tones) - 1, 1)

    def render_line(self, y: int) -> Strip:
        """Return one of the two lines."""
        width = self.size.width
        painter: Painter = self.app.painter  # type: ignore[attr-defined]
        room = max(width - 2, 1)
        if not self._tones or y > 1:
            return Strip.blank(width, self.rich_style)
        if y:
            cell = self._cell(self._at, room)
            mark = "^" if painter.ascii_only else "▲"
            return painter.strip((Span(" " * (cell + 1)), Span(mark, "tool")), width, self.rich_style)
        cells: list[Tone] = ["muted"] * room
        for index, tone in enumerate(self._tones):
            low = self._cell(index, room)
            high = self._cell(index + 1, room) if index + 1 < len(self._tones) else low + 1
            for x in range(low, max(high, low + 1)):
                if x < room and _GRAVITY.index(tone) >= _GRAVITY.index(cells[x]):
                    cells[x] = tone
        spans = [Span(" "), *(Span(_FILL[tone][painter.ascii_only], tone) for tone in cells)]
        chosen: Line = tuple(spans)
        return painter.strip(chosen, width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Select the point under the mouse."""
        if self._tones:
            room = max(self.size.width - 3, 1)
            self.post_message(self.Picked(round((event.x - 1) / room * (len(self._tones) - 1))))
