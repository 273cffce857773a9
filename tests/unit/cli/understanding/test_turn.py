from eve_replay.views.kit.safe import display_width
from tests.support.corpus import scenario
from tests.unit.cli._run import CRASH, SIMPLE, call


def test_one_turn_step_by_step_with_a_timeline(capsys):
    out = call(capsys, "turn", CRASH, "--utc").out
    lines = out.splitlines()
    assert lines[0] == "turn 0  completed"
    for wanted in ("step 1 turnStep", "  attempt 1 ", "interrupted", "may have run twice", "paid again"):
        assert wanted in out
    assert lines[-1].startswith("= attempt  ~ no end recorded")
    assert any(each.rstrip().endswith("#") for each in lines)
    assert all(display_width(each) <= 80 for each in lines)


def test_every_moment_in_order(capsys):
    lines = call(capsys, "turn", CRASH, "--events", "--no-bars", "--utc").out.splitlines()
    assert sum("attempt 2 of turnStep started" in each for each in lines) == 1
    start = next(n for n, each in enumerate(lines) if "attempt 2 of turnStep started" in each)
    first = [n for n, each in enumerate(lines) if "send_email requested" in each]
    assert len(first) == 2
    assert first[0] < start < first[1]


def test_the_turn_can_be_named_by_number_or_id(capsys):
    assert call(capsys, "turn", SIMPLE, "1").out.startswith("turn 1")
    assert call(capsys, "turn", SIMPLE, "turn_0").out.startswith("turn 0")
    assert call(capsys, "turn", SIMPLE).out.startswith("turn 1")
    result = call(capsys, "turn", SIMPLE, "9")
    assert result.code == 2
    assert "has no turn '9'. Its turns: turn_0, turn_1" in result.err.replace("\n", " ")


def test_json_has_steps_effects_timeline_and_events(capsys):
    document = call(capsys, "turn", CRASH, "--json").json
    assert document["turn"]["turnId"] == "turn_0"
    assert [len(step["attempts"]) for step in document["steps"]] == [2, 1]
    assert {effect["tool"] for effect in document["effects"]} == {"charge_card", "send_email"}
    assert document["timeline"]["rows"]
    assert all(event["label"] for event in document["events"])


def test_several_sessions_ask_for_one(capsys):
    there = scenario("subagent") / "data"
    result = call(capsys, "turn", there, "0")
    assert result.code == 2
    assert "--session" in result.err


def test_a_plain_workflow_has_no_turns(capsys):
    result = call(capsys, "turn", scenario("sdk5-crash") / "data")
    assert result.code == 2
    assert "has no turns" in result.err
