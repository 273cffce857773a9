"""Every public object as a few lines: bounded, decoding no more than it shows."""

from datetime import UTC, datetime

import pytest

import eve_replay as er
from eve_replay.codec import Payload
from eve_replay.diff.attempts import diff_attempts
from eve_replay.guidance.why import why
from eve_replay.views.diffs.diff import sides
from eve_replay.views.kit.html import html_of, text_of
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.reprs import MOST_LINES, portrait
from tests.support.corpus import data, names
from tests.support.hostile import PAYLOADS, hostile_journal


def things():
    journal = er.open_journal("sample:crash-in-tool")
    session = journal.session()
    step = next(each for each in session.steps if len(each.attempts) > 1)
    report = why(session, now=datetime.now(UTC))
    matrix = er.matrix(session)
    return {
        "world": journal.world,
        "journal": journal,
        "session": session,
        "turn": session.turns[0],
        "step": step,
        "attempt": step.attempts[0],
        "payload": step.input,
        "diff view": sides({"a": 1}, {"a": 2}, left="before", right="after"),
        "attempt diff": diff_attempts(step, 1, 2),
        "attempt diff view": Explorer(session).inspector.diff(f"step:{step.run_id}/{step.step_id}"),
        "simulation": matrix.points[50],
        "matrix": matrix,
        "verdict": report.sessions[0].verdicts[0] if hasattr(report, "sessions") else report.verdicts[0],
        "report": report,
    }


THINGS = things()
SAYS = {
    "world": "local world",
    "journal": "session",
    "session": "1?",
    "turn": "2 attempts",
    "step": "turnStep",
    "attempt": "charge_card",
    "payload": "zstd",
    "diff view": "2",
    "attempt diff": "against",
    "attempt diff view": "ran twice",
    "simulation": "If the process dies here",
    "matrix": "106 crash points",
    "verdict": "may have run twice",
    "report": "charge_card",
}


@pytest.mark.parametrize("name", THINGS)
def test_each_says_what_it_is(name):
    text = text_of(THINGS[name])
    assert SAYS[name] in text
    assert text.count("\n") <= MOST_LINES + 1
    html = html_of(THINGS[name])
    assert len(html) < 200_000
    assert "<script" not in html and 'role="group"' in html and "aria-label=" in html


def test_a_thing_nobody_described_is_its_type_and_nothing_else():
    class Secret:
        def __repr__(self):
            raise AssertionError("never asked")

    assert text_of(Secret()) == "Secret"


@pytest.mark.parametrize("name", names())
def test_every_recording_has_portraits(name):
    journal = er.open_journal(str(data(name)))
    for thing in (journal.world, journal, *list(journal.sessions)[:2], *journal.sessions[0].turns[:2]):
        assert portrait(thing)
        assert len(html_of(thing)) < 200_000
    for step in journal.sessions[0].steps[:3]:
        assert portrait(step) and (not step.attempts or portrait(step.attempts[0]))


def test_listing_decodes_nothing(monkeypatch):
    journal = er.open_journal("sample:crash-in-tool")
    session = journal.session()
    decoded = []
    before = Payload._decode

    def decode(self, *args, **words):
        decoded.append(self.where)
        return before(self, *args, **words)

    monkeypatch.setattr(Payload, "_decode", decode)
    for thing in (journal.world, journal, session.turns[0], session.turns[0].steps[0]):
        portrait(thing)
    assert decoded == []


def test_a_large_value_is_folded():
    text = text_of(Payload.plain({"long": "x" * 5_000_000, "many": list(range(100_000))}))
    assert len(text) < 20_000


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_hostile_payloads_are_text(number):
    journal = hostile_journal(PAYLOADS[number])
    session = journal.sessions[0]
    step = session.steps[0]
    for thing in (journal.world, journal, session, step, *step.attempts, step.input, step.output):
        html, text = html_of(thing), text_of(thing)
        assert len(html) < 200_000
        assert "<script" not in html and "<img" not in html and "<a " not in html
        assert "\x1b" not in html + text and "\u202e" not in html + text and "\x00" not in text
