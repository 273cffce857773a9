"""Where one can go from a session: moves, tabs, other screens, copies and exports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from eve_replay.views.kit.base import split_key
from eve_replay_tui.lines import LineView
from eve_replay_tui.rows.tree import id_of
from eve_replay_tui.work import start

if TYPE_CHECKING:
    from eve_replay_tui.screens.session import SessionScreen

__all__ = ["Links"]


class Links:
    """Actions of the session screen that lead elsewhere."""

    @property
    def _me(self) -> SessionScreen:
        return cast("SessionScreen", self)

    def action_go(self, action: str) -> None:
        """Make a move of the cursor; crash points are known once the lab has been opened."""
        me = self._me
        if action.endswith("crash-point") and me.explorer is not None:
            start(me, "points", self._point, action)
        else:
            me.move(action)

    async def _point(self, action: str) -> None:
        me = self._me
        explorer = me.explorer
        if explorer is None:
            return
        turn = self.turn_id
        lab = await me.work(me.reader.quick, lambda: me.replay.lab_of(explorer, turn), me.say)
        if lab is not None:
            explorer.cursor.set_points([point.key for point in lab.points if point.key])
            me.move(action)

    @property
    def turn_id(self) -> str | None:
        """The turn the cursor is in, None outside turns."""
        here = self._me.here
        if self._me.key.startswith("turn:"):
            return split_key(self._me.key)[1][1]
        return split_key(here.turn)[1][1] if here is not None and here.turn else None

    def action_state(self) -> None:
        """Show the state of the step."""
        self._up_to_step()
        self._open_tab("state")

    def action_raw(self) -> None:
        """Show the stored bytes."""
        self._open_tab("raw")

    def _open_tab(self, name: str) -> None:
        """Open a tab of the inspector; where one pane is shown, the inspector comes forward."""
        me = self._me
        me.inspector.open(name)
        me.forward("inspector")

    def _up_to_step(self) -> None:
        """Select the step of a call or event: only steps and turns have a state."""
        me = self._me
        if (
            me.here is not None
            and me.here.step
            and split_key(me.key)[0] in ("call", "model", "event", "chunk")
        ):
            me.go_to(me.here.step)

    def action_next_tab(self) -> None:
        """Open the next tab."""
        self._me.inspector.turn(1)
        self._me.forward("inspector")

    def action_previous_tab(self) -> None:
        """Open the tab before."""
        self._me.inspector.turn(-1)
        self._me.forward("inspector")

    def action_tab_number(self, n: int) -> None:
        """Open a tab by number."""
        self._me.inspector.number(n)
        self._me.forward("inspector")

    def action_layout(self) -> None:
        """Change the scale of the timeline."""
        me = self._me
        me.timeline.toggle_scale()
        me.forward("timeline")
        me.say(f"The timeline is on the {'squeezed' if me.timeline.squeezed else 'true'} scale.")

    def action_crash_here(self) -> None:
        """Open the crash lab here."""
        from eve_replay_tui.screens.crash import CrashScreen

        me = self._me
        if me.explorer is not None:
            at = me.here.event if me.here is not None and me.here.level else ""
            me.app.push_screen(CrashScreen(me.explorer, self.turn_id, at), self._back_with)

    def action_matrix(self) -> None:
        """Open the matrix of the turn."""
        from eve_replay_tui.screens.crash import CrashScreen
        from eve_replay_tui.screens.matrix import MatrixScreen

        me = self._me
        if me.explorer is not None:
            lab = partial(CrashScreen, me.explorer, self.turn_id)
            me.app.push_screen(MatrixScreen(me.explorer, self.turn_id, {}, lab), self._back_with)

    def action_diff_attempts(self) -> None:
        """Compare attempts of the step, or the step with the one before it."""
        from eve_replay_tui.screens.diff import DiffScreen

        me = self._me
        if me.explorer is None:
            return
        step = me.here.step if me.here is not None and me.key != me.here.turn else ""
        if not step:
            rows = me.explorer.tree.below(me.key)
            steps = [row for row in rows if row.kind == "step"]
            again = [
                row for row in steps if sum(r.kind == "attempt" for r in me.explorer.tree.below(row.key)) > 1
            ]
            step = next((row.key for row in (*again, *steps)), "")
        if not step:
            me.say("Select a step to compare its attempts.")
            return
        me.app.push_screen(DiffScreen(me.explorer, step), self._back_with)

    def action_why(self) -> None:
        """Say why it is as it is."""
        from eve_replay_tui.screens.verdicts import WhyScreen

        me = self._me
        if me.explorer is not None:
            me.app.push_screen(WhyScreen(me.explorer), self._back_with)

    def action_doctor(self) -> None:
        """Check the session against itself."""
        from eve_replay_tui.screens.verdicts import DoctorScreen

        me = self._me
        if me.explorer is not None:
            me.app.push_screen(DoctorScreen(me.explorer), self._back_with)

    def action_search(self) -> None:
        """Search ids, names and decoded values."""
        from eve_replay_tui.screens.search import SearchScreen

        me = self._me
        if me.explorer is not None:
            me.app.push_screen(SearchScreen(me.explorer), self._back_with)

    def action_go_to_id(self) -> None:
        """Ask for an id and go there."""
        self._me.replay.ask_id()

    def _back_with(self, key: str | None) -> None:
        """A screen above was left with something to go to."""
        if key:
            me = self._me
            if not me.go_to(key):
                me.replay.go_anywhere(key)

    def action_reload(self) -> None:
        """Read the session again."""
        me = self._me
        start(me, "load", me._load, True)
        me.say("Reading again ...")

    def action_copy(self) -> None:
        """Copy the whole id, or the value under the cursor of the inspector."""
        me = self._me
        if me.focused is me.inspector.body and me.inspector.shown is not None:
            shown, row = me.inspector.shown, me.inspector.body.current
            start(me, "copy", self._copy, lambda: shown.copy_text(row))
        elif isinstance(me.focused, LineView) and me.focused.current is not None:
            me.replay.copy(id_of(me.focused.current.key))

    async def _copy(self, text: Callable[[], str]) -> None:
        me = self._me
        copied = await me.work(me.reader.quick, text, me.say)
        if copied:
            me.replay.copy(copied)

    def action_export(self) -> None:
        """Write the open tab to a file; in the other panes what they show."""
        me = self._me
        shown = me.inspector.shown
        if me.pane == "inspector" and shown is not None:
            start(me, "export", self._export)
        else:
            super().action_export()  # type: ignore[misc]

    async def _export(self) -> None:
        me = self._me
        shown = me.inspector.shown
        if shown is None:
            return
        made = await me.work(me.reader.long, shown.export, me.say)
        if made is not None:
            kind, text = made
            me.replay.export(f"{id_of(me.key)}-{shown.tab.name}", kind, text)
