"""What is told of a frozen thing, worked out once for as long as the thing lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["once", "once_with"]

K = TypeVar("K")
A = TypeVar("A")
T = TypeVar("T")


def once_with(tell: Callable[[K, A], T]) -> Callable[[K, A], T]:
    """Return ``tell``, asked once of each thing with each word.

    Args:
        tell: a pure function of a frozen thing that can be held weakly and of a word that can be hashed;
            what it returns is frozen as well and does not hold the thing.
    """
    told: dict[int, tuple[weakref.ref[Any], dict[A, T]]] = {}

    @wraps(tell)
    def asked(thing: K, word: A) -> T:
        place = id(thing)
        held = told.get(place)
        if held is None or held[0]() is not thing:
            # The place of what is gone may be taken by another thing: only its own note is removed.
            def gone(ref: weakref.ref[Any], place: int = place) -> None:
                if (found := told.get(place)) is not None and found[0] is ref:
                    del told[place]

            held = told[place] = (weakref.ref(thing, gone), {})
        if word not in held[1]:
            held[1][word] = tell(thing, word)
        return held[1][word]

    return asked


def once(tell: Callable[[K], T]) -> Callable[[K], T]:
    """Return ``tell``, asked once of each thing; see :func:`once_with`."""

    def without_word(thing: K, word: None) -> T:
        return tell(thing)

    inner = once_with(without_word)

    @wraps(tell)
    def asked(thing: K) -> T:
        return inner(thing, None)

    return asked
