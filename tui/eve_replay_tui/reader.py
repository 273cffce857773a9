"""Everything that may take time happens here, in daemon threads, one job after the other per lane.

A lane is a queue with one thread. Three lanes keep quick answers (the tab of the selected thing) from
waiting behind long ones (a matrix, a search). A job that was cancelled before it began never begins; long
jobs look at their :class:`Job` and stop by themselves.
"""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from eve_replay_tui.options import Options

if TYPE_CHECKING:
    from eve_replay import Journal, Ledger
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.verdicts.landing import LandingRow
    from eve_replay.views.verdicts.plan import PlanView
    from eve_replay.views.verdicts.verdicts import VerdictRow

__all__ = ["Job", "Lane", "Reader", "Stopped"]

T = TypeVar("T")
_KEPT = 6


class Stopped(Exception):
    """The job was asked to stop."""


@dataclass(slots=True)
class Job:
    """A long piece of work: how far it is, and whether it shall stop.

    Attributes:
        what: what is being done, in words.
        done, total: how far; ``total`` 0 when nobody knows.
    """

    what: str
    done: int = 0
    total: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Ask it to stop; it does at the next step."""
        self._stop.set()

    def step(self, done: int | None = None) -> None:
        """Say that a step is done. Raises Stopped when somebody asked for it."""
        self.done = self.done + 1 if done is None else done
        if self._stop.is_set():
            raise Stopped

    @property
    def text(self) -> str:
        """What is being done and how far, for a status line."""
        if self.total:
            return f"{self.what}: {self.done:,} of {self.total:,}"
        return f"{self.what}: {self.done:,}" if self.done else self.what


class Lane:
    """A queue with one daemon thread, so that leaving the program never waits for a job."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[tuple[Future[object], Callable[[], object]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Return what ``work`` returns, worked out in the lane's thread."""
        future: Future[T] = Future()
        self._jobs.put((future, work))  # type: ignore[arg-type]
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name=self._name, daemon=True)
            self._thread.start()
        return await asyncio.wrap_future(future)

    def _loop(self) -> None:
        while True:
            future, work = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # handed to whoever waits
                future.set_exception(error)


class Reader:
    """The journal and the explorers of its sessions, for worker threads.

    Args:
        options: where and how to read.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.quick = Lane("eve-replay quick")
        self.long = Lane("eve-replay long")
        self.listing = Lane("eve-replay listing")
        self.background = Lane("eve-replay background")
        self._lock = threading.RLock()
        self._journal: Journal | None = None
        self._explorers: OrderedDict[str, Explorer] = OrderedDict()
        self.cost = 0.0
        self._known: frozenset[str] | None = None
        self._ledger: Ledger | None = None
        self._ledger_mark: tuple[int, int] | None = None

    @property
    def journal(self) -> Journal:
        """The journal, opened when first asked for (in a worker thread)."""
        with self._lock:
            if self._journal is None:
                from eve_replay import open_journal

                opener = self.options.opener
                self._journal = opener() if opener is not None else open_journal(self.options.source)
            return self._journal

    @property
    def seen(self) -> int:
        """How many files or rows have been seen so far; 0 while the source is being recognised."""
        journal = self._journal
        return journal.receipt.seen if journal is not None else 0

    def explorer(self, session_id: str, *, keep: bool = True) -> Explorer:
        """Return the explorer of a session. Raises NotFound."""
        with self._lock:
            session = self.journal.session(session_id)
            known = self._explorers.get(session.id)
            if known is not None:
                self._explorers.move_to_end(session.id)
                return known
            from eve_replay.views.session.explorer import Explorer

            made = Explorer(session, self.options.effects, self.ledger)
            if keep:
                self._explorers[session.id] = made
                while len(self._explorers) > _KEPT:
                    self._explorers.popitem(last=False)
            return made

    @property
    def ledger(self) -> Ledger | None:
        """What really happened outside, read when first asked for. Raises WrongUse, SourceUnreadable."""
        with self._lock:
            if self._ledger is None and self.options.ledger is not None:
                self._ledger_mark = self._ledger_now()
                self._ledger = self.options.ledger()
            return self._ledger

    def _ledger_now(self) -> tuple[int, int] | None:
        file = self.options.ledger_file
        try:
            state = file.stat() if file is not None else None
        except OSError:
            return None
        return (state.st_size, state.st_mtime_ns) if state is not None else None

    def ledger_again(self) -> bool:
        """Return whether the ledger's file has grown since it was read; then all counts are made anew."""
        with self._lock:
            if self._ledger is None or self._ledger_now() == self._ledger_mark:
                return False
            self._ledger = None
            self._explorers.clear()
            return True

    def look(self, session_id: str) -> LandingRow:
        """Return the row of a session for the landing page. One that cannot be joined says so in its row."""
        from eve_replay.views.verdicts.landing import landing_row, unread_row

        options = self.options
        with self._lock:
            journal = self.journal
            try:
                return landing_row(
                    journal.session(session_id),
                    now=options.now(),
                    zone=options.zone,
                    effects=options.effects,
                    versions=self._versions(),
                    ledger=self.ledger,
                )
            except Exception as error:  # one damaged session must not end the look at the others
                return unread_row(journal.map.heads[session_id], error)

    def told(self, session_id: str) -> tuple[PlanView, tuple[VerdictRow, ...]]:
        """Return what is to be done about a session, and its verdicts. Raises NotFound."""
        from eve_replay.guidance.plan import place_of
        from eve_replay.views.verdicts.verdicts import session_verdicts

        options = self.options
        session = self.explorer(session_id).session
        found = session_verdicts(
            session,
            now=options.now(),
            zone=options.zone,
            effects=options.effects,
            versions=self._versions(),
            place=place_of(self.journal, session),
            ledger=self.ledger,
        )
        return found.plan, found.rows

    def _versions(self) -> frozenset[str]:
        """The eve versions of the store; asked for once per reading, a list of 10,000 takes its time."""
        if self._known is None:
            self._known = self.journal.versions
        return self._known

    def warm(self) -> None:
        """Load the code of the other screens, so that opening them does not wait for it."""
        import importlib

        for name in ("session", "crash", "matrix", "diff", "verdicts", "search"):
            importlib.import_module(f"eve_replay_tui.screens.{name}")

    def settled(self, made: T) -> T:
        """Return ``made`` after collecting garbage for once: later the collector passes over what was read.

        Each look at all of a long session costs 0.1 s and more, in the middle of a key.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        return made

    def refresh(self) -> None:
        """Forget what was read, so that the next question sees the world as it is now."""
        with self._lock:
            self.journal.refresh()
            self._known = None
            self._explorers.clear()

    def forget(self, session_ids: Iterable[str]) -> None:
        """Forget the explorers of some sessions."""
        with self._lock:
            for each in session_ids:
                self._explorers.pop(each, None)

    def close(self) -> None:
        """Close the journal."""
        journal, self._journal = self._journal, None
        if journal is not None:
            journal.close()
