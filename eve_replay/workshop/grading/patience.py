"""A limit of processor time for code in this very process, where the system has one to set."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["TooLong", "patience"]


class TooLong(BaseException):
    """It was at work for too long. Not an ``Exception``: a tool that catches these does not catch it."""


@contextlib.contextmanager
def patience(seconds: float | None) -> Iterator[None]:
    """Raise TooLong inside the block when it has used so many seconds of processor time.

    Processor time, so that a slow machine is no reason, and that the clock of a test runner is left alone.
    Without it (Windows, Pyodide, another thread than the main one, ``seconds=None``) nothing is limited, and
    an endless loop is ended by whoever waits for it: a notebook's stop button.
    """
    if (
        seconds is None
        or not hasattr(signal, "setitimer")
        or not hasattr(signal, "SIGVTALRM")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TooLong

    try:
        before = signal.signal(signal.SIGVTALRM, ring)
    except ValueError:  # a main thread of a sub-interpreter
        yield
        return
    # Again every second: code that swallows it the first time does not get away.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
