"""Pausing Python's cyclic garbage collector while one document is decoded."""

from __future__ import annotations

import gc
import threading
from types import TracebackType

__all__ = ["CollectorPause", "collector_pause"]


class CollectorPause:
    """A re-entrant, thread-safe pause.

    A document becomes thousands of containers at once, all alive. The collector starts after every
    700 new ones and walks them again and again, finding nothing: a third of the decoding time of a
    long session (measured, tests/benchmarks). Whoever has switched the collector off keeps it off.
    """

    __slots__ = ("_depth", "_lock", "_was_on")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0 and self._was_on:
                gc.enable()


collector_pause = CollectorPause()
