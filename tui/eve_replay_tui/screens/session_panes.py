"""The three panes of the session screen: side by side, or one at a time on a narrow screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events

from eve_replay_tui.widgets.bars import TabBar

if TYPE_CHECKING:
    from eve_replay_tui.screens.session import SessionScreen

__all__ = ["Panes"]

_PANES = (("tree", "Tree"), ("timeline", "Timeline"), ("inspector", "Inspector"))
_NARROW = 110


class Panes:
    """Which pane is shown and focused."""

    pane = "tree"
    zoomed = False

    @property
    def _screen(self) -> SessionScreen:
        return cast("SessionScreen", self)

    def on_resize(self, event: events.Resize) -> None:
        """Change to one column on a narrow screen."""
        self._screen.set_class(event.size.width < _NARROW, "narrow")
        self._refit()

    def _refit(self) -> None:
        alone = self._screen.has_class("narrow") or self.zoomed
        for name, _ in _PANES:
            self._screen.query_one(f"#{name}").set_class(alone and name != self.pane, "away")
        self._screen.query_one("#right").set_class(alone and self.pane == "tree", "away")
        self._switch()

    def _switch(self) -> None:
        self._screen.query_one("#switch", TabBar).show(_PANES, self.pane)

    def forward(self, name: str) -> None:
        """Where only one pane is shown, show this one: a key that changes it must be seen to do so."""
        if (self._screen.has_class("narrow") or self.zoomed) and self.pane != name:
            self.show_pane(name)

    def show_pane(self, name: str) -> None:
        """Go to a pane."""
        self.pane = name
        self._refit()
        target = {
            "tree": self._screen.outline,
            "timeline": self._screen.timeline.bars,
            "inspector": self._screen.inspector.body,
        }[name]
        target.focus()

    def action_pane(self, by: int) -> None:
        """Go to the next pane."""
        names = [name for name, _ in _PANES]
        self.show_pane(names[(names.index(self.pane) + by) % len(names)])

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        self.zoomed = not self.zoomed
        self._refit()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember the pane that a click went to."""
        for name, _ in _PANES:
            if event.widget in (
                self._screen.query_one(f"#{name}"),
                *self._screen.query_one(f"#{name}").query("*"),
            ):
                self.pane = name

    def on_tab_bar_picked(self, event: TabBar.Picked) -> None:
        """A pane was clicked on a narrow screen, or a tab of the inspector."""
        if event.name in dict(_PANES):
            self.show_pane(event.name)
        else:
            self._screen.inspector.open(event.name)
