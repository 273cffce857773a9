"""The landing page: every session, worst first, looked through in the background; filtered, sorted, live."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural
from eve_replay.views.verdicts.board import SORTS, Fold, SortBy
from eve_replay.views.verdicts.landing import LandingRow
from eve_replay_tui.keys import bindings
from eve_replay_tui.lines import Flow, LineView, Listing, TextRow, notice
from eve_replay_tui.rows.sessions import column_at, columns_line, preview_rows, session_line
from eve_replay_tui.screens.looking import LookingScreen
from eve_replay_tui.widgets.bars import Heading, KeyBar
from eve_replay_tui.work import start

__all__ = ["SessionsScreen"]

_SORT_WORDS: dict[SortBy, str] = {"worst": "worst first", "last": "by last activity", "twice": "by repeats"}
#: Previews kept; joined sessions are large.
_KEPT = 60


class SessionsScreen(LookingScreen):
    """All sessions of the world."""

    TOPIC: ClassVar[str] = "sessions"
    ABOUT: ClassVar[str] = (
        "Every session of this source, worst first: state, what ran twice (sure, and with ? possibly), last "
        "activity. All are looked at in the background. The filter takes words, or a condition as of "
        "`eve-replay sessions --where`: twice >= 1 and tool = charge_card; state ~ parked; last < 2h."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "search", "next-harm", "previous-harm", "go-to-id", "sort", "sort-back", "crash-here", "why",
        "doctor", "copy", "copy-command", "export", "reload",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "Open the session."),
        ("Space", "Show or fold the sessions that need nobody."),
        ("click", "On the head of a column: sort by it."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(
            "search", "next-harm", "previous-harm", "go-to-id", "sort", "sort-back", "crash-here", "why",
            "doctor", "reload", "into", "copy-command",
        ),
        Binding("down", "to_list", show=False),
    ]  # fmt: skip

    DEFAULT_CSS = """
    SessionsScreen { background: $background; }
    SessionsScreen #filter { height: 1; border: none; background: $background; padding: 0 1; }
    SessionsScreen #preview { height: 9; border-top: solid $panel; }
    SessionsScreen.short #preview { height: 6; }
    SessionsScreen #columns { background: $background; }
    SessionsScreen #totals { background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.sort: SortBy = "worst"
        self.reverse = False
        self.unfolded = False

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield Heading(id="totals")
        field = Input(placeholder="/ to filter: words, or twice >= 1 and state ~ parked", id="filter")
        field.cursor_blink = False
        yield field
        yield Heading(id="columns")
        yield LineView(id="list")
        with Vertical(id="preview"):
            yield LineView(id="about", marker=False)
        yield KeyBar(
            (
                ("Enter", "open", "into"),
                ("h", "next harm", "next_harm"),
                ("/", "filter", "search"),
                ("w", "why", "why"),
                ("t", "sort", "sort"),
                ("q", "quit", "leave"),
                ("c", "crash lab", "crash_here"),
                ("D", "doctor", "doctor"),
                ("g", "go to id", "go_to_id"),
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
        self.set_interval(1.0, self._tick)

    def _begin(self) -> None:
        """Read once the screen is painted: both want the same processor."""
        start(self, "load", self.load)

    def _tick(self) -> None:
        """Let what is left of deadlines go down on the screen."""
        rows = self.page.rows[int(self.listing.scroll_offset.y) :][: self.listing.size.height]
        if any(isinstance(row, LandingRow) and row.deadline is not None for row in rows):
            self.listing.restyle()

    @property
    def shown(self) -> tuple[LandingRow, ...]:
        """The sessions that are listed."""
        return tuple(row for row in self.page.rows if isinstance(row, LandingRow))

    def on_resize(self, event: events.Resize) -> None:
        """Give the preview less room on a low screen."""
        self.set_class(event.size.height < 34, "short")
        self._columns()

    def refit(self, *, hold: bool = False) -> None:
        """Filter, sort and show."""
        text = self.query_one("#filter", Input).value
        self.page = self.board.page(
            text, sort=self.sort, reverse=self.reverse, opened=self.unfolded, now=self.replay.now()
        )
        current = self.listing.current
        if not self.page.rows:
            self.listing.show(notice(self._empty(text)))
            self.query_one("#about", LineView).show(notice(""))
        else:
            listing = Listing(self.page.rows, self._draw, lambda row: row.key)
            key = current.key if current is not None else ""
            found = bool(key) and listing.find(key) is not None
            # While all are looked at for the first time and nobody has moved, the worst one is selected.
            resting = (
                hold
                and not self.seen_all
                and self.listing.cursor == 0
                and int(self.listing.scroll_offset.y) == 0
            )
            select = 0 if resting and not text else key if found else None if hold and key else 0
            self.listing.show(listing, select=select, hold=hold)
        self._head()
        self._columns()
        self._look()

    def _empty(self, text: str) -> str:
        if text.strip() and (self.reading or self.page.looked < self.page.total):
            return f"No session looked at so far fits {text.strip()!r}. Esc clears the filter."
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
        if not self.loaded:
            return
        page = self.page
        count = plural(page.total, "session")
        if page.found != page.total:
            count = f"{page.found:,} of {count}"
        if self.reading:
            count += " so far"
        arrow = ", reversed" if self.reverse else ""
        words = _SORT_WORDS.get(self.sort, f"by {self.sort}")
        live = "  live" if self.replay.live else ""
        head.right = line((f"{count}  {words}{arrow}{live}", "muted"))
        left = page.total - page.looked
        tone = "harm" if page.twice.sure else "plain"
        spans = [(f"{left:,} not looked at yet  ", "strong")] if left else []
        spans.append((page.totals, tone))
        if page.wrong and not self.query_one("#filter", Input).has_focus:
            spans = [(page.wrong, "error")]
        elif page.wrong:
            spans = [("not a condition yet: all are shown", "muted")]
        self.query_one("#totals", Heading).left = line(*spans)  # type: ignore[arg-type]

    def _columns(self) -> None:
        width = self.listing.room or self.size.width - 2
        self.query_one("#columns", Heading).left = columns_line(width, self.sort, self.reverse)

    def _draw(self, row: LandingRow | Fold, width: int) -> TextRow:
        return session_line(row, width, self.replay.now())

    # -- looking closer at the selected one -------------------------------------------------------------

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another session is selected."""
        self._look()

    def _look(self) -> None:
        row = self.listing.current.data if self.listing.current is not None else None
        if isinstance(row, LandingRow | Fold):
            self._preview(row)
        if isinstance(row, LandingRow) and row.id not in self.told:
            start(self, "closer", self._closer, row.id)

    async def _closer(self, session_id: str) -> None:
        """Say of the selected session what is to be done, once the cursor rests."""
        await asyncio.sleep(0.06)
        found = await self.work(self.reader.listing, partial(self.reader.told, session_id), _ignored)
        if found is None:
            return
        if len(self.told) > _KEPT:
            self.told.clear()
        self.told[session_id] = found
        if self.selected is not None and self.selected.id == session_id:
            self._preview(self.selected)

    def _preview(self, row: LandingRow | Fold) -> None:
        told = self.told.get(row.id) if isinstance(row, LandingRow) else None
        zone = self.replay.options.zone
        about = self.query_one("#about", LineView)
        about.show(Flow(lambda width: preview_rows(row, told, width, zone)), select=0)

    # -- actions -----------------------------------------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while typing."""
        if self.loaded:
            self.refit()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the list."""
        self.listing.focus()
        self._head()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Open the session."""
        self.action_into()

    def on_line_view_toggled(self, event: LineView.Toggled) -> None:
        """Show or fold those that need nobody."""
        if event.row is not None and event.row.fold:
            self.unfolded = not self.unfolded
            self.refit(hold=True)

    def on_heading_picked(self, event: Heading.Picked) -> None:
        """Sort by the column that was clicked; a second click turns it round."""
        if event.heading.id != "columns":
            return
        name = column_at(self.listing.room, event.x - 1)
        if name is None:
            return
        name = "worst" if name == "state" and self.sort != "worst" else name
        self.reverse = not self.reverse if name == self.sort else False
        self.sort = name
        self.refit()

    def action_into(self) -> None:
        """Open the selected session."""
        if self.selected is not None:
            self.replay.open_session(self.selected.id)
        elif self.listing.current is not None and self.listing.current.fold:
            self.listing.action_fold_row()

    def action_next_harm(self, by: int = 1) -> None:
        """Go to the next session that needs somebody."""
        rows = self.page.rows
        at = self.listing.cursor + by
        while 0 <= at < len(rows):
            row = rows[at]
            if isinstance(row, LandingRow) and row.looked and not row.quiet:
                self.listing.action_line(at - self.listing.cursor)
                return
            at += by
        left = self.page.total - self.page.looked
        more = f" {left:,} have not been looked at yet." if left else ""
        self.say(f"No further session that way needs somebody.{more}")

    def action_previous_harm(self) -> None:
        """Go to the session before that needs somebody."""
        self.action_next_harm(-1)

    def action_copy_command(self) -> None:
        """Copy the first command of what is to be done."""
        told = self.told.get(self.selected.id) if self.selected is not None else None
        self.copy_command(told[0] if told is not None else None)

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
        self.sort = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
        self.refit()

    def action_sort_back(self) -> None:
        """Sort the other way round."""
        self.reverse = not self.reverse
        self.refit()

    def action_reload(self) -> None:
        """Read everything again."""
        start(self, "load", self.load, True)
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
    """A session that cannot be joined says so in its row; opening it tells why."""
