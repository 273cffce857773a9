from eve_replay import samples
from tests.unit.cli._run import CRASH, call


def test_a_whole_source(capsys):
    result = call(capsys, "receipt", CRASH)
    assert result.code == 0
    assert "Everything was read, streams included." in result.out
    document = call(capsys, "receipt", CRASH, "--json").json
    assert document["counts"]["run"] == 2
    assert document["counts"]["payload"] == document["receipt"]["decoded"] == 22
    assert document["undecoded"] == []


def test_what_is_lost_is_listed(capsys, tmp_path):
    folder = samples.extract("crash-in-tool", tmp_path)
    event = next((folder / "data" / "events").rglob("*evnt_00000000000000000000000008.json"))
    event.write_bytes(event.read_bytes()[:50])
    step = next((folder / "data" / "steps").rglob("*4SKF.json"))
    step.write_text(step.read_text().replace('"data": "enN0Z', '"data": "enN0a'))
    result = call(capsys, "receipt", folder / "data")
    assert result.code == 1
    assert "0000000008.json" in result.out
    assert "Undecoded" in result.out
    assert "Everything was read" not in result.out
    document = call(capsys, "receipt", folder / "data", "--json").json
    assert document["undecoded"][0]["reason"]
    assert document["receipt"]["skipped"] or document["receipt"]["problems"]
