from tests.support.corpus import scenario
from tests.unit.cli._run import CRASH, call

LEDGER = "ledger.ndjson"


def test_counts_and_how_they_were_joined(capsys):
    result = call(capsys, "ledger", CRASH, scenario("crash-in-tool") / LEDGER)
    assert result.code == 0
    assert result.out.count("call-id") == 2 and result.out.count("agrees") == 2


def test_json(capsys):
    document = call(capsys, "ledger", CRASH, scenario("crash-in-tool") / LEDGER, "--json").json
    assert document["format"] == "eve-replay/ledger"
    assert [e["ledgerCount"] for e in document["effects"]] == [2, 2]
    assert [e["lines"] for e in document["effects"]] == [[1, 3], [2, 4]]
    assert document["unmatched"] == [] and document["columns"]["call_id"] == "callId"


def test_effects_without_a_start_are_listed(capsys, tmp_path):
    rows = tmp_path / "l.ndjson"
    rows.write_text('{"effect": "refund", "at": "2026-11-30T09:00:00Z", "callId": "x"}\n')
    result = call(capsys, "ledger", CRASH, rows, "--utc")
    assert result.code == 1
    assert "Effects without a recorded start" in result.out and "refund" in result.out


def test_no_ledger_no_answer(capsys):
    result = call(capsys, "ledger", CRASH)
    assert result.code == 2 and "No ledger" in result.err


def test_the_ledger_as_an_option_as_why_takes_it(capsys):
    ledger = scenario("crash-in-tool") / LEDGER
    by_word = call(capsys, "ledger", CRASH, ledger, "--json").json
    assert call(capsys, "ledger", CRASH, "--ledger", ledger, "--json").json == by_word
    assert call(capsys, "ledger", CRASH).code == 2
