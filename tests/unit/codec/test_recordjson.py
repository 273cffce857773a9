"""Record files: payload fields in place, base64 untouched until somebody opens them."""

import base64
import json

from eve_replay.codec import KeyRing, Payload, parse_record, payload_from_json
from tests.support.vectors import vector


def stored(raw):
    return {"__type": "Uint8Array", "data": base64.b64encode(raw).decode()}


def test_payload_fields_become_payloads():
    text = json.dumps(
        {
            "runId": "wrun_1",
            "input": stored(b"devl[1]"),
            "output": None,
            "other": stored(b"x"),
            "extra": {"a": 1},
        }
    ).encode()
    record = parse_record(text, ("input", "output", "error"), where="runs/wrun_1.json")
    assert record.failure is None and record.notes == ()
    fields = record.fields
    assert list(fields) == ["runId", "input", "output", "other", "extra"]
    assert isinstance(fields["input"], Payload) and fields["input"].value == 1
    assert fields["input"].where == "runs/wrun_1.json input"
    assert fields["output"] is None and fields["other"] == stored(b"x")


def test_event_data_and_keys_of_the_records_run():
    item = vector("crypto-encr")
    text = json.dumps({"runId": "wrun_1", "eventData": {"result": stored(item.raw), "stepName": "s"}})
    keys = KeyRing({"wrun_1": base64.b64decode(item.key)})
    fields = parse_record(text, data_fields=("result", "error"), keys=keys, where="e").fields
    payload = fields["eventData"]["result"]
    assert payload.tagged() == item.expected and payload.where == "e eventData.result"
    assert fields["eventData"]["stepName"] == "s"
    assert parse_record(text, ("result",)).fields["eventData"]["result"] == stored(item.raw)


def test_base64_stays_text_until_it_is_needed(monkeypatch):
    from eve_replay.codec import payload as module

    decoded = []
    original = module.decode_base64
    monkeypatch.setattr(module, "decode_base64", lambda text: decoded.append(text) or original(text))
    payload = parse_record(json.dumps({"input": stored(b'devl["abc"]')}), ("input",)).fields["input"]
    assert payload.size == len(b'devl["abc"]') and not decoded
    assert payload.raw == b'devl["abc"]' and len(decoded) == 1


def test_fields_of_every_era():
    assert payload_from_json(None) is None
    assert payload_from_json([{"a": 1}, 5]).value == {"a": 5}
    assert payload_from_json(-1).layers == ("legacy",)
    error = {"message": "boom", "stack": "Error: boom"}
    plain = payload_from_json(error)
    assert plain.value == error and plain.layers == ("plain",) and plain.tagged() == error
    assert payload_from_json("boom").value == "boom"
    assert payload_from_json(True).undecoded.reason == "invalid-input"
    assert payload_from_json({"__type": "Uint8Array", "data": 5}).layers == ("plain",)


def test_what_is_no_record():
    for text, reason in ((b"", "bad-json"), (b'{"runId":"wr', "bad-json"), (b"[1]", "invalid-input")):
        record = parse_record(text, ("input",))
        assert record.fields is None and record.failure.reason == reason
    assert parse_record(b'{"runId":"wr').failure.offset is not None


def test_damage_that_can_be_read_over_is_noted():
    record = parse_record(b'\xef\xbb\xbf{"runId":"\xff"}')
    assert record.fields == {"runId": "\ufffd"}
    assert [code for code, _ in record.notes] == ["bad-utf8"]


def test_a_deep_record():
    text = '{"eventData":' * 5000 + "1" + "}" * 5000
    assert parse_record(text, ("input",), data_fields=("input",)).fields is not None
