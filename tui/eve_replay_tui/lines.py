"""A list of lines of any length: the widget under every pane.

Only the lines on screen are ever made (line API), so a million rows mount as fast as ten. A row source says
how many lines there are and what each holds; the view owns the cursor, the scrolling and the mouse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from eve_replay.views.kit.text import Line, Span, line
from eve_replay_tui.paint import Painter

__all__ = ["Flow", "LineView", "Listing", "Rows", "TextRow", "notice"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One line.

    Attributes:
        line: what it shows.
        key: a key of ``views/base.py`` to jump to, empty without one.
        fold: what opens or closes with it, empty when nothing does.
        copy: text to copy, empty for the line itself.
        data: whatever the owner wants back.
    """

    line: Line
    key: str = ""
    fold: str = ""
    copy: str = ""
    data: Any = None


class Rows(Protocol):
    """What a line view shows."""

    def __len__(self) -> int: ...

    def prepare(self, width: int) -> None:
        """Lay the rows out for a width, if that matters."""

    def row(self, index: int, width: int) -> TextRow:
        """Return one row."""
        ...

    def find(self, key: str) -> int | None:
        """Return the first row with a key, None without one."""
        ...


class Listing(Generic[T]):
    """One line per item, drawn when it is looked at.

    Args:
        items: the items.
        draw: makes the row of one item for a width.
        key: names an item.
    """

    def __init__(
        self, items: Sequence[T], draw: Callable[[T, int], TextRow], key: Callable[[T], str]
    ) -> None:
        self.items = items
        self._draw = draw
        self._key = key
        self._index: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def prepare(self, width: int) -> None:
        """Do nothing: rows are drawn one by one."""

    def row(self, index: int, width: int) -> TextRow:
        """Return the row of one item."""
        return self._draw(self.items[index], width)

    def find(self, key: str) -> int | None:
        """Return the first item with a key."""
        if self._index is None:
            self._index = {}
            for index, item in enumerate(self.items):
                self._index.setdefault(self._key(item), index)
        return self._index.get(key)


class Flow:
    """Text laid out for a width: paragraphs, tables, trees of moderate length.

    Args:
        build: returns all rows for a width.
    """

    def __init__(self, build: Callable[[int], Sequence[TextRow]]) -> None:
        self._build = build
        self._width = -1
        self._rows: Sequence[TextRow] = ()

    def __len__(self) -> int:
        return len(self._rows)

    def prepare(self, width: int) -> None:
        """Lay everything out anew when the width is another one."""
        if width != self._width:
            self._width = width
            self._rows = self._build(max(width, 20))

    def row(self, index: int, width: int) -> TextRow:
        """Return one row."""
        return self._rows[index]

    def find(self, key: str) -> int | None:
        """Return the first row with a key, or with a fold of that name."""
        for index, row in enumerate(self._rows):
            if key in (row.key, row.fold):
                return index
        return None


def notice(text: str, *, tone: str = "muted") -> Flow:
    """Return rows that say one thing: why there is nothing, what would fill the pane."""
    from eve_replay.views.kit.text import paragraph

    return Flow(
        lambda width: [
            TextRow(line=each)
            for each in paragraph(text, width=width, tone=tone)  # type: ignore[arg-type]
        ]
    )


