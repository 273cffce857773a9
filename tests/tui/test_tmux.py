"""The whole program in a real terminal: from the start to a crash verdict."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NUMBERS = itertools.count()
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


class Terminal:
    """A terminal in a tmux server of its own."""

    def __init__(self, name, size, env):
        self.name = name
        path = f"{ROOT}{os.pathsep}{ROOT / 'tui'}"
        setting = [f"PYTHONPATH={path}", "TZ=UTC", *env]
        command = [
            "env",
            "-u",
            "LINES",
            "-u",
            "COLUMNS",
            *setting,
            sys.executable,
            "-m",
            "eve_replay",
            "tui",
            "sample:crash-in-tool",
        ]
        wide, high = size
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", str(wide), "-y", str(high), *command)

    def tmux(self, *words):
        """Run a tmux command on this server and return what it says."""
        result = subprocess.run(
            ["tmux", "-L", self.name, *words], capture_output=True, text=True, check=False, timeout=20
        )
        return result.stdout

    def press(self, *keys):
        """Press keys."""
        self.tmux("send-keys", *keys)

    def wait(self, wanted, seconds=30):
        """Wait until a text is on the screen and return the screen."""
        end = time.monotonic() + seconds
        shown = ""
        while time.monotonic() < end:
            shown = self.tmux("capture-pane", "-p")
            if wanted in shown:
                return shown
            time.sleep(0.1)
        raise AssertionError(f"{wanted!r} did not appear:\n{shown}")

    def close(self):
        """End the server."""
        self.tmux("kill-server")


@pytest.fixture
def terminal(request):
    size, env = request.param
    running = Terminal(f"eve-replay-test-{os.getpid()}-{next(NUMBERS)}", size, env)
    yield running
    running.close()


COLOUR = ((120, 36), ["LANG=C.UTF-8", "LC_ALL=C.UTF-8"])
POOR = ((80, 24), ["NO_COLOR=1", "LC_ALL=C"])


@pytest.mark.parametrize("terminal", [COLOUR], indirect=True)
def test_from_start_to_a_crash_verdict(terminal):
    terminal.wait("1 session")
    terminal.press("Enter")
    shown = terminal.wait("ran twice")
    assert "turnStep" in shown and "■" in shown
    terminal.press("c")
    terminal.wait("If the process dies here")
    terminal.press("e")
    shown = terminal.wait("charge_card")
    before = shown.splitlines()[0]
    terminal.press("]")
    end = time.monotonic() + 20
    while terminal.tmux("capture-pane", "-p").splitlines()[0] == before and time.monotonic() < end:
        time.sleep(0.1)
    assert terminal.tmux("capture-pane", "-p").splitlines()[0] != before
    terminal.press("Escape")
    terminal.wait("Effects")
    terminal.press("w")
    shown = terminal.wait("What happened")
    assert "Do now" in shown and "may have run twice" in shown
    terminal.press("q")


@pytest.mark.parametrize("terminal", [POOR], indirect=True)
def test_a_terminal_without_colours_and_unicode(terminal):
    terminal.wait("1 session")
    terminal.press("Enter")
    shown = terminal.wait("!! may have run twice")
    assert shown.isascii()
    terminal.press("c")
    assert terminal.wait("If the process dies here").isascii()
