from tests.unit.cli._run import CRASH, call


def test_the_demo_shows_what_the_issue_is_about(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = call(capsys, "demo", "--utc").out
    assert "ch_p36nyrea and ch_gsvar356" in out
    assert "attempt 1  09:09:30.047  interrupted" in out
    assert f"eve-replay step {CRASH} 4SKF" in out
    assert "Try next" in out
    assert not list(tmp_path.iterdir())


def test_every_command_the_demo_names_works(capsys):
    document = call(capsys, "demo", "--json").json
    for line in document["next"]:
        words = line.split()[1:]
        if words[0] not in ("tui", "lab", "sessions"):
            assert call(capsys, *words).code in (0, 1), line


def test_the_document(capsys):
    document = call(capsys, "demo", "--json").json
    assert document["format"] == "eve-replay/demo"
    assert document["output"]["value"]["action"] == "continue"
    assert len(document["ledger"]) == 4
