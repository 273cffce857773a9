"""The seam: what a crash test asks of one kind of app, and of the outside. Two protocols, no code.

A run of one point is the same for every app (``eve_replay/crashtest/run.py``)::

    outside.reset(stubs); driver.prepare(warm)
    driver.start(kill=point, generation=0)
    driver.deliver(0) ... until driver.dead() or driver.settled()
    copy driver.data; forecast it
    driver.start(kill=None, generation=1); driver.redeliver() ... until nothing is open

An app of the Workflow SDK or of the Python SDK is another driver; the rest stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from eve_replay.crashtest.model import Point, Stub

__all__ = ["Driver", "Outside"]


@runtime_checkable
class Outside(Protocol):
    """The outside of the sealed process: it answers, keeps the ledger, and outlives every kill."""

    address: str

    def reset(self, stubs: Iterable[Stub], *, learn: bool = False) -> None:
        """Start a new world outside, empty. ``learn`` answers what has no stub."""

    def arm(self, point: Point | None, *, lag: float = 4.0) -> None:
        """Kill the caller in the ``k``-th request with this label (``in``, ``late``); None disarms."""

    def ledger(self) -> list[dict[str, Any]]:
        """Return every request so far: ``name label k method host path by key status effect call pid``."""

    def pending(self) -> int:
        """Return how many effects are still to land (a late one)."""


@runtime_checkable
class Driver(Protocol):
    """One app under test, in one scratch folder.

    Attributes:
        kind: ``eve``, ``sdk``, ``python``.
        mode: how it comes back, as the report says it: ``as your app restarts`` or ``as a queue would
            redeliver``.
        data: the folder of its journal, readable by ``open_journal`` at any time.
        log: what the sealed process wrote about itself, one JSON line each (``act``, ``done``, ``write``,
            ``kill``).
        turns: how many things are delivered in one run.
    """

    kind: str
    mode: str
    data: Path
    log: Path
    turns: int

    def prepare(self, warm: Path | None) -> None:
        """Lay the scratch folder, with a copy of the warm world when there is one."""

    def start(self, *, kill: Point | None, generation: int, build: Path | None = None) -> str:
        """Start the process; return an empty text, or why it is not up (it may have died as it was told)."""

    def deliver(self, turn: int) -> bool:
        """Send one message or start one run; return whether it was accepted."""

    def answer(self) -> bool:
        """Answer what waits for a person, as the test says; return whether there was something to answer."""

    def settled(self, turn: int) -> bool:
        """Return whether the app itself says that it has finished with this turn."""

    def nudge(self) -> bool:
        """Send one more message, to see whether that wakes a session; return whether it was accepted."""

    def redeliver(self) -> None:
        """Do what a queue does after a restart, where the app does not do it itself."""

    def ledgers(self) -> tuple[Path, ...]:
        """Return the declared ledger files, whose lines are effects."""

    def dead(self) -> bool:
        """Return whether the process is gone."""

    def kill(self) -> None:
        """End the process at once (SIGKILL), and wait until it is gone."""

    def usage(self) -> Mapping[str, float]:
        """Return what its processes cost so far: ``cpu`` seconds."""
