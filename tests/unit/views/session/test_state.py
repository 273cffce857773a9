"""The state view: what a checkpoint holds, what is rebuilt, what a step changed."""

import json

from eve_replay.journal import walk_states
from eve_replay.views.session.state import state_view, turn_state_view
from tests.unit.views._sessions import explorer, turn_step

NAME = "crash-before-commit"


def test_parts_say_who_holds_them():
    view = state_view(turn_step(NAME, 1))
    parts = {part.what: part for part in view.parts}
    assert parts["message history"].origin == "checkpoint"
    assert parts["message history"].changed
    assert parts["system prompt"].present
    assert not parts["system prompt"].changed
    assert "old session keeps its old prompt" in parts["system prompt"].note
    assert parts["tools"].origin == "rebuilt"
    assert "new tools at once" in parts["tools"].note


def test_the_difference_and_the_messages_of_a_step():
    view = state_view(turn_step(NAME))
    assert view.history == (0, 3)
    assert [row.role for row in view.messages] == ["user", "assistant", "tool"]
    assert all(row.added for row in view.messages)
    assert view.diff.added > 0
    assert view.before is not None
    assert not view.checked
    json.dumps(view.to_json())
    assert view.to_json()["before"] is None


def test_a_walk_brings_the_comparison_with_the_step_before():
    session = explorer(NAME).session
    for walked in walk_states(session.steps):
        view = state_view(walked.step, walked=walked)
        assert view.checked
        assert all(row.expected for row in view.law)


def test_steps_without_state_say_why():
    other = next(s for s in explorer(NAME).session.steps if s.function == "startSessionTimeoutStep")
    assert state_view(other).note == "This step carries no session state."
    function = explorer("sdk5-crash").session.steps[0]
    assert "function of the app" in state_view(function).note
    view = state_view(turn_step("crash-not-restarted"))
    assert view.note.startswith("The step is not committed")
    assert view.diff is None


def test_a_turn_from_its_first_step_to_its_last_commit():
    turn = explorer(NAME).session.turns[0]
    view = turn_state_view(turn)
    assert view.history == (0, 4)
    assert turn_state_view(explorer("crash-not-restarted").session.turns[0]).note == (
        "Nothing of this turn is committed."
    )
