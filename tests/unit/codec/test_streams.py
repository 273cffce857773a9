"""Streams of every kind, whole and damaged; nothing raises, nothing is dropped silently."""

import json
from dataclasses import dataclass

import pytest

from eve_replay.codec import KeyRing, byte_stream, session_events, stream_form, stream_values
from eve_replay.values import JsBytes, Undecoded
from tests.support.corpus import data, load_json, scenario
from tests.support.devalue import payload_bytes
from tests.support.vectors import vector


@dataclass(frozen=True)
class Chunk:
    chunk_id: str
    data: bytes
    end: bool = False


def frame(value):
    raw = value if isinstance(value, bytes) else payload_bytes(value)
    return len(raw).to_bytes(4, "big") + raw


def line(*events):
    text = "".join(json.dumps(event) + "\n" for event in events)
    return frame(JsBytes("Uint8Array", text.encode()))


def codes(found):
    return [problem.code for problem in found.problems]


def recorded(name):
    """Yield ``(stream name, chunks, the vendor's reading)`` of a local recording."""
    folder = data(name) / "streams" / "chunks"
    for stream, expected in load_json(scenario(name) / "oracle.json")["streams"].items():
        nested = (folder / stream).is_dir()
        files = sorted((folder / stream).iterdir() if nested else folder.glob(f"{stream}-*.bin"))
        raw = [path.read_bytes() for path in files]
        yield stream, [Chunk(p.stem, b[1:], b[0] == 1) for p, b in zip(files, raw, strict=True)], expected


@pytest.mark.parametrize(
    "name", ["simple-turn", "cancelled-turn", "older-0.20.0", "older-0.50.0", "subagent"]
)
def test_recorded_streams_are_read_as_the_vendor_does(name):
    for stream, chunks, expected in recorded(name):
        found = stream_values(chunks, where=stream)
        assert [stream_form(item.value) for item in found] == expected["values"]
        assert (found.chunks, found.done) == (expected["chunks"], expected["done"])
        assert not found.problems
        if stream.endswith("_user"):
            events = session_events(chunks, where=stream)
            assert [e for _, e in events] == [e for v in expected["values"] for e in v["lines"]]
            assert not events.problems and events.done == found.done


def test_several_frames_in_a_chunk_and_frames_over_chunks():
    whole = frame(1) + frame("two") + frame([3])
    assert [item.value for item in stream_values([whole])] == [1, "two", [3]]
    split = [whole[:5], whole[5:6], whole[6:20], whole[20:]]
    found = stream_values(split)
    assert [item.value for item in found] == [1, "two", [3]]
    assert not found.problems


def test_abort_stream_is_a_bare_payload():
    (item,) = stream_values([payload_bytes({"aborted": True, "reason": "stop"})])
    assert item.value == {"aborted": True, "reason": "stop"}
    assert item.payload.layers == ("devl",)


def test_old_text_lines():
    found = stream_values([b'[{"a":1},5]\n["x"]\n-1\n'])
    assert [item.value for item in found][:2] == [{"a": 5}, "x"]
    assert len(found) == 3 and not found.problems


def test_raw_bytes_stay_bytes():
    for raw in (b'{"webhook": true}', b"\xff\xd8\xff\xe0JFIF", b"hi", b"plain text\n"):
        (item,) = stream_values([raw])
        assert item.value == JsBytes("Uint8Array", raw)


def test_bytes_in_frames_without_a_prefix_are_shown_and_noted():
    found = stream_values([frame(b"hello world")])
    assert found[0].value == JsBytes("Uint8Array", b"hello world")
    assert codes(found) == ["no-prefix"]


def test_encrypted_frames():
    item = vector("crypto-encr")
    chunks = [frame(item.raw), frame(item.raw)]
    keys = KeyRing.from_base64(item.key)
    assert [i.payload.tagged() for i in stream_values(chunks, keys=keys)] == [item.expected] * 2
    assert stream_values(chunks)[0].value.reason == "missing-key"
    assert codes(session_events(chunks)) == ["missing-key"] * 2


def test_a_cut_stream_keeps_what_is_whole():
    found = stream_values([frame(1) + frame("two")[:-2]], where="strm")
    assert found[0].value == 1
    assert isinstance(found[1].value, Undecoded) and found[1].value.reason == "truncated"
    assert codes(found) == ["truncated"] and found.problems[0].where == "strm 0"


def test_end_markers_and_empty_chunks():
    chunks = [Chunk("c1", frame(1)), Chunk("c2", b""), Chunk("c3", b"", True), Chunk("c4", frame(2))]
    found = stream_values(chunks)
    assert [(item.chunk_id, item.value) for item in found] == [("c1", 1)]
    assert (found.done, found.chunks) == (True, 2)
    assert codes(found) == ["empty-chunk", "after-end"]
    assert not stream_values([]) and not stream_values([]).done


def test_events_beside_damage():
    chunks = [
        Chunk("c1", line({"type": "a"}, {"type": "b"})),
        Chunk("c2", frame(JsBytes("Uint8Array", b'{"type": "c"\n[1]\n{"type":"d"}\n'))),
        Chunk("c3", frame({"type": "plain object"})),
        Chunk("c4", frame(7)),
        Chunk("c5", frame(b"devl[oops")),
        Chunk("c6", frame('{"type":"text"}')),
        Chunk("c7", frame(JsBytes("Uint8Array", b""))),
        Chunk("c8", frame(b'devl[["Uint8Array",1],"@@e30K@@"]')),
    ]
    found = session_events(chunks)
    assert [(chunk, event.get("type")) for chunk, event in found] == [
        ("c1", "a"),
        ("c1", "b"),
        ("c2", "d"),
        ("c3", "plain object"),
        ("c6", "text"),
        ("c8", None),
    ]
    assert codes(found) == ["bad-event", "bad-event", "no-event", "bad-json"]


def test_a_cut_session_stream_is_reported():
    whole = line({"type": "a"})
    assert codes(session_events([whole[:-3]])) == ["truncated"]
    assert codes(session_events([whole[:20], whole[20:]])) == []


def test_a_session_stream_of_plain_lines():
    found = session_events([b'{"type":"a"}\n{"type":"b"}\n'])
    assert [event["type"] for _, event in found] == ["a", "b"]


def test_byte_streams():
    assert list(byte_stream([b"ab", b"c"])) == [("0", b"ab"), ("1", b"c")]
    framed = [frame(b"hello")[:6], frame(b"hello")[6:] + frame(b"x"), frame(b"")]
    assert list(byte_stream(framed, "framed-v1")) == [("0", b"hello"), ("1", b"x"), ("2", b"")]
    cut = byte_stream([frame(b"hello")[:-1]], "framed-v1")
    assert list(cut) == [("0", b"hell")] and codes(cut) == ["truncated"]


def test_the_form_of_a_streams_object():
    assert stream_form(JsBytes("Uint8Array", b'{"a":1}\n\n2\n')) == {
        "$type": "ndjson",
        "lines": [{"a": 1}, 2],
    }
    assert stream_form(JsBytes("Uint8Array", b"{oops"))["$type"] == "Uint8Array"
    assert stream_form({"a": 1}) == {"a": 1}
