"""The application: one reader, one painter, and the way between the screens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.filter import LineFilter
from textual.widgets import Input

from eve_replay.errors import EveReplayError
from eve_replay.views.kit.base import split_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.verdicts.landing import LandingRow, head_row
from eve_replay_tui.commands import Commands
from eve_replay_tui.lines import LineView
from eve_replay_tui.options import Options
from eve_replay_tui.paint import Painter
from eve_replay_tui.reader import Reader
from eve_replay_tui.screens.help import AskScreen, HelpScreen
from eve_replay_tui.screens.sessions import SessionsScreen
from eve_replay_tui.themes import THEMES, AsciiFilter, PlainFilter, tone_theme
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay.views.crashlab.crash import CrashLab
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.session.silence import Silence
    from eve_replay.views.session.timeline import Timeline
    from eve_replay_tui.screens.session import SessionScreen

__all__ = ["ReplayApp"]

_POLL = 3.0
_LEDGER = 2.0


class ReplayApp(App[None]):
    """The terminal user interface.

    Args:
        options: source, deep links, clock, colours.
    """

    TITLE = "eve-replay"
    COMMANDS: ClassVar[set[Any]] = {Commands}
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", show=False, priority=True),
        Binding("ctrl+c", "stop", show=False, priority=True),
        Binding("f1", "help_here", show=False),
    ]

    CSS = """
    Screen { background: $background; color: $foreground; }
    Toast { background: $surface; color: $foreground; border-left: outer $accent; }
    Input { color: $foreground; }
    """

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.painter = Painter(self.options.theme, ascii_only=self.options.ascii_only)
        super().__init__()
        self.reader = Reader(self.options)
        self.animation_level = "none"
        self.live = False
        self._stop = threading.Event()
        self._labs: dict[tuple[int, str | None], CrashLab] = {}
        self._timelines: dict[tuple[int, str], tuple[Explorer, Timeline]] = {}
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = f"eve-{self.options.theme}"

    # -- looks -------------------------------------------------------------------------------------------

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return Textual's own filters, and ours for terminals without colours or Unicode."""
        filters = list(super().get_line_filters())
        if self.painter.theme == "none":
            filters.append(PlainFilter())
        if self.painter.ascii_only:
            filters.append(AsciiFilter())
        return filters

    def _watch_theme(self, theme_name: str) -> None:
        super()._watch_theme(theme_name)
        self.painter = Painter(tone_theme(theme_name), ascii_only=self.options.ascii_only)
        for screen in self.screen_stack if self._running else ():
            for view in screen.query(LineView):
                view.restyle()
            screen.refresh(layout=True)

    def action_take_theme(self, name: str) -> None:
        """Change the theme."""
        self.theme = f"eve-{name}"

    # -- start -------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Show the sessions; deep links open on top of them."""
        self.push_screen(SessionsScreen())

    def opened(self, rows: tuple[LandingRow, ...]) -> None:
        """The source has been read: follow the deep links, begin to watch."""
        start(self, "warm", self.reader.long.run, self.reader.warm)
        options = self.options
        if options.session is not None or options.step is not None:
            start(self, "deep", self._deep, rows)
        if options.live:
            start(self, "watch", self._watch)
        if options.ledger_file is not None:
            start(self, "ledger", self._watch_ledger)

    async def _deep(self, rows: tuple[LandingRow, ...]) -> None:
        """Open the session and the step that were asked for."""
        session, step = self.options.session, self.options.step

        def found() -> str:
            journal = self.reader.journal
            if session is not None:
                return journal.session(session).id
            assert step is not None
            if step.startswith("step_"):
                return journal.session(journal.step(step).run_id).id
            return rows[0].id if len(rows) == 1 else journal.session(journal.step(step).run_id).id

        try:
            session_id = await self.reader.quick.run(found)
        except EveReplayError as error:
            self.say(str(error), warning=True)
            return
        self.open_session(session_id, wanted=step or "")

    # -- ways --------------------------------------------------------------------------------------------

    def now(self) -> datetime:
        """Return the instant to reckon from."""
        return self.options.now()

    def open_session(self, session_id: str, *, wanted: str = "", then: str = "") -> None:
        """Open a session on top."""
        from eve_replay_tui.screens.session import SessionScreen

        self.push_screen(SessionScreen(session_id, wanted=wanted, then=then))

    def ask_id(self) -> None:
        """Ask for an id and go there."""
        question = "Go to which id? The last characters are enough."
        self.push_screen(
            AskScreen(question, placeholder="evnt_…, step_…, wrun_…, turn_0, call id"), self._asked
        )

    def action_ask(self) -> None:
        """Ask for an id and go there."""
        self.ask_id()

    def _asked(self, wanted: str | None) -> None:
        if not wanted:
            return
        screen = self.screen
        if _is_session(screen) and screen.go_to(wanted):
            return
        self.go_anywhere(wanted)

    def go_anywhere(self, wanted: str) -> None:
        """Go to an id or key in whatever session has it."""
        start(self, "go", self._go, wanted)

    async def _go(self, wanted: str) -> None:
        kind, parts = split_key(wanted) if ":" in wanted else ("", ("",))

        def found() -> str:
            journal = self.reader.journal
            if kind in ("step", "attempt", "call", "model", "event", "run", "session", "turn"):
                return journal.session(parts[0]).id
            if wanted.startswith("step_"):
                return journal.session(journal.step(wanted).run_id).id
            try:
                return journal.session(wanted).id
            except EveReplayError:
                return journal.session(journal.step(wanted).run_id).id

        try:
            session_id = await self.reader.quick.run(found)
        except EveReplayError:
            self.say(f"Nothing here has the id {wanted!r}.", warning=True)
            return
        screen = self.screen
        target = "" if not kind and not wanted.startswith("step_") else wanted
        if _is_session(screen) and screen.session_id == session_id:
            screen.go_to(target or f"session:{session_id}")
        else:
            self.open_session(session_id, wanted=target)

    def lab_of(self, explorer: Explorer, turn_id: str | None) -> CrashLab:
        """Return the crash lab of a turn, kept as long as its session (called in worker threads)."""
        key = (id(explorer), turn_id)
        lab = self._labs.get(key)
        if lab is None or lab.session is not explorer.session:
            from eve_replay.views.crashlab.crash import CrashLab

            lab = CrashLab(explorer.session, turn_id, self.options.effects)
            if len(self._labs) > 12:
                self._labs.clear()
            self._labs[key] = lab
        return lab

    def timeline_of(self, explorer: Explorer, turn_id: str, silence: Silence | None = None) -> Timeline:
        """Return the timeline of a turn, or of the session for an empty id; the last ones are kept.

        With ``silence`` its row is drawn up to now; such a timeline is made anew each time.
        """
        if silence is not None:
            quiet = (
                explorer.turn_timeline(turn_id, silence) if turn_id else explorer.session_timeline(silence)
            )
            if any(row.label == "silence" for row in quiet.rows):
                return quiet
        if not turn_id:
            return explorer.timeline
        key = (id(explorer), turn_id)
        known = self._timelines.get(key)
        if known is None or known[0] is not explorer:  # a number may be given to another object later
            if len(self._timelines) > 40:
                self._timelines.clear()
            known = self._timelines[key] = (explorer, explorer.turn_timeline(turn_id))
        return known[1]

    # -- live --------------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Take what changed: from the world when it tells, else by looking again from time to time."""
        reader = self.reader
        changes = await reader.listing.run(lambda: getattr(reader.journal.world, "changes", None))
        self.live = True
        if changes is not None:
            told: Iterator[set[str]] = iter(changes(self._stop))
            loop = asyncio.get_running_loop()
            news: asyncio.Queue[set[str] | None] = asyncio.Queue()

            def listen() -> None:
                with suppress(RuntimeError):  # the program ends
                    try:
                        for touched in told:
                            loop.call_soon_threadsafe(news.put_nowait, touched)
                    except EveReplayError:  # the server went away, say: looking now and then finds it again
                        loop.call_soon_threadsafe(news.put_nowait, None)

            threading.Thread(target=listen, name="eve-replay watch", daemon=True).start()
            while True:
                touched = await news.get()
                await asyncio.sleep(0.2)
                while touched is not None and not news.empty():
                    more = news.get_nowait()
                    touched = None if more is None else touched | more
                if touched is None:
                    break
                await self._look_again(touched)
        wait = _POLL
        while True:
            await asyncio.sleep(wait)
            began = asyncio.get_running_loop().time()
            await self._look_again()
            # Never busier than a twentieth of the time, however large the world is.
            wait = max(_POLL, 20 * (asyncio.get_running_loop().time() - began))

    async def _watch_ledger(self) -> None:
        """Follow the ledger: what is written to it changes what is known of every session."""
        while True:
            await asyncio.sleep(_LEDGER)
            if not await self.reader.quick.run(self.reader.ledger_again):
                continue
            with suppress(NoMatches):
                for screen in self.screen_stack:
                    if isinstance(screen, SessionsScreen):
                        screen.forget([row.id for row in screen.every])
                        screen.take(screen.every)
                    if _is_session(screen) and screen.explorer is not None:
                        screen.take(await self.reader.quick.run(screen._made))
            self.say("The ledger has grown: its counts are new.")

    async def _look_again(self, touched: Set[str] = frozenset()) -> None:
        """Read what changed; the screens keep their selection. What cannot be read now stays as it was.

        Args:
            touched: runs that the world told about. Their records alone do not show that events were added.
        """
        changed: list[str] = []

        def read() -> tuple[LandingRow, ...]:
            self.reader.refresh()
            rows = tuple(map(head_row, self.reader.journal.heads))
            sessions = self.reader.journal.map
            changed[:] = {sessions.session_of(each) for each in touched if each in sessions.records}
            return rows

        try:
            rows = await self.reader.listing.run(read)
        except EveReplayError:
            return
        with suppress(NoMatches):  # a screen that is being left has no panes any more
            await self._tell(rows, changed)

    async def _tell(self, rows: tuple[LandingRow, ...], changed: Sequence[str]) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, SessionsScreen) and (changed or rows != screen.every):
                screen.forget(changed)
                screen.take(rows)
            if _is_session(screen) and screen.explorer is not None:
                await self._session_again(screen, screen.explorer)

    async def _session_again(self, screen: SessionScreen, before: Explorer) -> None:
        try:
            fresh = await self.reader.quick.run(screen._made)
        except EveReplayError:
            return
        if _mark(fresh) != _mark(before) and screen.is_attached:
            screen.take(fresh)

    # -- what leaves the screen --------------------------------------------------------------------------

    def explain(
        self, topic: str, about: str, actions: tuple[str, ...], plain: tuple[tuple[str, str], ...]
    ) -> None:
        """Open the help of a screen: what it is, its keys, signs and colours."""
        self.push_screen(HelpScreen(topic, about, actions, plain))

    def say(self, text: str, *, warning: bool = False) -> None:
        """Say a sentence for a moment. Never taken as markup."""
        self.notify(
            safe_text(text), severity="warning" if warning else "information", timeout=4, markup=False
        )

    def copy(self, text: str) -> None:
        """Copy a text with OSC 52, which reaches through ssh; lone surrogates are written as escapes."""
        if not text:
            return
        clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
        self.copy_to_clipboard(clean)
        shown = clean if len(clean) <= 40 else f"{len(clean):,} characters"
        self.say(f"Copied {shown}")

    def export(self, name: str, kind: str, text: str) -> None:
        """Ask where to write a text, and write it. An existing file is never overwritten."""
        stem = "".join(char if char.isalnum() or char in "-_." else "-" for char in f"eve-replay-{name}")[:80]

        def taken(path: str | None) -> None:
            if path:
                target = self.options.folder / Path(path).expanduser()
                try:
                    with target.open("xb") as file:
                        file.write(text.encode("utf-8", "backslashreplace"))
                except FileExistsError:
                    self.say(f"{target.name} exists already: choose another name.", warning=True)
                except OSError as error:
                    self.say(f"It could not be written: {error.strerror}.", warning=True)
                else:
                    self.say(f"Written to {target}.")

        self.push_screen(AskScreen("Write to which file?", value=f"{stem}.{kind}"), taken)

    def action_stop(self) -> None:
        """Copy what is marked with the mouse, else leave: nothing is written, so nothing is half done."""
        field = self.focused
        marked = field.selected_text if isinstance(field, Input) else self.screen.get_selected_text()
        if marked:
            self.copy(marked)
        else:
            self.exit()

    def action_help_here(self) -> None:
        """Show the help of the screen."""
        action = getattr(self.screen, "action_help", None)
        if action is not None:
            action()

    def on_unmount(self) -> None:
        """Stop watching and close the journal."""
        self._stop.set()
        self.reader.close()


def _is_session(screen: object) -> TypeGuard[SessionScreen]:
    """Return whether a screen shows a session, without loading its code."""
    return type(screen).__name__ == "SessionScreen"


def _mark(explorer: Explorer) -> tuple[object, ...]:
    """Return what changes when anything was written to a session."""
    session = explorer.session
    events = sum(len(run.events) for run in session.all_runs)
    return (session.status, events, len(session.stream_events), len(explorer.tree.rows))