class LineView(ScrollView, can_focus=True):
    """A scrolling list of lines with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "line(-1)", "up", show=False),
        Binding("down,j", "line(1)", "down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "edge(-1)", "first", show=False),
        Binding("end,G", "edge(1)", "last", show=False),
        Binding("enter", "choose", "open", show=False),
        Binding("space", "fold_row", "fold", show=False),
    ]

    DEFAULT_CSS = """
    LineView { height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1;
               scrollbar-gutter: stable;
               background: $background; color: $foreground; }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, view: LineView, row: TextRow | None) -> None:
            super().__init__()
            self.view = view
            self.row = row

        @property
        def control(self) -> LineView:
            """The view."""
            return self.view

    class Chosen(Moved):
        """Enter or a click on the selected row."""

    class Toggled(Moved):
        """Space: fold or unfold."""

    def __init__(self, *, id: str | None = None, classes: str | None = None, marker: bool = True) -> None:
        super().__init__(id=id, classes=classes)
        self.rows: Rows = notice("")
        self.marker = marker
        self.passive = False
        self._base: Style | None = None
        self._cache: dict[tuple[int, bool, bool, int], Strip] = {}

    # -- content ---------------------------------------------------------------------------------------

    @property
    def painter(self) -> Painter:
        """The painter of the application."""
        painter: Painter = self.app.painter  # type: ignore[attr-defined]
        return painter

    @property
    def room(self) -> int:
        """Cells for a row's text."""
        return max(self.scrollable_content_region.width - (1 if self.marker else 0), 1)

    @property
    def current(self) -> TextRow | None:
        """The row under the cursor."""
        return self.rows.row(self.cursor, self.room) if 0 <= self.cursor < len(self.rows) else None

    def show(
        self, rows: Rows, *, select: str | int | None = None, quiet: bool = True, hold: bool = False
    ) -> None:
        """Show other rows.

        Args:
            rows: the rows.
            select: key or number of the row to select; None keeps the number of the cursor.
            quiet: tell nobody that the cursor moved.
            hold: the cursor stays on its line of the screen, unless nobody has moved from the top yet.
        """
        top = int(self.scroll_offset.y)
        line_of_screen = self.cursor - top
        hold = hold and (top > 0 or self.cursor > 0)
        self.rows = rows
        rows.prepare(self.room)
        self._cache.clear()
        at: int | None = self.cursor
        if isinstance(select, int):
            at = select
        elif select is not None:
            at = rows.find(select)
        self._resize_content()
        self._place(at if at is not None else 0, quiet=quiet)
        if hold:
            self.scroll_to(y=max(self.cursor - line_of_screen, 0), animate=False, force=True, immediate=True)
        self.refresh()

    def restyle(self) -> None:
        """Draw everything anew: the theme changed, or what the rows say."""
        self._base = None
        self._cache.clear()
        self.refresh()

    def select(self, key: str, *, quiet: bool = True) -> bool:
        """Put the cursor on the row of a key; return whether there is one."""
        at = self.rows.find(key)
        if at is None:
            return False
        self._place(at, quiet=quiet)
        return True

    def _resize_content(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.rows))

    def _place(self, index: int, *, quiet: bool) -> None:
        last = max(len(self.rows) - 1, 0)
        index = min(max(index, 0), last)
        before, self.cursor = self.cursor, index
        if before != index:
            self.refresh()
        if self.size.height:
            self.scroll_to_region(Region(0, index, 1, 1), animate=False, force=True, immediate=True)
        if not quiet:
            self.post_message(self.Moved(self, self.current))

    # -- drawing ---------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return line ``y`` of the screen."""
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if not 0 <= index < len(self.rows):
            return Strip.blank(width, self.rich_style)
        chosen = index == self.cursor and not self.passive
        place = (index, chosen, self.has_focus, width)
        strip = self._cache.get(place)
        if strip is None:
            if len(self._cache) > 2000:
                self._cache.clear()
            strip = self._cache[place] = self._drawn(index, chosen, width)
        return strip

    def _drawn(self, index: int, chosen: bool, width: int) -> Strip:
        painter = self.painter
        row = self.rows.row(index, self.room)
        over = None
        if chosen:
            over = painter.selected if self.has_focus else painter.selected_away
        content = row.line
        if self.marker:
            mark = (">" if painter.ascii_only else "▌") if chosen else " "
            content = (Span(mark, "tool" if self.has_focus else "muted"), *content)
        if self._base is None:
            self._base = self.rich_style
        return painter.strip(content, width, self._base, over)

    # -- keys and mouse ----------------------------------------------------------------------------------

    def action_line(self, by: int) -> None:
        """Move the cursor by lines."""
        self._place(self.cursor + by, quiet=False)

    def action_page(self, by: int) -> None:
        """Move the cursor by pages."""
        self._place(self.cursor + by * max(self.size.height - 1, 1), quiet=False)

    def action_edge(self, by: int) -> None:
        """Go to the first or last row."""
        self._place(0 if by < 0 else len(self.rows) - 1, quiet=False)

    def action_choose(self) -> None:
        """Open the row."""
        self.post_message(self.Chosen(self, self.current))

    def action_fold_row(self) -> None:
        """Fold or unfold the row."""
        self.post_message(self.Toggled(self, self.current))

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked; a click on the selected row opens it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if 0 <= index < len(self.rows):
            again = index == self.cursor
            self._place(index, quiet=False)
            if again or event.chain > 1:
                self.action_choose()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size; the cursor stays on its row."""
        self._cache.clear()
        before = self.current if len(self.rows) else None
        self.rows.prepare(self.room)
        self._resize_content()
        at = self.rows.find(before.fold or before.key) if before and (before.fold or before.key) else None
        self._place(self.cursor if at is None else at, quiet=True)
        self.refresh()

    def on_focus(self) -> None:
        """Show the cursor bright."""
        self._base = None
        self.refresh()

    def on_blur(self) -> None:
        """Show the cursor dim."""
        self._base = None
        self.refresh()


def heading(text: str, note: str = "") -> Line:
    """Return a heading line."""
    return line((text, "strong"), (f"  {note}" if note else "", "muted"))
