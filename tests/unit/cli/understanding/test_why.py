import json

import pytest

from eve_replay import open_journal
from eve_replay.cli import COMMANDS
from eve_replay.errors import NotFound
from tests.support.corpus import data, scenario
from tests.unit.cli._run import CRASH, SIMPLE, call

SESSION = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"


def test_one_session_in_words(capsys):
    result = call(capsys, "why", CRASH, "--utc", "--now", "2026-11-30T10:00:00Z")
    assert result.code == 1, "something ran twice"
    assert "send_email (call mock-tool-call-1-0-2) ran twice" in " ".join(result.out.split())
    assert "may have run twice" in result.out and "at 09:09:30" in result.out
    assert "charge_card" in result.out and "protection" in result.out


def test_a_session_at_rest_is_fine(capsys):
    result = call(capsys, "why", SIMPLE)
    assert result.code == 0
    assert "Nothing is open" in result.out


def test_json_is_the_contract(capsys):
    document = call(capsys, "why", CRASH, "--json").json
    assert (document["format"], document["version"]) == ("eve-replay/why", 1)
    entry = document["sessions"][0]
    assert entry["sessionId"] == SESSION and SESSION in entry["runs"]
    assert {v["code"] for v in entry["verdicts"]} >= {"ran-twice", "may-have-run-twice"}
    charge = next(e for e in entry["effects"] if e["tool"] == "charge_card")
    assert charge["executions"] == {"min": 1, "max": 2} and charge["attempts"] == [1, 2]
    assert "ledgerCount" not in charge


def test_a_ledger_a_policy_and_a_session(capsys, tmp_path):
    ledger = scenario("crash-in-tool") / "ledger.ndjson"
    policy = tmp_path / "effects.toml"
    policy.write_text('[tools]\ncharge_card = "claimed"\n')
    words = ["why", CRASH, "J64S", "--ledger", ledger, "--effects", policy, "--json"]
    effects = call(capsys, *words).json["sessions"][0]["effects"]
    assert [(e["tool"], e["ledgerCount"], e["class"]) for e in effects] == [
        ("charge_card", 2, "claimed"),
        ("send_email", 2, "keyed"),
    ]


def test_a_mapped_column_and_lines_that_fit_nothing(capsys, tmp_path):
    rows = tmp_path / "l.csv"
    rows.write_text("what,id\ncharge,mock-tool-call-1-0-1\ncharge,elsewhere\n")
    words = ["why", CRASH, "--ledger", rows, "--column", "call_id=id", "--column", "effect=what"]
    document = call(capsys, *words, "--json").json
    assert document["unmatchedLedger"] == [{"line": 3, "effect": "charge"}]
    assert "1 ledger lines" in call(capsys, *words).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--effects", "nowhere.toml"], "cannot be read"),
        (["--ledger", "nowhere.csv"], "cannot be read"),
        (["--column", "x", "--ledger", "nowhere.csv"], "NAME=COLUMN"),
        (["wrun_unknown"], "No session"),
        (["J64S", "--session", "other"], "twice"),
    ],
)
def test_mistakes_are_said_in_one_line(capsys, words, message):
    result = call(capsys, "why", CRASH, *words)
    assert result.code in (2, 3) and message in result.err and "Traceback" not in result.err


def test_several_sessions_are_some_lines_each_worst_first(capsys):
    result = call(capsys, "why", data("subagent"))
    entries = [line for line in result.out.splitlines() if line[:1] not in (" ", "")]
    assert [line.split()[0] for line in entries[:2]] == ["✓", "✓"] and "waiting for a message" in entries[0]
    assert "tells the whole of one" in result.err


def test_stranded_by_version_and_another_lease(capsys):
    told = call(capsys, "why", data("stranded"), "--eve", "0.80.1", "--json").json["sessions"][0]
    assert told["verdicts"][0]["code"] == "stranded"
    words = ["why", data("crash-waiting-for-lease"), "--json", "--now", "2026-11-30T09:36:00Z"]
    assert "leased" in {v["code"] for v in call(capsys, *words).json["sessions"][0]["verdicts"]}
    short = call(capsys, *words, "--lease", "20").json["sessions"][0]["verdicts"]
    assert "overdue" in {v["code"] for v in short}


def test_an_empty_world(capsys, tmp_path):
    (tmp_path / "runs").mkdir()
    result = call(capsys, "why", tmp_path)
    assert result.code == 1 and "no sessions" in result.out and "no run yet" in result.err
    assert json.loads(call(capsys, "why", tmp_path, "--json").out)["sessions"] == []


def test_an_unknown_session_is_told_how_many_there_are(capsys):
    for command in ("why", "doctor", "forecast"):
        result = call(capsys, command, CRASH, "--session", "nope")
        assert result.code == 2
        assert "There is 1 session here" in result.err


def test_the_library_names_a_command_that_exists():
    with pytest.raises(NotFound) as told:
        open_journal("sample:crash-in-tool").session("nope")
    named = str(told.value).partition("`eve-replay ")[2].partition("`")[0]
    assert named in COMMANDS
