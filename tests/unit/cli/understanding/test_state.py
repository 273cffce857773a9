from eve_replay.views.kit.safe import display_width
from tests.support.corpus import scenario
from tests.unit.cli._run import CRASH, SIMPLE, call


def step_ids(capsys, source):
    return [row["stepId"] for row in call(capsys, "state", source, "--json").json["steps"]]


def test_without_a_step_every_state_is_listed(capsys):
    result = call(capsys, "state", SIMPLE)
    lines = result.out.splitlines()
    assert lines[1].split()[:2] == ["step", "id"]
    assert len(lines) > 5
    assert result.code == 0
    rows = call(capsys, "state", SIMPLE, "--json").json["steps"]
    assert [row["messages"] for row in rows] == sorted(row["messages"] for row in rows)


def test_parts_changes_and_messages_of_one_step(capsys):
    step = step_ids(capsys, CRASH)[-1]
    out = call(capsys, "state", CRASH, step[-5:]).out
    for wanted in ("message history", "the checkpoint", "the code of the day", "what the step changed"):
        assert wanted in out
    assert "1 message added" in out
    assert all(display_width(each) <= 80 for each in out.splitlines())
    document = call(capsys, "state", CRASH, step, "--json").json
    assert len(document["after"]["history"]) == len(document["before"]["history"]) + 1
    assert len(document["messagesAdded"]) == 1


def test_a_whole_side_and_a_part_of_it(capsys):
    step = step_ids(capsys, CRASH)[-1]
    assert "serializedContext:" in call(capsys, "state", CRASH, step, "--before").out
    out = call(capsys, "state", CRASH, step, "--path", "sessionState.snapshot.session.limits").out
    assert "maxInputTokensPerSession: 40000000" in out
    value = call(capsys, "state", CRASH, step, "--after", "--path", "history[0].role", "--json").json["value"]
    assert value == "user"
    assert call(capsys, "state", CRASH, step, "--path", "[[[").code == 2
    assert "undefined" in call(capsys, "state", CRASH, step, "--path", "nothing.here").out


def test_steps_without_state_say_why(capsys):
    source = scenario("sdk5-crash") / "data"
    step = call(capsys, "attempts", source, "--json").json["steps"][0]["stepId"]
    assert "function of the app" in " ".join(call(capsys, "state", source, step).out.split())
    assert call(capsys, "state", source, step, "--after").out
    assert call(capsys, "state", CRASH, "zzzz").code == 2
