"""Fuzz targets of everything that decodes bytes or text without a store around it."""

from __future__ import annotations

import contextlib
import gzip
import json
import struct
from collections.abc import Callable

import zstandard

from eve_replay.codec import (
    KeyRing,
    Payload,
    byte_stream,
    dumps_tagged,
    iter_frames,
    loads_json,
    parse_record,
    session_events,
    stream_form,
    stream_values,
)
from eve_replay.codec.base64text import decode_base64
from eve_replay.codec.jsondeep import read_deep
from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.errors import EveReplayError
from eve_replay.redaction.redact import Redactor
from eve_replay.redaction.rules import find_secrets, is_secret_name, looks_base64
from eve_replay.redaction.text import PLAIN
from eve_replay.values import from_tagged, preview, same, to_tagged, type_name, walk
from eve_replay.worlds.cborx import decode_cbor
from eve_replay.worlds.hosted.wire_frames import read_frames
from eve_replay.worlds.layouts.parse import parse_layout
from eve_replay.worlds.layouts.v8 import V8Error, decode_v8
from eve_replay.worlds.mongo.bson import archive_documents, documents
from eve_replay.worlds.mongo.json import from_extended, split_documents
from eve_replay.worlds.redis.listpack import intset, listpack, lzf, ziplist
from tests.support.vectors import cbor, vectors

LIMIT = 1 << 22
_PACK = zstandard.ZstdCompressor(level=1)


def shown(value: object) -> None:
    """Do with a value what every front end does."""
    dumps_tagged(to_tagged(value, max_repeated=1000, max_text=100_000))
    assert preview(value).isprintable()
    assert type_name(value)
    assert same(value, value)


def asked(payload: Payload) -> None:
    """Ask a payload everything twice, spoil what it gave, and ask again: the answers stay the same."""
    shown(payload.value)
    assert isinstance(payload.problems, tuple) and isinstance(payload.layers, tuple)
    first = payload.lazy.value
    for at in ("$", "$.args[0].a", "$.x", "$[0]"):
        once = payload.at(at)
        assert same(once, payload.at(at)), at
        if isinstance(once, (dict, list)):
            once.clear()
    for number, child in enumerate(payload.lazy):
        assert same(child.value, child.value)
        if number > 20:
            break
    assert same(payload.lazy.value, first) and same(payload.value, payload.shared)


def alike(raw: bytes) -> None:
    """A part read by itself is the part of the whole."""
    whole = Payload(raw, limit=LIMIT)
    if whole.undecoded is not None:
        return
    for number, (trail, part) in enumerate(walk(whole.value)):
        steps = tuple(s for at in trail.segments() for s in (at if isinstance(at, tuple) else (at,)))
        assert same(Payload(raw, limit=LIMIT).at(steps), part), steps
        if number > 6:
            break


def payload(data: bytes) -> None:
    """A payload of any bytes, and one of devalue text."""
    if data[:1] == b"\x00":
        return asked(Payload(data[1:], limit=LIMIT))
    asked(Payload(b"devl" + data, limit=LIMIT))
    alike(b"devl" + data)
    found = parse_json(data.decode("utf-8", "replace"))
    if not isinstance(found, JsonFault):
        asked(Payload(found, limit=LIMIT))
    return None


def layers(data: bytes) -> None:
    """Compressed, sealed, damaged."""
    kind, body = (data[0] % 6, data[1:]) if data else (0, b"")
    raw = (
        b"zstd" + body,
        b"gzip" + body,
        b"zstd" + _PACK.compress(b"devl" + body),
        b"gzip" + gzip.compress(b"devl" + body, 1, mtime=0),
        b"encr" + body,
        b"encp" + body,
    )[kind]
    asked(Payload(raw, keys=KeyRing(default=bytes(32)), limit=LIMIT))


def json_text(data: bytes) -> None:
    """Records, JSON of any depth, tagged JSON."""
    text = data.decode("utf-8", "replace")
    try:
        deep: object = read_deep(text)
    except ValueError:
        deep = JsonFault
    fast = parse_json(text)
    if not text.startswith("\ufeff"):
        assert (deep is JsonFault) == isinstance(fast, JsonFault), "two readers of JSON disagree"
    record = parse_record(data, ("input", "output", "error"), data_fields=("error", "result", "input"))
    for value in (record.fields or {}).values():
        if isinstance(value, Payload):
            asked(value)
    decode_base64(text)
    with contextlib.suppress(ValueError):
        shown(from_tagged(loads_json(text)))


def cbor_bytes(data: bytes) -> None:
    """CBOR of Postgres and the hosted store."""
    shown(decode_cbor(data))


