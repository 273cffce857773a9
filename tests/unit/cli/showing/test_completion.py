"""What TAB offers: asked as the shells ask, and once in each shell that is there."""

import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from eve_replay.cli import COMMANDS, group
from eve_replay.cli.showing.completion import PROGRAM, VARIABLE
from tests.support.corpus import data
from tests.unit.cli._run import call


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A slow machine may take longer here; that it is given up at all is tried below."""
    monkeypatch.setattr("eve_replay.cli.shared.complete._PATIENCE", 20)


def offered(line: str) -> list[str]:
    words = line.split(" ")
    return [
        each.value
        for each in ShellComplete(group, {}, PROGRAM, VARIABLE).get_completions(words[:-1], words[-1])
    ]


def test_commands_and_options():
    assert offered("com") == ["compare", "completion"]
    assert set(COMMANDS) <= set(offered(""))
    assert "--strategy" in offered("crash --str")


def test_samples_and_what_is_in_them():
    assert offered("why sample:cr") == ["sample:crash-in-tool"]
    [session] = offered("why sample:crash-in-tool ")
    assert session.startswith("wrun_")
    assert offered("turn sample:crash-in-tool ") == ["turn_0"]
    assert offered("turn -s sample:crash-in-tool ") == ["turn_0"]
    steps = offered("step sample:crash-in-tool step_")
    assert len(steps) == 4
    assert offered("why sample:crash-in-tool --session ") == [session]


def test_words_of_the_house():
    assert "claim" in offered("crash sample:crash-in-tool --strategy charge_card=")[5]
    assert offered("crash sample:crash-in-tool --strategy ch") == ["charge_card="]
    assert {"eve", "flue", "none"} <= set(offered("crash --runtime "))
    assert "eve-dev" in offered("crash --environment eve-d")
    assert offered("runs --status c") == ["completed", "cancelled"]
    assert "step_retrying" in offered("events --type step_r")


def test_files_are_left_to_the_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project").mkdir()
    assert offered("why ./pro") == ["./pro"]  # one item of type file: the shell completes paths itself
    assert "project/" in offered("why ")
    assert "sample:crash-in-tool" in offered("why ")


def test_ids_of_a_folder(monkeypatch):
    folder = data("batch-crash")
    monkeypatch.chdir(folder.parent)
    assert all(each.startswith("wrun_") for each in offered(f"show {folder.name} wrun_"))


def test_a_database_is_not_asked_and_a_wrong_source_says_nothing():
    assert offered("why postgres://nobody@127.0.0.1:1/none --session ") == []
    assert offered("why /no/such/folder --session ") == []


def test_what_takes_too_long_is_given_up(monkeypatch):
    def busy(source):
        while True:
            pass

    monkeypatch.setattr("eve_replay.cli.shared.complete._PATIENCE", 0.02)
    monkeypatch.setattr("eve_replay.worlds.registry.open_world", busy)
    assert offered("why sample:crash-in-tool --session ") == []


def test_install_writes_where_the_shell_looks(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for shell, place in (
        ("bash", ".local/share/bash-completion/completions/eve-replay"),
        ("zsh", ".zfunc/_eve-replay"),
        ("fish", ".config/fish/completions/eve-replay.fish"),
    ):
        printed = call(capsys, "completion", shell)
        assert printed.code == 0
        assert call(capsys, "completion", shell, "--install").code == 0
        assert (tmp_path / place).read_text().split() == printed.out.split()


ASK = {
    "bash": """
eval "$({program} completion bash)"
compopt() {{ :; }}
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE="eve-replay why sample:cr"; COMP_POINT=${{#COMP_LINE}}
_eve_replay_completion {program}; echo "${{COMPREPLY[@]}}"
""",
    "fish": '{program} completion fish | source; complete -C "eve-replay why sample:cr"',
}


@pytest.mark.parametrize(("shell", "answer"), [("bash", "crash-in-tool"), ("fish", "sample:crash-in-tool")])
def test_a_real_shell(shell, answer, tmp_path):
    """Bash breaks words at the colon: what stands before it is not repeated."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "eve-replay"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m eve_replay "$@"\n')
    program.chmod(0o755)
    words = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
    script = ASK[shell].format(program=program)
    done = subprocess.run(
        [shell, "-c", script], env=words, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == [answer]
