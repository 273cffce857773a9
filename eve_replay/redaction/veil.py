"""Secrets in values stay hidden on screens, by their shape or the name of their field, unless asked for.

What is hidden says so, and which rule hid it. What other programs read (``--json``, ``dump``, ``frames``)
stays exact; ``pack --redact`` is what makes a file to send. E-mail addresses are shown, people search by
them, and so is what only looks random, as idempotency keys and ids do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from eve_replay.values import preview

__all__ = ["glimpse", "know", "unveil", "unveiled", "veiled", "without_known"]

#: Rules that find what a person needs to see, or that go by randomness alone.
_SHOWN = frozenset({"e-mail", "generic-api-key"})
#: No rule takes less.
_SHORTEST = 8

_open: ContextVar[bool] = ContextVar("unveiled", default=False)
_always = [False]
#: Secrets that the user gave this process: their token, their keys.
_known: set[str] = set()


def unveil(*, on: bool = True) -> None:
    """Show everything from now on, in every thread of this process: what ``--reveal`` asks for."""
    _always[0] = on


@contextmanager
def unveiled(*, on: bool = True) -> Iterator[None]:
    """Show everything while the block runs: for a widget that was asked to."""
    token = _open.set(on)
    try:
        yield
    finally:
        _open.reset(token)


def know(*secrets: str | None) -> None:
    """Remember what the user gave in confidence: :func:`without_known` takes it out of every output."""
    _known.update(secret for secret in secrets if secret and len(secret) >= _SHORTEST)


def without_known(text: str) -> str:
    """Return a text without the secrets that this process was given, whoever wrote them there."""
    for secret in _known:
        if secret in text:
            text = text.replace(secret, "[hidden: yours]")
    return text


def veiled(text: str, *, name: str = "") -> str:
    """Return a text with its secrets hidden: ``[hidden: api key]`` stands for each.

    Args:
        text: what would be shown.
        name: the field it stands in; all of it is hidden when fields of this name hold secrets.
    """
    if _always[0] or _open.get():
        return text
    if name and text and _names_secret(name):
        return "[hidden: secret by its name]"
    return _hidden(text) if len(text) >= _SHORTEST else text


def glimpse(value: object, limit: int = 80, *, name: str = "") -> str:
    """Return the one-line preview of a value, at most ``limit`` characters, with its secrets hidden."""
    return veiled(preview(value, limit), name=name if isinstance(value, str) else "")


def _names_secret(name: str) -> bool:
    from eve_replay.redaction.rules import is_secret_name

    return is_secret_name(name)


@lru_cache(maxsize=8192)
def _hidden(text: str) -> str:
    # Here, because the rules cost a command that shows no value a part of its start.
    from eve_replay.redaction.rules import find_secrets

    found = sorted((start, -end, rule) for rule, start, end in find_secrets(text) if rule not in _SHOWN)
    if not found:
        return text
    out, at = [], 0
    for start, end, rule in ((start, -end, rule) for start, end, rule in found):
        if end <= at:
            continue
        if start >= at:
            out += [text[at:start], f"[hidden: {rule}]"]
        at = end
    return "".join(out) + text[at:]
