"""Several post-mortems, and the effects of one: what is fine is folded, what looks alike is told apart."""

from dataclasses import replace
from datetime import UTC, datetime

from eve_replay.guidance import why
from eve_replay.journal import open_journal
from eve_replay.views.kit.text import plain
from eve_replay.views.verdicts.reports import effects_lines, effects_shown, reports_lines
from tests.support.corpus import data

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def report(name):
    with open_journal(str(data(name))) as book:
        return why(book, now=NOW)


def test_effects_that_look_alike_are_told_apart_by_their_arguments_at_80_columns():
    text = plain(effects_lines(report("batch-crash"), width=80))
    assert max(map(len, text.splitlines())) <= 80
    for customer in ("cus_b1", "cus_b3", "cus_b4", "cus_b5"):
        assert text.count(customer) == 1
    assert "ran twice, turn_0, attempts 1, 2, protection unknown (guessed from the name)" in text


def test_where_it_fits_the_effects_are_a_table():
    text = plain(effects_lines(report("crash-in-tool"), width=180))
    assert text.splitlines()[0].startswith("effect") and len(text.splitlines()) == 3


def test_what_ran_once_is_one_line_and_opens():
    made = report("crash-in-tool")
    once = next(each for each in report("simple-turn").effects)
    many = replace(made, effects=(*made.effects, *[once] * 240), counts=(*made.counts, *[None] * 240))
    shown, folded = effects_shown(many)
    assert (len(shown), folded) == (2, 240)
    text = plain(effects_lines(many, width=80))
    assert "240 effects more ran once or not at all" in text and "--all lists them" in text
    assert len(text.splitlines()) < 8
    assert len(plain(effects_lines(many, width=80, every=True)).splitlines()) > 240


def test_sessions_that_need_nobody_are_one_line():
    rest = [replace(report("simple-turn"), session_id=f"wrun_{n:026d}") for n in range(148)]
    bad = report("crash-in-tool")
    text = plain(reports_lines([bad, *rest], width=80))
    assert max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) < 9
    assert text.startswith("‖ wrun_") and "may have run twice" in text and "Do now: Look up whether" in text
    assert "148 sessions more: nothing to do" in text and "--all" in text
    assert plain(reports_lines([])) == "There are no sessions here."
    assert len(plain(reports_lines([bad, *rest], every=True)).splitlines()) > 300


def test_what_can_still_be_prevented_stands_first():
    text = plain(reports_lines([report("batch-crash"), report("crash-not-restarted")], width=80))
    assert text.splitlines()[0].startswith("! wrun_") and "overdue" in text.splitlines()[0]
