"""The two zstd libraries give the same answers, on good frames and on every kind of bad one."""

import importlib
import subprocess
import sys

import pytest

from eve_replay.codec import zstdlib
from eve_replay.codec.failure import LayerError
from eve_replay.codec.zstd import unzstd

SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
TEXT = b"payload " * 4000


def libraries():
    for name in ("zstandard", "compression.zstd", "backports.zstd"):
        try:
            found = importlib.import_module(name)
        except ImportError:
            missing = pytest.mark.skip(reason=f"{name} is not installed")
            yield pytest.param(None, id=name, marks=missing)
        else:
            yield pytest.param(found, id=name)


@pytest.fixture(params=libraries(), autouse=True)
def library(request, monkeypatch):
    monkeypatch.setattr(zstdlib, "library", lambda: request.param)
    return request.param


def undeclared(*pieces):
    stream = zstdlib.deflater(3)
    return b"".join(map(stream.compress, pieces)) + stream.finish()


def reason(data, limit=1 << 20):
    with pytest.raises(LayerError) as caught:
        unzstd(data, limit)
    return caught.value.reason


@pytest.mark.parametrize("make", [lambda data: zstdlib.deflate(data, 3), undeclared])
@pytest.mark.parametrize("content", [b"", b"x", TEXT])
def test_whole_truncated_trailing_and_over_the_limit_are_told_apart(make, content):
    frame = make(content)
    assert unzstd(frame, len(content)) == (content, 0)
    assert unzstd(frame + b"garbage", 1 << 20) == (content, 7)
    assert unzstd(frame + frame, 1 << 20) == (content, len(frame))
    for cut in range(len(frame)):
        assert reason(frame[:cut]) == "truncated", cut
    if content:
        assert reason(frame, len(content) - 1) == "too-big"


def test_undeclared_means_undeclared_and_declared_is_read():
    assert zstdlib.declared_size(undeclared(TEXT)) is None
    assert zstdlib.declared_size(zstdlib.deflate(TEXT, 3)) == len(TEXT)


def test_garbage_and_damage():
    assert reason(b"not a frame at all") == "not-zstd"
    checked = bytearray(undeclared(bytes(range(256)) * 20))
    checked[-1] ^= 1
    assert reason(bytes(checked)) == "damaged"
    lying = bytearray(zstdlib.deflate(TEXT, 3))
    lying[5] ^= 1
    assert zstdlib.declared_size(bytes(lying)) != len(TEXT)
    assert reason(bytes(lying)) == "damaged"


def test_a_skippable_frame_holds_nothing():
    for data in (SKIPPABLE, SKIPPABLE + zstdlib.deflate(TEXT, 3)):
        try:
            content, _ = unzstd(data, 1 << 20)
        except LayerError as error:
            assert error.reason in ("damaged", "not-zstd")
        else:
            assert content == b""


def test_a_bomb_is_refused_with_little_memory():
    import tracemalloc

    piece = bytes(1 << 20)
    bomb = undeclared(*[piece] * 256)
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        assert reason(bomb, 4 << 20) == "too-big"
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40 << 20
    declared = zstdlib.deflate(piece * 16, 3)
    assert reason(declared, 1 << 20) == "too-big"


def test_a_block_can_be_read_before_the_frame_ends():
    writer, reader = zstdlib.deflater(6), zstdlib.inflater()
    first = writer.compress(b"first") + writer.block()
    assert reader.decompress(first) == b"first" and not reader.eof
    assert reader.decompress(writer.compress(b"second") + writer.finish()) == b"second"
    assert reader.eof and reader.unused_data == b""


def test_a_lasting_reader_is_not_disturbed_by_other_frames():
    frame = zstdlib.deflate(bytes(range(256)) * 4000, 3)
    reader = zstdlib.inflater()
    got = reader.decompress(frame[:100])
    unzstd(zstdlib.deflate(TEXT, 3), 1 << 20)
    unzstd(undeclared(TEXT), 1 << 20)
    assert got + reader.decompress(frame[100:]) == bytes(range(256)) * 4000


def test_zstandard_comes_first_and_without_any_the_reason_names_it():
    script = (
        "import sys\n"
        "for name in sys.argv[1:]: sys.modules[name] = None\n"
        "from eve_replay.codec import zstdlib\n"
        "try: print(zstdlib.library().__name__)\n"
        "except ImportError as error: print(error)\n"
    )

    def told(*hidden):
        words = [sys.executable, "-c", script, *hidden]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    assert told() == "zstandard"
    assert told("zstandard") != "zstandard"
    assert "zstandard" in told("zstandard", "compression", "compression.zstd", "backports", "backports.zstd")
