"""The timeline in the terminal: steps as bars over one scale, calls below them, commits as marks."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical

from eve_replay.views.kit.safe import cut, pad
from eve_replay.views.kit.text import Line, Span
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import duration
from eve_replay.views.session.timeline import Bar, Timeline, TimelineRow
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.lines import LineView, Listing, TextRow, notice
from eve_replay_tui.widgets.bars import _Bar

__all__ = ["Ruler", "TimelinePane", "timeline_items"]

_FILL = {
    "queued": "╌",
    "attempt": "━",
    "dead": "·",
    "retry-wait": "·",
    "parked": "◇",
    "replayed": "━",
    "model": "─",
    "tool": "━",
}
_ASCII = {
    "queued": "-",
    "attempt": "=",
    "dead": ".",
    "retry-wait": ".",
    "parked": "o",
    "replayed": "=",
    "model": "m",
    "tool": "t",
}
_MARKS = {
    "commit": ("■", "#"),
    "error": ("✗", "x"),
    "release": ("◇", "o"),
    "lease": ("┊", "L"),
    "now": ("▏", "|"),
    "act": ("◆", "*"),
    "act-alone": ("◈", "!"),
}


@dataclass(frozen=True, slots=True)
class _Item:
    """One line: a step's phases, or one of its calls."""

    row: TimelineRow
    bar: Bar | None = None

    @property
    def key(self) -> str:
        return self.bar.key if self.bar is not None else self.row.key


def timeline_items(view: Timeline) -> list[_Item]:
    """Return the lines of a timeline."""
    out = []
    for row in view.rows:
        out.append(_Item(row))
        calls = sorted((bar for bar in row.bars if bar.lane), key=lambda bar: (bar.start, bar.lane))
        out.extend(_Item(row, bar) for bar in calls)
    return out


