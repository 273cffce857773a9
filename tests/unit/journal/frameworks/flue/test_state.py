"""State of a Flue conversation around its model messages: what was committed, and what a crash lost."""

from __future__ import annotations

import pytest

from eve_replay.journal import walk_states
from eve_replay.views.session.state import state_view
from tests.support.flue import fixtures, joined, journal


def _states(name, label="final"):
    session = journal(fixtures()[name][label]).session()
    return session, list(walk_states(session.steps))


def _by_commit(tables):
    """Compute the last value of each name from the rows alone."""
    import json

    state = {}
    for row in sorted(tables["flue_conversation_stream_batches"], key=lambda each: each["seq"]):
        records = json.loads(row["data"])
        state |= {r["name"]: r["value"] for r in records if r["type"] == "state_write"}
    return state


@pytest.mark.parametrize("name", ["i_state_write", "r_hooks", "r3_finish_hook_window"])
def test_the_last_state_is_what_the_rows_say(name):
    _, states = _states(name)
    assert dict(states[-1].after.session) == _by_commit(fixtures()[name]["final"])
    assert all(not each.law for each in states)


def test_a_write_without_a_commit_is_in_no_state():
    _, states = _states("i_state_write", "crash")
    assert states[0].before.session == {} and states[0].after.session == {"phase": "drafting", "count": 1}
    assert states[-1].after is None  # its tool had acted; the batch that holds the write was not appended
    view = state_view(states[0].step, walked=states[0])
    changed = {row.path.rpartition(".")[2] for row in view.parts if row.changed}
    assert changed == {"phase", "count"}
    assert "not committed" in state_view(states[-1].step, walked=states[-1]).note
    _, lost = _states("i_state_write")
    assert lost[-1].after.session == {"phase": "drafting", "count": 1}


def test_a_write_that_was_lost_with_its_tool_kept_is_not_there():
    """The tool has its outcome, its batch was never committed: no record of the write exists."""
    session, states = _states("i3_state_lost_slow_sibling")
    assert all("phase" not in (each.after or each.before).session for each in states)
    assert any(c.name == "set_phase" and c.fate == "ok" for s in session.steps for c in s.tool_calls)


def test_a_delegates_steps_have_no_state_of_their_parent():
    whole = next(kill for kill in joined() if not kill["n"])
    session = journal(whole["crash"]).session()
    told = list(walk_states(session.steps))
    assert {each.step.run_id for each in told} == {session.id}
    assert told[-1].after.session == _by_commit(whole["crash"]) == {"phase": "closing", "count": 1}
