"""Frames: whole, several, split at every byte, too long, cut."""

import pytest

from eve_replay.codec import iter_frames
from eve_replay.codec.frames import MAX_FRAME, pieces


def frame(data):
    return len(data).to_bytes(4, "big") + data


def test_iter_frames():
    data = frame(b"one") + frame(b"") + frame(b"three")
    assert [(f.offset, f.data, f.complete) for f in iter_frames(data)] == [
        (0, b"one", True),
        (7, b"", True),
        (11, b"three", True),
    ]
    for cut in range(1, len(data)):
        found = list(iter_frames(data[:cut]))
        assert (
            b"".join(len(f.data).to_bytes(4, "big") + f.data for f in found if f.complete)
            == data[: found[-1].offset if not found[-1].complete else cut]
        )
    assert list(iter_frames(b"")) == []
    (bad,) = iter_frames(MAX_FRAME.to_bytes(4, "big") + b"rest")
    assert (bad.data, bad.complete) == (b"rest", False)


def parts(*chunks):
    return [(p.chunk_id, p.kind, p.data) for p in pieces((str(i), c) for i, c in enumerate(chunks))]


def test_frames_of_chunks():
    one, two = frame(b"devl[1]"), frame(b"devl[22]")
    assert parts(one + two) == [("0", "frame", b"devl[1]"), ("0", "frame", b"devl[22]")]
    assert parts(one, two) == [("0", "frame", b"devl[1]"), ("1", "frame", b"devl[22]")]
    assert parts(b"devl[1]", b"encr..") == [("0", "bare", b"devl[1]"), ("1", "bare", b"encr..")]
    assert parts(b'[{"a":1}]\n') == [("0", "text", b'[{"a":1}]\n')]
    assert parts(bytes(4) + b"x") == [("0", "text", bytes(4) + b"x")]
    assert parts(b"ab") == [("0", "text", b"ab")]


@pytest.mark.parametrize("size", range(1, 12))
def test_frames_split_anywhere(size):
    whole = frame(b"devl[1]") + frame(b"devl[22]") + frame(b"devl[333]")
    chunks = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert [data for _, kind, data in parts(*chunks) if kind == "frame"] == [
        b"devl[1]",
        b"devl[22]",
        b"devl[333]",
    ]
    owners = [int(owner) for owner, _, _ in parts(*chunks)]
    assert owners == [0, 11 // size, 23 // size]


def test_what_is_left_over():
    assert parts(frame(b"devl[1]") + b"\x00\x00") == [("0", "frame", b"devl[1]"), ("0", "cut", b"\x00\x00")]
    assert parts(frame(b"devl[1]")[:-1])[-1][1] == "cut"
    junk = b"\xff\xff\xff\xff????"
    assert parts(frame(b"devl[1]") + junk, frame(b"devl[2]")) == [
        ("0", "frame", b"devl[1]"),
        ("0", "junk", junk),
        ("1", "frame", b"devl[2]"),
    ]


def framed(text):
    data = b"devl" + text.encode()
    return len(data).to_bytes(4, "big") + data


@pytest.mark.parametrize("keep", [1, 3, 4, 6, 12, 20])
def test_a_cut_frame_does_not_swallow_its_neighbour(keep):
    """One stored chunk that was cut costs itself, wherever the cut is."""
    chunks = [
        framed('["one"]'),
        framed('["a longer second value, which is cut"]')[:keep],
        framed('["three"]'),
    ]
    found = list(pieces((str(n), data) for n, data in enumerate(chunks)))
    assert [(p.chunk_id, p.kind) for p in found if p.kind == "frame"] == [("0", "frame"), ("2", "frame")]
    assert [p.chunk_id for p in found if p.kind == "cut"] == ["1"]


@pytest.mark.parametrize("size", range(1, 30))
def test_frames_spread_over_chunks_stay_one(size):
    """A frame around text that itself looks like frames, cut into chunks of any size."""
    whole = framed(f"[{framed('[1]').decode('latin-1')!r}]") + framed('["next"]')
    chunks = [whole[at : at + size] for at in range(0, len(whole), size)]
    found = list(pieces((str(n), data) for n, data in enumerate(chunks)))
    assert [p.kind for p in found] == ["frame", "frame"]
