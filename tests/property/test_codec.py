"""Laws of the codec on values and bytes nobody thought of.

``EVE_REPLAY_MUTATIONS`` sets how many damaged payloads are tried; the default of 20,000 takes seconds.
"""

import gzip
import math
import os
import random
import string

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from eve_replay.codec import (
    KeyRing,
    Payload,
    byte_stream,
    decode_devalue,
    dumps_tagged,
    iter_frames,
    loads_json,
    open_envelope,
    parse_record,
    session_events,
    stream_form,
    stream_values,
)
from eve_replay.codec.base64text import decode_base64
from eve_replay.codec.devalue.parse import hydrate_part
from eve_replay.codec.frames import pieces
from eve_replay.values import (
    HOLE,
    UNDEFINED,
    BigInt,
    Boxed,
    Headers,
    JsBytes,
    JsDate,
    JsError,
    JsMap,
    JsSet,
    NullObject,
    RegExp,
    SparseArray,
    Tagged,
    Unknown,
    Url,
    UrlSearchParams,
    from_tagged,
    preview,
    same,
    to_tagged,
    type_name,
    walk,
)
from eve_replay.values.scalars import ELEMENT_SIZES
from eve_replay.worlds.cborx import decode_cbor
from tests.support.devalue import devalue_text, payload_bytes
from tests.support.vectors import cbor, vectors

MUTATIONS = int(os.environ.get("EVE_REPLAY_MUTATIONS", "20000"))
quick = settings(max_examples=120)

# Lone surrogates cannot be written as UTF-8, so devalue texts have none; JSON escapes do.
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = st.one_of(
    text.filter(lambda k: k != "__proto__"), st.sampled_from(["$type", "constructor", "", "a b", "0"])
)
numbers = st.one_of(
    st.integers(-(2**53), 2**53),
    st.floats(),
    st.sampled_from([0, -0.0, 1e21, 5e-324, math.nan, math.inf, -math.inf, 2**53]),
)
kinds = st.sampled_from(sorted(set(ELEMENT_SIZES) - {"Float16Array"}))
buffers = st.builds(
    lambda kind, data: JsBytes(kind, data[: len(data) // ELEMENT_SIZES[kind] * ELEMENT_SIZES[kind]]),
    kinds,
    st.binary(max_size=40),
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    numbers,
    text,
    st.just(UNDEFINED),
    st.builds(BigInt, st.integers()),
    st.builds(JsDate, st.one_of(st.none(), st.integers(-(864 * 10**13), 864 * 10**13))),
    st.builds(RegExp, st.sampled_from(["a+", "(?:)", "[a-z]\\/"]), st.sampled_from(["", "gi"])),
    st.builds(Url, st.sampled_from(["https://example.com/", "mailto:a@b"])),
    st.builds(UrlSearchParams, st.sampled_from(["", "a=1", "a=1&a=%C3%A9", "b+c="])),
    st.just(Headers((("a", "1"), ("set-cookie", "x"), ("set-cookie", "y")))),
    buffers,
    st.builds(Boxed, st.one_of(text, numbers, st.booleans(), st.builds(BigInt, st.integers()))),
)
fields = st.text(string.ascii_letters, min_size=1, max_size=6).filter(lambda k: k not in ("name", "kind"))


def containers(inner):
    objects = st.dictionaries(keys, inner, max_size=4)
    return st.one_of(
        st.lists(st.one_of(inner, st.just(HOLE)), max_size=4),
        objects,
        st.builds(NullObject, objects),
        st.builds(JsMap, st.lists(st.tuples(inner, inner), max_size=3)),
        st.builds(JsSet, st.lists(inner, max_size=3)),
        st.builds(
            lambda items: SparseArray(9000, sorted(items.items())),
            st.dictionaries(st.integers(0, 8999), inner, max_size=3),
        ),
        st.builds(
            lambda kind, more, message: JsError(kind, fields={"message": message, **more}),
            st.sampled_from(["Error", "TypeError", "FatalError", "AggregateError", "StreamError"]),
            st.dictionaries(fields, inner, max_size=3),
            text,
        ),
        st.builds(
            Tagged,
            st.sampled_from(["Instance", "Class", "Request", "ReadableStream"]),
            st.dictionaries(fields, inner, max_size=3),
        ),
    )


values = st.recursive(scalars, containers, max_leaves=12)


def tie(value, pick):
    """Put references to other parts, ancestors included, into some of the lists and objects of a value."""
    parts = [
        part for _, part in walk(value) if isinstance(part, list | dict | JsMap | JsSet | JsError | Tagged)
    ]
    for part in parts:
        if isinstance(part, list) and pick.random() < 0.4:
            part.append(pick.choice(parts))
        elif isinstance(part, dict) and pick.random() < 0.4:
            part["tied"] = pick.choice(parts)
    return value


tied = st.builds(tie, st.recursive(scalars, containers, max_leaves=10), st.randoms(use_true_random=False))


@quick
@given(values)
def test_tagged_json_round_trip(value):
    tagged = to_tagged(value)
    assert same(from_tagged(tagged), value)
    assert same(from_tagged(loads_json(dumps_tagged(tagged))), value)


@quick
@given(tied)
def test_tagged_json_round_trip_with_cycles(value):
    tagged = to_tagged(value, max_repeated=10_000)
    again = to_tagged(from_tagged(tagged), max_repeated=10_000)
    assert again == tagged
    assert same(value, value) and preview(value) and type_name(value)


@quick
@given(st.one_of(values, tied))
def test_decoding_what_was_written(value):
    payload = Payload(payload_bytes(value))
    assert payload.undecoded is None and payload.problems == ()
    assert same(payload.value, value)
    for number, (trail, part) in enumerate(walk(payload.value)):
        if number > 25:
            break
        steps = tuple(s for at in trail.segments() for s in (at if isinstance(at, tuple) else (at,)))
        assert same(Payload(payload.raw).at(steps), part)


@quick
@given(st.one_of(values, tied))
def test_the_whole_and_the_part_decode_alike(value):
    text = devalue_text(value)
    entries = loads_json(text)
    if isinstance(entries, list):
        whole, notes = decode_devalue(text)
        part, part_notes = hydrate_part(lambda i: entries[i], 0)
        assert same(whole, part) and list(notes) == list(part_notes)
        assert loads_json(text) == entries  # reading a part changes nothing


@quick
@given(values, st.sampled_from(["", "zstd", "gzip"]), st.booleans())
def test_layers_change_nothing(value, packing, sealed):
    raw = payload_bytes(value)
    if packing == "zstd":
        raw = b"zstd" + zstandard.ZstdCompressor().compress(raw)
    elif packing == "gzip":
        raw = b"gzip" + gzip.compress(raw, mtime=0)
    key = None
    if sealed:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = bytes(range(32))
        raw = b"encr" + bytes(12) + AESGCM(key).encrypt(bytes(12), raw, None)
    payload = Payload(raw, keys=KeyRing(default=key))
    assert same(payload.value, value)
    assert payload.layers == (*(["encr"] if sealed else []), *([packing] if packing else []), "devl")


def ask_everything(payload):
    """Ask a payload all there is; whatever its bytes, the answers are values."""
    value = payload.value
    tagged = to_tagged(value, max_repeated=1000, max_text=1_000_000)
    dumps_tagged(tagged)
    from_tagged(tagged)
    assert preview(value).isprintable()
    assert type_name(value)
    assert isinstance(payload.layers, tuple) and isinstance(payload.problems, tuple)
    assert payload.undecoded is None or payload.undecoded.message
    lazy = payload.lazy
    assert lazy.kind and len(lazy.keys()) >= 0
    for child in lazy:
        assert child.kind
    payload.at("$.args[0].a")
    assert same(value, value)


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-9, 12),
        st.floats(),
        st.sampled_from(
            [
                "Map",
                "Set",
                "Date",
                "null",
                "Object",
                "BigInt",
                "Error",
                "Zebra",
                "DataView",
                "ArrayBuffer",
                "__proto__",
                "Headers",
                "x",
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["a", "b", "source", "flags", "__proto__"]), inner, max_size=3),
    ),
    max_leaves=14,
)


