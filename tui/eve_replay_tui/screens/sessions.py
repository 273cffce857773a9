"""The list of sessions: what each is doing in words, filtered while typing, sorted, live."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, get_args

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.words import plural
from eve_replay.views.session.sessions import (
    SessionRow,
    SortBy,
    filter_rows,
    session_row,
    session_rows,
    sort_rows,
)
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, Listing, TextRow, notice
from eve_replay_tui.rows.sessions import columns_line, preview_rows, session_line
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay.journal import SessionHead
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.verdicts.verdicts import VerdictRow

__all__ = ["SessionsScreen"]

_SORTS: tuple[SortBy, ...] = get_args(SortBy)
_SORT_WORDS = {"activity": "last activity", "started": "start", "attempts": "steps run again"}
_KEPT = 3000
#: Seconds reading rests at most until the first rows are on the screen.
_PAINT = 0.3


class SessionsScreen(ReplayScreen):
    """All sessions of the world."""

    TOPIC: ClassVar[str] = "sessions"
    ABOUT: ClassVar[str] = (
        "Every session of this source with what it is doing. Enter opens one. The filter takes words that "
        "stand anywhere in a row, and status:parked, version:0.80, kind:subagent, attempts:yes, twice:yes."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "search", "go-to-id", "sort", "sort-back", "crash-here", "why", "doctor", "copy", "export", "reload",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (("Enter", "Open the session."),)

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("search", "go-to-id", "sort", "sort-back", "crash-here", "why", "doctor", "reload", "into"),
        Binding("down", "to_list", show=False),
    ]

    DEFAULT_CSS = """
    SessionsScreen { background: $background; }
    SessionsScreen #filter { height: 1; border: none; background: $background; padding: 0 1; }
    SessionsScreen #preview { height: 9; border-top: solid $panel; }
    SessionsScreen.short #preview { height: 5; }
    SessionsScreen #columns { background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.every: tuple[SessionRow, ...] = ()
        self.shown: tuple[SessionRow, ...] = ()
        self.details: dict[str, SessionRow] = {}
        self.verdicts: dict[str, tuple[VerdictRow, ...]] = {}
        self.sort: SortBy = "activity"
        self.reverse = False
        self.loaded = False
        self.reading = True
        self._opened = False
        self._order: Sequence[SessionRow] = ()
        self._order_state: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        field = Input(placeholder="/ to filter: words, status:parked, version:0.80, twice:yes", id="filter")
        field.cursor_blink = False
        yield field
        yield Heading(id="columns")
        yield LineView(id="list")
        with Vertical(id="preview"):
            yield LineView(id="about", marker=False)
        yield KeyBar(
            (
                ("Enter", "open", "into"),
                ("/", "filter", "search"),
                ("w", "why", "why"),
                ("c", "crash lab", "crash_here"),
                ("t", "sort", "sort"),
                ("D", "doctor", "doctor"),
                ("g", "go to id", "go_to_id"),
                ("q", "quit", "leave"),
                ("?", "help", "help"),
            )
        )

    def on_mount(self) -> None:
        """Begin to read."""
        about = self.query_one("#about", LineView)
        about.can_focus, about.passive = False, True
        self.listing.focus()
        self.listing.show(notice("Reading the source ..."))
        self._head()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Read once the screen is painted: both want the same processor."""
        start(self, "load", self._load)

    @property
    def listing(self) -> LineView:
        """The list."""
        return self.query_one("#list", LineView)

    def on_resize(self, event: events.Resize) -> None:
        """Give the preview less room on a low screen."""
        self.set_class(event.size.height < 34, "short")
        self._columns()

    # -- reading -----------------------------------------------------------------------------------------

    async def _load(self, again: bool = False) -> None:
        if again:
            await self.work(self.reader.listing, self.reader.refresh, self._failed)
        parts: list[tuple[SessionRow, ...]] = []
        known: list[SessionRow] = []
        painted = threading.Event()

        def told(heads: Sequence[SessionHead]) -> None:
            if not again:  # else all that was known is on screen
                known.extend(map(session_row, heads))
                parts.append(sort_rows(known, "activity"))
                painted.wait(_PAINT)  # the first rows shall not wait for the processor

        progress = self.set_interval(0.05, partial(self._progress, parts, painted))
        try:
            rows = await self.work(
                self.reader.listing, lambda: session_rows(self.reader.journal.gather(told)), self._failed
            )
        finally:
            progress.stop()
        self.reading = False
        if rows is not None:
            if again:
                self.details.clear()
                self.verdicts.clear()
            self.take(rows)
            if not self._opened:
                self._opened = True
                self.replay.opened(rows)

    def _progress(self, parts: list[tuple[SessionRow, ...]], painted: threading.Event) -> None:
        """Show what has been read so far."""
        if parts:
            newest = parts[-1]
            parts.clear()
            self.take(newest)
            self.call_after_refresh(painted.set)
        elif not self.loaded and self.reader.seen:
            self.listing.show(notice(f"Reading the source: {self.reader.seen:,} seen. q leaves."))

    def _failed(self, text: str) -> None:
        hint = "Nothing was changed. Try `eve-replay tui sample:crash-in-tool`, or `eve-replay worlds`."
        rows = [TextRow(line=each) for each in paragraph(text, width=76, tone="error")]
        rows += [TextRow(line=each) for each in paragraph(hint, width=76, tone="muted")]
        self.listing.show(Flow(lambda width: rows))
        self.query_one("#head", Heading).right = line(("could not be read", "error"))

    def take(self, rows: tuple[SessionRow, ...]) -> None:
        """Show these sessions; the cursor stays on its session, and that on its line of the screen."""
        before = {row.id: row for row in self.every}
        for row in rows:
            old = before.get(row.id)
            if old is not None and old != row:
                self.details.pop(row.id, None)
                self.verdicts.pop(row.id, None)
        self.every = rows
        self.loaded = True
        self._order_state = ()
        self._refit(hold=True)

    def _refit(self, *, hold: bool = False) -> None:
        """Filter, sort and show."""
        text = self.query_one("#filter", Input).value
        shown = filter_rows(self._ordered(), text) if text.strip() else tuple(self._ordered())
        current = self.listing.current
        self.shown = shown
        if not shown:
            self.listing.show(notice(self._empty(text)))
            self.query_one("#about", LineView).show(notice(""))
        else:
            listing = Listing(shown, self._draw, lambda row: row.key)
            key = current.key if current is not None else ""
            found = bool(key) and listing.find(key) is not None
            self.listing.show(listing, select=key if found else None if hold and key else 0, hold=hold)
        self._head()
        self._columns()
        self._look()

    def _ordered(self) -> Sequence[SessionRow]:
        """Return all sessions sorted, with what is known of them; kept until one of these changes."""
        state = (self.sort, self.reverse, len(self.details))
        if state != self._order_state:
            known = self.details
            rows = [known.get(row.id, row) for row in self.every] if known else self.every
            if self.sort != "activity" or self.reverse:
                rows = sort_rows(rows, self.sort, reverse=self.reverse)
            self._order, self._order_state = rows, state
        return self._order

    def _empty(self, text: str) -> str:
        if text.strip() and self.reading:
            return f"No session read so far holds {text.strip()!r}. Esc clears the filter."
        if text.strip():
            return f"No session holds {text.strip()!r}. Esc clears the filter."
        return (
            "There are no sessions here yet: one begins with the first message. "
            "`eve-replay tui sample:crash-in-tool` shows a recorded one."
        )

    # -- drawing -----------------------------------------------------------------------------------------

    def _head(self) -> None:
        label = self.replay.options.label or self.replay.options.source
        head = self.query_one("#head", Heading)
        head.left = line(("eve-replay  ", "strong"), label)
        if self.loaded:
            count = plural(len(self.every), "session")
            if len(self.shown) != len(self.every):
                count = f"{len(self.shown):,} of {count}"
            if self.reading:
                count += " so far"
            arrow = ", reversed" if self.reverse else ""
            words = _SORT_WORDS.get(self.sort, self.sort)
            live = "  live" if self.replay.live else ""
            head.right = line((f"{count}  by {words}{arrow}{live}", "muted"))

    def _columns(self) -> None:
        width = self.listing.room or self.size.width - 2
        self.query_one("#columns", Heading).left = columns_line(width)

    def _draw(self, row: SessionRow, width: int) -> TextRow:
        return session_line(self.details.get(row.id, row), width, self.replay.now())

    # -- looking closer at what is on screen -----------------------------------------------------------

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another session is selected."""
        self._look()

    def _look(self) -> None:
        row = self.selected
        if row is not None:
            self._preview(row)
            start(self, "closer", self._closer, row)

    @property
    def selected(self) -> SessionRow | None:
        """The session under the cursor."""
        current = self.listing.current
        data = current.data if current is not None else None
        return data if isinstance(data, SessionRow) else None

    async def _closer(self, selected: SessionRow) -> None:
        """Join the selected session and those around it, one by one, as long as the cursor rests."""
        await asyncio.sleep(0.06)
        top = int(self.listing.scroll_offset.y)
        around = self.shown[top : top + self.listing.size.height]
        versions = tuple(dict.fromkeys(version for row in self.every for version in row.versions))
        for row in (selected, *around):
            if row.id in self.details:
                continue
            job = partial(self._looked_at, row, versions, row is selected)
            found = await self.work(self.reader.listing, job, _ignored)
            if found is None:
                continue
            if len(self.details) > _KEPT:
                self.details.clear()
                self.verdicts.clear()
            self.details[row.id], self.verdicts[row.id] = found
            self.listing.restyle()
            if row is selected:
                self._preview(row)

    def _looked_at(
        self, row: SessionRow, versions: tuple[str, ...], keep: bool
    ) -> tuple[SessionRow, tuple[VerdictRow, ...]]:
        """Return the row in detail with its verdicts; the selected one is kept, for it may be opened next."""
        from eve_replay.views.verdicts.verdicts import stated, verdict_rows

        options, now = self.replay.options, self.replay.now()
        explorer: Explorer = self.reader.explorer(row.id, keep=keep)
        session = explorer.session
        found = verdict_rows(session, now=now, zone=options.zone, effects=options.effects, versions=versions)
        return stated(explorer.row(now=now), session, found, zone=options.zone), found

    def _preview(self, row: SessionRow) -> None:
        row = self.details.get(row.id, row)
        found, zone = self.verdicts.get(row.id), self.replay.options.zone
        about = self.query_one("#about", LineView)
        about.show(Flow(lambda width: preview_rows(row, found, width, zone)), select=0)

    # -- actions -----------------------------------------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        if self.loaded:
            self._refit()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the list."""
        self.listing.focus()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open the session."""
        self.action_into()

    def action_into(self) -> None:
        """Open the selected session."""
        if self.selected is not None:
            self.replay.open_session(self.selected.id)

    def action_search(self) -> None:
        """Go to the filter."""
        self.query_one("#filter", Input).focus()

    def action_to_list(self) -> None:
        """Go from the filter to the list."""
        self.listing.focus()

    def action_back(self) -> None:
        """Leave the filter, then clear it; at last say how to quit."""
        field = self.query_one("#filter", Input)
        if field.value:
            field.value = ""
            self.listing.focus()
        elif field.has_focus:
            self.listing.focus()
        else:
            self.say("q leaves the program.")

    def action_sort(self) -> None:
        """Sort by the next column."""
        self.sort = _SORTS[(_SORTS.index(self.sort) + 1) % len(_SORTS)]
        self._refit()

    def action_sort_back(self) -> None:
        """Sort the other way round."""
        self.reverse = not self.reverse
        self._refit()

    def action_reload(self) -> None:
        """Read everything again."""
        start(self, "load", self._load, True)
        self.say("Reading again ...")

    def action_why(self) -> None:
        """Say why the selected session is as it is."""
        if self.selected is not None:
            self.replay.open_session(self.selected.id, then="why")

    def action_crash_here(self) -> None:
        """Open the crash lab on the last turn of the selected session."""
        if self.selected is not None:
            self.replay.open_session(self.selected.id, then="crash_here")

    def action_doctor(self) -> None:
        """Check the whole world."""
        from eve_replay_tui.screens.verdicts import DoctorScreen

        self.app.push_screen(DoctorScreen(None), self._go)

    def _go(self, key: str | None) -> None:
        """Jump to what a finding of the world is about."""
        if key:
            self.replay.go_anywhere(key)

    def action_go_to_id(self) -> None:
        """Ask for an id and go there."""
        self.replay.ask_id()

    def action_copy(self) -> None:
        """Copy the whole id."""
        if self.selected is not None:
            self.replay.copy(self.selected.id)


def _ignored(text: str) -> None:
    """A session that cannot be joined keeps its short row: opening it tells why."""
    safe_text(text)
