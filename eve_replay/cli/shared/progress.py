"""How far long work is: on stderr, on a terminal only, and only when it takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from eve_replay.views.kit.words import plural

__all__ = ["counted", "stage"]

T = TypeVar("T")

#: Seconds of silence, and seconds between two lines.
_PATIENCE, _EVERY = 0.8, 0.25


def counted(items: Iterable[T], total: int, noun: str, *, quiet: bool = False) -> Iterator[T]:
    """Yield the items; say meanwhile how many have been looked at.

    Args:
        items: what is worked through.
        total: how many there are.
        noun: what they are, in the singular.
        quiet: say nothing, whatever stderr is.
    """
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    last = time.monotonic() + _PATIENCE - _EVERY
    told = False
    try:
        for number, item in enumerate(items):
            now = time.monotonic()
            if now - last >= _EVERY:
                last, told = now, True
                sys.stderr.write(f"\r{number:,} of {plural(total, noun)} looked at; Ctrl-C stops\x1b[K")
                sys.stderr.flush()
            yield item
    finally:
        if told:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def stage(words: str, *, quiet: bool = False) -> Iterator[None]:
    """Say what is being done before there is anything to count."""
    shown = not quiet and sys.stderr.isatty()
    if shown:
        sys.stderr.write(f"{words} ...")
        sys.stderr.flush()
    try:
        yield
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
