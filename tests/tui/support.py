"""Driving the terminal UI in tests: a fixed clock and zone, no live updates, and the screen as text."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from eve_replay_tui import Options, ReplayApp

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WIDE = (160, 45)
NARROW = (80, 24)


def options(source="sample:crash-in-tool", **more):
    """Options that give the same screen on every machine."""
    return Options(**({"source": source, "zone": UTC, "now": lambda: NOW, "live": False} | more))


@asynccontextmanager
async def running(source="sample:crash-in-tool", *, size=WIDE, keys=(), **more):
    """Run the application and press keys; yields its pilot."""
    app = ReplayApp(options(str(source), **more))
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        yield pilot


async def settle(pilot: Pilot):
    """Wait until every worker has ended and the screen is painted."""
    for _ in range(3):
        await pilot.pause()
        with suppress(WorkerCancelled):  # a newer one took its place
            await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot, *keys):
    """Press keys one by one, and let each do its work."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def lines(pilot: Pilot) -> list[str]:
    """The screen as lines of text."""
    compositor = pilot.app.screen._compositor
    return ["".join(segment.text for segment in strip).rstrip() for strip in compositor.render_strips()]


def text(pilot: Pilot) -> str:
    """The screen as text."""
    return "\n".join(lines(pilot))


def said(pilot: Pilot) -> str:
    """What the last toast says."""
    notes = list(pilot.app._notifications)
    return notes[-1].message if notes else ""


def screen_name(pilot: Pilot) -> str:
    """The class of the screen on top."""
    return type(pilot.app.screen).__name__


HERE = Path(__file__).parent
