"""One session: tree, timeline and inspector over one cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical

from eve_replay.errors import EveReplayError
from eve_replay.views.kit.base import split_key
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import clock
from eve_replay.views.session.cursor import Position
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.sessions import SessionRow
from eve_replay.views.session.silence import Silence
from eve_replay.views.verdicts.plan import PlanView
from eve_replay_tui.keys import bindings, moves
from eve_replay_tui.lines import LineView, Listing, notice
from eve_replay_tui.rows.tree import tree_row
from eve_replay_tui.screens.base import ReplayScreen
from eve_replay_tui.screens.session_links import Links
from eve_replay_tui.screens.session_live import TICK, Live
from eve_replay_tui.screens.session_panes import Panes
from eve_replay_tui.widgets.bars import Heading, KeyBar, TabBar
from eve_replay_tui.widgets.inspector import InspectorPane
from eve_replay_tui.widgets.timeline import TimelinePane
from eve_replay_tui.work import start

__all__ = ["SessionScreen"]


class SessionScreen(Links, Live, Panes, ReplayScreen):
    """Tree, timeline and inspector of one session.

    Args:
        session_id: the session.
        wanted: id or key to select at first.
        then: action to run when it is there.
    """

    TOPIC: ClassVar[str] = "session"
    ABOUT: ClassVar[str] = (
        "One session: turns, steps and attempts as a tree, when they ran, and what each took and gave. "
        "All panes show the same thing; n and b go from event to event."
    )
    ACTIONS: ClassVar[tuple[str, ...]] = (
        "next-event", "previous-event", "next-step", "previous-step", "into", "out", "next-attempt",
        "next-effect", "next-crash-point", "previous-crash-point", "crash-here", "matrix", "diff-attempts",
        "why", "doctor", "state", "raw", "copy", "export", "search", "go-to-id", "previous-tab", "next-tab",
        "layout", "zoom", "follow", "copy-command", "reload",
    )  # fmt: skip
    PLAIN: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "Look into the selected thing; in the inspector, go where the row points."),
        ("Space", "Fold or unfold."),
        ("1-9", "Open a tab of the inspector by its number."),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        *moves(),
        *bindings(
            "crash-here", "matrix", "diff-attempts", "why", "doctor", "state", "raw", "search", "go-to-id",
            "previous-tab", "next-tab", "layout", "zoom", "follow", "copy-command", "reload",
        ),
        Binding("tab", "pane(1)", show=False, priority=True),
        Binding("shift+tab", "pane(-1)", show=False, priority=True),
        Binding("right", "unfold", show=False),
        Binding("left", "fold", show=False),
        *(Binding(str(n), f"tab_number({n})", show=False) for n in range(1, 10)),
    ]  # fmt: skip

    DEFAULT_CSS = """
    SessionScreen { background: $background; }
    SessionScreen #panes { layout: horizontal; height: 1fr; }
    SessionScreen #right { width: 3fr; }
    SessionScreen .pane { border: round $panel; border-title-color: $secondary; background: $background; }
    SessionScreen .pane:focus-within { border: round $accent; border-title-color: $accent; }
    SessionScreen #tree { width: 2fr; }
    SessionScreen #timeline { height: 2fr; max-height: 18; }
    SessionScreen #inspector { height: 3fr; }
    SessionScreen #switch { display: none; height: 1; background: $surface; }
    SessionScreen.narrow #switch { display: block; }
    SessionScreen.narrow #panes { layout: vertical; }
    SessionScreen.narrow #right { width: 1fr; }
    SessionScreen.narrow #tree { width: 1fr; }
    SessionScreen.narrow .pane { border: none; }
    SessionScreen.narrow .pane:focus-within { border: none; }
    SessionScreen.narrow #timeline { max-height: 100%; height: 1fr; }
    SessionScreen.narrow #inspector { height: 1fr; }
    SessionScreen .away { display: none; }
    """

    def __init__(self, session_id: str, *, wanted: str = "", then: str = "") -> None:
        super().__init__()
        self.session_id = session_id
        self.wanted = wanted
        self.then = then
        self.explorer: Explorer | None = None
        self.here: Position | None = None
        self.key = ""
        self.opened: set[str] = set()
        self.pane = "tree"
        self.zoomed = False
        self._folds: frozenset[str] | None = None
        self._parents: dict[str, str] = {}
        self.stated: SessionRow | None = None
        self.plan: PlanView | None = None
        self.silence: Silence | None = None
        self.following = False

    def compose(self) -> ComposeResult:
        """Return the panes."""
        yield Heading(id="head")
        yield Heading(id="now", classes="away")
        yield TabBar(id="switch")
        with Container(id="panes"):
            tree = LineView(id="tree", classes="pane")
            tree.border_title = "Tree"
            yield tree
            with Vertical(id="right"):
                timeline = TimelinePane(id="timeline", classes="pane")
                timeline.border_title = "Timeline"
                yield timeline
                inspector = InspectorPane(id="inspector", classes="pane")
                inspector.border_title = "Inspector"
                yield inspector
        yield Heading(id="moment")
        yield KeyBar(
            (
                ("n", "next", "go('next-event')"),
                ("b", "back", "go('previous-event')"),
                ("a", "attempt", "go('next-attempt')"),
                ("e", "effect", "go('next-effect')"),
                ("c", "crash here", "crash_here"),
                ("d", "diff", "diff_attempts"),
                ("w", "why", "why"),
                ("/", "search", "search"),
                ("Tab", "pane", "pane(1)"),
                ("m", "matrix", "matrix"),
                ("y", "copy", "copy"),
                ("Esc", "back", "back"),
                ("?", "help", "help"),
            )
        )

    # -- reading -----------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#head", Heading).left = line(self.session_id)
        self.outline.show(notice("Joining the session ..."))
        self.outline.focus()
        start(self, "load", self._load)

    @property
    def outline(self) -> LineView:
        """The tree."""
        return self.query_one("#tree", LineView)

    @property
    def timeline(self) -> TimelinePane:
        """The timeline."""
        return self.query_one("#timeline", TimelinePane)

    @property
    def inspector(self) -> InspectorPane:
        """The inspector."""
        return self.query_one("#inspector", InspectorPane)

    def _made(self) -> Explorer:
        """Make everything that stepping needs, in the worker's thread."""
        explorer = self.reader.explorer(self.session_id)
        for name in ("effects", "tree", "cursor", "timeline", "inspector"):
            getattr(explorer, name)
        return explorer

    async def _load(self, again: bool = False) -> None:
        if again:
            await self.work(self.reader.quick, self.reader.refresh, self._failed)
        read = self.reader
        explorer = await self.work(read.quick, lambda: read.settled(self._made()), self._failed)
        if explorer is not None:
            self.take(explorer)

    def _failed(self, text: str) -> None:
        self.outline.show(notice(text, tone="error"))

    def take(self, explorer: Explorer) -> None:
        """Show a session; what was selected and open stays so."""
        first = self.explorer is None
        self.explorer = explorer
        self.opened |= set(explorer.tree.opened) if first else set()
        self._folds = None
        self._parents = {row.key: row.parent for row in explorer.tree.rows}
        if first:
            self.set_interval(TICK, self.tick)
        self.heading()
        start(self, "status", self.status, explorer)
        self._show_tree()
        if not explorer.cursor.stops:
            self.go_to(f"session:{explorer.session.id}")
        elif first and not self.wanted:
            self.go_to(self._interesting(explorer))
        elif self.following and not self.wanted:
            self.go_to(self.newest(explorer), again=True)
        else:
            self.go_to(self.wanted or self.key or f"session:{explorer.session.id}", again=True)
        self.wanted = ""
        if self.then:
            then, self.then = self.then, ""
            self.call_later(self.run_action, then)

    def _interesting(self, explorer: Explorer) -> str:
        """Return what to select at first: a step whose effects ran twice, else the last turn."""
        for row in explorer.tree.rows:
            if row.kind == "step" and any(badge.tone == "harm" for badge in row.badges):
                return row.key
        turns = [row.key for row in explorer.tree.rows if row.kind == "turn"]
        return turns[-1] if turns else f"session:{explorer.session.id}"

    # -- one selection in all panes ----------------------------------------------------------------------

    def _show_tree(self) -> None:
        explorer = self.explorer
        if explorer is None:
            return
        folds = frozenset(self.opened)
        if folds == self._folds:
            return  # stepping inside what is open draws no row anew
        self._folds = folds
        rows = explorer.tree.visible(folds)
        self.outline.show(
            Listing(rows, lambda row, width: tree_row(row, width, row.key in self.opened), _key)
        )

    def _above(self, key: str) -> list[str]:
        """Return the keys of what holds a row, innermost first."""
        found: list[str] = []
        while key := self._parents.get(key, ""):
            found.append(key)
        return found

    def go_to(self, key: str, *, again: bool = False, from_tree: bool = False) -> bool:
        """Select a thing everywhere; return whether the session has it."""
        explorer = self.explorer
        if explorer is None:
            return False
        if not again and key == self.key:
            return True
        try:
            self.here = explorer.cursor.go(self.here, key)
            key = self.here.focus
        except EveReplayError:
            if not explorer.inspector.title(key):
                return False
            for each in self._above(key):
                try:
                    self.here = explorer.cursor.go(self.here, each)
                    break
                except EveReplayError:
                    continue
        self._select(key, from_tree=from_tree)
        return True

    def move(self, action: str) -> None:
        """Make a move of the cursor."""
        explorer = self.explorer
        if explorer is None or self.here is None:
            return
        moved = explorer.cursor.move(self.here, action)
        if moved == self.here and self.key == moved.focus:
            self.say("There is nothing further that way.")
            return
        self.here = moved
        self._select(moved.focus)

    def _select(self, key: str, *, from_tree: bool = False) -> None:
        explorer = self.explorer
        assert explorer is not None
        self.key = key
        path = self.here.path if self.here is not None else ()
        if not from_tree:
            inner = path[: path.index(key) + 1] if key in path else (key,)
            target = next((each for each in reversed((*path[:1], *inner)) if each in self._parents), "")
            if target:
                self.opened.update(self._above(target))
                self._show_tree()
                self.outline.select(target)
        turn = self.here.turn if self.here is not None and key != f"session:{explorer.session.id}" else ""
        self._show_timeline(turn, key, path)
        self._moment()
        self.inspector.look(explorer, key)

    def _show_timeline(self, turn: str, key: str, path: tuple[str, ...]) -> None:
        explorer = self.explorer
        assert explorer is not None
        name = split_key(turn)[1][1] if turn else ""
        view = self.replay.timeline_of(explorer, name, self.silence)
        pane = self.timeline
        where = f"turn {name.removeprefix('turn_')}" if name else "whole session"
        pane.border_title = f"Timeline: {where}, {'squeezed' if pane.squeezed else 'true'} scale"
        pane.show(view, key, path)

    def show_timeline(self) -> None:
        """Draw the timeline of what is selected anew."""
        here, explorer = self.here, self.explorer
        if explorer is not None:
            turn = here.turn if here is not None and self.key != f"session:{explorer.session.id}" else ""
            self._show_timeline(turn, self.key, here.path if here is not None else ())

    def _moment(self) -> None:
        here, explorer = self.here, self.explorer
        bar = self.query_one("#moment", Heading)
        if here is None or explorer is None:
            bar.left = line(("No events are recorded.", "muted"))
            return
        title = explorer.inspector.title(self.key)
        bar.left = line((title, "tool"), ("  " if title else "", "muted"), (here.label, here.tone))
        when = clock(here.at, self.replay.options.zone, millis=True)
        bar.right = line((f"{when}  {here.index + 1:,} of {here.total:,}", "muted"))
        self._switch()

    # -- rows --------------------------------------------------------------------------------------------

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Another row of tree or timeline is selected."""
        if event.row is None or self.explorer is None:
            return
        if event.view is self.outline:
            self.go_to(event.row.key, from_tree=True)
        elif event.view is self.timeline.bars:
            self.go_to(event.row.key)

    def on_line_view_toggled(self, event: LineView.Toggled) -> None:
        """Fold or unfold a row of the tree."""
        if event.view is self.outline and event.row is not None:
            self.opened ^= {event.row.key}
            self._show_tree()
            self.outline.select(event.row.key)

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        """Look into the thing, or go where the row of the inspector points."""
        if event.view is self.inspector.body:
            row = event.row
            if row is not None and row.key and not row.fold and not self.go_to(row.key):
                self.say("That is not in this session.")
        else:
            self.show_pane("inspector")

    def action_unfold(self) -> None:
        """Open the row of the tree, or go to the next event."""
        row = self.outline.current
        if self.focused is self.outline and row is not None:
            if row.key not in self.opened:
                self.opened.add(row.key)
                self._show_tree()
                self.outline.select(row.key)
            else:
                self.outline.action_line(1)
        elif self.focused is self.timeline.bars:
            self.move("next-event")

    def action_fold(self) -> None:
        """Close the row of the tree, or go to what holds it; in the timeline go back one event."""
        row = self.outline.current
        if self.focused is self.timeline.bars:
            self.move("previous-event")
        elif self.focused is self.outline and row is not None and self.explorer is not None:
            if row.key in self.opened and row.data.children:
                self.opened.discard(row.key)
                self._show_tree()
                self.outline.select(row.key)
            elif row.data.parent:
                self.go_to(row.data.parent)


def _key(row: object) -> str:
    key: str = row.key  # type: ignore[attr-defined]
    return key
