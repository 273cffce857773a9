"""The command palette: everything that can be done here, by name."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from eve_replay_tui.keys import find
from eve_replay_tui.screens.base import ReplayScreen

__all__ = ["Commands"]


class Commands(Provider):
    """The actions of the screen and what the application offers everywhere."""

    def _entries(self) -> list[tuple[str, str, str]]:
        """Return name, help and action."""
        out: list[tuple[str, str, str]] = []
        screen = self.screen
        if isinstance(screen, ReplayScreen):
            for action in screen.ACTIONS:
                key = find(action)
                method = action.replace("-", "_")
                call = method if hasattr(screen, f"action_{method}") else f"go('{action}')"
                out.append((f"{key.label} ({key.key})", key.help, call))
        for name in ("dark", "light", "high-contrast", "none"):
            words = "without colours" if name == "none" else name
            out.append((f"theme: {words}", f"Draw {words}.", f"app.take_theme('{name}')"))
        out.append(("help (?)", "Show all keys.", "help"))
        out.append(("go to id (g)", "Go to any id of this source.", "app.ask"))
        out.append(("quit (q)", "Leave the program.", "leave"))
        return out

    async def _run(self, action: str) -> None:
        await self.screen.run_action(action)

    async def discover(self) -> Hits:
        """Yield everything."""
        for name, help_text, action in self._entries():
            yield DiscoveryHit(name, partial(self._run, action), help=help_text)

    async def search(self, query: str) -> Hits:
        """Yield what matches."""
        matcher = self.matcher(query)
        for name, help_text, action in self._entries():
            score = matcher.match(f"{name} {help_text}")
            if score > 0:
                yield Hit(score, matcher.highlight(name), partial(self._run, action), help=help_text)
