"""How to reach a thing of a journal from Python, as an expression to paste into a cell."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eve_replay.codec import parse_path
from eve_replay.journal import Journal, Session
from eve_replay.views.kit.base import split_key

__all__ = ["Root", "python_path", "roots"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """What an expression begins with: ``text`` is a ``journal`` or a ``session``."""

    text: str = "journal"
    of: Literal["journal", "session"] = "journal"


def roots(session: Session, origin: str = "") -> Root:
    """Return what the expressions of a session begin with in this notebook.

    Args:
        session: the session that is shown.
        origin: the source as it was written, where the target was text.
    """
    names = _names()
    for name, value in names.items():
        if isinstance(value, Session) and value.id == session.id:
            return Root(text=name, of="session")
    for name, value in names.items():
        if isinstance(value, Journal) and any(head.id == session.id for head in value.heads):
            return Root(text=f"{name}.session({session.id!r})", of="session")
    source = f"er.open_journal({origin!r})" if origin else "journal"
    return Root(text=f"{source}.session({session.id!r})", of="session")


def _names() -> Mapping[str, object]:
    """The variables of the notebook, the newest last; empty outside one."""
    module = sys.modules.get("IPython")
    shell: Any = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    space = dict(shell.user_ns) if shell is not None else {}
    return {name: value for name, value in space.items() if not name.startswith("_")}


def python_path(key: str, tab: str = "", path: str = "", *, root: Root | None = None) -> str:
    """Return an expression for a key of the views, down to a value of its input or output.

    Ids come from a journal and may hold anything: all of a key stands in the expression as literals.

    Args:
        key: for example ``step:wrun_.../step_...``.
        tab: ``input`` or ``output`` for the payload; anything else means the thing itself.
        path: where in the payload, ``$.args[0]``.
        root: what it begins with; ``journal`` without one.
    """
    root = root or Root()
    kind, parts = split_key(key)
    inside = tab in ("input", "output")
    if kind in ("step", "attempt") and inside:
        payload = f"{_step(root, parts)}.{tab}"
        return f"{payload}.at({path!r})" if path else payload
    thing = _thing(kind, parts, root)
    if kind == "call" and inside:
        return f"{thing}.{tab}{_brackets(path)}"
    if kind == "turn" and inside:
        return f"{thing}.turn_steps[{0 if tab == 'input' else -1}].{tab}" + (f".at({path!r})" if path else "")
    return thing


def _step(root: Root, parts: tuple[str, ...]) -> str:
    run = f", {parts[0]!r}" if root.of == "journal" else ""
    return f"{root.text}.step({parts[1]!r}{run})"


def _thing(kind: str, parts: tuple[str, ...], root: Root) -> str:
    here = root.text
    own = root.of == "session"
    if kind == "session":
        return here if own else f"{here}.session({parts[0]!r})"
    if kind == "turn":
        return f"{here}.turn({parts[1]!r})" if own else f"{here}.turn({parts[0]!r}, {parts[1]!r})"
    run = (
        f"next(r for r in {here}.all_runs if r.run_id == {parts[0]!r})"
        if own
        else f"{here}.run({parts[0]!r})"
    )
    if kind == "run":
        return run
    if kind == "step":
        return _step(root, parts)
    if kind == "event":
        return f"next(e for e in {run}.events if e.event_id == {parts[1]!r})"
    if kind == "chunk" and own:
        return f"next(e for e in {here}.stream_events if e.chunk_id == {parts[0]!r})"
    if kind == "act":
        return f"next(e for e in er.Ledger.load(ledger).entries if str(e.line) == {parts[0]!r})"
    if kind in ("attempt", "call", "model"):
        number = int(parts[2]) if parts[2].isdigit() else parts[2]
        attempt = f"{here}.attempt({parts[1]!r}, {number!r}, {parts[0]!r})"
        if own:
            attempt = f"next(a for a in {_step(root, parts)}.attempts if a.n == {number!r})"
        if kind == "call":
            return f"next(c for c in {attempt}.tool_calls if c.call_id == {parts[3]!r})"
        if kind == "model":
            place = f"m.coordinate.turn_id == {parts[4]!r} and str(m.coordinate.step_index) == {parts[3]!r}"
            return f"next(m for m in {attempt}.model_calls if {place})"
        return attempt
    return here


def _brackets(path: str) -> str:
    """Return ``["a"][0]`` for ``$.a[0]``: a call's input is a plain value, not a payload."""
    return "".join(f"[{step!r}]" for step in parse_path(path) or ())
