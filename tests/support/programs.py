"""Servers for the tests that do not outlive them, however the tests end.

A fixture's teardown is not run after a second Ctrl+C, a kill or a crash. So each server gets a process group
of its own and a watcher beside it: a shell that waits on a pipe from this process. When the pipe closes
without a word, whatever the reason, the watcher ends the whole group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["begin", "end", "running"]

#: ``$1`` is the group, ``$2`` its folder. A line means that the server was stopped in good order.
_WATCH = 'read word || { kill -TERM -"$1"; sleep 3; kill -KILL -"$1"; [ -z "$2" ] || rm -rf -- "$2"; }'
_watchers: dict[int, subprocess.Popen[bytes]] = {}


def begin(
    words: Sequence[str | Path], *, folder: Path | None = None, **options: Any
) -> subprocess.Popen[Any]:
    """Start a server; ``options`` are those of ``subprocess.Popen``.

    Args:
        words: the command.
        folder: removed with the server when nobody is left to do it.
        options: more.
    """
    process: subprocess.Popen[Any] = subprocess.Popen(words, start_new_session=True, **options)
    _watchers[process.pid] = subprocess.Popen(
        ["sh", "-c", _WATCH, "watch", str(process.pid), str(folder or "")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return process


def end(process: subprocess.Popen[Any], *, gently: int = signal.SIGTERM, seconds: float = 15) -> None:
    """Stop a server and whatever it started: first as it likes to be stopped, then for good."""
    watcher = _watchers.pop(process.pid, None)
    process.send_signal(gently)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if watcher is not None:
        watcher.communicate(b"stopped\n")


@contextlib.contextmanager
def running(words: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a server as long as the block."""
    process = begin(words, **options)
    try:
        yield process
    finally:
        end(process)
