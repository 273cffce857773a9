"""Every vector: the vendor's reading of a payload is ours, apart from the quirks the README there names."""

import base64

import pytest

from eve_replay.codec import KeyRing, Payload, derive_run_key
from eve_replay.errors import DecodeError
from eve_replay.values import Tagged, Undecoded, Unknown, preview, same, to_tagged, type_name, walk
from tests.support.vectors import encrypted, vector, vectors

#: Quirks where we show what the bytes say instead of what the vendor's reader makes of them.
DIFFERENT = {
    "container-deep-array-20000-hand",
    "malformed-regexp-builtin-form",
    "malformed-stepfunction-payload-string",
    "reference-cycle-error-cause",
    "reference-cycle-map",
}
#: What the vendor's reader fails on, or reads as no writer means it, and the bytes tell in full.
FURTHER = {
    "builtin-temporal-instant": {"$type": "Temporal.Instant", "value": "2026-01-01T00:00:00Z"},
    "builtin-temporal-plaindate": None,
    "malformed-null-type-proto": None,
    "malformed-proto-key": None,
    "malformed-set-of-string": None,
    "malformed-trailing-garbage": None,
    "malformed-type-self": None,
}
#: The reason words of the vendor's failures; every other failing vector is ``invalid-input``.
REASONS = {
    "compress-gzip-bad-crc": "damaged",
    "compress-gzip-empty": "truncated",
    "compress-gzip-in-gzip": "unsupported-prefix",
    "compress-gzip-trailing-bytes": "trailing",
    "compress-gzip-truncated": "truncated",
    "compress-zstd-empty": "truncated",
    "compress-zstd-not-zstd": "not-zstd",
    "compress-zstd-of-nothing": "truncated",
    "compress-zstd-two-frames": "bad-json",
    "crypto-encp-no-key": "missing-key",
    "crypto-encp-with-aad": "wrong-key",
    "crypto-encp-wrong-key": "wrong-key",
    "crypto-encp-zero-ephemeral": "wrong-key",
    "crypto-encr-in-encr": "unsupported-prefix",
    "crypto-encr-no-key": "missing-key",
    "crypto-encr-truncated": "truncated",
    "crypto-zstd-around-encr": "unsupported-prefix",
    "malformed-binary-prefix": "bad-prefix",
    "malformed-empty": "truncated",
    "malformed-gzip-bomb-256mib": "too-big",
    "malformed-no-prefix-json": "bad-prefix",
    "malformed-not-json": "bad-json",
    "malformed-prefix-only": "bad-json",
    "malformed-sparse-huge": "too-big",
    "malformed-unknown-prefix": "unsupported-prefix",
    "malformed-unknown-type-hasown": "unknown-type",
    "malformed-unknown-type-proto": "unknown-type",
    "malformed-uppercase-prefix": "bad-prefix",
}


def payload_of(item):
    return Payload(item.raw, keys=KeyRing.from_base64(item.key) if item.key else None, where=item.name)


@pytest.mark.parametrize("item", vectors(), ids=lambda item: item.id)
def test_vector(item):
    payload = payload_of(item)
    value = payload.value
    if item.summary is not None:
        depth, at = 0, value
        while isinstance(at, list) or (isinstance(at, dict) and item.summary.get("key") in at):
            at = at[0] if isinstance(at, list) else at[item.summary["key"]]
            depth += 1
        assert (depth, at) == (item.summary["depth"], item.summary["leaf"])
    elif item.name in FURTHER:
        assert payload.undecoded is None
        assert FURTHER[item.name] in (None, payload.tagged())
    elif item.name in DIFFERENT:
        assert item.quirk
    elif item.error is not None:
        undecoded = payload.undecoded
        assert undecoded is not None and undecoded.reason == REASONS.get(item.name, "invalid-input")
        assert undecoded.message
        with pytest.raises(DecodeError) as caught:
            payload.decode()
        assert caught.value.reason == undecoded.reason
    else:
        assert payload.undecoded is None
        assert payload.tagged() == item.expected
        assert same(payload.decode(), value)


@pytest.mark.parametrize("item", vectors(), ids=lambda item: item.id)
def test_nothing_raises_whatever_is_asked(item):
    payload = payload_of(item)
    assert isinstance(payload.layers, tuple)
    assert isinstance(payload.text_size, int | None)
    assert len(preview(payload.value)) <= 80
    assert type_name(payload.value)
    assert all(problem.message for problem in payload.problems)
    assert same(payload.lazy.value, payload.value) or payload.undecoded is not None


