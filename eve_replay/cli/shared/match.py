"""Ids as a person types them: whole, or their last or first characters."""

from __future__ import annotations

from collections.abc import Iterable

from eve_replay.errors import NotFound
from eve_replay.views.kit.words import plural

__all__ = ["match_id"]


def match_id(ids: Iterable[str], wanted: str, what: str, *, named: Iterable[str] | None = None) -> str:
    """Return the one id that ``wanted`` means: the whole id, its last or its first characters.

    Args:
        ids: all ids of that kind.
        wanted: what the user typed, ``…`` in the middle allowed (as tables print it; ``~`` without Unicode).
        what: the kind in words, for the message: ``run``, ``step``.
        named: the ids that the message counts and gives an example of, where others are taken too.

    Raises:
        NotFound: no id fits, or several do; the message lists some of them.
    """
    every = list(dict.fromkeys(ids))
    if wanted in every:
        return wanted
    head, dots, tail = wanted.replace("~", "…").partition("…")
    if not dots:
        head, tail = "", wanted
    fits = [each for each in every if each.startswith(head) and each.lower().endswith(tail.lower())]
    if not fits and not dots:
        fits = [each for each in every if each.lower().startswith(wanted.lower())]
    if len(fits) == 1:
        return fits[0]
    if not fits:
        told = every if named is None else list(dict.fromkeys(named))
        known = f"There {'is' if len(told) == 1 else 'are'} {plural(len(told), what)} here"
        some = f", for example {told[-1]}" if told else ""
        raise NotFound(f"No {what} has the id {wanted!r}.", hint=f"{known}{some}.")
    listed = ", ".join(fits[:4]) + (" ..." if len(fits) > 4 else "")
    raise NotFound(f"{wanted!r} fits {plural(len(fits), what)}: {listed}.", hint="Give more characters.")
