"""The command ``compare``."""

from tests.support import corpus
from tests.unit.cli._run import SIMPLE, call


def test_four_comparisons(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "compare", SIMPLE, "turn_0")
    assert result.code == 0
    for title in ("strategy", "model asked again", "recovery", "model calls per step"):
        assert title in result.out
    assert max(len(line) for line in result.out.splitlines()) <= 80


def test_as_json(capsys):
    document = call(capsys, "compare", SIMPLE, "--turn", "turn_0", "--json").json
    assert {row["name"] for row in document["policies"]} == {"eve", "flue", "none"}
    by_model = {row["name"]: row for row in document["models"]}
    assert by_model["same"]["outside"]["expected"] <= by_model["new-ids"]["outside"]["expected"]
    batches = [row["worst"]["bounded"] for row in document["batches"]]
    assert batches == sorted(batches)


def test_the_dedup_lesson(capsys):
    source = corpus.data("crash-before-commit")
    out = call(capsys, "compare", source, "turn_0", "--dedup").out
    assert "protects nothing" in " ".join(out.split())
    rows = call(capsys, "compare", source, "turn_0", "--dedup", "--json").json["dedup"]
    by = {(row["of"], row["by"]): row for row in rows}
    assert by["effects", "coordinates"]["repeats"] == 0
    assert by["effects", "meta-id"]["repeats"] == 2
    assert by["events", "coordinates"]["lost"] > 0
    assert by["events", "meta-id"]["lost"] == 0


def test_a_plain_run(capsys):
    result = call(capsys, "compare", corpus.data("sdk4-crash"), "--json")
    assert result.code in (0, 1)
    assert result.json["turnId"] is None


def test_determinism(capsys):
    source = corpus.data("workflow-tool")
    out = call(capsys, "compare", source, "turn_0", "--determinism").out
    assert "asked for: " in out and "seeded-ids" in out
    document = call(capsys, "compare", source, "turn_0", "--determinism", "--json").json
    assert document["determinism"][0]["verdict"] in ("same", "unknown")