def test_every_reason_belongs_to_a_vector():
    assert set(REASONS) <= {item.name for item in vectors() if item.error is not None}
    assert {item.name for item in vectors() if item.quirk} >= DIFFERENT


def quirk(name):
    payload = payload_of(vector(name))
    return payload.value, {problem.code for problem in payload.problems}


def test_quirks_that_are_read_as_the_vendor_does_are_noted():
    assert quirk("compress-zstd-trailing-bytes")[1] == {"trailing"}
    assert quirk("compress-zstd-two-frames")[1] == {"trailing", "bad-json"}
    assert quirk("malformed-base64-garbage")[1] == {"loose-base64"}
    assert quirk("malformed-hole-in-object")[1] == {"odd-index"}
    assert quirk("malformed-index-negative-8")[1] == {"odd-index"}
    assert quirk("malformed-trailing-garbage")[1] == {"trailing"}
    assert "proto-key" in quirk("malformed-proto-key")[1]
    assert not quirk("malformed-type-without-arg")[1]  # devalue's own form of an empty Map


def test_quirks_where_the_bytes_say_more():
    value, codes = quirk("malformed-regexp-builtin-form")
    assert (value.source, value.flags, codes) == ("a", "g", {"builtin-regexp"})
    value, codes = quirk("malformed-stepfunction-payload-string")
    assert (value.tag, value.payload, codes) == ("StepFunction", "x", {"invalid-input"})
    value, codes = quirk("reference-cycle-error-cause")
    assert value.cause is value and not codes
    value, codes = quirk("reference-cycle-map")
    assert value.get("self") is value and not codes


def test_temporal_keeps_its_text():
    value, _ = quirk("builtin-temporal-instant")
    assert isinstance(value, Tagged)
    assert (value.tag, value.fields) == ("Temporal.Instant", {"value": "2026-01-01T00:00:00Z"})


def without_stacks(tagged):
    if isinstance(tagged, list):
        return [without_stacks(item) for item in tagged]
    if isinstance(tagged, dict):
        return {key: without_stacks(item) for key, item in tagged.items() if key != "stack"}
    return tagged


@pytest.mark.parametrize("form", ["encr", "encp"])
def test_encrypted_payloads_of_a_hosted_world(form):
    documents = encrypted()
    keys = KeyRing.from_base64(documents["run_key_base64"])
    for item in documents["items"]:
        plain = Payload.from_base64(item["plain_base64"])
        sealed = Payload.from_base64(item[f"{form}_base64"], keys=keys)
        assert plain.undecoded is None
        # The recording machine's paths were replaced in the plain form; inside the ciphertext they cannot be.
        assert without_stacks(sealed.tagged()) == without_stacks(plain.tagged())
        assert sealed.layers == (form, *plain.layers)
        assert Payload.from_base64(item[f"{form}_base64"]).undecoded.reason == "missing-key"
        wrong = KeyRing(default=bytes(32))
        assert Payload.from_base64(item[f"{form}_base64"], keys=wrong).undecoded.reason == "wrong-key"


def test_a_key_by_run_id_and_a_derived_key():
    item = encrypted()
    run_key = base64.b64decode(item["run_key_base64"])
    text = item["items"][0]["encr_base64"]
    ring = KeyRing({"wrun_1": run_key})
    assert Payload.from_base64(text, keys=ring, run_id="wrun_1").undecoded is None
    assert Payload.from_base64(text, keys=ring, run_id="wrun_2").undecoded.reason == "missing-key"
    asked = []
    ring = KeyRing(derive=lambda run_id: asked.append(run_id) or run_key)
    assert Payload.from_base64(text, keys=ring, run_id="wrun_2").undecoded is None
    assert asked == ["wrun_2"]
    derived = derive_run_key(bytes(32), "prj_1", "wrun_1")
    assert len(derived) == 32 and derived != derive_run_key(bytes(32), "prj_1", "wrun_2")


def test_the_path_of_a_failure_inside():
    payload = Payload(b'devl[{"good":1,"odd key":2},5,[3,4],["BigInt",6],["Zebra",5],0,"12x"]')
    assert payload.value["good"] == 5
    first, second = payload.value["odd key"]
    assert isinstance(first, Undecoded) and first.path == '$["odd key"][0]'
    assert isinstance(second, Unknown) and second.payload == 0
    assert payload.undecoded == first
    assert payload.at('$["odd key"][0]').path == '$["odd key"][0]'
    assert to_tagged(first)["error"]["path"] == '$["odd key"][0]'
    assert sum(isinstance(v, Undecoded | Unknown) for _, v in walk(payload.value)) == 2
