"""What is asked of a thing in hand is what ``er`` answers about it; what is not there raises."""

from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

import eve_replay as er
from eve_replay.brief import Brief
from eve_replay.views.kit.html import html_of, text_of

NOW = datetime(2026, 12, 1, tzinfo=UTC)
needs_pandas = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
needs_widgets = pytest.mark.skipif(find_spec("anywidget") is None, reason="anywidget is not installed")


@pytest.fixture(scope="module")
def journal():
    with er.open_journal("sample:crash-in-tool") as opened:
        yield opened


@pytest.fixture(scope="module")
def parts(journal):
    session = journal.session()
    step = session.repeated[0]
    attempt = step.attempts[-1]
    return [journal, session, session.runs[0], session.turns[0], step, attempt, attempt.tool_calls[0]]


def test_why_of_any_part_is_why_of_its_session(parts):
    told = {
        tuple(verdict.sentence for verdict in part.why(now=NOW, effects={"charge_card": "claimed"}).verdicts)
        for part in parts
    }
    assert len(told) == 1
    assert any("send_email" in sentence for sentence in next(iter(told)))


@needs_widgets
def test_any_part_opens_as_explorer_lab_and_diff(parts):
    for part in parts:
        assert part.explore(now=NOW).kind == "explorer"
        assert part.crash().kind == "crashlab"
        if not isinstance(part, er.Run):
            assert part.diff().kind == "diff"


@needs_widgets
def test_an_explorer_opens_at_an_event_and_refuses_one_that_is_not_there(journal):
    session = journal.session()
    event = session.runs[0].events[5].event_id
    with pytest.raises(er.NotFound, match="evnt_nowhere"):
        session.explore(at="evnt_nowhere", now=NOW)
    assert session.explore(at=event, now=NOW) is not None


@needs_pandas
def test_a_frame_of_a_part_holds_what_lies_in_it(parts):
    journal, session, run, turn, step, attempt, call = parts
    assert list(journal.frame().run_id) == [each.run_id for each in session.all_runs]
    assert set(run.frame().step_id) == {each.step_id for each in run.steps}
    assert set(turn.frame().step_id) == {each.step_id for each in turn.steps}
    assert list(step.frame().attempt) == [1, 2]
    assert list(attempt.frame().tool) == [each.name for each in attempt.tool_calls]
    assert list(call.frame().call_id) == [call.call_id]
    assert list(call.frame("effects").tool) == [call.name]
    assert set(step.frame("events").correlation_id) == {step.step_id}
    assert len(session.frame("events")) > len(turn.frame("events")) > len(step.frame("events"))


@needs_pandas
def test_frames_take_any_target_and_give_short_ids(parts):
    for target in ("sample:crash-in-tool", *parts[:2]):
        frame = er.frames.attempts(target, ids="short")
        assert frame.columns[-1] == "session_id" and frame.columns[0] == "turn_id"
        assert set(frame.session_id) == {"wrun_…J64S"}
    with pytest.raises(er.WrongUse, match="ids="):
        er.frames.steps(parts[0], ids="tiny")
    with pytest.raises(er.WrongUse, match=r"int is no target.*Session, Run, Turn"):
        er.frames.steps(7)


def test_sessions_turns_and_steps_are_found_by_what_people_type(journal):
    session = journal.session()
    assert journal[0] is journal["J64S"] is session
    assert list(journal) == [session]
    assert session.turn(0) is session.turn("turn_0") is session.turns[0]
    assert session.step(session.repeated[0].step_id[-5:]) is session.repeated[0]
    for wrong in (1, "turn_9", "x"):
        with pytest.raises(er.NotFound, match="Its turns: turn_0"):
            session.turn(wrong)
    with pytest.raises(er.NotFound, match="Its steps: step_"):
        session.step("nowhere")
    with pytest.raises(er.NotFound):
        journal["nowhere"]
    with pytest.raises(IndexError):
        journal[3]


def test_a_ledger_counts_what_really_happened(journal):
    charge = next(e for e in journal.session().repeated[0].tool_calls if e.returned)
    rows = [{"effect": "charge", "call_id": charge.call_id}] * 2 + [{"effect": "charge", "call_id": "other"}]
    joined = er.ledger(journal, rows)
    count = next(each for each in joined.counts if each.effect.tool == charge.name)
    assert (count.count, len(joined.unmatched)) == (2, 1)
    assert "Effects without a recorded start" in text_of(joined)
    with pytest.raises(er.WrongUse):
        er.ledger(journal, 3)


def test_every_object_is_one_line_in_a_list_and_a_portrait_alone(parts):
    journal, session, run, *_, call = parts
    things = [*parts[1:], *run.events[:3], run.record, *session.messages, er.crash_points(session)[0]]
    row = {"effect": "charge", "call_id": call.call_id}
    things += [er.ledger(session, [row]), journal.receipt, er.why(session, now=NOW), er.forecast(session)[0]]
    things += call.evidence
    for thing in things:
        assert isinstance(thing, Brief), type(thing)
        line = repr(thing)
        assert len(line) <= 130 and "\n" not in line and line.startswith(type(thing).__name__)
        portrait = text_of(thing)
        assert len(portrait.splitlines()) > 1 and len(html_of(thing)) < 150_000
    assert repr(journal.sessions) == "<1 session, built on demand: wrun_…J64S>"


def test_a_repr_shows_hostile_text_harmless(parts):
    from dataclasses import replace

    call = replace(parts[-1], name="\x1b[2Jcharge\u202e_card")
    assert "\x1b" not in repr(call) and "\u202e" not in repr(call)


def test_a_notebook_prints_the_sentence_and_the_persons_line(journal):
    try:
        journal.session().turn("turn_9\x1b[2J")
    except er.NotFound as error:
        lines = error._render_traceback_()
    assert lines[0].startswith("NotFound: Session ") and lines[1] == "Its turns: turn_0."
    assert lines[2].startswith('journal.session().turn("turn_9') and len(lines) == 3
    assert "\x1b" not in "".join(lines)
