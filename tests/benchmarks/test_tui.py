"""How fast the terminal UI answers with 10,000 sessions.

What is measured is the work of one key: handler and new lines of the screen. ``pilot.press`` itself waits
some 80 ms for the application to be idle, whatever the key does; the bounds are asserted on the medians.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
import tracemalloc
from pathlib import Path

import pytest
from textual.widgets import Input

from eve_replay.journal import Journal
from eve_replay.recovery.question import Question
from tests.support import corpus
from tests.tui.support import NOW, running, settle
from tests.tui.worlds import many

ROOT = Path(__file__).parents[2]
COUNT = 10_000
needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")


class _Clock:
    """Tells the benchmark the times that were taken inside the running application."""

    now = 0.0

    def __call__(self):
        self.now += 1e-9  # a clock that stands still has no precision
        return self.now


CLOCK = _Clock()
told = pytest.mark.benchmark(timer=CLOCK)


def measured(benchmark, prepare, work, *, keys=(), rounds=15, **options):
    """Run ``work(pilot)`` some times in a running application and give the times to the benchmark."""

    async def run():
        times = []
        async with running(keys=keys, **options) as pilot:
            prepare(pilot)
            await settle(pilot)
            for n in range(rounds):
                began = time.perf_counter()
                work(pilot, n)
                screen = pilot.app.screen
                screen._compositor.render_strips()
                times.append(time.perf_counter() - began)
                await settle(pilot)
        return times

    times = asyncio.run(run())
    feed = iter(times)

    def told_time():
        CLOCK.now += next(feed)

    benchmark.extra_info["medianMs"] = round(sorted(times)[len(times) // 2] * 1000, 1)
    benchmark.pedantic(told_time, rounds=len(times))
    return sorted(times)[len(times) // 2]


def big():
    """A journal of 10,000 sessions."""
    return Journal(many(COUNT))


@told
def test_filter_keystroke(benchmark):
    texts = [
        "o",
        "or",
        "ord",
        "order 9",
        "order 99",
        "order 999",
        "",
        "wrun",
        "wrun 12",
        "failed",
        "run",
        "5",
    ]

    def type_one(pilot, n):
        screen = pilot.app.screen
        field = screen.query_one("#filter", Input)
        with field.prevent(Input.Changed):
            field.value = texts[n % len(texts)]
        screen._refit()

    median = measured(benchmark, lambda pilot: None, type_one, opener=big)
    assert median < 0.05


@told
def test_stepping_through_the_list(benchmark):
    median = measured(
        benchmark,
        lambda pilot: None,
        lambda pilot, n: pilot.app.screen.listing.action_page(1),
        opener=big,
    )
    assert median < 0.05


@told
def test_stepping_through_a_session(benchmark):
    median = measured(
        benchmark,
        lambda pilot: None,
        lambda pilot, n: pilot.app.screen.move("next-event" if n % 2 else "next-step"),
        keys=["enter"],
    )
    assert median < 0.05


@told
def test_stepping_through_a_long_session(benchmark):
    """3,250 moments in 250 turns: the key's own work, whatever the length of the session."""
    median = measured(
        benchmark,
        lambda pilot: None,
        lambda pilot, n: pilot.app.screen.move("next-step" if n % 3 else "next-event"),
        keys=["enter"],
        source=corpus.data("long-session"),
    )
    assert median < 0.05


@told
def test_moving_the_crash_point(benchmark):
    def move(pilot, n):
        screen = pilot.app.screen
        screen.lab.view(screen.index, Question(**screen.asked))
        screen.action_point(1)

    assert measured(benchmark, lambda pilot: None, move, keys=["enter", "c"]) < 0.05


def test_first_paint_after_the_data_is_there(benchmark):
    """Rows of 10,000 heads and the first screen of them."""

    async def run():
        journal = big()
        _ = journal.heads
        began = time.perf_counter()
        async with running(opener=lambda: journal) as pilot:
            took = time.perf_counter() - began
            assert len(pilot.app.screen.shown) == COUNT
        return took

    took = benchmark.pedantic(lambda: asyncio.run(run()), rounds=1)
    benchmark.extra_info["tookMs"] = round(took * 1000)


def started(source, *wanted):
    """Start the program on a terminal; return for each text when it was seen: ``(wall, processor)`` in s."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tui'}", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "eve_replay", "tui", str(source)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    found = {}
    try:
        seen = b""
        while len(found) < len(wanted) and time.perf_counter() - began < 40:
            if select.select([ours], [], [], 0.02)[0]:
                seen += os.read(ours, 65536)
            for text in wanted:
                if text not in found and text in seen:
                    found[text] = (time.perf_counter() - began, _busy(process.pid))
        return found
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def _busy(pid):
    ticks = Path(f"/proc/{pid}/stat")
    if not ticks.exists():
        return None
    fields = ticks.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def noted(benchmark, name, times):
    """Write down wall and processor time; return the processor time, on which nobody else weighs."""
    wall, busy = times
    benchmark.extra_info[f"{name}WallMs"] = round(wall * 1000)
    benchmark.extra_info[f"{name}ProcessorMs"] = round(busy * 1000) if busy is not None else None
    return busy if busy is not None else 0.0


@needs_terminal
def test_first_paint_after_start(benchmark):
    """From the start of the process to the first screen; processor time, as the machine may be shared."""
    started("sample:crash-in-tool", b"eve-replay")  # compiles the modules
    found = benchmark.pedantic(lambda: started("sample:crash-in-tool", b"eve-replay"), rounds=1)
    assert noted(benchmark, "screen", found[b"eve-replay"]) < 1.0


@needs_terminal
def test_first_rows_of_10_000_run_files(benchmark, tmp_path):
    """Rows are there long before the last file is read."""
    (tmp_path / "runs").mkdir()
    for record in many(COUNT).runs():
        fields = record.fields | {"input": {"__type": "Uint8Array", "data": "ZGV2bFtdAAAA" * 60}}
        (tmp_path / "runs" / f"{record.run_id}.json").write_text(json.dumps(fields, indent=2))
    first, last = b"so far", b"10,000 sessions  by"
    found = benchmark.pedantic(lambda: started(tmp_path, first, last), rounds=1)
    assert noted(benchmark, "rows", found[first]) < 1.0
    assert noted(benchmark, "all", found[last]) < 3.0


def test_memory_stays_bounded():
    """Going through 10,000 rows keeps a screenful of them drawn and some of them joined."""

    async def run():
        async with running(opener=big) as pilot:
            tracemalloc.start()
            for _ in range(30):
                pilot.app.screen.listing.action_page(1)
                pilot.app.screen._compositor.render_strips()
            await settle(pilot)
            grown = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            return grown

    assert asyncio.run(run()) < 30_000_000
    assert NOW is not None
