"""The keys that move through a journal, the same in the terminal UI and in a focused notebook widget."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KEYS", "Key", "key_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        key: what is typed, as browsers name it (``n``, ``N``, ``[``, ``Escape``).
        action: machine word that front ends dispatch on.
        label: one or two words for a footer.
        help: a sentence for the help screen.
        footer: whether the footer shows it.
    """

    key: str
    action: str
    label: str
    help: str
    footer: bool = False


KEYS: tuple[Key, ...] = (
    Key(key="n", action="next-event", label="next", help="Go to the next event.", footer=True),
    Key(key="b", action="previous-event", label="back", help="Go back one event.", footer=True),
    Key(key="N", action="next-step", label="next step", help="Go to the next step."),
    Key(key="B", action="previous-step", label="previous step", help="Go back one step."),
    Key(key="i", action="into", label="into", help="Go into the selected thing."),
    Key(key="o", action="out", label="out", help="Go out to what holds the selected thing."),
    Key(key="a", action="next-attempt", label="attempt", help="Go to the next attempt.", footer=True),
    Key(key="e", action="next-effect", label="effect", help="Go to the next effect."),
    Key(
        key="c", action="crash-here", label="crash here", help="Show what a crash here would do.", footer=True
    ),
    Key(key="[", action="previous-crash-point", label="previous point", help="Go to the crash point before."),
    Key(key="]", action="next-crash-point", label="next point", help="Go to the crash point after."),
    Key(key="d", action="diff-attempts", label="diff", help="Compare two attempts.", footer=True),
    Key(key="w", action="why", label="why", help="Say why it is as it is.", footer=True),
    Key(key="s", action="state", label="state", help="Show the state."),
    Key(key="r", action="raw", label="raw", help="Show the stored bytes and their layers."),
    Key(key="y", action="copy", label="copy", help="Copy the whole id or value."),
    Key(key="/", action="search", label="search", help="Search ids, names and text."),
    Key(key="g", action="go-to-id", label="go to id", help="Go to an id."),
    Key(key="?", action="help", label="help", help="Show all keys.", footer=True),
    Key(key="Escape", action="back", label="back", help="Close this and go back."),
)

_BY_ACTION = {key.action: key for key in KEYS}


def key_for(action: str) -> Key:
    """Return the key of an action. Raises KeyError for an action nobody defined."""
    return _BY_ACTION[action]
