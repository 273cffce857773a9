import base64

from tests.support.corpus import data
from tests.unit.cli._run import CRASH, call


def test_events_of_a_session(capsys):
    (stream,) = call(capsys, "stream", CRASH, "--json").json["streams"]
    assert (stream["chunks"], stream["done"]) == (26, False)
    assert stream["values"][0]["lines"][0]["type"] == "session.started"
    out = call(capsys, "stream", CRASH).out
    assert "send_email gave {sent: true" in out
    assert "5 events said before, under another id: a body ran again." in out


def test_raw_chunks(capsys):
    (stream,) = call(capsys, "stream", CRASH, "--raw", "--json").json["streams"]
    assert base64.b64decode(stream["raw"][0]["base64"])[4:8] == b"devl"
    assert "chnk_" in call(capsys, "stream", CRASH, "--raw").out


def test_whole_events(capsys):
    assert 'agentName: "lab-agent"' in call(capsys, "stream", CRASH, "--values").out


def test_names_may_be_abbreviated_and_must_exist(capsys):
    assert call(capsys, "stream", CRASH, "--name", "64S_user").code == 0
    assert "No stream has the id 'nope'" in call(capsys, "stream", CRASH, "--name", "nope").err


def test_a_run_without_streams(capsys):
    assert "no streams" in call(capsys, "stream", CRASH, "CVFQ").out


def test_streams_that_are_no_session(capsys):
    folder = data("local-sdk/local5_rich")
    result = call(capsys, "stream", folder)
    assert result.code in (0, 1)
    assert "chunk" in result.out
