"""Archives as trees: what is refused, what survives damage, that it equals the folder."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import Limits, OverLimit
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.names import is_archive_name
from eve_replay.worlds.local.tree import MemoryTree, NotReadable
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import RUN, codes, run


def tar_of(path, *members):
    with tarfile.open(path, "w:gz") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if isinstance(data, bytes):
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            else:
                info.type, info.linkname = data.encode(), "/etc/passwd"
                tar.addfile(info)
    return path


def test_an_archive_shows_what_the_folder_shows():
    packed = dump_document(open_world(str(corpus.archive("crash-in-tool"))))
    folder = dump_document(open_world(str(corpus.data("crash-in-tool"))))
    for part in ("runs", "steps", "events", "hooks", "waits", "streams"):
        assert packed[part] == folder[part]


def test_names_that_leave_the_archive_are_refused_and_told(tmp_path):
    path = tar_of(
        tmp_path / "evil.tar.gz",
        run(),
        ("../outside.json", b"{}"),
        ("/absolute.json", b"{}"),
        ("C:/x.json", b"{}"),
        ("runs/link.json", "2"),
        ("runs/pipe.json", "6"),
        ("runs/device.json", "3"),
        ("./", "5"),
    )
    world = open_world(str(path))
    assert [r.run_id for r in world.runs()] == [RUN]
    assert len(world.receipt.skipped) == 6
    assert set(codes(world.receipt)) == {"rejected-name"}


def test_a_cut_archive_shows_its_first_files(tmp_path):
    data = corpus.archive("crash-in-tool").read_bytes()
    path = tmp_path / "cut.tar.xz"
    path.write_bytes(data[: len(data) * 2 // 3])
    tree = archive_tree(path)
    assert tree.rejected and "cut or damaged" in next(iter(tree.rejected.values()))


def test_too_much_in_one_archive(tmp_path):
    path = tar_of(tmp_path / "big.tar.gz", ("a", b"x" * 1_000_000), ("b", b"y" * 1_000_000))
    tree = archive_tree(path, limits=Limits(unpacked=1_500_000))
    assert [entry.name for entry in tree.entries("")] == ["a"]
    assert "--limit unpacked=3000000" in tree.rejected["after a"]
    with pytest.raises(OverLimit, match="more than 500,000 bytes"):
        archive_tree(path, limits=Limits(unpacked=500_000))
    tree = archive_tree(path, limits=Limits(file=500_000))
    assert set(tree.rejected) == {"a", "b"} and "--limit file=2000000" in tree.rejected["a"]


def test_a_zip_is_unpacked_member_by_member(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(*run())
        out.writestr("../x", b"1")
        out.writestr("empty/", b"")
        out.writestr("bomb", b"\0" * 1_000_000)
    tree = archive_tree(path)
    assert tree.stat("empty").kind == "dir" and tree.stat("bomb").kind == "file"
    assert "../x" in tree.rejected
    with pytest.raises(NotReadable, match="limit"):
        tree.read("bomb", 1000)
    assert len(tree.read("bomb", 2_000_000)) == 1_000_000
    tree.close()
    tree.close()


def test_a_damaged_member_of_a_zip_costs_that_member_only(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(*run())
        out.writestr(*run("wrun_2"))
    data = path.read_bytes()
    at = data.index(b'"runId": "wrun_2"')
    path.write_bytes(data[: at + 3] + b"#" + data[at + 4 :])
    world = open_world(str(path))
    assert [r.synthesised for r in world.runs()] == [False, True]
    assert "damaged" in codes(world.receipt)


def test_what_counts_as_an_archive():
    assert is_archive_name("a.TAR.GZ") and is_archive_name("a.zip") and not is_archive_name("a.json")


def test_memory_tree():
    tree = MemoryTree({"a/b": b"12", "late": lambda limit: b"x" * 9}, folders=["c/d"], mtimes={"a/b": 7})
    assert [(e.name, e.kind) for e in tree.entries("")] == [("a", "dir"), ("c", "dir"), ("late", "file")]
    assert tree.stat("a/b").mtime_ns == 7 and tree.stat("c/d").kind == "dir" and tree.stat("x") is None
    assert tree.stat("late").size == 0 and tree.read("late", 10) == b"x" * 9
    with pytest.raises(NotReadable):
        tree.read("late", 8)
    with pytest.raises(FileNotFoundError):
        tree.read("x", 1)
    with pytest.raises(FileNotFoundError):
        tree.entries("x")
    with pytest.raises(NotADirectoryError):
        tree.entries("late")
    tree.close()


def test_a_tar_in_zstd(tmp_path):
    from eve_replay.codec.zstdlib import deflate

    plain = gzip.decompress(tar_of(tmp_path / "a.tar.gz", run()).read_bytes())
    (tmp_path / "a.tar.zst").write_bytes(deflate(plain, 3))
    assert [r.run_id for r in open_world(str(tmp_path / "a.tar.zst")).runs()] == [RUN]
    (tmp_path / "b.tar.zst").write_bytes(b"no zstd at all")
    with pytest.raises(SourceUnreadable, match="is not a readable archive"):
        archive_tree(tmp_path / "b.tar.zst")
    # A bomb of zeroes ends at the same limits as every other packed archive.
    zeroes = gzip.decompress(tar_of(tmp_path / "c.tar.gz", ("a", bytes(32 << 20))).read_bytes())
    (tmp_path / "c.tar.zst").write_bytes(deflate(zeroes, 3))
    with pytest.raises((OverLimit, SourceUnreadable)):
        archive_tree(tmp_path / "c.tar.zst", limits=Limits(unpacked=1 << 20))
