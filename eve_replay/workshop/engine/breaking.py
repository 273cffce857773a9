"""Ends a loop that catches everything: ``while True: try: ... except: pass`` in a process that is dead.

Such a loop swallows every exception that a call raises, a ``KeyboardInterrupt`` too. What is raised *inside*
its ``except`` block it does not swallow: for that the interpreter's trace function is borrowed for a moment.
Only one level of such a loop is broken per try; a checked notebook also runs under a time limit.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

__all__ = ["break_out", "calm"]

_HERE = __name__.rpartition(".")[0]
#: What was there before, while a trace function is lent.
_before: list[Any] = []


def break_out(gone: BaseException) -> None:
    """Let the next line of the program that called raise, wherever that is."""

    def tracer(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and not _ours(frame):
            raise gone.with_traceback(None)
        return tracer

    if not _before:
        _before.append(sys.gettrace())
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "drive":
        if not _ours(frame):
            frame.f_trace = tracer
        frame = frame.f_back
    sys.settrace(tracer)


def calm() -> None:
    """Give the trace function back, if it was borrowed."""
    if _before:
        sys.settrace(_before.pop())


def _ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith(_HERE)
