"""New events of a live world, each once, in log order per run."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from eve_replay.errors import NotFound
from eve_replay.records import EventRecord
from eve_replay.worlds.base import Watchable, World

__all__ = ["Follower", "follow"]

#: A file that is half written is read again after these pauses, in seconds.
_PAUSES = (0.1, 0.3, 1.0)


class Follower:
    """Knows which events have been seen.

    Args:
        world: where to read.
        old: take what is there now as seen; False gives it as new on the first call.
    """

    def __init__(self, world: World, *, old: bool = True) -> None:
        self._world = world
        self._seen: dict[str, set[str]] = {}
        newest = getattr(world, "newest_event", None)
        self._before = str(newest()) if old and newest is not None else ""
        if old and newest is None:
            self.new(run.run_id for run in list(world.runs()))

    def new(self, run_ids: Iterable[str]) -> list[EventRecord]:
        """Return the events of these runs that have not been seen yet."""
        found: list[EventRecord] = []
        for run_id in sorted(set(run_ids)):
            seen = self._seen.setdefault(run_id, set())
            try:
                for event in self._world.events(run_id):
                    if event.event_id not in seen and event.event_id > self._before:
                        found.append(event)
                    seen.add(event.event_id)
            except NotFound:
                continue  # its first file is still being written
        return found


def follow(world: World, stop: threading.Event, *, old: bool = True) -> Iterator[EventRecord]:
    """Yield new events as they are written, until ``stop`` is set.

    Args:
        world: a world that is ``Watchable``.
        stop: set it to end.
        old: do not yield what is there at the start.
    """
    if not isinstance(world, Watchable):
        return
    changes = world.changes(stop)  # before anything is read, so that nothing is missed in between
    follower = Follower(world, old=True)
    if not old:
        yield from Follower(world, old=False).new(run.run_id for run in list(world.runs()))
    for touched in changes:
        skipped = len(world.receipt.skipped)
        yield from follower.new(touched)
        for pause in _PAUSES:
            if len(world.receipt.skipped) == skipped or stop.wait(pause):
                break
            skipped = len(world.receipt.skipped)
            yield from follower.new(touched)
