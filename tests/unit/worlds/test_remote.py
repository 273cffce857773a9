"""Data folders on file systems of fsspec, in memory and inside archives."""

from __future__ import annotations

import sys
import uuid
import zipfile

import pytest

from eve_replay.errors import SourceUnreadable, UnknownSource
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.registry import open_world
from eve_replay.worlds.remote import FsspecTree, opener
from tests.support.corpus import archive, data

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def place():
    fs = fsspec.filesystem("memory")
    root = f"/{uuid.uuid4().hex}"
    yield fs, root
    if fs.exists(root):
        fs.rm(root, recursive=True)


def same(world, other):
    ours, theirs = dump_document(world), dump_document(other)
    del ours["world"], theirs["world"]
    return ours == theirs


def put(fs, root, folder):
    for path in folder.rglob("*"):
        if path.is_file():
            fs.pipe(f"{root}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def test_a_remote_project_reads_as_the_local_one(place):
    fs, root = place
    put(fs, f"{root}/app/.workflow-data", data("crash-in-tool"))
    world = open_world(f"memory:/{root}/app")
    assert world.kind == "local"
    assert world.label == f"memory:/{root}/app/.workflow-data"
    assert same(world, open_world(str(data("crash-in-tool"))))


def test_the_contract_holds(place):
    fs, root = place
    put(fs, root, data("local-sdk/local5_sleephook"))
    assert check_world(lambda: opener.open(f"memory:/{root}"))


def test_each_folder_is_listed_once(place, monkeypatch):
    fs, root = place
    put(fs, root, data("local-sdk/local5_sleephook"))
    listed = []
    real = type(fs).ls

    def ls(self, path, *args, **kwargs):
        listed.append(path)
        return real(self, path, *args, **kwargs)

    monkeypatch.setattr(type(fs), "ls", ls)
    dump_document(open_world(f"memory:/{root}"))
    assert len(listed) == len(set(listed))


def test_zip_and_remote_archives(place, tmp_path):
    fs, root = place
    folder = data("crash-in-tool")
    packed = tmp_path / "x.zip"
    with zipfile.ZipFile(packed, "w") as zipped:
        for path in sorted(folder.rglob("*")):
            zipped.write(path, path.relative_to(folder).as_posix())
    local = open_world(str(folder))
    assert same(open_world(str(packed)), local)
    assert same(open_world(f"zip://::{packed}"), local)
    fs.pipe(f"{root}/x.zip", packed.read_bytes())
    fs.pipe(f"{root}/y.tar.xz", archive("crash-in-tool").read_bytes())
    assert same(open_world(f"memory:/{root}/x.zip"), local)
    assert same(open_world(f"memory:/{root}/y.tar.xz"), local)


def test_what_is_not_there_is_said(place):
    fs, root = place
    with pytest.raises((UnknownSource, SourceUnreadable)):
        open_world(f"memory:/{root}")
    fs.pipe(f"{root}/readme.txt", b"x")
    with pytest.raises(UnknownSource, match=r"readme\.txt"):
        open_world(f"memory:/{root}")


def test_missing_packages_are_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(SourceUnreadable) as caught:
        open_world("s3://bucket/data")
    assert "eve-replay[remote]" in str(caught.value)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(SourceUnreadable) as caught:
        open_world("s3://bucket/data")
    assert "s3fs" in str(caught.value)


def test_errors_of_the_package_become_ours_and_show_no_password():
    class Broken:
        def ls(self, path, detail=True):
            raise RuntimeError("access denied")

    with pytest.raises(OSError, match="access denied"):
        FsspecTree(Broken(), "b", label="x").entries("")
    with pytest.raises((SourceUnreadable, UnknownSource)) as caught:
        opener.open("ftp://user:hunter2@127.0.0.1:1/data")
    assert "hunter2" not in str(caught.value)


def test_other_addresses_are_left_to_others():
    for source in ("postgres://h/d", "redis://h", "vercel://t/p", "https://x", "/a/b", "x.everun"):
        assert opener.recognises(source) == 0.0
    assert opener.recognises("s3://b/p") > 0.8


def test_a_place_with_nothing_in_it_is_said_as_that():
    with pytest.raises(UnknownSource, match="There is nothing at memory://nowhere/data"):
        open_world("memory://nowhere/data")