def clone(data: bytes) -> None:
    """Structured clones and BSON, extended JSON."""
    with contextlib.suppress(V8Error):
        shown(decode_v8(b"\xff\x0f" + data))
    for found in documents(data):
        if isinstance(found, dict):
            shown(found)
    for _, found in archive_documents(b"\x6d\xe2\x99\x81" + data):
        if isinstance(found, dict):
            shown(found)
    for _, value in split_documents(data):
        if not isinstance(value, JsonFault):
            shown(from_extended(value))


def streams(data: bytes) -> None:
    """Frames over chunks."""
    count = data[0] % 5 + 1 if data else 1
    body = data[1:]
    size = max(1, len(body) // count)
    chunks = [body[at : at + size] for at in range(0, len(body), size)]
    list(iter_frames(data))
    for item in stream_values(chunks):
        stream_form(item.value)
        assert isinstance(item.payload.problems, tuple)
    session_events(chunks)
    byte_stream(chunks, "framed-v1")
    byte_stream(chunks, "raw")
    read_frames(data)


def redaction(data: bytes) -> None:
    """Redaction keeps a payload readable, and finds the same secrets again."""
    text = data.decode("utf-8", "replace")
    for name, start, end in find_secrets(text):
        assert name and 0 <= start < end <= len(text)
    list(looks_base64(text))
    is_secret_name(text)
    redactor = Redactor(b"salt")
    redactor.plain({"text": text, "password": text, "list": [text]}, PLAIN)
    raw = b"devl" + data
    before = Payload(raw, limit=LIMIT)
    after = redactor.payload(before, PLAIN)
    if before.undecoded is None and not before.problems:  # what is damaged is blanked as a whole
        assert after.undecoded is None or after.undecoded.reason == "redacted", after.undecoded


def small_formats(data: bytes) -> None:
    """Packed lists of Redis, layouts in TOML."""
    for read in (listpack, ziplist):
        try:
            for number, _ in enumerate(read(data)):
                assert number <= len(data)
        except (ValueError, IndexError, struct.error):
            pass
    for short in (intset, lambda raw: lzf(raw, 4096)):
        with contextlib.suppress(ValueError, IndexError, struct.error):
            short(data)
    with contextlib.suppress(EveReplayError):
        parse_layout(data.decode("utf-8", "replace"))


def _payload_seeds() -> list[bytes]:
    found = [
        v.raw[4:] for v in vectors() if isinstance(v.raw, bytes) and v.raw[:4] == b"devl" and len(v.raw) < 400
    ]
    return [*found, b'[{"x":1},["Map",[2]],[3,4],"k","v"]', b'[["Set",[1,2]],"a","b"]']


def _layer_seeds() -> list[bytes]:
    kinds = (b"zstd", b"gzip")
    return [
        bytes([kinds.index(v.raw[:4])]) + v.raw[4:]
        for v in vectors()
        if isinstance(v.raw, bytes) and v.raw[:4] in kinds and len(v.raw) < 600
    ]


def _json_seeds() -> list[bytes]:
    return [
        b'{"runId":"wrun_1","input":{"__type":"Uint8Array","data":"ZGV2bFt7ImEiOjF9LDVd"},"eventData":{"error":[1]}}',
        b'{"$type":"Map","entries":[[1,{"$type":"BigInt","value":"12"}]]}',
        b'[1e400,-0,"\\ud800",{"a":[[[]]]}]',
    ]


def _secret_seeds() -> list[bytes]:
    joined = "sk-" + "ant-api03-" + "Ab1" * 30
    return [json.dumps([{"token": 1, "text": 2}, joined, "mail a@example.com"]).encode()]


TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "payload": (payload, _payload_seeds),
    "layers": (layers, _layer_seeds),
    "json": (json_text, _json_seeds),
    "cbor": (cbor_bytes, lambda: list(cbor().values())),
    "clone": (
        clone,
        lambda: [
            b'o"\x01aI\x02{\x01',
            b"\x16\x00\x00\x00\x02a\x00\x02\x00\x00\x00b\x00\x10n\x00\x01\x00\x00\x00\x00",
        ],
    ),
    "streams": (streams, lambda: [b'\x01\x00\x00\x00\x0bdevl["abc"]\x00\x00\x00\x06devl-1']),
    "redaction": (redaction, _secret_seeds),
    "small-formats": (
        small_formats,
        lambda: [
            b"\x0b\x00\x00\x00\x01\x00\x83abc\x04\xff",
            b'name = "x"\nreader = "sql"\n[runs]\ntable = "a"\n',
        ],
    ),
}
