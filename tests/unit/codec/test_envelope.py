"""Prefixes, nesting, bounded decompression, and what tells one damage from another."""

import gzip
import resource
import sys
import zlib

import pytest
import zstandard

from eve_replay.codec import DEFAULT_LIMIT, Payload, open_envelope, zstdlib
from eve_replay.codec.failure import LayerError
from eve_replay.codec.gzip import ungzip
from eve_replay.codec.zstd import unzstd

TEXT = b'devl["' + b"payload " * 400 + b'"]'


def zstd(data, **options):
    return zstandard.ZstdCompressor(**options).compress(data)


def zstd_stream(data):
    """As Node's streaming writer makes it: the frame does not say how big its content is."""
    stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return stream.compress(data) + stream.flush()


def reason_of(raw, **options):
    opened = open_envelope(raw, **options)
    assert opened.text is None and opened.failure is not None
    return opened.failure.reason


@pytest.mark.parametrize("frame", [zstd(TEXT), zstd_stream(TEXT), zstd(TEXT, write_checksum=True)])
def test_zstd_tells_whole_truncated_trailing_damaged_and_garbage_apart(frame):
    opened = open_envelope(b"zstd" + frame)
    assert (opened.text, opened.layers, opened.problems) == (TEXT[4:], ("zstd", "devl"), ())

    for cut in range(len(frame)):
        assert reason_of(b"zstd" + frame[:cut]) == "truncated", cut

    opened = open_envelope(b"zstd" + frame + b"garbage", where="here")
    assert opened.text == TEXT[4:]
    assert [(p.code, p.where) for p in opened.problems] == [("trailing", "here")]
    assert "7 bytes" in opened.problems[0].message

    opened = open_envelope(b"zstd" + frame + frame)
    assert opened.text == TEXT[4:] and [p.code for p in opened.problems] == ["trailing"]

    assert reason_of(b"zstd" + b"not a frame at all") == "not-zstd"
    assert reason_of(b"zstd" + b"xx" + frame) == "not-zstd"


def test_a_changed_bit_of_a_checked_frame_is_noticed():
    frame = bytearray(zstd(bytes(range(256)) * 20, write_checksum=True))
    frame[-1] ^= 1
    assert reason_of(b"zstd" + bytes(frame)) == "damaged"


def test_a_frame_that_lies_about_its_size():
    honest = zstd(TEXT)
    # Byte 4 is the descriptor, the declared size follows it; make it one more than is inside.
    lying = bytearray(honest)
    lying[5] ^= 1
    assert zstandard.get_frame_parameters(bytes(lying)).content_size != len(TEXT)
    assert reason_of(b"zstd" + bytes(lying)) == "damaged"


def test_a_skippable_frame_is_an_empty_payload_or_an_error_never_an_exception():
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert reason_of(b"zstd" + skippable) in ("truncated", "not-zstd", "damaged")
    assert reason_of(b"zstd" + skippable + zstd(TEXT)) in ("truncated", "not-zstd", "damaged")


def test_gzip_tells_whole_truncated_trailing_damaged_and_garbage_apart():
    member = gzip.compress(TEXT, mtime=0)
    opened = open_envelope(b"gzip" + member)
    assert (opened.text, opened.layers) == (TEXT[4:], ("gzip", "devl"))
    for cut in range(len(member)):
        assert reason_of(b"gzip" + member[:cut]) in ("truncated", "not-gzip" if cut < 2 else "truncated")
    assert reason_of(b"gzip" + member + b"x") == "trailing"
    assert reason_of(b"gzip" + member + member) == "trailing"
    assert reason_of(b"gzip" + b"not a member") == "not-gzip"
    bad = bytearray(member)
    bad[-5] ^= 1
    assert reason_of(b"gzip" + bytes(bad)) == "damaged"
    assert reason_of(b"gzip" + zlib.compress(TEXT)) == "not-gzip"
    offset = open_envelope(b"gzip" + member + b"x").failure.offset
    assert offset == 4 + len(member)


