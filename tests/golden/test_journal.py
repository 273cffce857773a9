"""What turns, attempts, diffs and transcripts of a dozen recordings look like, byte for byte.

``EVE_REPLAY_UPDATE=1`` writes the files anew. Read them when they change: they are what users see.
"""

import os
from pathlib import Path

import pytest

from eve_replay.cli import run
from eve_replay.views.kit.safe import display_width
from tests.support.corpus import scenario

HERE = Path(__file__).parent / "journal"

#: name of the file -> recording and command.
CASES = {
    "turn-crash-in-tool": ("crash-in-tool", "turn"),
    "turn-approval-hold": ("approval-hold", "turn"),
    "turn-workflow-tool": ("workflow-tool", "turn"),
    "turn-events-crash-before-commit": ("crash-before-commit", "turn", "--events", "--no-bars"),
    "turns-steering": ("steering", "turns"),
    "attempts-throw-then-kill": ("attempts-exhausted-throw-then-kill", "attempts", "--again"),
    "attempts-sdk5-crash": ("sdk5-crash", "attempts"),
    "diff-crash-before-commit": ("crash-before-commit", "diff"),
    "diff-batch-crash": ("batch-crash", "diff"),
    "diff-pay-without-key": ("pay-without-key", "diff", "--every"),
    "transcript-crash-in-tool": ("crash-in-tool", "transcript"),
    "transcript-cancelled-turn": ("cancelled-turn", "transcript"),
    "transcript-model-error": ("model-error", "transcript"),
    "state-simple-turn": ("simple-turn", "state"),
    "search-crash-in-tool": ("crash-in-tool", "search", "cus_42"),
}


@pytest.fixture(autouse=True)
def _fixed_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys, name):
    recording, command, *options = CASES[name]
    words = [command, str(scenario(recording) / "data"), *options]
    capsys.readouterr()
    run([*words, "--utc", "--now", "2026-12-01T09:00:00Z", "--color", "never"])
    return capsys.readouterr().out


@pytest.mark.parametrize("name", CASES)
def test_output(name, capsys):
    text = printed(capsys, name)
    path = HERE / f"{name}.txt"
    if os.environ.get("EVE_REPLAY_UPDATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    assert text == path.read_text("utf-8")
    for line in text.splitlines():
        assert display_width(line) <= 80
        assert line.isprintable() or line == ""


def test_no_golden_file_is_left_over():
    assert {path.stem for path in HERE.glob("*.txt")} == set(CASES)
