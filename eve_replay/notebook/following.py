"""A widget that follows a world: what is written meanwhile arrives without running a cell again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.journal import Journal, Session
from eve_replay.worlds.base import Watchable

__all__ = ["Following"]

#: Seconds in which changes are gathered: one step writes a dozen files.
_GATHER = 0.3


class Following:
    """Reads a session again whenever its runs change, until ``stop``.

    A thread waits for the world; reading happens where the notebook runs its cells, so that the journal is
    never read from two threads at once. Without an event loop (a script) it happens in the thread.

    Args:
        journal: where the session is.
        session: the session as it was read.
        again: takes the session as it is now.

    Raises:
        WrongUse: the world cannot say what changed.
    """

    def __init__(self, journal: Journal, session: Session, again: Callable[[Session], None]) -> None:
        world = journal.world
        if not isinstance(world, Watchable):
            raise WrongUse(
                f"A {world.kind} world cannot be watched.", hint="Run the cell again to read it anew."
            )
        self._journal, self._again = journal, again
        self._id = session.id
        self._known = {run.run_id for run in session.all_runs}
        self._foreign: set[str] = set()
        self._stop = threading.Event()
        self._news: set[str] = set()
        self._lock = threading.Lock()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        told = world.changes(self._stop)
        threading.Thread(target=self._listen, args=(told,), name="eve-replay notebook", daemon=True).start()

    def stop(self) -> None:
        """Stop watching. Calling it twice is fine."""
        self._stop.set()

    def _listen(self, told: Iterator[set[str]]) -> None:
        try:
            for touched in told:
                with self._lock:
                    waiting = bool(self._news)
                    self._news |= touched - self._foreign
                    if waiting or not self._news:
                        continue
                if self._loop is None:
                    self._stop.wait(_GATHER)
                    self._read()
                else:
                    self._loop.call_soon_threadsafe(self._loop.call_later, _GATHER, self._read)
        except (EveReplayError, RuntimeError):
            return  # the world was closed, or the kernel ends

    def _read(self) -> None:
        with self._lock:
            news, self._news = self._news, set()
        if self._stop.is_set():
            return
        try:
            self._journal.refresh()
            session = self._journal.session(self._id)
        except EveReplayError:
            return  # half written: what comes next is told too
        self._known = {run.run_id for run in session.all_runs}
        own = news & self._known
        self._foreign |= news - self._known
        if own:
            self._again(session)
