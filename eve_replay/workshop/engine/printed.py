"""What a tool prints, as lines of its story: the debugger of everybody who has no other."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from eve_replay.workshop.engine.machine import Machine

__all__ = ["heard"]

#: So many lines of one run are kept: a story is for reading.
_LINES = 30
_LONGEST = 200


class _Printed(io.TextIOBase):
    """Where ``print`` writes to while one run goes on; what was there before gets it too."""

    def __init__(self, machine: Machine, before: TextIO) -> None:
        self._machine = machine
        self._before = before
        self._open = ""
        self._left = _LINES

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._left > 0 and self._machine.gone is None:
            *lines, self._open = (self._open + text).split("\n")
            for line in lines:
                self._tell(line)
        self._before.write(text)
        return len(text)

    def _tell(self, line: str) -> None:
        if line.strip() and self._left > 0:
            self._left -= 1
            self._machine.note("note", {"text": line.rstrip()[:_LONGEST], "printed": True})


@contextlib.contextmanager
def heard(machine: Machine) -> Iterator[None]:
    """Let what is printed meanwhile become lines of the trace; in a search nobody reads them."""
    if not machine.full:
        yield
        return
    with contextlib.redirect_stdout(_Printed(machine, sys.stdout)):
        yield