@settings(max_examples=600)
@given(st.lists(json_values, max_size=6))
def test_any_json_is_read_or_refused(entries):
    import json

    ask_everything(Payload(b"devl" + json.dumps(entries).encode()))
    ask_everything(Payload(entries))


def inline(inner):
    """Typed entries whose payload stands in them, as other writers than the vendor's may write it."""
    held = st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["message", "a", "values"]), inner, max_size=3),
    )
    names = st.sampled_from(["Map", "Set", "Error", "AggregateError", "Headers", "Zebra", "RegExp", "Date"])
    return st.one_of(st.builds(lambda name, payload: [name, payload], names, held), held)


references = st.integers(-7, 7)
documents = st.lists(
    st.one_of(
        st.recursive(references, inline, max_leaves=8),
        st.dictionaries(st.sampled_from(["x", "values", "args"]), references, max_size=3),
        st.sampled_from(["k", "v", 1, 2.5, True, None]),
    ),
    min_size=1,
    max_size=7,
)


def spoil(value):
    """Change whatever can be changed in a value that was handed out."""
    seen = [each for _, each in walk(value) if isinstance(each, (dict, list))]
    for each in seen[:50]:
        each.clear()


@settings(max_examples=400)
@given(documents)
def test_reading_twice_is_reading_once(entries):
    import json

    raw = b"devl" + json.dumps(entries).encode()
    for stored in (raw, b"zstd" + zstandard.compress(raw), entries):
        fresh = Payload(stored).value
        payload = Payload(stored)
        for _ in range(2):
            for at in ("$", "$.x", "$.values", "$[0]", "$.args[0]"):
                once, again = payload.at(at), payload.at(at)
                assert same(once, again) and same(once, Payload(stored).at(at))
                spoil(once)
            assert same(payload.lazy.value, fresh)
            for child in payload.lazy:
                assert same(child.value, child.value)
                spoil(child.value)
            spoil(payload.value)
            assert same(payload.value, fresh) and same(payload.shared, fresh)
        assert payload.raw == stored


