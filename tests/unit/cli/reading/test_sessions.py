"""``eve-replay sessions``: the landing page."""

import pytest

from tests.support.corpus import data
from tests.unit.cli._run import call


def test_the_contract_of_its_json(capsys):
    document = call(capsys, "sessions", "sample:crash-in-tool", "--json").json
    assert document["format"] == "eve-replay/sessions" and document["version"] == 1
    (row,) = document["sessions"]
    assert {
        "sessionId",
        "framework",
        "title",
        "state",
        "since",
        "worst",
        "twice",
        "lastActivity",
        "runs",
        "turns",
    } <= set(row)
    assert set(row["twice"]) == {"sure", "possible"} and set(row["worst"]) == {
        "code",
        "severity",
        "certainty",
    }
    assert document["totals"]["states"] and document["totals"]["severities"]


def test_where_filters_and_says_how_many_were_looked_at(capsys):
    words = ("sessions", "sample:crash-in-tool")
    shown = call(capsys, *words, "--where", 'tool = "charge_card"')
    assert shown.code == 0 and "1 session" in shown.out
    none = call(capsys, *words, "--where", "twice > 99")
    assert "0 of 1 sessions" in none.out and "No session fits" in none.out
    wrong = call(capsys, *words, "--where", "nope = 1")
    assert wrong.code == 2 and "no field 'nope'" in wrong.err and "twice" in wrong.err


#: Worlds in which nothing is to be done.
QUIET = ("simple-turn", "task-and-serve", "steering", "workflow-tool")


def test_what_needs_nobody_is_one_line(capsys):
    calm = " + ".join(str(data(name)) for name in QUIET)
    shown = call(capsys, "sessions", calm).out
    assert "4 sessions more: nothing to do" in shown and "--all` lists them" in shown
    whole = call(capsys, "sessions", calm, "--all").out
    assert "nothing to do" not in whole and whole.count("idle") >= 4


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_no_line_is_wider_than_the_screen(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    for line in call(capsys, "sessions", "sample:crash-in-tool").out.splitlines():
        assert len(line) <= int(width) or "Next:" in line, line
