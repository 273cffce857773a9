"""The one judge: what a count is called, what is harm, what stands above what."""

from dataclasses import replace

import pytest

from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.judge import RANKS, Twice, judge, judge_effect, tally, worst_first
from tests.unit.views._sessions import explorer


def runs(low, high):
    return Executions(min=low, max=high)


ONCE = runs(1, 1)


@pytest.mark.parametrize(
    ("count", "options", "code", "said", "tone"),
    [
        (runs(0, 0), {}, "none", "did not run", "muted"),
        (runs(0, 1), {}, "maybe", "may have run", "unknown"),
        (ONCE, {}, "once", "ran once", "once"),
        (ONCE, {"acts": False}, "once", "ran once", "muted"),
        (runs(1, 2), {}, "possible", "may have run twice", "harm"),
        (runs(1, 2), {"signs": False}, "open", "ran once, as far as seen", "unknown"),
        (runs(2, 2), {}, "sure", "ran twice", "harm"),
        (runs(2, 3), {}, "sure", "ran twice or more", "harm"),
        (runs(0, 9), {}, "possible", "may have run 9 times", "harm"),
        # Look first, then act: the body ran twice for sure, the outside may have seen one.
        (runs(2, 2), {"outside": runs(1, 2)}, "possible", "ran twice", "harm"),
        (runs(2, 2), {"outside": ONCE}, "keyed", "ran twice, same key", "again"),
        (runs(1, 2), {"outside": ONCE}, "keyed", "may have run twice, same key", "again"),
        (runs(2, 2), {"outside": ONCE, "settled": True}, "absorbed", "ran twice, absorbed", "again"),
        (runs(2, 2), {"acts": False}, "reads", "ran twice, reads only", "muted"),
        (runs(4, 4), {"threw": True}, "retried", "ran 4 times, threw before", "again"),
        (runs(1, None), {}, "without-end", "may have run twice", "harm"),
        (runs(3, None), {"acts": False}, "reads", "ran three times or more, reads only", "muted"),
        (runs(1, None), {"outside": ONCE}, "keyed", "may have run twice, same key", "again"),
    ],
)
def test_word_tone_and_harm_of_a_count(count, options, code, said, tone):
    found = judge(count, **options)
    assert (found.code, found.said, found.tone) == (code, said, tone)
    assert found.meaning and found.rank == RANKS[code]
    assert found.harmful == (found.sure or found.possible)
    assert not (found.sure and found.possible)


def test_what_is_no_harm_is_never_red():
    for count in (ONCE, runs(1, 2), runs(2, 2), runs(0, None), runs(5, 9)):
        for options in ({"acts": False}, {"outside": ONCE}, {"outside": ONCE, "settled": True}):
            found = judge(count, **options)
            assert found.tone != "harm" and not found.harmful


def test_an_unprotected_charge_stands_above_a_mail_behind_its_key():
    ranked = worst_first(explorer("crash-in-tool").effects)
    assert [(effect.tool, judged.code) for effect, judged in ranked] == [
        ("charge_card", "possible"),
        ("send_email", "keyed"),
    ]


def test_twice_is_two_numbers():
    effects = explorer("crash-in-tool").effects
    assert tally(judge_effect(e) for e in effects) == Twice(sure=0, possible=1)
    assert Twice(sure=1, possible=2).words == "1 twice, 2 possibly"
    assert Twice(possible=2).words == "2 possibly twice"
    assert Twice(sure=3, possible=1).sentence == "3 effects twice, 1 possibly"
    assert (Twice(sure=1, possible=2).short, Twice(possible=1).short, Twice().short) == ("1+2?", "1?", "")
    assert not Twice() and Twice(possible=1)
    assert Twice(sure=1).to_json() == {"sure": 1, "possible": 0}


def test_a_ledger_decides_what_the_journal_left_open():
    charge = next(e for e in explorer("crash-in-tool").effects if e.tool == "charge_card")
    assert judge_effect(charge).code == "possible"
    assert judge_effect(charge, 2).code == "sure"
    assert judge_effect(charge, 1).code == "once"
    # A ledger without it proves nothing against a recorded result: it may cover other effects.
    assert judge_effect(charge, 0).code == "possible"


def test_a_receiver_that_acts_in_spite_of_the_key_is_harm_once_the_ledger_says_so():
    mail = next(e for e in explorer("crash-in-tool").effects if e.tool == "send_email")
    assert judge_effect(mail).code == "keyed"
    assert judge_effect(mail, 2).code == "sure"
    assert judge_effect(mail, 1).code == "absorbed"
    assert judge_effect(replace(mail, same_key=False, outside=mail.executions)).code == "sure"
