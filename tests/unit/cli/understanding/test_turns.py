from tests.unit.cli._run import APPROVAL, CRASH, SIMPLE, call


def test_a_turn_is_one_line_with_what_matters(capsys):
    out = call(capsys, "turns", CRASH, "--utc").out.splitlines()
    assert out[0].endswith("idle")
    assert out[1].split() == [
        "turn",
        "message",
        "status",
        "steps",
        "again",
        "twice",
        "tokens",
        "started",
        "took",
    ]
    assert "completed" in out[2]
    assert "1?" in out[2]
    assert all(len(each) <= 80 for each in out)


def test_turns_as_json(capsys):
    result = call(capsys, "turns", SIMPLE, "--json")
    assert result.json["format"] == "eve-replay/turns"
    turns = result.json["turns"]
    assert [turn["turnId"] for turn in turns] == ["turn_0", "turn_1"]
    assert turns[0]["status"] == "completed"
    assert turns[0]["tokens"]["input"] > 0
    approval = call(capsys, "turns", APPROVAL, "--json").json["turns"][0]
    assert approval["parks"][0]["kind"] == "approval"


def test_an_unknown_session_says_what_there_is(capsys):
    result = call(capsys, "turns", SIMPLE, "zzzz")
    assert result.code == 2
    assert "No session has the id 'zzzz'" in result.err


def test_a_world_without_turns_says_where_to_look(capsys, tmp_path):
    from tests.support.corpus import scenario

    result = call(capsys, "turns", scenario("sdk5-crash") / "data")
    assert "No session here has turns." in result.err
