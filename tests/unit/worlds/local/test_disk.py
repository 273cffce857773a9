"""A folder on disk: read-only provably, links that leave it, pipes, permissions, sizes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.tree import NotReadable
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import OTHER, RUN, codes, drain, event, run, step, written

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and POSIX permissions")
LIMIT = 1 << 20


def snapshot(folder: Path, *, atime: bool) -> dict[str, tuple]:
    """Everything of a folder that could change: names, kinds, sizes, times, content."""
    out = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        found = path.lstat()
        times = (found.st_mtime_ns, found.st_ctime_ns, *((found.st_atime_ns,) if atime else ()))
        content = path.read_bytes() if path.is_file() and not atime else b""
        out[str(path)] = (
            stat.S_IFMT(found.st_mode),
            found.st_mode,
            found.st_size,
            found.st_ino,
            times,
            content,
        )
    return out


@pytest.mark.parametrize("name", ["crash-in-tool", "older-0.50.0", "sdk4-crash"])
def test_reading_everything_changes_nothing(name, tmp_path):
    folder = corpus.scratch(name, tmp_path)
    before = snapshot(folder, atime=False)
    world = open_world(str(folder / "data"))
    dump_document(world)
    drain(world)
    world.close()
    assert snapshot(folder, atime=False) == before


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="only Linux can read without touching access times")
def test_access_times_of_own_files_stay(tmp_path):
    """On other systems, and for somebody else's files, the access time is the one thing that may change."""
    folder = corpus.scratch("crash-in-tool", tmp_path)
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, ns=(10**18, path.stat().st_mtime_ns))  # older than the mtime: relatime would update it
    before = snapshot(folder, atime=True)
    dump_document(open_world(str(folder / "data")))
    assert snapshot(folder, atime=True) == before


@posix
def test_a_folder_that_may_not_be_written_is_read(tmp_path):
    folder = corpus.scratch("crash-in-tool", tmp_path) / "data"
    paths = [*folder.rglob("*"), folder]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        world = open_world(str(folder))
        dump_document(world)
        assert world.receipt.clean
    finally:
        for path in paths:
            path.chmod(0o755)


@posix
def test_links_that_leave_the_folder_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = written(outside, run(OTHER)) / "runs" / f"{OTHER}.json"
    folder = written(tmp_path / "data", run(), event(1, "run_created"))
    (folder / "runs" / f"{OTHER}.json").symlink_to(secret)
    (folder / "steps").symlink_to(outside)
    (folder / "events" / OTHER).symlink_to(outside)
    world = open_world(str(folder))
    found = drain(world)
    assert [r.run_id for r in found["runs"]] == [RUN]
    assert not found["steps"]
    outside_codes = [p for p in world.receipt.problems if p.code == "outside"]
    assert {p.where for p in outside_codes} >= {f"runs/{OTHER}.json", f"events/{OTHER}", "steps"}


@posix
def test_links_inside_the_folder_are_followed(tmp_path):
    folder = written(tmp_path / "data", run(), event(1, "run_created"))
    real = folder / "elsewhere.json"
    real.write_bytes(run(OTHER)[1])
    (folder / "runs" / f"{OTHER}.json").symlink_to(real)
    (tmp_path / "link").symlink_to(folder)
    for source in (folder, tmp_path / "link"):
        assert [r.run_id for r in open_world(str(source)).runs()] == [RUN, OTHER]


@posix
def test_loops_and_dead_links_are_told(tmp_path):
    folder = written(tmp_path / "data", run(), event(1, "run_created"))
    (folder / "runs" / "wrun_A.json").symlink_to("wrun_A.json")
    (folder / "runs" / "wrun_B.json").symlink_to("nothing.json")
    (folder / "events" / RUN / "again").symlink_to(folder / "events")
    world = open_world(str(folder))
    assert [r.run_id for r in drain(world)["runs"]] == [RUN]
    assert {"loop", "broken"} <= set(codes(world.receipt))


@posix
def test_pipes_and_sockets_are_not_opened(tmp_path):
    folder = written(tmp_path / "data", run(), event(1, "run_created"))
    os.mkfifo(folder / "runs" / f"{OTHER}.json")
    os.mkfifo(folder / "version.txt")
    world = open_world(str(folder))
    assert [r.run_id for r in drain(world)["runs"]] == [RUN]
    assert world.about["versionTxt"] is None
    assert codes(world.receipt).count("special") == 2
    tree = DiskTree(folder)
    with pytest.raises(NotReadable, match="pipe"):
        tree.read("version.txt", LIMIT)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_told(tmp_path):
    folder = written(tmp_path / "data", run(), run(OTHER), event(1, "run_created"))
    (folder / "runs" / f"{OTHER}.json").chmod(0)
    world = open_world(str(folder))
    assert [r.run_id for r in world.runs()] == [RUN, OTHER]
    assert "unreadable" in codes(world.receipt)


def test_huge_files_are_refused(tmp_path):
    folder = written(tmp_path / "data", run(), step(), step("step_2", note="x" * 5000))
    world = open_world(str(folder), limit={"file": 4000})
    assert [s.step_id for s in world.steps(RUN)] == ["step_01M8NVET2Q1207NWPAG2NV4SK8"]
    assert codes(world.receipt) == ["too-big"]
    sparse = folder / "runs" / f"{OTHER}.json"
    with sparse.open("wb") as file:
        file.truncate(8 << 30)
    again = open_world(str(folder))
    assert [r.synthesised for r in again.runs()] == [False, True]
    assert codes(again.receipt) == ["too-big"]


def test_a_file_that_grows_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)
    tree = DiskTree(tmp_path)
    real = os.fstat

    def fstat(handle):
        path.open("ab").write(b"y" * 100)
        return real(handle)

    before = os.stat(path)
    monkeypatch.setattr(os, "fstat", lambda handle: (fstat(handle), before)[1])
    assert len(tree.read("a", 1000)) >= 110
    with pytest.raises(NotReadable, match="grew"):
        tree.read("a", 150)


def test_stat_and_errors(tmp_path):
    (tmp_path / "a").write_bytes(b"12")
    tree = DiskTree(tmp_path)
    assert tree.stat("a").size == 2 and tree.stat("").kind == "dir"
    assert tree.stat("b") is None and tree.stat("a/b") is None and tree.stat("x" * 300) is None
    with pytest.raises(FileNotFoundError):
        tree.read("b", LIMIT)
    with pytest.raises((IsADirectoryError, PermissionError)):
        tree.read("", LIMIT)
    with pytest.raises(FileNotFoundError):
        tree.entries("b")
    with pytest.raises(NotADirectoryError):
        tree.entries("a")
    tree.close()


@posix
def test_names_that_are_no_text(tmp_path):
    folder = written(tmp_path / "data", run(), event(1, "run_created"))
    try:
        with open(os.fsencode(folder / "runs") + b"/wrun_\xff.json", "wb") as file:
            file.write(run(OTHER)[1])
    except OSError:
        pytest.skip("this file system takes no such names")
    world = open_world(str(folder))
    assert len(list(world.runs())) == 2
    assert drain(world)["events"]
