"""The wire between a tool and the outside: every call to the outside goes through it, so it can be cut.

The runtime makes one wire for a whole case. A service describes a call and hands over what the outside would
do; the wire decides whether it does it, and whether the caller learns of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

__all__ = ["Call", "ProcessDied", "Timeout", "Wire"]

T = TypeVar("T")


class ProcessDied(BaseException):
    """The process was killed here. Not an ``Exception``: a tool cannot survive its own death by catching."""


class Timeout(Exception):
    """No answer came. The outside may have acted or not: the caller cannot know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to the outside, as the trace tells it.

    Attributes:
        reads: it changes nothing outside.
        slow: the outside needs a while, so that the request can be in flight when the process dies.
        may_time_out: the answer can be lost while the process lives.
        facts: arguments and key, plain JSON values.
    """

    service: str
    method: str
    facts: Mapping[str, object]
    reads: bool = False
    slow: bool = False
    may_time_out: bool = False


class Wire(Protocol):
    """What services see of the runtime."""

    @property
    def seconds(self) -> float:
        """Simulated seconds since the beginning of the case."""
        ...

    def call(self, call: Call, act: Callable[[], T], arrive: Callable[[], None] | None = None) -> T:
        """Carry out one call, or die trying.

        Args:
            call: what it is.
            act: what the outside does when the request reaches it; its answer. An ordinary exception it
                raises is the outside's answer (``KeyReused``, ``UniqueViolation``) and reaches the tool.
            arrive: for slow services: the request has reached the outside, which will act later by itself.

        Raises:
            ProcessDied: a crash falls here; also on every call after the process has died, so that cleaning
                up in ``finally`` reaches nobody.
            Timeout: the answer was lost.
        """
        ...

    def happened(self, service: str, effect: str, fields: Mapping[str, object], key: str | None) -> int:
        """Write one line into the outside's ledger (a service calls it when it acts); returns its number."""
        ...

    def tell(self, kind: str, facts: Mapping[str, object]) -> None:
        """Add a line to the trace that is no call (a request landed, a person answered)."""
        ...
