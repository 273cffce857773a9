"""Reading next to a live server: half-written files, busy files, files that vanish."""

from __future__ import annotations

import errno
import threading
import time

import pytest

from eve_replay.problems import Receipt
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.tree import MemoryTree
from eve_replay.worlds.local.world import LocalWorld
from tests.support.folders import OTHER, RUN, codes, drain, event, run, step, written


class Flaky(MemoryTree):
    """A live tree whose reads go through ``plan``: per path a list of bytes or exceptions, then the file."""

    live = True

    def __init__(self, files, plan=None, lists=None):
        super().__init__(files)
        self.plan = plan or {}
        self.lists = lists or {}
        self.reads = []

    def read(self, path, limit):
        self.reads.append(path)
        return self._next(self.plan, path) or super().read(path, limit)

    def entries(self, path):
        self._next(self.lists, path)
        return super().entries(path)

    def _next(self, plan, path):
        steps = plan.get(path, [])
        found = steps.pop(0) if steps else None
        if isinstance(found, BaseException):
            raise found
        return found


def files(tree):
    waited = []
    return Files(tree, Receipt(), pause=waited.append), waited


def oserror(code):
    return OSError(code, errno.errorcode[code])


@pytest.mark.parametrize("cuts", [1, 2, 3])
def test_a_half_written_file_is_read_again(cuts):
    path, data = run()
    reader, waited = files(Flaky({path: data}, {path: [data[: 10 * n] for n in range(1, cuts + 1)]}))
    assert reader.record(path, "run record")["runId"] == RUN
    assert len(waited) == cuts
    assert reader.receipt.clean and reader.receipt.seen == reader.receipt.parsed == 1


def test_a_file_that_stays_torn_is_reported_once():
    path, data = run()
    reader, waited = files(Flaky({path: data[:50]}))
    assert reader.record(path, "run record") is None
    assert reader.record(path, "run record") is None
    assert codes(reader.receipt) == ["torn-file"] and len(reader.receipt.skipped) == 1
    assert "look again" in reader.receipt.problems[0].hint
    assert len(waited) == 6


def test_a_folder_full_of_torn_files_is_not_waited_for():
    torn = {f"runs/wrun_{n}.json": b"{" for n in range(200)}
    reader, waited = files(Flaky(torn))
    for path in torn:
        assert reader.record(path, "run record") is None
    assert len(waited) < 12 and sum(waited) < 1
    assert len(reader.receipt.skipped) == 200


def test_nobody_waits_for_an_archive():
    reader, waited = files(MemoryTree({"a.json": b"{"}))
    assert reader.record("a.json", "run record") is None
    assert waited == []


@pytest.mark.parametrize("code", [errno.EPERM, errno.EBUSY, errno.EACCES])
def test_a_busy_file_is_tried_once_more(code):
    path, data = run()
    reader, waited = files(Flaky({path: data}, {path: [oserror(code)]}))
    assert reader.record(path, "run record") is not None
    assert len(waited) == 1 and reader.receipt.clean


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES, errno.EIO])
def test_a_file_that_stays_unreadable_is_reported(code):
    path, data = run()
    reader, _ = files(Flaky({path: data}, {path: [oserror(code)] * 9}))
    assert reader.record(path, "run record") is None
    [problem] = reader.receipt.problems
    assert problem.code == "unreadable" and problem.where == path
    assert bool(problem.hint) == (code != errno.EIO)


def test_a_busy_folder_is_tried_once_more():
    path, data = run()
    tree = Flaky({path: data}, lists={"runs": [oserror(errno.EBUSY)]})
    reader, waited = files(tree)
    assert reader.listing("runs").files and len(waited) == 1
    tree.lists["runs"] = [oserror(errno.EIO)]
    assert not reader.listing("runs")
    assert codes(reader.receipt) == ["unreadable"]


def test_a_file_removed_between_listing_and_reading_is_no_loss():
    path, data = run()
    reader, _ = files(Flaky({path: data}, {path: [FileNotFoundError(2, "gone")]}))
    assert reader.record(path, "hook record") is None
    assert codes(reader.receipt) == ["vanished"] and reader.receipt.clean


def test_what_lies_in_a_closed_folder_is_not_called_missing():
    files_held = dict([run(), event(1, "step_created", correlationId="step_1"), step("step_1")])
    world = LocalWorld(Flaky(files_held, lists={"steps": [oserror(errno.EACCES)] * 50}))
    drain(world)
    assert set(codes(world.receipt)) == {"unreadable"}


def test_a_missing_folder_is_empty():
    reader, _ = files(MemoryTree({"a": b""}))
    assert not reader.listing("nothing") and not reader.listing("a")
    assert reader.receipt.clean


def test_a_record_nested_beyond_reason():
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    reader, _ = files(MemoryTree({"a.json": deep}))
    assert reader.record("a.json", "record") is not None


def test_reading_next_to_a_writer(tmp_path):
    """A writer that truncates and writes in two halves, as network drives and other writers do."""
    path, data = run()
    folder = written(tmp_path, (path, data), event(1, "run_created"), step())
    stop = threading.Event()

    def write():
        while not stop.is_set():
            with (folder / path).open("wb") as file:
                file.write(data[: len(data) // 2])
                file.flush()
                time.sleep(0.001)
                file.write(data[len(data) // 2 :])
            time.sleep(0.03)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            world = LocalWorld(DiskTree(folder))
            [found] = world.runs()
            assert found.status == "running" and not found.synthesised
            assert not [p for p in world.receipt.problems if p.severity == "error"]
    finally:
        stop.set()
        writer.join()


def test_a_world_seen_twice_shows_what_is_new():
    """Events that appear between two readings are seen: folder listings are not trusted at first sight."""
    held = dict([run(), event(1, "run_created"), step()])
    tree = Flaky(held)
    world = LocalWorld(tree)
    assert len(drain(world)["events"]) == 1
    tree.__init__(held | dict([event(2, "run_started"), run(OTHER)]))
    assert len(list(world.events(RUN))) == 2
