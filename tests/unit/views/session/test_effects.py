from eve_replay.views.session.effects import effect_rows
from tests.unit.views._sessions import explorer


def by_tool(name):
    return {row.tool: row for row in explorer(name).effect_rows()}


def test_how_often_an_effect_ran_and_what_each_attempt_says():
    rows = by_tool("crash-in-tool")
    charge, mail = rows["charge_card"], rows["send_email"]
    assert (charge.word, charge.minimum, charge.maximum) == ("may have run twice", 1, 2)
    assert [part.word for part in charge.parts] == ["may have run", "ran once"]
    assert charge.parts[1].result.startswith("{chargeId:")
    assert charge.place == "turn 0, model step 0, call 1"
    assert (mail.word, mail.note, mail.tone, mail.harmful) == ("ran twice", "same key", "again", False)
    assert charge.rank < mail.rank and charge.harmful
    assert mail.outside_maximum == 1
    assert mail.protection == "keyed by call id"
    assert mail.same_key is True
    assert mail.idempotency_key.endswith("mock-tool-call-1-0-2")


def test_a_reading_tool_is_muted_and_can_be_left_out():
    rows = by_tool("approval-hold")
    assert rows["get_weather"].tone == "muted"
    assert {row.tool for row in effect_rows(explorer("approval-hold").effects, reading=False)} == {
        "restart_service"
    }


def test_functions_of_plain_workflows_are_effects():
    row = by_tool("sdk5-crash")["chargeCard"]
    assert row.kind == "step"
    assert row.key.startswith("attempt:")
