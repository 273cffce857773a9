"""What the commands print on the bundled samples, byte for byte.

``EVE_REPLAY_UPDATE=1`` writes the files anew. Time zone, clock and width are fixed, so that only what the
code does can change them.
"""

import os
from pathlib import Path

import pytest

from eve_replay.cli import run

HERE = Path(__file__).parent / "cli"
NOW = "2026-12-01T09:00:00Z"

#: name of the file -> (exit code, command line). Keep the samples few and the commands many.
CASES = {
    "help-step": (0, ["step", "--help"]),
    "demo": (0, ["demo"]),
    "runs-simple": (0, ["runs", "sample:simple-turn"]),
    "runs-crash": (0, ["runs", "sample:crash-in-tool", "--whole-ids"]),
    "show-crash": (0, ["show", "sample:crash-in-tool"]),
    "show-approval": (0, ["show", "sample:approval-hold"]),
    "events-crash": (0, ["events", "sample:crash-in-tool"]),
    "events-values": (0, ["events", "sample:simple-turn", "--type", "step_completed", "--values"]),
    "stream-crash": (0, ["stream", "sample:crash-in-tool"]),
    "receipt-crash": (0, ["receipt", "sample:crash-in-tool"]),
}
TIMELESS = {"help-step"}


def printed(capsys, code, words, timeless=False):
    fixed = [] if timeless else ["--utc", "--now", NOW, "--color", "never"]
    assert run([*words, *fixed]) == code
    captured = capsys.readouterr()
    return captured.out + (f"--- stderr\n{captured.err}" if captured.err else "")


def check(name, text):
    path = HERE / f"{name}.txt"
    if os.environ.get("EVE_REPLAY_UPDATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    assert path.exists(), f"no golden file {path.name}: run with EVE_REPLAY_UPDATE=1"
    assert text == path.read_text("utf-8")


@pytest.fixture(autouse=True)
def _fixed_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", CASES)
def test_output(name, capsys):
    code, words = CASES[name]
    check(name, printed(capsys, code, words, name in TIMELESS))


#: Whole ids are as long as they are.
FITTING = [n for n in CASES if n not in TIMELESS and "--whole-ids" not in CASES[n][1]]


@pytest.mark.parametrize("name", FITTING)
def test_output_fits_eighty_columns(name, capsys):
    from eve_replay.views.kit.safe import display_width

    code, words = CASES[name]
    for line in printed(capsys, code, words).splitlines():
        assert display_width(line) <= 80, line


def test_no_golden_file_is_left_over():
    assert {path.stem for path in HERE.glob("*.txt")} == set(CASES)
