"""Keys of the application: those of ``views/keys.py`` as Textual bindings, and the few that are ours alone.

Departures from the shared table: ``x`` writes what is on screen to a file, because ``e`` is the next effect
everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding

from eve_replay.views.kit.keys import KEYS, Key, key_for

__all__ = ["OWN", "HelpKey", "binding", "bindings", "help_keys"]

#: What Textual calls the characters.
_NAMES = {
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "/": "slash",
    "?": "question_mark",
    "Escape": "escape",
    "<": "less_than_sign",
    ">": "greater_than_sign",
    ",": "comma",
    ".": "full_stop",
}

OWN: tuple[Key, ...] = (
    Key(key="x", action="export", label="export", help="Write what this pane shows to a file."),
    Key(key="m", action="matrix", label="matrix", help="Show every crash point against every effect."),
    Key(key="D", action="doctor", label="doctor", help="Check the journal against itself."),
    Key(key="u", action="reload", label="update", help="Read again what has changed."),
    Key(key="h", action="next-harm", label="next harm", help="Go on to one that needs somebody."),
    Key(key="H", action="previous-harm", label="harm before", help="Go back to one that needs somebody."),
    Key(key="Y", action="copy-command", label="command", help="Copy the first command of what to do now."),
    Key(key="f", action="follow", label="follow", help="Go to what is newest whenever something is written."),
    Key(key="t", action="sort", label="sort", help="Sort by the next column."),
    Key(key="T", action="sort-back", label="reverse", help="Sort the other way round."),
    Key(
        key="z", action="zoom", label="zoom", help="Give the focused pane the whole screen, or take it back."
    ),
    Key(key="<", action="previous-tab", label="tab before", help="Open the tab before."),
    Key(key=">", action="next-tab", label="tab after", help="Open the tab after."),
    Key(key="v", action="layout", label="layout", help="Side by side or unified; true or squeezed times."),
    Key(key="p", action="runtime", label="runtime", help="Choose the runtime."),
    Key(key="E", action="environment", label="environment", help="Choose what restarts it."),
    Key(key="M", action="model", label="model", help="Choose what the model answers when asked again."),
    Key(key="S", action="strategy", label="key", help="Choose how a tool is protected."),
    Key(key="q", action="leave", label="quit", help="Leave the program."),
)
_OWN = {key.action: key for key in OWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpKey:
    """A line of the help screen."""

    key: str
    help: str


def find(action: str) -> Key:
    """Return the key of an action, shared or ours."""
    return _OWN.get(action) or key_for(action)


def binding(action: str, label: str = "", *, method: str = "") -> Binding:
    """Return the Textual binding of an action; the method is its name with underscores."""
    key = find(action)
    return Binding(
        _NAMES.get(key.key, key.key),
        method or action.replace("-", "_"),
        label or key.label,
        show=key.footer,
        key_display="Esc" if key.key == "Escape" else key.key,
        tooltip=key.help,
    )


def bindings(*actions: str) -> list[Binding]:
    """Return the bindings of several actions."""
    return [binding(action) for action in actions]


def moves() -> list[Binding]:
    """Return the bindings that move through a session."""
    actions = [key.action for key in KEYS]
    return [
        binding(action, method=f"go('{action}')")
        for action in actions
        if action.startswith(("next-", "previous-")) or action in ("into", "out")
    ]


def help_keys(actions: tuple[str, ...]) -> list[HelpKey]:
    """Return the help lines of some actions."""
    return [HelpKey(key=find(action).key, help=find(action).help) for action in actions]
