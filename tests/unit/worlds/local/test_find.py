"""Which folder a path means, and what is said when it means none."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from eve_replay.errors import SourceUnreadable, UnknownSource
from eve_replay.worlds.local.find import recognise
from eve_replay.worlds.local.opener import open_local
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import OTHER, RUN, codes, event, run, written

FILES = (run(), event(1, "run_created"))


@pytest.mark.parametrize(
    ("place", "given"),
    [
        (".eve/.workflow-data", ""),
        (".eve/.workflow-data", ".eve"),
        (".eve/.workflow-data", ".eve/.workflow-data"),
        (".workflow-data", ""),
        (".next/workflow-data", ""),
        ("data", ""),
        ("anything", ""),
        ("deep/er", ""),
        ("", "runs"),
        ("", "events"),
        (".eve/.workflow-data", f".eve/.workflow-data/events/{RUN}"),
    ],
)
def test_what_a_path_may_be(place, given, tmp_path):
    written(tmp_path / place, *FILES)
    world = open_world(str(tmp_path / given))
    assert [r.run_id for r in world.runs()] == [RUN]
    assert recognise(str(tmp_path / given)) > 0.9
    assert world.receipt.clean


@pytest.mark.parametrize(
    "given",
    [
        f"runs/{RUN}.json",
        f"events/{RUN}/{RUN}-evnt_00000000000000000000000001.json",
    ],
)
def test_a_file_of_one_run(given, tmp_path):
    written(tmp_path / ".workflow-data", *FILES, run(OTHER))
    world = open_world(str(tmp_path / ".workflow-data" / given))
    assert [r.run_id for r in world.runs()] == [RUN]
    assert list(world.events(RUN))


def test_a_run_record_on_its_own(tmp_path):
    _, data = run()
    path = tmp_path / "mailed.json"
    path.write_bytes(data)
    assert [r.run_id for r in open_local(str(path)).runs()] == [RUN]


def test_a_relative_path_and_a_home_path(tmp_path, monkeypatch):
    written(tmp_path / ".workflow-data", *FILES)
    monkeypatch.chdir(tmp_path)
    assert list(open_world(".").runs())
    assert list(open_world(f".workflow-data/runs/{RUN}.json").runs())
    monkeypatch.setenv("HOME", str(tmp_path))
    assert list(open_world("~").runs())


def test_two_data_folders_in_one_project(tmp_path):
    written(tmp_path / ".eve" / ".workflow-data", *FILES)
    written(tmp_path / ".workflow-data", run(OTHER))
    world = open_world(str(tmp_path))
    assert [r.run_id for r in world.runs()] == [RUN]
    assert codes(world.receipt) == ["another-data-folder"]


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.xz", ".zip"])
def test_archives(suffix, tmp_path):
    written(tmp_path / "in" / "crash", *FILES)
    written(tmp_path / "in" / "after", *FILES, run(OTHER))
    kind = {".tar.gz": "gztar", ".tar.xz": "xztar", ".zip": "zip"}[suffix]
    made = shutil.make_archive(str(tmp_path / "point"), kind, tmp_path / "in")
    with pytest.raises(UnknownSource, match="2 data folders: after, crash"):
        open_world(made)
    assert len(list(open_world(f"{made}/after").runs())) == 2
    assert [r.run_id for r in open_world(f"{made}/crash").runs()] == [RUN]
    with pytest.raises(UnknownSource, match="holds no nothing"):
        open_world(f"{made}/nothing")


def refused(source):
    with pytest.raises((UnknownSource, SourceUnreadable)) as found:
        open_world(str(source))
    assert "\n" not in str(found.value)
    return found.value


def test_an_empty_folder(tmp_path):
    error = refused(tmp_path)
    assert "is an empty folder" in error.message and error.hint and error.exit_code == 3


def test_a_folder_that_holds_another_thing(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"x")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "marathon.gpx").write_bytes(b"x")
    assert "holds something else (photo.jpg, runs)" in refused(tmp_path).message


def test_a_folder_above(tmp_path):
    written(tmp_path / "a" / ".workflow-data", *FILES)
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    assert "a/.workflow-data" in refused(tmp_path).hint.replace(os.sep, "/")


def test_a_project_that_never_ran(tmp_path):
    (tmp_path / "package.json").write_text("{}")
    assert "no run data yet" in refused(tmp_path).message
    (tmp_path / ".workflow-data").mkdir()
    assert "no runs/ folder yet" in refused(tmp_path / ".workflow-data").message


def test_no_runs_yet_is_an_empty_world(tmp_path):
    (tmp_path / ".workflow-data" / "runs").mkdir(parents=True)
    world = open_world(str(tmp_path))
    assert list(world.runs()) == [] and codes(world.receipt) == ["no-runs"]


def test_what_does_not_exist(tmp_path):
    (tmp_path / "my-agent").mkdir()
    error = refused(tmp_path / "my-agnet" / ".eve")
    assert "does not exist" in error.message and "my-agent" in error.hint


@pytest.mark.skipif(sys.platform == "win32", reason="there such paths are paths")
@pytest.mark.parametrize("source", [r"D:\work\agent\.eve", "C:/agent", r"\\server\share\agent"])
def test_windows_paths(source):
    error = refused(source)
    assert "Windows path" in error.message
    assert "/mnt/" in error.hint or "share" in error.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path):
    folder = written(tmp_path / "closed", *FILES)
    folder.chmod(0)
    try:
        assert "may not be read" in refused(folder).message
    finally:
        folder.chmod(0o755)


def test_permissions_without_needing_a_user(tmp_path, monkeypatch):
    """The same as root would never see it."""
    folder = written(tmp_path / "closed", run())
    real, real_names = os.scandir, os.listdir

    def scandir(path="."):
        if not isinstance(path, int) and str(path).startswith(str(folder)):
            raise PermissionError(13, "Permission denied", str(folder))
        return real(path)

    monkeypatch.setattr("eve_replay.worlds.local.disk._NOATIME", 0)

    def listdir(path="."):
        scandir(path).close()
        return real_names(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(os, "listdir", listdir)
    error = refused(folder)
    assert isinstance(error, SourceUnreadable) and "may not be read" in error.message


def test_a_project_whose_data_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / ".workflow-data").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    error = refused(tmp_path)
    assert isinstance(error, SourceUnreadable) and ".workflow-data" in error.message


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.json", b"{}"), ("a.json", b"[1, 2]"), ("a.json", b"{"), ("a.txt", b"hello"), ("a.png", b"\x89PNG")],
)
def test_a_file_that_is_no_run(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    assert name in refused(tmp_path / name).message


def test_a_file_in_a_data_folder_that_tells_no_run(tmp_path):
    folder = written(tmp_path / ".workflow-data", *FILES, ("hooks/hook_1.json", b"{}"))
    assert "tells no run" in refused(folder / "hooks" / "hook_1.json").message


@pytest.mark.parametrize("name", ["broken.zip", "broken.tar.gz", "broken.tar.xz"])
def test_a_damaged_archive(name, tmp_path):
    (tmp_path / name).write_bytes(b"not an archive")
    assert "not a readable archive" in refused(tmp_path / name).message


def test_an_archive_of_something_else(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readme.txt").write_text("x")
    made = shutil.make_archive(str(tmp_path / "other"), "gztar", tmp_path / "in")
    error = refused(made)
    assert "no data folder" in error.message and "readme.txt" in error.hint


@pytest.mark.parametrize("source", ["x\0y", "\ud800", "a" * 5000, "/" + "a/" * 3000])
def test_impossible_paths(source):
    assert recognise(source) < 0.7
    refused(source)


def test_every_scenario_folder_can_be_named_itself():
    for name in ("simple-turn", "older-0.20.0"):
        assert list(open_world(str(corpus.scenario(name))).runs())
