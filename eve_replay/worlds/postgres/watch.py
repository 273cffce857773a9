"""Which runs of a Postgres world are being written to: asked by event id, a second apart."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from eve_replay.ids import ulid_time

__all__ = ["changes"]

_EVERY = 1.0
#: Event ids are made before the row is committed, so a lower one may appear after a higher one.
_LATE_MS = 10_000
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class _Asked(Protocol):
    def refresh(self) -> None: ...
    def newest_event(self) -> str: ...
    def touched_since(self, event_id: str) -> set[str]: ...


def changes(world: _Asked, stop: threading.Event, *, every: float = _EVERY) -> Iterator[set[str]]:
    """Yield sets of run ids with new events, until ``stop`` is set. A run may be named twice."""
    return _changes(world, stop, every, world.newest_event())


def _changes(world: _Asked, stop: threading.Event, every: float, last: str) -> Iterator[set[str]]:
    while not stop.wait(every):
        world.refresh()
        newest = world.newest_event()
        if newest != last:
            touched = world.touched_since(_earlier(last))
            last = newest
            if touched:
                yield touched


def _earlier(event_id: str) -> str:
    """Return the id of an event ten seconds before this one, the id itself when it holds no time."""
    prefix, _, ulid = event_id.rpartition("_")
    at = ulid_time(event_id)
    if at is None or len(ulid) != 26:
        return event_id
    left = max(int(at.timestamp() * 1000) - _LATE_MS, 0)
    digits = ""
    for _ in range(10):
        left, digit = divmod(left, 32)
        digits = _DIGITS[digit] + digits
    return f"{prefix}_{digits}{'0' * 16}"
