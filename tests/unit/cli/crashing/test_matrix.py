"""The command ``matrix``."""

from eve_replay.views.kit.safe import display_width
from tests.support import corpus
from tests.unit.cli._run import APPROVAL, SIMPLE, call


def test_text_fits_and_sums_up(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "matrix", SIMPLE, "turn_0")
    assert result.code == 0
    assert max(len(line) for line in result.out.splitlines()) <= 80
    assert "1: get_weather" in result.out
    assert "worst without end" in " ".join(result.out.split())


def test_the_contract(capsys):
    document = call(capsys, "matrix", SIMPLE, "--turn", "turn_0", "--json").json
    assert document["format"] == "eve-replay/matrix"
    assert document["points"] and "steps" not in document["points"][0]
    assert document["totals"]["points"] == len(document["points"])
    assert {row["name"] for row in document["strategies"]} >= {"none", "call-id", "claim", "business-id"}


def test_fewer_points_and_every_point(capsys):
    every = call(capsys, "matrix", SIMPLE, "turn_0", "--json").json["points"]
    writes = call(capsys, "matrix", SIMPLE, "turn_0", "--writes-only", "--json").json["points"]
    assert len(writes) < len(every)
    long = call(capsys, "matrix", SIMPLE, "turn_0", "--all").out
    assert len(long.splitlines()) > len(call(capsys, "matrix", SIMPLE, "turn_0").out.splitlines())


def test_strategies_change_the_cells(capsys):
    words = ("matrix", SIMPLE, "turn_0", "--strategy", "*=business-id", "--json")
    assert call(capsys, *words).json["totals"]["outside"]["worst"] == 0


def test_an_approval(capsys):
    document = call(capsys, "matrix", APPROVAL, "turn_0", "--json").json
    assert "needs-person" in document["totals"]["outcomes"]


def test_no_such_turn(capsys):
    result = call(capsys, "matrix", SIMPLE, "turn_9")
    assert result.code == 2 and "turn_9" in result.err


def test_many_effects_fit_too(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "matrix", corpus.data("workflow-tool"), "turn_0")
    assert "2+" in result.out and "+: or more, without end" in result.out
    assert max(display_width(line) for line in result.out.splitlines()) <= 80
