import base64
import io
import json

import pytest

from tests.unit.cli._run import call

TEXT = b'devl[{"a":1},[2],"\\u001b[31m"]'


@pytest.fixture
def stdin(monkeypatch):
    def give(data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize(
    "given",
    [
        TEXT,
        base64.b64encode(TEXT),
        base64.urlsafe_b64encode(TEXT) + b"\n",
        json.dumps({"__type": "Uint8Array", "data": base64.b64encode(TEXT).decode()}).encode(),
    ],
)
def test_every_form_of_a_payload_is_recognised(capsys, stdin, tmp_path, given):
    stdin(given)
    document = call(capsys, "decode", "--json").json
    assert document["value"] == {"a": ["\x1b[31m"]}
    assert document["layers"] == ["devl"]
    assert document["bytes"] == len(TEXT)
    file = tmp_path / "payload"
    file.write_bytes(given)
    assert call(capsys, "decode", file, "--json").json["value"] == document["value"]


def test_base64_as_an_argument_and_forced(capsys, stdin):
    word = base64.b64encode(TEXT).decode()
    assert call(capsys, "decode", word, "--json").json["value"] == {"a": ["\x1b[31m"]}
    stdin(word.encode())
    assert call(capsys, "decode", "-", "--base64", "--json").json["source"] == "-"


def test_legacy_payloads(capsys, stdin):
    stdin(b'[{"a":1},"x"]')
    assert call(capsys, "decode", "--json").json["value"] == {"a": "x"}
    stdin(b"-1")
    assert call(capsys, "decode", "--json").json["value"] == {"$type": "undefined"}


def test_control_characters_are_shown_not_obeyed(capsys, stdin):
    stdin(TEXT)
    out = call(capsys, "decode", "--color", "never").out
    assert "\x1b" not in out
    assert "\\x1b[31m" in out


def test_what_does_not_decode_says_why_and_sets_the_code(capsys, stdin):
    stdin(b"garbage")
    result = call(capsys, "decode", "--json")
    assert result.code == 1
    assert "value" not in result.json
    assert result.json["undecoded"]["reason"]
    stdin(b"encr" + bytes(60))
    result = call(capsys, "decode")
    assert "undecoded: missing-key" in result.out
    assert "--key" in result.err


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        (b'devl[{"a":null}]', "$.a", "invalid-input"),  # a part: marked in its place, and named
        (b'devl[["Zebra","stripes"]]', "$", "unknown-type"),
    ],
)
def test_a_part_that_does_not_decode_is_named_beside_the_value(capsys, stdin, text, path, reason):
    stdin(text)
    result = call(capsys, "decode", "--json")
    assert result.code == 1
    assert "undecodable" in result.out and "value" in result.json
    assert (result.json["undecoded"]["path"], result.json["undecoded"]["reason"]) == (path, reason)
    assert result.json["receipt"]["decoded"] == 0


def test_wrong_use(capsys, stdin, tmp_path):
    stdin(b'{"runId":"wrun_1"}')
    result = call(capsys, "decode")
    assert result.code == 2
    assert "eve-replay dump" in result.err
    assert call(capsys, "decode", tmp_path / "nothing.bin").code == 3
    assert call(capsys, "decode", tmp_path).code == 3


def test_path_and_raw(capsys, stdin):
    stdin(TEXT)
    assert call(capsys, "decode", "--path", "$.a[0]", "--json").json["value"] == "\x1b[31m"
    stdin(TEXT)
    assert "64 65 76 6c" in call(capsys, "decode", "--raw").out


def test_any_depth(capsys, stdin):
    deep = b"devl[" + b",".join(b"[%d]" % (n + 1) for n in range(20_000)) + b",1]"
    stdin(deep)
    assert call(capsys, "decode", "--json").code == 0
    stdin(deep)
    assert call(capsys, "decode").code == 0


def test_a_size_over_the_limit_is_refused(capsys, stdin):
    import zstandard

    stdin(b"zstd" + zstandard.compress(b'devl["' + b"x" * 200_000 + b'"]'))
    result = call(capsys, "decode", "--limit", "64K", "--json")
    assert result.json["undecoded"]["reason"] == "too-big"
