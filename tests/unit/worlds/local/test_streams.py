"""Streams: both layouts, end flags, losses (docs/formats/local.md#streams)."""

from __future__ import annotations

import pytest

from eve_replay.errors import NotFound
from eve_replay.records import StreamRecord
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.folders import OTHER, RUN, codes, drain, packed, run, world

OWN = f"strm_{RUN[5:]}_user"
ABORT = "strm_01M8NW2268M2ERXRBWF6059J1H_system_abort"
CHUNK = "chnk_01M8NVETB8JW9GHDXTQZ56P49"


def index(*names, run_id=RUN):
    return f"streams/runs/{run_id}.json", packed({"streams": list(names)})


def chunk(n, data, stream=OWN, *, flat=False, ending=".bin"):
    sep = "-" if flat else "/"
    return f"streams/chunks/{stream}{sep}{CHUNK}{n}{ending}", data


def read(opened, name=OWN):
    return [(c.chunk_id[-1], c.data, c.end) for c in opened.stream(RUN, name)]


@pytest.mark.parametrize("flat", [False, True])
def test_chunks_come_in_the_order_of_their_names(flat):
    opened = world(
        run(),
        index(OWN),
        chunk(2, b"\0two", flat=flat),
        chunk(1, b"\0one", flat=flat),
        chunk(3, b"\1", flat=flat),
    )
    assert [o.name for o in opened.others(RUN) if isinstance(o, StreamRecord)] == [OWN]
    assert read(opened) == [("1", b"one", False), ("2", b"two", False), ("3", b"", True)]
    assert codes(opened.receipt) == []


def test_both_layouts_of_one_stream():
    opened = world(run(), index(OWN), chunk(2, b"\0two", flat=True), chunk(1, b"\0one"))
    assert [n for n, _, _ in read(opened)] == ["1", "2"]


def test_old_chunks_with_another_ending():
    opened = world(
        run(),
        index(OWN),
        chunk(1, b"\0old", ending=".json"),
        chunk(1, b"\0new"),
        chunk(2, b"\0x", ending=".json"),
    )
    assert read(opened) == [("1", b"new", False), ("2", b"x", False)]


def test_tagged_chunks():
    opened = world(run(), index(OWN), chunk(1, b"\0one", ending=".vitest-1.bin"))
    assert read(opened) == [("1", b"one", False)]


def test_chunks_after_the_end_are_kept_and_told():
    opened = world(run(), index(OWN), chunk(1, b"\1"), chunk(2, b"\0late"), chunk(3, b"\1"))
    assert len(read(opened)) == 3
    assert codes(opened.receipt) == ["chunks-after-end"]


def test_a_recording_with_chunks_after_the_end():
    opened = open_world(str(corpus.data("local-sdk/local4_rich")))
    drain(opened)
    [run_id] = [r.run_id for r in opened.runs()]
    chunks = list(opened.stream(run_id, f"strm_{run_id[5:]}_user"))
    assert [c.end for c in chunks] == [False, False, True, False]


def test_damaged_chunks():
    opened = world(run(), index(OWN), chunk(1, b""), chunk(2, b"\7x"))
    assert read(opened) == [("1", b"", False), ("2", b"x", False)]
    assert codes(opened.receipt) == ["empty-chunk", "bad-end-flag"]


def test_a_purged_stream_is_one_end_marker():
    opened = open_world(str(corpus.data("retention-0")))
    purged = [
        list(opened.stream(o.run_id, o.name))
        for r in opened.runs()
        for o in opened.others(r.run_id)
        if isinstance(o, StreamRecord)
    ]
    assert purged and all(len(c) == 1 and c[0].end for c in purged)


def test_a_stream_without_index_goes_to_the_run_of_its_name():
    opened = world(run(), run(OTHER), chunk(1, b"\0one"))
    assert [o.name for o in opened.others(RUN) if isinstance(o, StreamRecord)] == [OWN]
    assert codes(opened.receipt) == ["unlisted-stream"]


def test_a_stream_that_no_run_claims():
    opened = world(run(), run(OTHER), chunk(1, b"\0one", ABORT))
    drain(opened)
    [problem] = opened.receipt.problems
    assert problem.code == "orphan-stream" and ABORT in problem.where
    assert read(opened, ABORT) == [("1", b"one", False)]


def test_an_index_that_names_what_is_not_there():
    opened = world(run(), index(OWN))
    drain(opened)
    assert read(opened) == []
    with pytest.raises(NotFound):
        opened.stream(RUN, ABORT)


@pytest.mark.parametrize("name", ["../../secret", "a/b", "a\\b", "..", "", 7, None, "\ud800"])
def test_an_index_that_leads_out_of_the_folder(name):
    opened = world(run(), ("streams/secret", b"x"), index(name, OWN), chunk(1, b"\0one"))
    assert [o.name for o in opened.others(RUN) if isinstance(o, StreamRecord)] == [OWN]
    assert len(opened.receipt.skipped) == 1


def test_an_index_that_is_no_list():
    opened = world(run(), (f"streams/runs/{RUN}.json", packed({"streams": {"a": 1}})))
    drain(opened)
    assert codes(opened.receipt) == ["bad-index"]


def test_strange_files_between_the_chunks():
    opened = world(
        run(),
        index(OWN),
        chunk(1, b"\0x"),
        (f"streams/chunks/{OWN}/note.txt", b""),
        ("streams/chunks/x.txt", b""),
    )
    drain(opened)
    list(opened.stream(RUN, OWN))
    assert len(opened.receipt.skipped) == 2
