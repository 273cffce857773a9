"""The inspector: tabs of the selected thing, each made in a worker when it is opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical

from eve_replay.views.inspect.inspector import Tab, TabHead
from eve_replay.views.session.explorer import Explorer
from eve_replay_tui.lines import Flow, LineView, notice
from eve_replay_tui.rows.bodies import TabBody
from eve_replay_tui.widgets.bars import TabBar
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay_tui.app import ReplayApp

__all__ = ["InspectorPane"]

_FIRST = "effects"
_PAGE = 1000
#: Seconds the cursor must rest before the open tab is made.
_REST = 0.03


class InspectorPane(Vertical):
    """Tabs above, the body of the open one below."""

    DEFAULT_CSS = """
    InspectorPane { height: 1fr; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.explorer: Explorer | None = None
        self.key = ""
        self.wanted = _FIRST
        self.heads: tuple[TabHead, ...] = ()
        self.shown: TabBody | None = None
        self._folds: dict[tuple[str, str], set[str]] = {}

    def compose(self) -> ComposeResult:
        """Return tabs and body."""
        yield TabBar(id="tabs")
        yield LineView(id="body")

    @property
    def body(self) -> LineView:
        """The list that shows the body."""
        return self.query_one("#body", LineView)

    def look(self, explorer: Explorer, key: str) -> None:
        """Show a thing, with the tab that was open before if it has it."""
        self.explorer, self.key = explorer, key
        self._ask(0, rest=_REST)

    def open(self, name: str) -> None:
        """Open a tab."""
        self.wanted = name
        self._ask(0)

    def turn(self, by: int) -> None:
        """Open the next tab, or the one before."""
        names = [head.name for head in self.heads]
        if names and self.shown is not None:
            self.open(names[(names.index(self.shown.tab.name) + by) % len(names)])

    def number(self, n: int) -> None:
        """Open a tab by its number, 1-based."""
        if 0 < n <= len(self.heads):
            self.open(self.heads[n - 1].name)

    def _ask(self, first: int, rest: float = 0.0) -> None:
        if self.explorer is not None:
            start(self, "tab", self._fetch, self.explorer, self.key, self.wanted, first, rest)

    async def _fetch(self, explorer: Explorer, key: str, wanted: str, first: int, rest: float) -> None:
        from eve_replay_tui.screens.base import error_text

        if rest:  # the step is painted first, and a key that is held decodes nothing on the way
            await asyncio.sleep(rest)
        app = cast("ReplayApp", self.app)

        def made() -> tuple[tuple[TabHead, ...], Tab]:
            heads = explorer.inspector.tabs(key)
            names = [head.name for head in heads]
            name = wanted if wanted in names else "output" if "output" in names else names[0]
            return heads, explorer.inspector.tab(key, name, start=first)

        try:
            heads, tab = await app.reader.quick.run(made)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # one damaged payload is told in its place
            self.shown = None
            self.body.show(notice(error_text(error), tone="error"), select=0)
            return
        self._show(heads, tab, first)

    def _show(self, heads: tuple[TabHead, ...], tab: Tab, first: int) -> None:
        app = cast("ReplayApp", self.app)
        self.heads = heads
        before = self.shown
        same = before is not None and (before.tab.key, before.tab.name) == (tab.key, tab.name)
        self.shown = TabBody(tab, app.options.zone, opened=self._folds.get((tab.key, tab.name)), start=first)
        tabs = [
            (head.name, f"{head.title} {head.remark}" if head.remark not in ("", "0") else head.title)
            for head in heads
        ]
        self.query_one("#tabs", TabBar).show(tabs, tab.name)
        self.body.show(self._flow(), select=None if same and not first else 0)

    def _flow(self) -> Flow:
        shown = self.shown
        assert shown is not None
        return Flow(shown.build)

    def toggle(self) -> bool:
        """Open or close what is under the cursor; return whether there was anything."""
        row, shown = self.body.current, self.shown
        if row is None or shown is None or not row.fold:
            return False
        if row.fold.startswith("page:"):
            self._ask(self._page(shown, forward=row.fold.endswith("+")))
            return True
        shown.toggle(row.fold)
        self._folds[shown.tab.key, shown.tab.name] = shown.opened
        if len(self._folds) > 200:
            self._folds.pop(next(iter(self._folds)))
        at = self.body.cursor
        self.body.show(self._flow(), select=row.fold if row.fold and "more:" not in row.fold else at)
        return True

    def _page(self, shown: TabBody, *, forward: bool) -> int:
        if shown.tab.name == "messages":
            return max(shown.tab.more - 200, 1) if forward else 0
        return shown.start + (_PAGE if forward else -_PAGE)

    def on_line_view_toggled(self, event: LineView.Toggled) -> None:
        """Fold."""
        event.stop()
        self.toggle()

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Fold what folds; everything else is for the screen."""
        if self.toggle():
            event.stop()
