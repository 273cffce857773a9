import pytest

from tests.unit.cli._run import CRASH, call


def test_json_holds_whole_ids_and_utc_times(capsys):
    result = call(capsys, "runs", CRASH, "--json")
    document = result.json
    assert result.code == 0
    assert (document["format"], document["version"], document["source"]) == ("eve-replay/runs", 1, CRASH)
    assert set(document["receipt"]) == {"seen", "parsed", "decoded", "skipped", "problems"}
    session, timeout = document["runs"]
    assert session["runId"] == "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S"
    assert session["startedAt"] == "2026-11-30T09:09:29.890Z"
    assert timeout["parent"] == session["runId"]
    assert document["receipt"]["decoded"] == 0, "listing never decodes"


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--status", "running"], 2),
        (["--status", "completed"], 0),
        (["--status", "completed", "--status", "running"], 2),
        (["--workflow", "TIMEOUT"], 1),
        (["--last", "1"], 1),
    ],
)
def test_filters_are_obeyed(capsys, words, count):
    assert len(call(capsys, "runs", CRASH, "--json", *words).json["runs"]) == count
    shown = call(capsys, "runs", CRASH, *words)
    assert shown.out.count("wrun_") == count
    if count == 1:
        assert "1 of 2 runs" in shown.out


def test_a_filter_that_fits_nothing_says_so(capsys):
    assert "No run fits" in call(capsys, "runs", CRASH, "--status", "failed").out


def test_an_empty_world_says_what_would_fill_it(capsys, tmp_path):
    (tmp_path / ".workflow-data" / "runs").mkdir(parents=True)
    assert "No runs yet" in call(capsys, "runs", tmp_path).out


def test_the_current_folder_is_the_default_and_a_variable_can_say_another(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "runs").code == 3
    monkeypatch.setenv("EVE_REPLAY_SOURCE", CRASH)
    assert call(capsys, "runs").code == 0


def test_damage_is_told_and_sets_the_code(capsys, tmp_path):
    from eve_replay import samples

    folder = samples.extract("crash-in-tool", tmp_path)
    file = next((folder / "data" / "runs").glob("*64S.json"))
    file.write_bytes(file.read_bytes()[:100])
    result = call(capsys, "runs", folder / "data")
    assert result.code == 1
    assert "wrun_…CVFQ" in result.out, "the other run is still shown"
    assert "64S.json" in result.err
    assert call(capsys, "runs", folder / "data", "--json").err == ""
