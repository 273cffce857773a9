from tests.unit.cli._run import APPROVAL, CRASH, SIMPLE, call


def test_run_is_optional_abbreviated_or_whole(capsys):
    whole = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
    outputs = {
        call(capsys, "show", *words, "--utc", "--now", "2026-12-01T00:00:00Z").out
        for words in ([CRASH], [CRASH, "J64S"], [CRASH, whole], ["-s", CRASH, "64s"], ["-s", CRASH])
    }
    assert len(outputs) == 1
    assert whole in outputs.pop()


def test_json_counts_starts_from_the_log(capsys):
    document = call(capsys, "show", CRASH, "--json").json
    assert [step["starts"] for step in document["steps"]] == [1, 1, 2, 1]
    assert document["steps"][2]["function"] == "turnStep"
    assert document["steps"][2]["name"] == "step//eve@0.80.1//turnStep"
    assert document["streams"] == ["strm_01M8NVET2Q9XT7ZZ1AMCAAJ64S_user"]
    assert document["children"][0]["parent"] == document["run"]["runId"]
    assert len(document["hooks"]) == 3


def test_a_second_start_is_pointed_out(capsys):
    out = call(capsys, "show", CRASH).out
    assert "↻ 2" in out
    assert "1 step started more than once" in out
    assert "↻" not in call(capsys, "show", SIMPLE).out


def test_a_sleep_is_shown_with_its_end(capsys):
    document = call(capsys, "show", CRASH, "CVFQ", "--json").json
    assert document["waits"][0]["resumeAt"] == "2026-12-30T09:09:29.815Z"
    out = call(capsys, "show", CRASH, "CVFQ", "--utc", "--now", "2026-12-29T09:09:29Z").out
    assert "until 2026-12-30 09:09:29, in 24 h" in out
    assert "No steps" in out


def test_ids_that_are_not_there(capsys):
    result = call(capsys, "show", APPROVAL, "ZZZZ")
    assert (result.code, result.out) == (2, "")
    assert "No run has the id 'ZZZZ'. There are 2 runs here" in result.err
    assert result.err.count("\n") == 1


def test_colour_only_when_asked(capsys):
    assert "\x1b[" not in call(capsys, "show", CRASH).out
    assert "\x1b[34m" in call(capsys, "show", CRASH, "--color", "always").out
