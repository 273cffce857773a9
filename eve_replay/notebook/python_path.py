"""How to reach a thing of a journal from Python, as an expression to paste into a cell."""

from __future__ import annotations

from eve_replay.codec import parse_path
from eve_replay.views.kit.base import split_key

__all__ = ["python_path"]


def python_path(key: str, tab: str = "", path: str = "") -> str:
    """Return an expression over ``journal`` for a key of the views, down to a value of its input or output.

    Args:
        key: for example ``step:wrun_.../step_...``.
        tab: ``input`` or ``output`` for the payload; anything else means the thing itself.
        path: where in the payload, ``$.args[0]``.
    """
    kind, parts = split_key(key)
    inside = tab in ("input", "output")
    if kind in ("step", "attempt") and inside:
        payload = f"journal.step({parts[1]!r}, {parts[0]!r}).{tab}"
        return f"{payload}.at({path!r})" if path else payload
    thing = _thing(kind, parts)
    if kind == "call" and inside:
        return f"{thing}.{tab}{_brackets(path)}"
    return thing


def _thing(kind: str, parts: tuple[str, ...]) -> str:
    if kind == "session":
        return f"journal.session({parts[0]!r})"
    if kind == "turn":
        return f"journal.turn({parts[0]!r}, {parts[1]!r})"
    if kind == "run":
        return f"journal.run({parts[0]!r})"
    if kind == "step":
        return f"journal.step({parts[1]!r}, {parts[0]!r})"
    if kind == "event":
        return f"next(e for e in journal.run({parts[0]!r}).events if e.event_id == {parts[1]!r})"
    if kind in ("attempt", "call", "model"):
        number = int(parts[2]) if parts[2].isdigit() else parts[2]
        attempt = f"journal.attempt({parts[1]!r}, {number!r}, {parts[0]!r})"
        if kind == "call":
            return f"next(c for c in {attempt}.tool_calls if c.call_id == {parts[3]!r})"
        return attempt
    return "journal"


def _brackets(path: str) -> str:
    """Return ``["a"][0]`` for ``$.a[0]``: a call's input is a plain value, not a payload."""
    return "".join(f"[{step!r}]" for step in parse_path(path) or ())
