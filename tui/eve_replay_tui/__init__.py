"""The terminal user interface of eve-replay: sessions, tree, timeline, inspector, diffs and the crash lab.

Everything it shows comes from :mod:`eve_replay.views` and the public API; it never reads a world or a codec
itself. ``ReplayApp(Options(source="..."))`` is the whole application; ``eve-replay tui`` starts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eve_replay_tui.app import ReplayApp
    from eve_replay_tui.options import Options

__all__ = ["Options", "ReplayApp"]


# Not there for a type checker: with it every misspelt name would be valid.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "Options":
            from eve_replay_tui.options import Options

            return Options
        if name == "ReplayApp":
            from eve_replay_tui.app import ReplayApp

            return ReplayApp
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