@pytest.mark.parametrize("compress", [zstd, zstd_stream])
@pytest.mark.parametrize("extra", [0, 1])
def test_the_limit_is_exact(compress, extra):
    content = b"devl" + b"1" * 5000
    raw = b"zstd" + compress(content)
    assert open_envelope(raw, limit=len(content)).text == content[4:]
    assert reason_of(raw, limit=len(content) - 1 - extra) == "too-big"
    raw = b"gzip" + gzip.compress(content)
    assert open_envelope(raw, limit=len(content)).text == content[4:]
    assert reason_of(raw, limit=len(content) - 1 - extra) == "too-big"
    assert reason_of(content, limit=4999) == "too-big"


@pytest.fixture(scope="module")
def bombs():
    """1 GiB of zeros in a few kilobytes, made without ever holding it."""
    made = {}
    piece = bytes(1 << 20)
    for name, size in (("declared", 1 << 30), ("undeclared", -1)):
        stream = zstandard.ZstdCompressor(write_content_size=size >= 0).compressobj(size=size)
        made[name] = b"zstd" + b"".join(stream.compress(piece) for _ in range(1024)) + stream.flush()
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    made["gzip"] = b"gzip" + b"".join(stream.compress(piece) for _ in range(1024)) + stream.flush()
    return made


@pytest.mark.parametrize("name", ["declared", "undeclared", "gzip"])
def test_a_bomb_is_refused_without_allocating_it(bombs, name):
    raw = bombs[name]
    assert len(raw) < 2_000_000
    scale = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    payload = Payload(raw)
    assert payload.undecoded.reason == "too-big"
    for fresh in (payload, Payload(raw)):
        assert fresh.at("$.args[0]").reason == "too-big"
        assert fresh.lazy.get("a", 0).value.reason == "too-big"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale - before
    assert grown < 64 << 20
    assert str(DEFAULT_LIMIT) in payload.undecoded.message
    assert DEFAULT_LIMIT == 64 << 20


def test_a_tiny_frame_that_declares_much_is_refused_by_its_word():
    frame = b"\x28\xb5\x2f\xfd\xe0" + (1 << 40).to_bytes(8, "little") + b"\x01\x00\x00"
    assert reason_of(b"zstd" + frame) == "too-big"


@pytest.mark.parametrize(
    ("raw", "reason", "layers"),
    [
        (b"", "truncated", ()),
        (b"dev", "truncated", ()),
        (b"DEVL[1]", "bad-prefix", ()),
        (b"\x00\x00\x00\x00", "bad-prefix", ()),
        ("dévl".encode(), "bad-prefix", ()),
        (b"cbor[1]", "unsupported-prefix", ("cbor",)),
        (b"zstd" + zstd(b"zstd" + zstd(TEXT)), "unsupported-prefix", ("zstd", "zstd")),
        (b"zstd" + zstd(b"gzip" + gzip.compress(TEXT, mtime=0)), "unsupported-prefix", ("zstd", "gzip")),
        (b"gzip" + gzip.compress(b"encr" + bytes(40), mtime=0), "unsupported-prefix", ("gzip", "encr")),
        (b"zstd" + zstd(b"dev"), "truncated", ("zstd",)),
        (b"encr" + bytes(40), "missing-key", ("encr",)),
        (b"encp" + bytes(80), "missing-key", ("encp",)),
    ],
)
def test_nesting(raw, reason, layers):
    opened = open_envelope(raw)
    assert (opened.failure.reason, opened.layers) == (reason, layers)


def test_layer_functions_say_what_they_need():
    with pytest.raises(LayerError, match="limit"):
        ungzip(gzip.compress(b"x" * 100), 10)
    with pytest.raises(LayerError, match="limit"):
        unzstd(zstd(b"x" * 100), 10)
    assert unzstd(zstd(b""), 0) == (b"", 0)
    assert ungzip(gzip.compress(b""), 0) == b""


def test_no_zstd_library_is_a_reason(monkeypatch):
    def none():
        raise ImportError("no module named zstandard")

    monkeypatch.setattr(zstdlib, "library", none)
    payload = Payload(b"zstd" + zstd(TEXT))
    assert payload.undecoded.reason == "missing-library"
    assert payload.lazy.value.reason == "missing-library"
