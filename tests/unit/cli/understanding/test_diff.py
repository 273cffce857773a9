import json

from eve_replay.views.kit.safe import display_width
from tests.support.corpus import scenario
from tests.unit.cli._run import CRASH, SIMPLE, call
from tests.unit.diff.test_patch import applied


def steps(capsys, source):
    return [s["stepId"] for s in call(capsys, "attempts", source, "--json").json["steps"] if s["action"]]


def test_without_ids_every_repeated_step_is_compared(capsys):
    out = call(capsys, "diff", CRASH).out
    assert out.startswith("turnStep  attempt 1, interrupted  against  attempt 2, completed")
    assert "send_email ran twice" in out
    assert all(display_width(each) <= 80 for each in out.splitlines())
    assert "No step here was started more than once." in call(capsys, "diff", SIMPLE).out


def test_attempts_of_a_step_by_number(capsys):
    source = scenario("attempts-exhausted-kill") / "data"
    step = next(s for s in call(capsys, "attempts", source, "--again", "--json").json["steps"])
    document = call(capsys, "diff", source, step["stepId"], "--attempts", "1", "9", "--json").json
    (view,) = document["attempts"]
    assert (view["left"], view["right"]) == ("attempt 1, interrupted", "attempt 9, running")
    result = call(capsys, "diff", source, step["stepId"], "--attempts", "1", "77")
    assert result.code == 2
    one = steps(capsys, SIMPLE)[0]
    assert "nothing to compare" in call(capsys, "diff", SIMPLE, one).err


def test_two_steps(capsys):
    one, two, *_ = steps(capsys, SIMPLE)
    out = call(capsys, "diff", SIMPLE, one, two).out
    assert "coordinates  turn_0 step 0 → turn_0 step 1" in out
    assert "\ninput  " in out
    document = call(capsys, "diff", SIMPLE, one, two, "--json").json
    assert document["step"]["input"]["same"] is False


def test_a_payload_part_as_text_unified_and_patch(capsys):
    one, two, *_ = steps(capsys, SIMPLE)
    words = ("diff", SIMPLE, one, two, "--part", "input", "--path", "$.args[0].history")
    assert "+ [" in call(capsys, *words).out
    assert call(capsys, *words, "--format", "unified").out.startswith("--- before\n+++ after\n@@ ")
    patch = json.loads(call(capsys, *words, "--format", "patch").out)
    whole = call(capsys, *words, "--json").json
    assert whole["patch"] == patch
    assert applied(whole["before"], patch) == whole["after"]


def test_two_runs_of_two_sources(capsys):
    one, two = scenario("crash-in-tool") / "data", scenario("crash-before-commit") / "data"
    runs = [
        next(s["runId"] for s in call(capsys, "attempts", each, "--json").json["steps"])
        for each in (one, two)
    ]
    result = call(capsys, "diff", one, runs[0], runs[1], "--with", two)
    assert "workflow     workflow//eve//workflowEntry" in result.out
    assert "\nevents  " in result.out
    assert call(capsys, "diff", one, runs[0], runs[1], "--with", two, "--json").json["run"]["steps"]


def test_two_files(capsys, tmp_path):
    one, two = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text('{"at": {"$type": "Date", "value": "1970-01-01T00:00:00.000Z"}, "list": [1, 2]}')
    two.write_text('{"at": {"$type": "Date", "value": "1970-01-02T00:00:00.000Z"}, "list": [0, 1, 2]}')
    out = call(capsys, "diff", "--values", one, two).out
    assert "~ at  Date 1970-01-01T00:00:00.000Z → Date 1970-01-02T00:00:00.000Z" in out
    assert "+ [0]  0" in out
    assert (
        call(capsys, "diff", "--values", one, two, "--json").json["value"]["summary"] == "1 changed, 1 added"
    )
    two.write_text("nonsense")
    assert call(capsys, "diff", "--values", one, two).code == 2
    assert call(capsys, "diff", "--values", one, tmp_path / "missing").code == 3
    assert call(capsys, "diff", "--values", one).code == 2


def test_wrong_use(capsys):
    one, *_ = steps(capsys, SIMPLE)
    run = call(capsys, "attempts", SIMPLE, "--json").json["steps"][0]["runId"]
    assert "two steps or two runs" in call(capsys, "diff", SIMPLE, one, run).err
    assert call(capsys, "diff", SIMPLE, "a", "b", "c").code == 2
    assert call(capsys, "diff", SIMPLE, "step_nothing", one).code == 2
    assert call(capsys, "diff", SIMPLE, "wrun_nothing", run).code == 2
