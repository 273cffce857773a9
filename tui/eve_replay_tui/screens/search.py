"""Search in a session: ids, names, decoded values and paths."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from eve_replay.views.kit.text import Span, line
from eve_replay.views.kit.words import plural
from eve_replay.views.search.search import Hit, Pattern, search_session
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.lines import LineView, Listing, TextRow, notice
from eve_replay_tui.reader import Job, Stopped
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["SearchScreen"]

_MOST = 2000


class SearchScreen(ReplayScreen):
    """A field and the places where the text stands."""

    TOPIC: ClassVar[str] = "search"
    ABOUT: ClassVar[str] = (
        "Finds a text in the session: in ids, names, decoded values and paths. Upper case letters make it "
        "case sensitive. Enter in the field searches, Enter on a place goes there."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = ("copy", "export")

    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "to_list", show=False)]

    DEFAULT_CSS = """
    SearchScreen { background: $background; }
    SearchScreen Input { height: 3; border: round $accent; background: $background; }
    """

    def __init__(self, explorer: Explorer) -> None:
        super().__init__()
        self.explorer = explorer
        self.hits: tuple[Hit, ...] = ()
        self.job = Job("Searching")

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        field = Input(placeholder="text in ids, names, values, paths", id="text")
        field.cursor_blink = False
        yield field
        yield LineView(id="hits")
        yield KeyBar(
            (
                ("Enter", "search, go there", ""),
                ("Down", "to the places", "to_list"),
                ("Esc", "back", "back"),
                ("F1", "help", "help"),
            )
        )

    def on_mount(self) -> None:
        """Ask."""
        self.query_one("#head", Heading).left = line(
            ("Search  ", "strong"), self.explorer.session.title or ""
        )
        self.query_one(Input).focus()
        self.listing.show(notice("Enter begins. Every payload of the session is opened for it."))

    @property
    def listing(self) -> LineView:
        """The places."""
        return self.query_one("#hits", LineView)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search."""
        if event.value:
            self.job.stop()
            self.job = Job(f"Searching for {event.value!r}")
            start(self, "search", self._search, event.value, self.job)

    async def _search(self, text: str, job: Job) -> None:
        progress = self.set_interval(
            0.3, lambda: self.listing.show(notice(f"{job.text} places. Esc stops it."))
        )
        try:
            hits = await self.work(self.reader.long, lambda: self._found(text, job), self._failed)
        finally:
            progress.stop()
        if hits is not None:
            self._show(hits, text)

    def _found(self, text: str, job: Job) -> tuple[Hit, ...]:
        out: list[Hit] = []
        for hit in search_session(self.explorer.session, Pattern(text)):
            out.append(hit)
            job.step(len(out))
            if len(out) >= _MOST:
                break
        return tuple(out)

    def _failed(self, text: str) -> None:
        if Stopped.__name__ not in text:
            self.listing.show(notice(text, tone="error"))

    def _show(self, hits: tuple[Hit, ...], text: str) -> None:
        self.hits = hits
        more = " or more" if len(hits) >= _MOST else ""
        self.query_one("#head", Heading).right = line((plural(len(hits), "place") + more, "muted"))
        if not hits:
            self.listing.show(notice(f"{text!r} stands nowhere in this session."))
            return
        self.listing.show(Listing(hits, _draw, lambda hit: hit.key), select=0)
        self.listing.focus()

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self.job.stop()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Go there."""
        if event.row is not None and event.row.key:
            self.dismiss(event.row.key)

    def action_to_list(self) -> None:
        """Go to the places."""
        self.listing.focus()


def _draw(hit: Hit, width: int) -> TextRow:
    where = f"{hit.kind} {hit.where}".strip()
    content = (
        Span(f"{hit.field:<7}", "muted"),
        Span(f"{where}  ", "muted"),
        Span(hit.text[: hit.start]),
        Span(hit.text[hit.start : hit.end], "again"),
        Span(hit.text[hit.end :]),
        Span(f"  {hit.path}" if hit.path else "", "muted"),
    )
    return TextRow(line=content, key=hit.key, copy=hit.text, data=hit)
