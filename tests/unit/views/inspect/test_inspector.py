"""The inspector: every tab of every thing of every recording, and what the tabs say."""

import json

import pytest

from eve_replay.views.diffs.diff import DiffView
from eve_replay.views.inspect.inspector import TABS
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import attempt_key, call_key, step_key
from eve_replay.views.session.state import StateView
from tests.support.corpus import names
from tests.unit.views._sessions import explorer, journal, turn_step

SMALL = [name for name in names("local") if name not in ("long-session", "big-payload")]
NAME = "crash-before-commit"


def key_of(name, number=0):
    step = turn_step(name, number)
    return step_key(step.run_id, step.step_id)


@pytest.mark.parametrize("name", SMALL)
def test_every_tab_of_everything_opens_and_is_json(name):
    for number in range(len(journal(name).heads)):
        view = explorer(name, number)
        keys = [row.key for row in view.tree.rows] + [stop.key for stop in view.cursor.stops]
        for key in keys[::3]:
            for head in view.inspector.tabs(key):
                tab = view.inspector.tab(key, head.name)
                json.dumps(tab.to_json())
                assert tab.body or tab.note, (key, head.name)


def test_a_step_has_all_tabs_with_counts():
    heads = {head.name: head for head in explorer(NAME).inspector.tabs(key_of(NAME))}
    assert list(heads) == list(TABS)
    assert (heads["attempts"].remark, heads["events"].remark, heads["stream"].remark) == ("2", "4", "22")


def test_bodies_are_of_the_class_the_tab_promises():
    inspector = explorer(NAME).inspector
    body = {name: inspector.tab(key_of(NAME), name).body for name in TABS}
    assert isinstance(body["input"], ValueTree)
    assert isinstance(body["output"], ValueTree)
    assert isinstance(body["state"], StateView)
    assert isinstance(body["state-diff"], DiffView)
    assert [row.role for row in body["messages"]] == ["user", "assistant", "tool"]
    assert [row.event_type for row in body["events"]][-1] == "step_completed"
    assert [row.n for row in body["attempts"]] == [1, 2]
    assert {row.tool for row in body["effects"]} == {"charge_card", "send_email"}
    assert body["raw"][0].layers == ("zstd", "devl")
    assert any(row.kind == "log event" for row in body["evidence"])


def test_an_interrupted_attempt_has_the_input_and_no_output():
    step = turn_step(NAME)
    first = attempt_key(step.run_id, step.step_id, 1)
    inspector = explorer(NAME).inspector
    assert inspector.tab(first, "input").body is not None
    tab = inspector.tab(first, "output")
    assert (tab.body, tab.note) == (None, "No output is recorded: the step is not committed.")
    assert inspector.tab(attempt_key(step.run_id, step.step_id, 2), "output").body is not None


def test_a_call_shows_its_own_input_and_result():
    step = turn_step("crash-in-tool")
    inspector = explorer("crash-in-tool").inspector
    key = call_key(step.run_id, step.step_id, 1, "mock-tool-call-1-0-1")
    assert inspector.title(key) == "charge_card, attempt 1"
    assert inspector.tab(key, "input").body.root.value["cents"] == 9900
    assert inspector.tab(key, "output").note.startswith("No result is recorded: it may have run")
    again = call_key(step.run_id, step.step_id, 2, "mock-tool-call-1-0-1")
    assert inspector.tab(again, "output").body.root.value["chargeId"].startswith("ch_")
    assert [row.type for row in inspector.tab(again, "stream").body] == ["actions.requested", "action.result"]
    failed = explorer("tool-throws")
    calls = [row.key for row in failed.tree.rows if row.kind == "call" and row.status == "failed"]
    assert failed.inspector.tab(calls[0], "output").note == "The call failed."


def test_a_turn_shows_the_state_from_its_first_step_to_its_last_commit():
    view = explorer(NAME)
    turn = next(row.key for row in view.tree.rows if row.kind == "turn")
    state = view.inspector.tab(turn, "state").body
    assert (state.diff.left, state.diff.right) == ("before the turn", "after its last commit")
    assert state.history == (0, 4)


def test_unknown_keys_and_tabs_give_a_note_not_an_error():
    inspector = explorer(NAME).inspector
    for key in (
        "",
        "step:x/y",
        "call:a/b/c/d",
        "attempt:a/b/x",
        "event:a/b",
        "chunk:x",
        "turn:x/y",
        "what:x",
    ):
        assert inspector.title(key) == ""
        assert inspector.tab(key, "input").note == "There is nothing of that name."
    assert inspector.tab(key_of(NAME), "nothing").body is None


def test_long_bodies_come_in_pages():
    inspector = explorer(NAME).inspector
    whole = inspector.tab(key_of(NAME), "stream").body
    rest = inspector.tab(key_of(NAME), "stream", start=20).body
    assert rest == whole[20:]
    raw = inspector.tab(key_of(NAME), "raw", start=512).body
    assert raw[0].offset == 512


def test_the_diff_of_a_thing_is_that_of_its_step():
    inspector = explorer(NAME).inspector
    view = inspector.diff(key_of(NAME))
    assert (view.left, view.right) == ("attempt 1, interrupted", "attempt 2, completed")
    assert inspector.diff(key_of(NAME, 1)) is None
    assert inspector.diff("session:nothing") is None


def test_a_purged_session_says_that_payloads_are_gone():
    there = journal("retention-0")
    for number in range(len(there.heads)):
        view = explorer("retention-0", number)
        for row in view.tree.rows:
            if row.kind == "step":
                tab = view.inspector.tab(row.key, "input")
                assert tab.note or tab.body is not None