@pytest.mark.parametrize(
    "text",
    [b'[{"x":1},["Map",[2]],[3,4],"k","v"]', b'[["Set",[1,2]],"a","b"]', b'[["Error",{"message":1}],"m"]'],
)
def test_a_payload_that_stands_inline_is_read_alike_each_time(text):
    payload = Payload(b"devl" + text)
    first = to_tagged(payload.lazy.value)
    assert payload.undecoded is None and first == to_tagged(payload.lazy.value) == to_tagged(payload.value)


@quick
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=60).map(lambda b: b"devl" + b)))
def test_any_bytes_are_read_or_refused(raw):
    ask_everything(Payload(raw))
    decode_base64(raw.decode("latin-1"))
    decode_cbor(raw)
    list(iter_frames(raw))
    assert parse_record(raw, ("input",)) is not None


def mutated(raw, pick):
    """Return bytes damaged in one of the ways files are damaged."""
    data = bytearray(raw)
    for _ in range(pick.choice((1, 1, 1, 2, 5))):
        if not data:
            break
        at = pick.randrange(len(data))
        match pick.randrange(7):
            case 0:
                data[at] ^= 1 << pick.randrange(8)
            case 1:
                del data[at:]
            case 2:
                del data[at : at + pick.randrange(1, 9)]
            case 3:
                data[at:at] = bytes(pick.randrange(256) for _ in range(pick.randrange(1, 9)))
            case 4:
                data[at] = pick.choice(b'"[]{},:\\0123456789-tfn\x00\xff')
            case 5:
                data[at : at + 8] = bytes(8)
            case 6:
                other = pick.randrange(len(data))
                data[at : at + 6], data[other : other + 6] = data[other : other + 6], data[at : at + 6]
    return bytes(data)


def test_damaged_payloads_never_raise():
    pick = random.Random(20_000)
    ring = KeyRing.from_base64(next(v.key for v in vectors() if v.key))
    seeds = [v.raw for v in vectors() if isinstance(v.raw, bytes) and len(v.raw) < 3000]
    seeds += [
        payload_bytes(
            {"args": [{"history": [{"id": i, "at": JsDate(i), "m": JsMap([(i, "x")])} for i in range(30)]}]}
        )
    ]
    failed = 0
    for number in range(MUTATIONS):
        raw = mutated(seeds[number % len(seeds)], pick)
        payload = Payload(raw, keys=ring, limit=1 << 24)
        ask_everything(payload)
        failed += payload.undecoded is not None
    assert failed > MUTATIONS // 4


def test_damaged_streams_never_raise_and_never_lose_what_is_whole():
    pick = random.Random(7)
    frames = []
    for number in range(6):
        raw = payload_bytes(JsBytes("Uint8Array", b'{"type":"event","n":%d}\n' % number))
        frames.append(len(raw).to_bytes(4, "big") + raw)
    for _ in range(MUTATIONS // 10):
        target = pick.randrange(6)
        chunks = [*frames[:target], mutated(frames[target], pick), *frames[target + 1 :]]
        events = session_events(chunks)
        before = [event.get("n") for _, event in events][:target]
        assert before == list(range(target))
        for item in stream_values(chunks):
            stream_form(item.value)
        byte_stream(chunks, "framed-v1")
        whole = b"".join(chunks)
        cut = pick.randrange(len(whole) + 1)
        assert sum(1 for _ in pieces([("0", whole[:cut]), ("1", whole[cut:])])) >= 1


def test_damaged_records_and_cbor_never_raise():
    pick = random.Random(11)
    payload = b'{"__type":"Uint8Array","data":"ZGV2bFt7ImEiOjF9LDVd"}'
    record = b'{"runId":"wrun_1","input":' + payload + b',"eventData":{"error":[1]}}'
    documents = list(cbor().values())
    for number in range(MUTATIONS // 3):
        found = parse_record(mutated(record, pick), ("input",), data_fields=("error",))
        assert (found.fields is None) != (found.failure is None)
        for field in (found.fields or {}).values():
            if isinstance(field, Payload):
                ask_everything(field)
        value = decode_cbor(mutated(documents[number % len(documents)], pick))
        dumps_tagged(to_tagged(value))


@pytest.mark.parametrize("cut", range(40))
def test_every_cut_of_a_text(cut):
    raw = payload_bytes({"a": [1, "two"], "b": JsMap([(1, 2)])})
    payload = Payload(raw[:cut])
    assert payload.undecoded is not None or cut >= len(raw)
    assert open_envelope(raw[:cut]).layers in ((), ("devl",))


def test_unknown_types_keep_their_payload():
    value = Unknown("Zebra", {"a": [1]})
    assert same(decode_devalue(devalue_text(value))[0], value)
