import json

from tests.unit.cli._run import CRASH, call


def test_one_document_with_or_without_json(capsys):
    plain = call(capsys, "dump", CRASH)
    document = plain.json
    assert plain.code == 0
    assert document["format"] == "eve-replay/dump"
    assert {"world", "runs", "steps", "events", "hooks", "waits", "streams"} <= set(document)
    assert call(capsys, "dump", CRASH, "--json").json == document


def test_one_record_a_line(capsys):
    document = call(capsys, "dump", CRASH).json
    lines = [json.loads(line) for line in call(capsys, "dump", CRASH, "--ndjson").out.splitlines()]
    assert len(lines) >= len(document["runs"]) + len(document["steps"]) + len(document["events"])
