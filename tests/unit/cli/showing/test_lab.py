import json
import os
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
        quiet = Path(env["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0], "labconfig", "page_config.json")
        assert "announcements" in quiet.read_text("utf-8")
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
    assert sorted(path.name for path in folder.glob("*.ipynb")) == GUIDES
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


def test_nothing_is_written_into_a_project_without_a_word(capsys, tmp_path, monkeypatch, started):
    monkeypatch.chdir(tmp_path)
    result = call(capsys, "lab", "--no-browser")
    assert result.code == 2 and "Nobody is here to answer" in result.err and "--to DIR" in result.err
    assert list(tmp_path.iterdir()) == [] and started == []
    monkeypatch.setattr(lab.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(lab.sys.stdout, "isatty", lambda: True, raising=False)
    asked = []
    monkeypatch.setattr(lab.click, "confirm", lambda text, default: asked.append(text) or len(asked) > 1)
    assert call(capsys, "lab", "--no-browser").code == 2 and list(tmp_path.iterdir()) == []
    assert call(capsys, "lab", "--no-browser").code == 0 and len(started) == 1
    assert (
        call(capsys, "lab", "--copy-only").code == 0 and len(asked) == 2
    )  # it is there: no question any more
    assert str(tmp_path) in asked[0]
    monkeypatch.chdir(tmp_path / "eve-replay-guides")
    assert call(capsys, "lab", "--copy-only", "--yes").code == 0


def _outputs(place):
    book = json.loads(place.read_text("utf-8"))
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = 7
    place.write_text(json.dumps(book), "utf-8")


def test_an_upgrade_renews_what_nobody_changed(capsys, tmp_path, monkeypatch):
    old = tmp_path / "old"
    old.mkdir()
    for guide in lab._guides():
        text = guide.read_text("utf-8").replace("eve_replay", "eve_replay ")
        (old / guide.name).write_text(text, "utf-8")
    folder = tmp_path / "g"
    with monkeypatch.context() as earlier:
        earlier.setattr(lab, "_guides", lambda: sorted(old.glob("*.ipynb")))
        lab.copy_guides(folder)
    _outputs(folder / GUIDES[1])  # running it is no change
    mine = json.loads((folder / GUIDES[0]).read_text("utf-8"))
    mine["cells"][0]["source"] = "mine"
    (folder / GUIDES[0]).write_text(json.dumps(mine), "utf-8")
    out = call(capsys, "lab", "--copy-only", "--to", folder).out
    assert "3 renewed, 1 kept as they were" in " ".join(out.split())
    assert "You changed 01" in out
    assert "mine" in (folder / GUIDES[0]).read_text("utf-8")
    beside = [path.name for path in folder.glob("*.ipynb") if path.name not in GUIDES]
    assert len(beside) == 1 and beside[0].startswith("01")
    for guide in lab._guides()[1:]:
        assert (folder / guide.name).read_bytes() == guide.read_bytes()
    again = call(capsys, "lab", "--copy-only", "--to", folder).out
    assert "4 kept as they were" in again and "You changed" not in again


def test_guides_of_a_version_that_kept_no_notes_are_kept(capsys, tmp_path):
    folder = tmp_path / "g"
    lab.copy_guides(folder)
    (folder / ".eve-replay-guides.json").unlink()
    book = (folder / GUIDES[2]).read_text("utf-8")
    (folder / GUIDES[2]).write_text(book.replace("eve_replay", "eve_replay "), "utf-8")
    assert "You changed 03" in call(capsys, "lab", "--copy-only", "--to", folder).out
