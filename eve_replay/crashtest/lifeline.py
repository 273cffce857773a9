"""A child of the crash test dies with it, however it dies: its stdin closes then, and that is its end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

__all__ = ["die_with_parent"]


def die_with_parent(before: Callable[[], None] | None = None) -> None:
    """Watch stdin from a thread; when it closes, do ``before`` and kill this process group's own process.

    Args:
        before: what is to be cleared away first; its errors do not keep the process alive.
    """

    def watch() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        try:
            if before is not None:
                before()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
