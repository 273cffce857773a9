"""Data nests as deep as somebody likes: what follows it goes on, or says in its place where it stopped."""

import io

import pytest

from eve_replay.cli.shared.json import write_json
from eve_replay.diff.patch import json_patch
from eve_replay.journal.ledger.model import Ledger
from eve_replay.journal.state import apply_delta
from eve_replay.redaction.redact import Redactor
from eve_replay.redaction.text import PLAIN
from eve_replay.values import Undecoded
from eve_replay.worlds.bundle.format import _fields_out
from eve_replay.worlds.dump import _plain
from eve_replay.worlds.layouts.v8 import V8Error, decode_v8

DEEP = 20_000


def nested(wrap, core="end"):
    value = core
    for _ in range(DEEP):
        value = wrap(value)
    return value


def levels(value):
    count = 0
    while isinstance(value, (dict, list)) and value:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
        count += 1
    return count, value


@pytest.mark.parametrize(
    "wrap", [lambda inner: {"a": inner}, lambda inner: [inner]], ids=["objects", "lists"]
)
def test_redaction_leaves_out_what_is_too_deep(wrap):
    count, core = levels(Redactor(b"salt").plain(nested(wrap, "secret@example.com"), PLAIN))
    assert 100 < count < 1000 and isinstance(core, Undecoded) and core.reason == "too-deep"


@pytest.mark.parametrize(
    "wrap", [lambda inner: {"a": inner}, lambda inner: [inner]], ids=["objects", "lists"]
)
def test_a_bundle_and_a_dump_keep_it(wrap):
    write_json(_fields_out({"deep": nested(wrap)}), io.BytesIO())
    write_json(_plain({"deep": nested(wrap)}, lambda payload: payload), io.BytesIO())


def test_a_delta_of_deltas_ends():
    delta = nested(lambda inner: {"kind": "object", "patch": {"a": inner}}, {"kind": "value", "value": 1})
    count, core = levels(apply_delta({}, delta))
    assert 100 < count < 1000 and isinstance(core, Undecoded)


def test_a_patch_of_something_deep():
    one, two = nested(lambda inner: {"a": inner}, 1), nested(lambda inner: {"a": inner}, 2)
    assert [each["op"] for each in json_patch(one, two)] == ["replace"]


@pytest.mark.parametrize("level", [b"A\x01", b'o"\x01a'], ids=["lists", "objects"])
def test_a_structured_clone_without_end_is_told(level):
    with pytest.raises(V8Error, match="deeper"):
        decode_v8(b"\xff\x0f" + level * DEEP)


def test_a_ledger_with_a_deep_key_is_read(tmp_path):
    path = tmp_path / "x.ndjson"
    path.write_text(
        '{"at":"2026-11-30T09:00:00Z","action":"charge","key":' + "[" * 200_000 + "]" * 200_000 + "}\n"
    )
    (entry,) = Ledger.load(path).entries
    assert entry.key is not None and len(entry.key) <= 200
