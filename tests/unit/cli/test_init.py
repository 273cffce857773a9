import importlib.util
import os
import subprocess
import sys

import pytest

from eve_replay import cli
from eve_replay.cli import COMMANDS, SECTIONS, Entry, run


def test_sections_and_help_are_sentences():
    for name, entry in COMMANDS.items():
        assert entry.section in SECTIONS, name
        assert entry.help.endswith("."), name
        assert len(entry.help) <= 66, name  # one line of 80 columns


def test_a_command_without_module_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(cli, "COMMANDS", {"ghost": Entry("eve_replay.cli.ghost", "Not there.", "Reading")})
    assert run(["--help"]) == 0
    assert "ghost" not in capsys.readouterr().out
    assert run(["ghost"]) == 2


def test_an_unknown_command_gets_a_suggestion(capsys):
    assert run(["rusn"]) == 2
    assert (
        capsys.readouterr().err == "eve-replay: There is no command 'rusn'. Did you mean `eve-replay runs`?\n"
    )
    assert run(["zzzz"]) == 2
    assert "See `eve-replay --help`." in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert run([]) == 2
    captured = capsys.readouterr()
    assert "eve-replay demo" in captured.out + captured.err
    assert captured.err.startswith("Usage: eve-replay [OPTIONS] COMMAND [ARGS]...\n\n  Open")


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("eve-replay ")


@pytest.mark.parametrize("name", [n for n, e in COMMANDS.items() if importlib.util.find_spec(e.module)])
def test_every_command_that_exists_has_help(name, capsys):
    assert run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Usage: eve-replay" in out
    assert "--json" in out or name in ("tui", "lab")


def test_a_reader_that_stops_early_is_no_error():
    """As in `eve-replay runs | head -1`."""
    code = "import sys; from eve_replay.cli import run; sys.exit(run(['dump', 'sample:crash-in-tool']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 0