class Drawing:
    """Paints one timeline into cells of a width."""

    def __init__(self, view: Timeline, *, squeezed: bool, ascii_only: bool, focus: str) -> None:
        self.view = view
        self.squeezed = squeezed
        self.ascii_only = ascii_only
        self.focus = focus
        texts = [row.label for row in view.rows]
        texts += ["  " + bar.label for row in view.rows for bar in row.bars if bar.lane]
        self._natural = max((cell_width(text) for text in texts[:2000]), default=0) + 2

    def label(self, width: int) -> int:
        """Return how many cells the labels take."""
        return min(self._natural, max(width // 4, 12))

    def place(self, at: float, room: int) -> int:
        """Return the cell of a moment."""
        return min(max(int(self.view.place(at, squeezed=self.squeezed) * room), 0), room - 1)

    def row(self, item: _Item, width: int) -> TextRow:
        """Return one line."""
        label = self.label(width)
        room = max(width - label - 1, 8)
        cells: list[tuple[str, Tone]] = [(" ", "plain")] * room
        if item.bar is None:
            text = pad(cut(item.row.label, label - 1), label)
            head = Span(text, "strong")
            for bar in item.row.bars:
                if not bar.lane:
                    self._paint(cells, bar, room)
            self._marks(cells, item.row, room)
            self._said(cells, item.row, room)
        else:
            text = pad("  " + cut(item.bar.label, label - 3), label)
            head = Span(text, item.bar.tone if item.bar.tone in ("harm", "error") else "muted")
            self._paint(cells, item.bar, room)
            self._note(cells, item.bar, room)
        return TextRow(line=_joined(head, cells), key=item.key, data=item)

    def _paint(self, cells: list[tuple[str, Tone]], bar: Bar, room: int) -> None:
        low, high = self.place(bar.start, room), self.place(bar.end, room)
        fill = (_ASCII if self.ascii_only else _FILL)[bar.phase]
        if bar.phase == "attempt" and bar.open:
            fill = "~" if self.ascii_only else "╍"
        if bar.key == self.focus and bar.phase not in ("dead", "retry-wait"):
            fill = "@" if self.ascii_only else "█"
        for x in range(low, max(high, low + 1)):
            cells[x] = (fill, bar.tone)

    def _marks(self, cells: list[tuple[str, Tone]], row: TimelineRow, room: int) -> None:
        for mark in row.marks:
            if mark.kind in _MARKS:
                cells[self.place(mark.at, room)] = (_MARKS[mark.kind][self.ascii_only], mark.tone)

    def _said(self, cells: list[tuple[str, Tone]], row: TimelineRow, room: int) -> None:
        """Write into a stretch of silence how long it is and when the lease ends; marks stay readable."""
        silent = next((bar for bar in row.bars if bar.label == "silence"), None)
        if silent is None:
            return
        taken = {self.place(mark.at, room) for mark in row.marks}
        start = self.place(silent.start, room)
        text = silent.detail
        if room - start > len(text) + 5:
            at = start + 2
            text = f" {text} "
        else:  # no room in it: then in front of it
            text = cut(text, max(start - 1, 0))
            at = start - len(text) - 1
        for n, char in enumerate(text):
            if at + n not in taken:
                cells[at + n] = (char, "strong")

    def _note(self, cells: list[tuple[str, Tone]], bar: Bar, room: int) -> None:
        """Write how long a call took behind its bar, where there is room."""
        text = duration((bar.end - bar.start) / 1000) + (" +" if bar.open else "")
        at = max(self.place(bar.end, room), self.place(bar.start, room) + 1) + 1
        if at + len(text) < room:
            for n, char in enumerate(text):
                cells[at + n] = (char, "muted")

    def scale(self, width: int) -> Line:
        """Return the scale: ticks, or how long the squeezed stretches are."""
        label = self.label(width)
        room = max(width - label - 1, 8)
        view = self.view
        cells = [" "] * room
        end = f"+{duration(view.length / 1000)}"
        texts: list[tuple[float, str]] = [(0.0, "0")]
        if self.squeezed and view.quiet:
            texts += [(start, f"({duration((stop - start) / 1000)})") for start, stop in view.quiet]
        else:
            texts += [(tick.at, tick.label) for tick in view.ticks(count=max(room // 14, 2)) if tick.at]
        texts.append((view.length, end))
        used = -1
        for at, text in texts:
            last = at == view.length and text == end
            x = room - len(text) if last else min(self.place(at, room), room - len(text))
            if x <= used or x < 0 or (not last and x + len(text) >= room - len(end)):
                continue
            cells[x : x + len(text)] = list(text)
            used = x + len(text)
        return (Span(" " * label, "muted"), Span("".join(cells), "muted"))


def _joined(head: Span, cells: list[tuple[str, Tone]]) -> Line:
    spans = [head]
    text, tone = "", cells[0][1]
    for char, each in cells:
        if each != tone:
            spans.append(Span(text, tone))
            text, tone = "", each
        text += char
    spans.append(Span(text, tone))
    return tuple(spans)


class Ruler(_Bar):
    """The scale above the bars."""

    drawing: Drawing | None = None

    def content(self, width: int) -> Line:
        """Return the scale."""
        if self.drawing is None:
            return ()
        return (Span(" "), *self.drawing.scale(max(width - 2, 10)))


class TimelinePane(Vertical):
    """Scale and bars of a turn, or of the whole session."""

    DEFAULT_CSS = """
    TimelinePane { height: 1fr; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.squeezed = True
        self._view: Timeline | None = None
        self._focus = ""
        self._drawing: Drawing | None = None
        self._keys: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        """Return scale and list."""
        yield Ruler()
        yield LineView(id="bars")

    @property
    def bars(self) -> LineView:
        """The list of bars."""
        return self.query_one("#bars", LineView)

    def show(self, view: Timeline, focus: str, path: tuple[str, ...] = ()) -> None:
        """Show a timeline with one thing selected; ``path`` are its keys, outermost first."""
        bars = self.bars
        if view is self._view and focus == self._focus:
            return
        again = view is self._view
        self._view, self._focus = view, focus
        drawing = self._drawing
        if again and drawing is not None:
            self._step(drawing, focus, path)
            return
        self._drawing = None
        if not view.rows:
            self.query_one(Ruler).drawing = None
            bars.show(notice("Nothing here has a time."))
            return
        self._keys = frozenset(bar.key for row in view.rows for bar in row.bars)
        drawing = self._drawing = Drawing(
            view,
            squeezed=self.squeezed,
            ascii_only=bars.painter.ascii_only,
            focus=self._marked(focus, path),
        )
        ruler = self.query_one(Ruler)
        ruler.drawing = drawing
        ruler.refresh()
        items = timeline_items(view)
        rows: Listing[_Item] = Listing(items, drawing.row, lambda item: item.key)
        at = next((n for key in (focus, *reversed(path)) if (n := rows.find(key)) is not None), None)
        bars.show(rows, select=at if at is not None else (None if again else 0))

    def _marked(self, focus: str, path: tuple[str, ...]) -> str:
        """Return the key of the bar that is marked: the selected thing's, or that of what holds it."""
        return next((key for key in (focus, *reversed(path)) if key in self._keys), focus)

    def _step(self, drawing: Drawing, focus: str, path: tuple[str, ...]) -> None:
        """Mark another bar of the same timeline; nothing is laid out anew."""
        marked = self._marked(focus, path)
        if marked != drawing.focus:
            drawing.focus = marked
            self.bars.restyle()
        any(self.bars.select(key) for key in (focus, *reversed(path)))

    def toggle_scale(self) -> None:
        """Change between the squeezed and the true scale."""
        self.squeezed = not self.squeezed
        view, focus, self._view = self._view, self._focus, None
        if view is not None:
            self.show(view, focus)
