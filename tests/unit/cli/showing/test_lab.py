import subprocess
from pathlib import Path

import pytest

from eve_replay.cli.showing import lab
from tests.unit.cli._run import call

GUIDES = sorted(path.name for path in (Path(__file__).parents[4] / "notebooks").glob("*.ipynb"))


@pytest.fixture
def started(monkeypatch):
    calls = []

    def run(words, *, env, check):
        calls.append((words, env))
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(lab.subprocess, "run", run)
    return calls


def test_guides_are_copied_and_the_source_is_preset(capsys, tmp_path, started):
    folder = tmp_path / "guides"
    source = tmp_path / "project"
    source.mkdir()
    result = call(capsys, "lab", source, "--to", folder, "--no-browser", "--port", "9999")
    assert result.code == 0
    assert sorted(path.name for path in folder.iterdir()) == GUIDES
    ((words, environment),) = started
    assert words[1:4] == ["-m", "jupyterlab", str(folder)]
    assert "--port=9999" in words and "--no-browser" in words
    assert environment["EVE_REPLAY_SOURCE"] == str(source)


def test_a_source_that_is_no_path_stays_as_it_is(capsys, tmp_path, started):
    call(capsys, "lab", "sample:simple-turn", "--to", tmp_path / "g")
    assert started[0][1]["EVE_REPLAY_SOURCE"] == "sample:simple-turn"
    call(capsys, "lab", "--to", tmp_path / "g")
    assert "EVE_REPLAY_SOURCE" not in started[1][1]


def test_own_changes_are_kept(capsys, tmp_path, started):
    folder = tmp_path / "g"
    assert "4 guides copied" in call(capsys, "lab", "--copy-only", "--to", folder).out
    (folder / GUIDES[0]).write_text("mine")
    result = call(capsys, "lab", "--copy-only", "--to", folder)
    assert "4 kept as they were" in result.out
    assert (folder / GUIDES[0]).read_text() == "mine"
    assert started == []


def test_a_file_as_target_and_a_missing_jupyterlab_are_said(capsys, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("x")
    assert call(capsys, "lab", "--copy-only", "--to", file).code == 2
    there = lab.importlib.util.find_spec
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda n: None if n == "jupyterlab" else there(n))
    result = call(capsys, "lab", "--to", tmp_path / "g")
    assert result.code != 0 and "eve-replay[notebook]" in result.err
