"""The outside's own record in the explorer: a lane of acts, and those that no call explains."""

import eve_replay as er
from eve_replay.views.session.explorer import Explorer

LINES = er.samples.ledger("crash-in-tool")
SESSION = LINES[0]["sessionId"]
STRANGE = {"at": "2026-11-30T09:09:33Z", "effect": "refund", "sessionId": SESSION, "callId": "x-1"}
NAMELESS = {"at": "2026-11-30T09:09:32Z", "effect": "sms"}
OTHERS = {"at": "2026-11-30T09:09:33Z", "effect": "refund", "sessionId": "wrun_01OTHER"}
LATER = {"at": "2026-12-30T09:09:32Z", "effect": "sms"}


def view(*more):
    return Explorer(er.open_journal("sample:crash-in-tool").session(), None, [*LINES, *more])


def test_each_line_is_an_act_of_the_attempt_that_was_at_work():
    acts = view().acts
    assert [(act.name, act.bond, act.of.split("/")[2]) for act in acts] == [
        ("charge", "call", "1"),
        ("email", "call", "1"),
        ("charge", "call", "2"),
        ("email", "call", "2"),
    ]
    assert acts[0].tone == "once" and acts[2].tone == "harm"
    assert "number 2 of 2" in acts[2].said


def test_an_act_without_a_call_is_marked_and_a_line_of_another_session_is_not_drawn():
    shown = view(STRANGE, NAMELESS, OTHERS, LATER)
    assert [(act.line, act.bond) for act in shown.acts[4:]] == [(5, "none"), (6, "unsure")]
    lane = shown.timeline.rows[0]
    assert lane.label == "outside (ledger)"
    assert lane.detail == "6 acts, 1 without a call, 1 perhaps another session's"
    assert {mark.key: mark.kind for mark in lane.marks}["act:5"] == "act-alone"
    rows = {row.key: row.badges[0].text for row in shown.tree.rows if row.kind == "act"}
    assert rows == {"act:5": "no call", "act:6": "perhaps not of this session"}


def test_a_line_can_be_looked_at():
    shown = view(STRANGE)
    tab = shown.inspector.tab("act:5", "input")
    assert tab.body.root.value["callId"] == "x-1" and "No recorded call" in tab.note
    assert [row.tool for row in shown.inspector.tab("act:3", "effects").body] == ["charge_card"]
    assert shown.inspector.tab("act:5", "effects").body == ()
    assert not shown.inspector.title("act:9")


def test_without_a_ledger_nothing_is_added():
    shown = Explorer(er.open_journal("sample:crash-in-tool").session())
    assert shown.acts == () and shown.timeline.rows[0].key != "acts:"
    assert er.open_journal("sample:crash-in-tool").session().id == SESSION
