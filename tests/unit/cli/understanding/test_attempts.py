"""``attempts --json`` is fixed by the contract; its facts are checked against what really happened."""

import json

import pytest

from eve_replay.views.kit.safe import display_width
from tests.support.corpus import names, scenario
from tests.unit.cli._run import CRASH, call

WITH_FACTS = [name for name in names("local") if name not in ("long-session", "big-payload")]


def test_the_contract(capsys):
    document = call(capsys, "attempts", CRASH, "--json").json
    assert (document["format"], document["version"]) == ("eve-replay/attempts", 1)
    assert set(document["receipt"]) == {"seen", "parsed", "decoded", "skipped", "problems"}
    step = next(step for step in document["steps"] if len(step["attempts"]) == 2)
    assert {"runId", "stepId", "stepName", "function", "status", "turnSteps", "attempts"} <= set(step)
    assert step["turnSteps"] == [{"turnId": "turn_0", "stepIndex": 0}]
    first, second = step["attempts"]
    assert (first["n"], first["outcome"], second["n"], second["outcome"]) == (
        1,
        "interrupted",
        2,
        "completed",
    )
    assert {"startedAt", "endedAt", "certainty", "toolCalls", "modelCalls", "tokens"} <= set(first)
    call_ = first["toolCalls"][0]
    assert {k: call_[k] for k in ("toolName", "requested", "returned", "isError")} == {
        "toolName": "charge_card",
        "requested": True,
        "returned": False,
        "isError": False,
    }


@pytest.mark.parametrize("name", WITH_FACTS)
def test_attempts_are_those_that_happened(capsys, name):
    facts = json.loads((scenario(name) / "facts.json").read_text())
    document = call(capsys, "attempts", scenario(name) / "data", "--json").json
    found = {(s["runId"], s["stepId"]): s for s in document["steps"]}
    for step in facts["steps"]:
        if not isinstance(step.get("attempts"), int) or (step["runId"], step["stepId"]) not in found:
            continue
        mine = found[step["runId"], step["stepId"]]
        assert len(mine["attempts"]) == step["attempts"], step["stepId"]
        for attempt, told in zip(mine["attempts"], step.get("byAttempt", []), strict=False):
            if name == "retention-0":
                continue  # the stream was purged: which calls an attempt made cannot be known any more
            assert [c["callId"] for c in attempt["toolCalls"] if c["requested"]] == [
                c["callId"] for c in told.get("toolCalls", [])
            ]


def test_text_shows_calls_below_their_attempt(capsys):
    lines = call(capsys, "attempts", CRASH, "--again", "--utc").out.splitlines()
    assert lines[0].startswith("turnStep  completed (continue)")
    assert lines[1].split()[:2] == ["attempt", "1"]
    assert "charge_card" in lines[2]
    assert all(display_width(each) <= 80 for each in lines)


def test_one_step_one_run_or_one_session(capsys):
    document = call(capsys, "attempts", CRASH, "--json").json
    step = document["steps"][0]
    only = call(capsys, "attempts", CRASH, "--step", step["stepId"][-6:], "--json").json
    assert [s["stepId"] for s in only["steps"]] == [step["stepId"]]
    assert (
        call(capsys, "attempts", CRASH, "--run", step["runId"], "--json").json["steps"] == document["steps"]
    )
    assert (
        call(capsys, "attempts", CRASH, "--session", step["runId"], "--json").json["steps"]
        == document["steps"]
    )
    assert call(capsys, "attempts", CRASH, "--step", "zzzz").code == 2


def test_nothing_ran_twice(capsys):
    result = call(capsys, "attempts", "sample:simple-turn", "--again")
    assert result.out == ""
    assert "No step here was started more than once." in result.err
