from eve_replay.views.kit.safe import display_width
from tests.unit.cli._run import APPROVAL, CRASH, SIMPLE, call


def test_a_session_reads_as_a_conversation(capsys):
    out = call(capsys, "transcript", CRASH, "--utc").out
    assert out.startswith("turn 0  09:09:")
    assert "│ ▸ charge_card" in out
    assert "may have run twice" in out
    assert all(display_width(each) <= 80 for each in out.splitlines())
    assert "Approve" in call(capsys, "transcript", APPROVAL).out


def test_superseded_attempts_can_be_left_out(capsys):
    assert "│ " not in call(capsys, "transcript", CRASH, "--last-attempts").out


def test_one_turn_and_json(capsys):
    document = call(capsys, "transcript", SIMPLE, "--turn", "1", "--json").json
    assert {entry["turn"] for entry in document["entries"]} == {"turn_1"}
    assert call(capsys, "transcript", SIMPLE, "--turn", "9").code == 2
