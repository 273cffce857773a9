"""What the caller of the application decides: source, deep links, clock, colours, characters."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from eve_replay.views.kit.tone import Theme

if TYPE_CHECKING:
    from eve_replay import Journal, Ledger

__all__ = ["Options", "seconds"]


def seconds() -> float:
    """Return seconds that only go on, to share time between work and screen. No time of day."""
    return time.monotonic()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the application starts.

    Attributes:
        source: where to read, as the command line takes it.
        session: id of the session to open at once; ``step`` of the thing in it to select.
        opener: opens the journal; it runs in a worker thread.
        label: what the source is called in the heading.
        theme: dark, light, high-contrast or none (no colours at all).
        ascii_only: draw with ASCII characters only.
        zone: zone of shown times, None for the machine's own.
        now: the clock.
        effects: path of the user's effects policy, None without one.
        ledger: reads what really happened outside, None without a ledger; ``ledger_file`` is watched.
        live: look for changes from time to time.
        folder: where exports are written.
    """

    source: str = "."
    session: str | None = None
    step: str | None = None
    opener: Callable[[], Journal] | None = None
    label: str = ""
    theme: Theme = "dark"
    ascii_only: bool = False
    zone: tzinfo | None = None
    now: Callable[[], datetime] = field(default=_now)
    effects: str | None = None
    ledger: Callable[[], Ledger | None] | None = None
    ledger_file: Path | None = None
    live: bool = True
    folder: Path = field(default_factory=Path)
