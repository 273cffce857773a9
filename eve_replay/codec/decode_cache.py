"""The few payloads whose opened form is kept: looking twice at one step should not decode it twice.

A session's payloads repeat its whole history, so keeping every decoded one would be quadratic in
memory (docs/evidence/observed.md#history). The budget is counted in bytes of devalue text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Protocol

__all__ = ["BUDGET", "Recent", "recent"]

#: Small on purpose. Kept values are walked by the garbage collector again and again: with 4 MiB of text
#: kept, decoding a long session took half as long again as with 128 KiB (measured).
BUDGET = 128 * 1024
#: The last ones stay whatever their size: two payloads are compared, one is stepped through.
_ALWAYS = 2


class Forgetful(Protocol):
    """Something that can drop what it derived and derive it again."""

    def forget(self) -> None:
        """Drop the derived form."""
        ...


class Recent:
    """A bounded list of who holds a derived form; the least recently made loses it first."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._held: OrderedDict[int, tuple[Forgetful, int]] = OrderedDict()
        self._lock = threading.Lock()

    def hold(self, owner: Forgetful, size: int) -> None:
        """Note that ``owner`` now holds a form of ``size`` bytes; others may be told to forget."""
        with self._lock:
            old = self._held.pop(id(owner), None)
            if old is not None:
                self._used -= old[1]
            self._held[id(owner)] = (owner, size)
            self._used += size
            while self._used > self._budget and len(self._held) > _ALWAYS:
                _, (loser, freed) = self._held.popitem(last=False)
                self._used -= freed
                loser.forget()


recent = Recent(BUDGET)
