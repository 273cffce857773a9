"""What a person has in hand, and the session it means."""

import gc
from datetime import UTC, datetime
from pathlib import Path

import pytest

import eve_replay as er
from eve_replay.journal.joined import joined_with, journal_of
from eve_replay.journal.targets import last_session, locate, turn_of
from tests.support import synthetic
from tests.support.corpus import data

SAMPLE = "sample:crash-in-tool"


@pytest.fixture(scope="module")
def journal():
    return er.open_journal(SAMPLE)


@pytest.fixture(scope="module")
def session(journal):
    return journal.session()


@pytest.fixture(scope="module")
def parts(session):
    turn = session.turns[0]
    step = next(each for each in turn.steps if len(each.attempts) > 1)
    attempt = step.attempts[1]
    return {"turn": turn, "step": step, "attempt": attempt, "call": attempt.tool_calls[0]}


@pytest.mark.parametrize("kind", ["source", "path", "world", "journal", "session", "run", *"TSAC"])
def test_all_kinds_of_targets_mean_the_same_session(kind, journal, session, parts):
    target = {
        "source": SAMPLE,
        "path": Path(data("crash-in-tool")),
        "world": er.open_world(SAMPLE),
        "journal": journal,
        "session": session,
        "run": session.runs[0],
        "T": parts["turn"],
        "S": parts["step"],
        "A": parts["attempt"],
        "C": parts["call"],
    }[kind]
    found = locate(target)
    if kind != "path":
        assert found.session.id == session.id
    assert len(er.crash_points(target, "turn_0")) > 10
    assert er.simulate(target, "in-tool", "turn_0").outcome
    assert er.matrix(target, "turn_0").points
    assert er.forecast(target)
    assert er.why(target, now=datetime(2026, 12, 1, tzinfo=UTC)).verdicts


def test_a_part_says_what_lies_around_it(session, parts):
    found = locate(parts["call"])
    assert (found.turn, found.step, found.attempt, found.call) == tuple(parts.values())
    assert turn_of(found, None) is parts["turn"]
    assert turn_of(locate(session), 0) is turn_of(locate(session), "turn_0") is parts["turn"]


def test_a_part_finds_its_session_even_when_nobody_else_holds_it():
    turn = er.open_journal(SAMPLE).session().turns[0]
    gc.collect()
    assert locate(turn).session.turns[0] is turn


def test_sessions_are_held_weakly():
    session = er.open_journal(SAMPLE).session()
    run = session.id
    held = len(joined_with(run))
    for name in ("simple-turn", "crash-in-model"):  # the newest two are kept
        er.open_journal(f"sample:{name}").session()
    del session
    gc.collect()
    assert len(joined_with(run)) < held


def test_two_copies_of_a_journal_keep_their_parts_apart():
    one, two = (er.open_journal(SAMPLE) for _ in range(2))
    first, second = one.session(), two.session()
    assert locate(first.turns[0]).session is first and locate(second.turns[0]).session is second
    assert locate(first.turns[0], session=two).session is second
    assert journal_of(first) is one


def test_a_forecast_of_a_session_whose_journal_is_gone_says_so():
    session = er.open_journal(SAMPLE).session()
    gc.collect()
    with pytest.raises(er.WrongUse, match="not at hand any more"):
        er.forecast(session)


@pytest.mark.parametrize("wrong", [3.5, None, b"path", object(), ["a"], True])
def test_one_error_names_what_is_possible(wrong):
    for ask in (er.crash_points, er.matrix, er.forecast, er.why, lambda target: er.simulate(target, 1)):
        with pytest.raises(er.WrongUse, match=r"no target.*Give a source .*, World, Journal, Session"):
            ask(wrong)


def test_what_does_not_exist_is_said_with_what_does(session, parts):
    with pytest.raises(er.NotFound, match=r"no turn 'turn_9'.*Its turns: turn_0"):
        er.matrix(session, "turn_9")
    with pytest.raises(er.WrongUse, match="names no turn"):
        er.matrix(session, 1.5)
    with pytest.raises(er.NotFound, match="The target is session"):
        er.matrix(session, session="wrun_other")
    with pytest.raises(er.WrongUse, match="belongs to its session already"):
        er.matrix(parts["turn"], session=session.id)


@pytest.mark.parametrize("crash", [53.5, True, b"x", {"at": 1}, [53.5]])
def test_a_crash_that_is_none_is_said(session, crash):
    with pytest.raises(er.WrongUse, match="A crash cannot be at"):
        er.simulate(session, crash)
    with pytest.raises(er.WrongUse, match="no time zone"):
        er.simulate(session, datetime(2026, 1, 1))


def test_several_sessions_mean_the_last_conversation_only_where_something_is_shown():
    several = er.open_journal(str(data("older-0.50.0")))
    assert last_session(several).id in {head.id for head in several.heads}
    assert locate(several, several="last").session.id == last_session(several).id
    if len(several.heads) > 1:
        with pytest.raises(er.WrongUse):
            locate(several)
    with pytest.raises(er.NotFound):
        last_session(synthetic.journal([]))
