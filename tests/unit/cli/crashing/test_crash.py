"""The command ``crash``: points, addresses, JSON as docs/json.md has it, text that fits."""

import pytest

from tests.unit.cli._run import APPROVAL, CRASH, SIMPLE, call

STEP = "in-tool"


def widest(text):
    return max(len(line) for line in text.splitlines())


def test_without_a_point_the_points_are_listed(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "crash", SIMPLE, "turn_0")
    assert result.code == 0
    assert "crash points" in result.out
    assert "all tools returned, the step is not committed" in result.out
    assert widest(result.out) <= 80
    assert "--point N" in result.err


def test_one_point_as_text(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = call(capsys, "crash", SIMPLE, "turn_0", "--at", "tools-returned", "--utc")
    assert result.code == 0
    assert "recovers by itself" in result.out
    assert "assuming a lease of 860 s" in result.out
    assert "charge_card" in result.out
    assert widest(result.out) <= 80


def test_explain_lists_the_rules_with_their_sources(capsys):
    out = call(capsys, "crash", SIMPLE, "turn_0", "--at", "tools-returned", "--explain").out
    assert "docs/evidence/sweep.md" in out
    assert "1. " in out and "before the crash" in out


def test_the_contract(capsys):
    result = call(capsys, "crash", SIMPLE, "--turn", "turn_0", "--after", "tools-returned", "--json")
    document = result.json
    assert document["format"] == "eve-replay/crash"
    assert {"point", "assumptions", "steps", "effects", "modelCalls", "tokens", "events"} <= set(document)
    assert {"recovery", "turn", "outcome", "sentence", "receipt", "source", "version"} <= set(document)
    assert document["outcome"] == "recovers"
    twice = [e for e in document["effects"] if e["executions"] == {"min": 2, "max": 2}]
    assert {e["tool"] for e in twice} == {"get_weather"}
    step = next(s for s in document["steps"] if s["verdict"] == "re-executed")
    assert step["attempts"] == {"min": 2, "max": 2}


@pytest.mark.parametrize(
    ("side", "status", "outcome", "code"),
    [
        ("--before", "pending", "hangs", "C1a"),
        ("--after", "pending", "hangs", "C1b"),
        ("--after", "running", "recovers", "C3"),
        ("--before", "completed", "hangs", "F1"),
        ("--after", "completed", "hangs", "F2"),
    ],
)
def test_records_as_addresses(capsys, side, status, outcome, code):
    first = call(capsys, "crash", SIMPLE, "--turn", "0", "--at", "tools-returned", "--json").json
    step = first["point"]["stepId"]
    words = ("crash", SIMPLE, "--turn", "0", side, f"record:{step}:{status}", "--json")
    document = call(capsys, *words).json
    assert document["outcome"] == outcome
    assert next(s for s in document["steps"] if s["stepId"] == step)["state"] == code


def test_f1_has_no_bound(capsys):
    document = call(capsys, "crash", SIMPLE, "--turn", "0", "--at", "step-ending:2", "--json").json
    assert document["outcome"] == "hangs"
    assert any(e["executions"]["max"] is None for e in document["effects"])


def test_a_time_a_number_and_a_schedule(capsys):
    point = call(capsys, "crash", SIMPLE, "--turn", "0", "--at", "tools-returned", "--json").json["point"]
    same = call(capsys, "crash", SIMPLE, "--turn", "0", "--point", point["number"], "--json").json
    assert same["point"] == point
    timed = call(capsys, "crash", SIMPLE, "--turn", "0", "--at", point["at"], "--json").json
    assert timed["point"]["stepId"] == point["stepId"]
    again = call(
        capsys,
        "crash",
        SIMPLE,
        "--turn",
        "0",
        "--at",
        "tools-returned",
        "--then",
        "after:tools-returned",
        "--json",
    ).json
    assert again["assumptions"]["crashes"] == 2
    assert max(e["executions"]["min"] for e in again["effects"]) == 3


def test_assumptions(capsys):
    words = ("crash", SIMPLE, "--turn", "0", "--at", "tools-returned", "--json")
    document = call(capsys, *words, "--model", "new-ids", "--strategy", "*=call-id", "--lease", "5").json
    assert document["assumptions"]["model"] == "new-ids"
    assert document["assumptions"]["leaseSeconds"] == 5
    assert document["effects"][0]["outside"] == {"min": 2, "max": 2}
    dev = call(capsys, *words, "--environment", "eve-dev").json
    assert (dev["outcome"], dev["recovery"]["by"]) == ("needs-person", "person")
    flue = call(capsys, *words, "--runtime", "flue").json
    assert flue["assumptions"]["environment"] == "flue"
    batched = call(capsys, *words, "--batch", "4").json
    assert batched["assumptions"]["modelCallsPerStep"] == 4


def test_an_effects_policy_is_used(capsys, tmp_path):
    policy = tmp_path / "effects.toml"
    policy.write_text('[tools.charge_card]\nclass = "keyed"\nby = "business-id"\n')
    words = ("crash", SIMPLE, "--turn", "0", "--at", "tools-returned", "--json", "--effects", policy)
    charge = next(e for e in call(capsys, *words).json["effects"] if e["tool"] == "charge_card")
    assert (charge["strategy"], charge["outside"]) == ("business-id", {"min": 1, "max": 1})


def test_a_parked_turn(capsys):
    document = call(capsys, "crash", APPROVAL, "--turn", "0", "--at", "parked", "--json").json
    assert document["outcome"] == "needs-person"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--at", "in-tool", "--point", "3"), "Give one of"),
        (("--after", "evnt_nothing"), "no write"),
        (("--point", "99999"), "no point"),
        (("--at", "handoff"), "no crash point"),
        (("--at", "in-tool", "--strategy", "nonsense"), "not understood"),
        (("--at", "in-tool", "--policy", "hope"), "no runtime"),
        (("--at", "in-tool", "--environment", "moon"), "no environment"),
        (("--at", "in-tool", "--batch", "0"), "makes no sense"),
        (("--session", "wrun_zzz"), "session"),
    ],
)
def test_wrong_use(capsys, words, said):
    result = call(capsys, "crash", SIMPLE, "turn_0", *words)
    assert result.code == 2
    assert said in result.err


def test_the_sample_of_a_crash(capsys):
    result = call(capsys, "crash", CRASH, "--at", "in-tool:charge_card", "--json")
    assert result.code == 0
    assert result.json["turnId"] == "turn_0"
