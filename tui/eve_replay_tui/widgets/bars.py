"""One-line widgets: the heading of a screen, the bar of keys, the tabs of the inspector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from eve_replay.views.kit.safe import pad, safe_text
from eve_replay.views.kit.text import Line, Span, line
from eve_replay.views.kit.tone import Tone
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.paint import Painter, fit

__all__ = ["Heading", "KeyBar", "TabBar"]


class _Bar(Widget):
    """A widget of one line that is drawn by the painter."""

    DEFAULT_CSS = """
    _Bar { height: 1; width: 1fr; background: $background; color: $foreground; }
    """

    def content(self, width: int) -> Line:
        """Return the line."""
        raise NotImplementedError

    @property
    def painter(self) -> Painter:
        """The painter of the application."""
        painter: Painter = self.app.painter  # type: ignore[attr-defined]
        return painter

    def render_line(self, y: int) -> Strip:
        """Return the only line."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        return self.painter.strip(self.content(width), width, self.rich_style)


class Heading(_Bar):
    """Left what this is, right how it stands. The right side gives way, its end first."""

    left: reactive[Line] = reactive((), layout=False)
    right: reactive[Line] = reactive((), layout=False)
    left_first = False

    DEFAULT_CSS = """
    Heading { background: $surface; }
    """

    class Picked(Message):
        """A cell of the heading was clicked."""

        def __init__(self, heading: Heading, x: int) -> None:
            super().__init__()
            self.heading = heading
            self.x = x

    def on_click(self, event: events.Click) -> None:
        """Tell where."""
        self.post_message(self.Picked(self, event.x))

    def content(self, width: int) -> Line:
        """Return both sides with blanks between them."""
        right = " ".join(safe_text(span.text) for span in self.right)
        room = width - cell_width(right) - 3
        if self.left_first and sum(cell_width(safe_text(span.text)) for span in self.left) > room:
            return (Span(" "), *fit(self.left, width - 2))
        for count in range(len(self.right), -1, -1):
            kept = self.right[:count]
            taken = sum(cell_width(safe_text(span.text)) for span in kept)
            left = fit(self.left, max(width - taken - max(count, 1) - 2, width // 2))
            gap = width - sum(cell_width(span.text) for span in left) - taken - 2
            if gap >= 1:
                return (Span(" "), *left, Span(" " * gap), *kept, Span(" "))
        return (Span(" "), *fit(self.left, width - 2))


class KeyBar(_Bar):
    """Keys that work here, as many as fit; help is always among them. A click presses the key."""

    DEFAULT_CSS = """
    KeyBar { background: $surface; dock: bottom; }
    """

    def __init__(self, keys: Sequence[tuple[str, str, str]], *, id: str | None = None) -> None:
        """Take ``(key, label, action)`` in the order of importance; the last one is always shown."""
        super().__init__(id=id)
        self._keys = tuple(keys)
        self._places: list[tuple[int, int, str]] = []

    def content(self, width: int) -> Line:
        """Return the keys that fit."""
        self._places = []
        if not self._keys:
            return ()
        *rest, last = self._keys
        room = width - len(last[0]) - len(last[1]) - 4
        used = 1
        spans: list[Span] = [Span(" ")]
        for key, label, action in [*rest, last]:
            cells = len(key) + len(label) + 3
            if used + cells > room and (key, label, action) != last:
                continue
            spans += [Span(key, "tool"), Span(f" {label}  ", "muted")]
            self._places.append((used, used + cells, action))
            used += cells
        return tuple(spans)

    async def on_click(self, event: events.Click) -> None:
        """Do what the key does."""
        for start, end, action in self._places:
            if start <= event.x < end and action:
                await self.screen.run_action(action)
                return


class TabBar(_Bar):
    """Tabs in one line; the open one is marked. A click opens a tab."""

    DEFAULT_CSS: ClassVar[str] = ""

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tabs: tuple[tuple[str, str], ...] = ()
        self._open = ""
        self._places: list[tuple[int, int, str]] = []

    def show(self, tabs: Sequence[tuple[str, str]], opened: str) -> None:
        """Show ``(name, title)`` tabs with one of them open."""
        if (tuple(tabs), opened) != (self._tabs, self._open):
            self._tabs, self._open = tuple(tabs), opened
            self.refresh()

    def content(self, width: int) -> Line:
        """Return the tabs around the open one that fit."""
        self._places = []
        titles = [f" {title} " for _, title in self._tabs]
        at = next((n for n, (name, _) in enumerate(self._tabs) if name == self._open), 0)
        first = 0
        while first < at and sum(map(cell_width, titles[first : at + 1])) + 2 > width:
            first += 1
        spans: list[Span] = []
        used = 0
        if first:
            spans.append(Span("<", "muted"))
            used = 1
        for n in range(first, len(titles)):
            cells = cell_width(titles[n])
            if used + cells > width - (1 if n < len(titles) - 1 else 0):
                spans.append(Span(pad("", width - used - 1) + ">", "muted"))
                break
            tone: Tone = "tool" if n == at else "muted"
            text = f"[{titles[n].strip()}]" if n == at else titles[n]
            spans.append(Span(text, tone))
            self._places.append((used, used + cells, self._tabs[n][0]))
            used += cells
        return tuple(spans)

    def on_click(self, event: events.Click) -> None:
        """Open the tab under the mouse."""
        for start, end, name in self._places:
            if start <= event.x < end:
                self.post_message(self.Picked(name))
                return


def counted(text: str, tone: Tone = "muted") -> Line:
    """Return a heading's remark."""
    return line((text, tone))
