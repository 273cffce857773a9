"""The command ``proof``."""

from tests.support import corpus
from tests.unit.cli._run import call


def test_one_case(capsys):
    result = call(capsys, "proof", "--case", "T2 before-116")
    assert result.code == 0
    assert "T2 before-116  hit" in result.out


def test_the_contract_and_the_promised_rates(capsys):
    document = call(capsys, "proof", "--json").json
    assert document["format"] == "eve-replay/proof"
    assert {"name", "predicted", "real", "hit", "exact"} <= set(document["cases"][0])
    rates = {row["name"]: row["hitRate"] for row in document["totals"]}
    assert rates["all"] >= 0.95
    assert rates["scenarios, forecast as of the kill"] == 1.0


def test_a_folder_of_recordings(capsys):
    corpus.scenario("crash-in-tool")
    result = call(capsys, "proof", "--corpus", corpus.scenario("crash-in-tool"), "--json")
    assert [case["hit"] for case in result.json["cases"]] == [True]


def test_a_folder_of_archives(capsys):
    from importlib.resources import files

    folder = str(files("eve_replay.samples.proof"))
    result = call(capsys, "proof", "--corpus", folder, "--case", "T2 before-116", "--json")
    assert [case["hit"] for case in result.json["cases"]] == [True, True]


def test_folders_without_recordings(capsys, tmp_path):
    result = call(capsys, "proof", "--corpus", tmp_path)
    assert result.code == 3 and "no recordings" in result.err
    assert call(capsys, "proof", "--corpus", tmp_path / "no").code == 3
