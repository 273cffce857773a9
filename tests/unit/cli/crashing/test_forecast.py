"""The command ``forecast``."""

import pytest

from tests.support import corpus
from tests.unit.cli._run import CRASH, call


def left(name="crash-not-restarted"):
    return corpus.data(name)


def test_the_contract(capsys):
    document = call(capsys, "forecast", left(), "--json").json
    assert document["format"] == "eve-replay/forecast"
    (session,) = document["sessions"]
    assert {"sessionId", "point", "outcome", "effects", "steps", "recovery", "sentence"} <= set(session)
    assert session["outcome"] == "recovers"
    counts = {e["tool"]: e["executions"] for e in session["effects"]}
    # Nothing tells yet that charge_card asks nobody: a request to a person would come after the results.
    assert counts == {"charge_card": {"min": 0, "max": 2}, "send_email": {"min": 2, "max": 2}}


def test_text(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "forecast", left(), "--utc", "--explain")
    assert result.code == 0
    assert "send_email (mock-tool-call-1-0-2) has run, and will run again." in " ".join(result.out.split())
    assert "elsewhere" in result.out and "eve-dev" in result.out
    assert max(len(line) for line in result.out.splitlines()) <= 80


def test_an_environment_can_be_said(capsys):
    document = call(capsys, "forecast", left(), "--environment", "other-version", "--json").json
    assert document["sessions"][0]["outcome"] == "needs-person"
    assert (
        "409" in " ".join(r["text"] for r in document["sessions"][0]["rules"])
        or document["sessions"][0]["recovery"]["person"]
    )


def test_the_dormant_environment_is_told_from_the_journal(capsys):
    document = call(capsys, "forecast", left("eve-dev-no-resume"), "--json").json
    assert document["sessions"][0]["assumptions"]["environment"] == "eve-dev"
    resumed = call(
        capsys, "forecast", left("eve-dev-no-resume"), "--environment", "eve-dev-resume", "--json"
    ).json
    assert resumed["sessions"][0]["outcome"] == "recovers"


def test_nothing_open(capsys):
    result = call(capsys, "forecast", CRASH)
    assert "Nothing is open" in result.out
    document = call(capsys, "forecast", CRASH, "--json").json
    assert [each["outcome"] for each in document["sessions"]] == ["nothing-open"]
    assert len(document["nothingOpen"]) == 1


def test_one_session_by_id(capsys):
    whole = call(capsys, "forecast", CRASH, "--json").json["nothingOpen"][0]
    document = call(capsys, "forecast", CRASH, "--session", whole[-6:], "--json").json
    assert document["sessions"][0]["sessionId"] == whole
    assert document["sessions"][0]["outcome"] == "nothing-open"


@pytest.mark.parametrize("name", corpus.names("local"))
def test_every_recording_can_be_forecast(capsys, name):
    result = call(capsys, "forecast", corpus.data(name), "--json")
    assert result.code in (0, 1)
    for session in result.json["sessions"]:
        assert session["sentence"]
