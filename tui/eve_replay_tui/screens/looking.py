"""Reading the list of sessions and looking at each of them, beside the screen that shows them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.verdicts.board import Board, Page
from eve_replay.views.verdicts.landing import LandingRow, head_row
from eve_replay_tui.lines import Flow, LineView, TextRow, notice
from eve_replay_tui.options import seconds
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.widgets.bars import Heading
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay.journal import SessionHead
    from eve_replay.views.verdicts.plan import PlanView
    from eve_replay.views.verdicts.verdicts import VerdictRow

    Told = tuple[PlanView, tuple[VerdictRow, ...]]

__all__ = ["LookingScreen"]

#: Seconds reading rests at most until the first rows are on the screen.
_PAINT = 0.3
#: Seconds of one piece of background work, and between two new orders of the list.
_PIECE, _ORDER = 0.08, 0.5


class LookingScreen(ReplayScreen):
    """A screen over all sessions: first their run records, then one look at each, worst first.

    Who shows them says how: :meth:`refit` after every change.
    """

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()
        self.every: tuple[LandingRow, ...] = ()
        self.page = Page(rows=(), found=0, looked=0, total=0)
        self.told: dict[str, Told] = {}
        self.loaded = False
        self.reading = True
        self.seen_all = False
        self._opened = False
        self._ordered_at = 0.0

    @property
    def listing(self) -> LineView:
        """The list."""
        return self.query_one("#list", LineView)

    @property
    def selected(self) -> LandingRow | None:
        """The session under the cursor."""
        current = self.listing.current
        data = current.data if current is not None else None
        return data if isinstance(data, LandingRow) else None

    def refit(self, *, hold: bool = False) -> None:
        """Filter, sort and show."""
        raise NotImplementedError

    async def load(self, again: bool = False) -> None:
        """Read the run records, then look at every session; ``again`` forgets what was read."""
        if again:
            await self.work(self.reader.listing, self.reader.refresh, self._failed)
        parts: list[tuple[LandingRow, ...]] = []
        known: list[LandingRow] = []
        painted = threading.Event()

        def told(heads: Sequence[SessionHead]) -> None:
            if not again:  # else all that was known is on screen
                known.extend(map(head_row, heads))
                parts.append(tuple(known))
                painted.wait(_PAINT)  # the first rows shall not wait for the processor

        def gathered() -> tuple[LandingRow, ...]:
            return tuple(map(head_row, self.reader.journal.gather(told)))

        progress = self.set_interval(0.05, partial(self._progress, parts, painted))
        try:
            rows = await self.work(self.reader.listing, gathered, self._failed)
        finally:
            progress.stop()
        self.reading = False
        if rows is None:
            return
        if again:
            self.forget([row.id for row in self.every])
        self.take(rows)
        if not self._opened:
            self._opened = True
            self.replay.opened(rows)
        start(self, "through", self._through)

    def _progress(self, parts: list[tuple[LandingRow, ...]], painted: threading.Event) -> None:
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

    def take(self, rows: tuple[LandingRow, ...]) -> None:
        """Show these sessions; the cursor stays on its session, and that on its line of the screen."""
        self.every = rows
        self.board.heads(rows)
        self.loaded = True
        self.refit(hold=True)
        if self._opened and self.board.looked < len(self.board):
            start(self, "through", self._through)

    def forget(self, ids: Sequence[str]) -> None:
        """Something of these sessions has changed: look at them again."""
        self.board.forget(ids)
        for each in ids:
            self.told.pop(each, None)

    async def _through(self) -> None:
        """Look at every session: those on the screen first, then the newest."""
        left = self.board.waiting
        left.reverse()
        while left:
            piece = [each for each in self._visible() if not self.board.seen(each)][:8]
            rows = await self.reader.background.run(partial(self._piece, piece, left))
            self.board.put(rows)
            while left and self.board.seen(left[-1]):
                left.pop()
            now = seconds()
            if now - self._ordered_at > max(_ORDER, len(self.board) / 10_000) or not left:
                self.refit(hold=True)
                self._ordered_at = seconds()
        self.seen_all = True

    def _piece(self, first: list[str], rest: list[str]) -> list[LandingRow]:
        """Look at some sessions, in the background lane: a fraction of a second of work."""
        until = seconds() + _PIECE
        out: list[LandingRow] = []
        place = len(rest)
        while seconds() < until and (first or place):
            if first:
                wanted = first.pop(0)
            else:
                place -= 1
                wanted = rest[place]
                if self.board.seen(wanted):
                    continue
            out.append(self.reader.look(wanted))
        return out

    def _visible(self) -> list[str]:
        top = int(self.listing.scroll_offset.y)
        around = self.page.rows[top : top + self.listing.size.height]
        current = self.selected
        ids = [row.id for row in around if isinstance(row, LandingRow)]
        return [current.id, *ids] if current is not None else ids
