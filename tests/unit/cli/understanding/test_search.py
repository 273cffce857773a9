from tests.unit.cli._run import CRASH, call


def test_hits_are_grouped_by_run_and_marked(capsys):
    out = call(capsys, "search", CRASH, "cus_42").out.splitlines()
    assert out[0].startswith("wrun_")
    assert any("input.customer" in each for each in out)
    assert all(len(each) <= 80 for each in out)


def test_json_fields_and_limits(capsys):
    document = call(capsys, "search", CRASH, "step", "--in", "ids", "--max", "2", "--json").json
    assert len(document["hits"]) == 2
    assert document["more"] is True
    assert {hit["field"] for hit in document["hits"]} == {"ids"}
    assert "Stopped after 2 hits" in call(capsys, "search", CRASH, "step", "--max", "2").err


def test_nothing_found_and_wrong_use(capsys):
    result = call(capsys, "search", CRASH, "no such text")
    assert (result.out, result.code) == ("", 0)
    assert "Nothing found." in result.err
    assert call(capsys, "search", CRASH).code == 2
    assert "not a regular expression" in call(capsys, "search", CRASH, "(", "--regex").err


def test_one_session_or_run(capsys):
    runs = {h["runId"] for h in call(capsys, "search", CRASH, "wrun", "--json").json["hits"]}
    assert len(runs) == 2
    one = sorted(runs)[0]
    only = call(capsys, "search", CRASH, "wrun", "--run", one, "--json").json["hits"]
    assert {h["runId"] for h in only} == {one}
    both = call(capsys, "search", CRASH, "wrun", "--session", one, "--json").json["hits"]
    assert {h["runId"] for h in both} == runs


def test_the_way_of_a_value(capsys):
    out = call(capsys, "search", CRASH, "ch_gsvar356", "--way").out
    assert "First seen" in out and "in the output of turnStep" in out
    document = call(capsys, "search", CRASH, "ch_gsvar356", "--way", "--json").json
    assert [each["role"] for each in document["way"]["sightings"]] == ["result", "committed", "checkpoint"]
