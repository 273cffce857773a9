"""View-models of why, doctor and ledger."""

from eve_replay.checks import Finding, check_session
from eve_replay.guidance import why
from eve_replay.journal import open_journal
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.ledger.join import join
from eve_replay.journal.ledger.model import Ledger
from eve_replay.views.kit.table import table_lines
from eve_replay.views.kit.text import plain
from eve_replay.views.verdicts.postmortem import (
    finding_lines,
    ledger_table,
    tone_of,
    unmatched_table,
    why_lines,
)
from eve_replay.views.verdicts.reports import effects_table
from tests.support.corpus import data, scenario
from tests.support.synthetic import at


def report(name="crash-in-tool", **options):
    with open_journal(str(data(name))) as book:
        return why(book.sessions[0], now=at(7200), **options)


def test_every_verdict_has_a_tone_and_a_word():
    made = report()
    assert [tone_of(v) for v in made.verdicts] == ["harm", "again", "again", "ok"]
    text = plain(why_lines(made, width=70))
    assert max(len(line) for line in text.splitlines()) <= 70
    assert "‖ may have run twice  unknown" in text and "↻ ran twice, same key  observed" in text
    # The plan stands first and says what to do; the verdicts say why, and no second "next".
    assert text.index("Do now") < text.index("What happened") and "Next: " not in text


def test_control_characters_of_a_journal_stay_harmless():
    from dataclasses import replace

    made = replace(report(), title="\x1b[2Jgone\u202e")
    text = plain(why_lines(made))
    assert "\x1b" not in text and "\u202e" not in text


def test_tables():
    made = report(ledger=scenario("crash-in-tool") / "ledger.ndjson")
    text = plain(table_lines(effects_table(made), width=100))
    assert "ran twice" in text and "ledger" in text.splitlines()[0]


def test_the_count_of_a_ledger_is_what_the_table_says():
    assert "may have run twice" in plain(table_lines(effects_table(report()), width=140))
    made = report(ledger=scenario("crash-in-tool") / "ledger.ndjson")
    text = plain(table_lines(effects_table(made), width=140))
    assert text.count("ran twice") == 2 and "may have" not in text


def test_findings_and_their_sum():
    with open_journal(str(data("crash-in-tool"))) as book:
        found = list(check_session(book.sessions[0], now=at(0)))
    text = plain(finding_lines(found))
    assert "stream-repeats" in text and text.endswith("1 remark")
    assert "Nothing found" in plain(finding_lines([]))
    odd = Finding(code="x", severity="error", where="w", sentence="s.", why="y.", fix="f.")
    assert "Do: f." in plain(finding_lines([odd]))


def test_ledger_views():
    with open_journal(str(data("crash-in-tool"))) as book:
        effects = effects_of(book.sessions[0])
    rows = [{"effect": "charge", "callId": "mock-tool-call-1-0-1"}, {"effect": "refund", "at": 1_800_000_000}]
    joined = join(effects, Ledger.load(rows))
    assert "call-id" in plain(table_lines(ledger_table(joined), width=100))
    assert "refund" in plain(table_lines(unmatched_table(joined.unmatched), width=100))
    assert "covers none" in plain(table_lines(ledger_table(join(effects, Ledger()))))
