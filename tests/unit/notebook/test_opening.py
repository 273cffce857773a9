"""From whatever a person has in hand to a widget."""

import base64
import json
import zlib
from datetime import UTC, datetime

import pytest

import eve_replay as er
from eve_replay.errors import EveReplayError, NotFound, WrongUse
from eve_replay.journal.targets import locate
from eve_replay.notebook import attempt_diff, crash_lab, explore
from eve_replay.notebook.opening import key_of
from tests.support.corpus import data


@pytest.fixture(scope="module")
def journal():
    return er.open_journal("sample:crash-in-tool")


@pytest.fixture(scope="module")
def session(journal):
    return journal.session()


def page(widget):
    return json.loads(zlib.decompress(base64.b64decode(widget.packed)))["data"]


def test_session_journal_source_path_and_id_are_the_same(journal, session):
    shown = [
        explore(session),
        explore(journal),
        explore("sample:crash-in-tool"),
        explore(journal, session.id),
    ]
    assert len({widget._text for widget in shown}) == 1
    assert explore(data("crash-in-tool"))._text.startswith("explorer of session")


@pytest.mark.parametrize("pick", ["turn", "step", "attempt"])
def test_a_part_opens_the_explorer_at_itself(journal, session, pick):
    step = next(each for each in session.steps if len(each.attempts) > 1)
    part = {"turn": session.turns[0], "step": step, "attempt": step.attempts[1]}[pick]
    for within in (session, journal):
        assert page(explore(part, within))["start"] == key_of(locate(part))
    assert page(explore(part))["start"] == key_of(locate(part))
    with pytest.raises(WrongUse):
        explore(part, session.id)


def test_what_is_no_source_is_said():
    with pytest.raises(EveReplayError):
        explore("/nowhere/at/all")
    with pytest.raises(WrongUse, match="A float is no target"):
        explore(3.5)


def test_a_lab_begins_with_the_question_it_is_given(session):
    asked = er.Question(environment="eve-dev", model="new-ids", strategies={"charge_card": "claim"})
    data = page(crash_lab(session, question=asked))
    assert data["question"] == {
        "runtime": "eve",
        "environment": "eve-dev",
        "model": "new-ids",
        "strategies": {"charge_card": "claim"},
    }
    assert page(crash_lab(session, question=er.Question(model_calls_per_step=2)))["batch"] == 2
    with pytest.raises(TypeError):
        crash_lab(session, polcy=1)


def test_why_needs_no_widget_and_takes_what_explore_takes(session):
    report = er.why("sample:crash-in-tool", now=datetime(2026, 12, 1, tzinfo=UTC))
    assert report.session_id == er.why(session.turns[0]).session_id == session.id
    with pytest.raises(WrongUse, match="time zone"):
        er.why(session, now=datetime(2026, 12, 1))


def test_crash_lab_takes_turns_and_steps(session):
    turn = session.turns[0]
    assert page(crash_lab(turn, session=session))["turn"] == turn.id
    step = next(each for each in turn.steps if len(each.attempts) > 1)
    found = page(crash_lab(step, session=session))
    assert found["points"][found["index"]]["step"].endswith(step.step_id)
    with pytest.raises(NotFound):
        crash_lab(session, "turn_9")


def test_attempt_diff_takes_a_step_its_id_or_the_first_that_ran_again(session):
    step = next(each for each in session.steps if len(each.attempts) > 1)
    one = page(attempt_diff(session))
    assert one["view"]["repeats"]
    assert page(attempt_diff(step, session=session)) == page(attempt_diff(session, step=step.step_id)) == one
    with pytest.raises(NotFound, match="no attempt 7"):
        attempt_diff(session, 1, 7)
    with pytest.raises(NotFound, match="ran once"):
        attempt_diff(session, step=session.steps[-1].step_id)
    with pytest.raises(NotFound):
        attempt_diff("sample:simple-turn")


def test_the_place_is_remembered(session):
    first = explore(session)
    first.position = {"key": "x", "tab": "raw"}
    assert explore(session).position == {"key": "x", "tab": "raw"}


def test_a_question_is_answered_and_an_error_is_a_message(session):
    widget = explore(session)
    sent = []
    widget.send = sent.append
    key = page(widget)["start"]
    widget._asked(widget, {"id": 1, "request": {"do": "tab", "key": key, "tab": "input"}}, [])
    widget._asked(widget, {"id": 2, "request": {"do": "nonsense"}}, [])
    widget._asked(widget, {"id": 3, "request": {"do": "tab", "wrong": 1}}, [])
    widget._asked(widget, "nonsense", [])
    assert [each["reply"] for each in sent] == [1, 2, 3]
    assert (
        "answer" in sent[0] and "Nobody answers" in sent[1]["error"] and "cannot be shown" in sent[2]["error"]
    )


def test_the_room_of_differences_can_be_called():
    import eve_replay as er

    shown = er.diff("sample:crash-in-tool")
    assert (
        repr(shown) == repr(er.attempt_diff("sample:crash-in-tool")) and er.diff.diff_values(1, 1) is not None
    )
