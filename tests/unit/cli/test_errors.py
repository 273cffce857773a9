import json

import click
import pytest

from eve_replay.cli import run
from eve_replay.cli.shared.errors import guarded
from eve_replay.errors import NotFound, SourceUnreadable, UnknownSource, WrongUse


def raising(error):
    def body():
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (WrongUse("No.", hint="Do."), 2, "eve-replay: No. Do."),
        (NotFound("No run."), 2, "eve-replay: No run."),
        (UnknownSource("Nothing here."), 3, "eve-replay: Nothing here."),
        (SourceUnreadable("Denied\x1b."), 3, "eve-replay: Denied\\x1b."),
        (
            click.UsageError("No such option: --x"),
            2,
            "eve-replay: No such option: --x. See `eve-replay --help`.",
        ),
        (click.UsageError("Did you mean `y`?"), 2, "eve-replay: Did you mean `y`?"),
        (click.ClickException("Bad"), 2, "eve-replay: Bad."),
        (KeyboardInterrupt(), 130, "eve-replay: Interrupted."),
        (click.Abort(), 130, "eve-replay: Interrupted."),
        (
            MemoryError(),
            3,
            "eve-replay: There is not enough memory for this. Lower --limit, or ask for a part with --path "
            "or --run.",
        ),
    ],
)
def test_every_error_is_one_line_and_a_code(error, code, text, capsys):
    assert guarded(raising(error)) == code
    assert capsys.readouterr().err == text + "\n"


def test_a_defect_is_one_line_too_and_shows_its_traceback_on_demand(capsys, monkeypatch):
    monkeypatch.delenv("EVE_REPLAY_DEBUG", raising=False)
    assert guarded(raising(KeyError("x\ny"))) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "defect in eve-replay" in err
    monkeypatch.setenv("EVE_REPLAY_DEBUG", "1")
    with pytest.raises(KeyError):
        guarded(raising(KeyError("x")))


def test_codes_of_commands_pass_through():
    assert guarded(lambda: 1) == 1
    assert guarded(lambda: None) == 0
    assert guarded(raising(click.exceptions.Exit(0))) == 0


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (["runs", "/nope", "--json"], "unknown-source", 3),
        (["--json", "show", "sample:simple-turn", "nope"], "not-found", 2),
        (["crash", "sample:simple-turn", "--json", "--turn", "turn_9", "--point", "1"], "not-found", 2),
        (["runs", "--json", "--nope"], "wrong-use", 2),
        (["nope", "--json"], "wrong-use", 2),
    ],
)
def test_an_error_of_a_json_command_is_a_document_too(words, kind, code, capsys):
    assert run(words) == code
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["format"], found["version"], found["kind"]) == ("eve-replay/error", 1, kind)
    assert found["message"] and found["message"] in err.replace("eve-replay: ", "")


def test_an_error_without_json_prints_no_document(capsys):
    assert run(["runs", "/nope"]) == 3
    assert capsys.readouterr().out == ""
    assert run(["runs", "/nope", "--", "--json"]) != 0
    assert "eve-replay/error" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["--json", "runs", "sample:simple-turn"],
        ["--utc", "--color", "never", "--json", "runs", "sample:simple-turn"],
        ["--color=never", "--json", "-s", "sample:simple-turn", "runs"],
    ],
)
def test_options_of_every_command_may_stand_before_it(words, capsys):
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "eve-replay/runs"


def test_help_command_means_command_help(capsys):
    assert run(["help", "why"]) == 0
    shown = capsys.readouterr().out
    assert run(["why", "--help"]) == 0
    assert capsys.readouterr().out == shown
    assert run(["help"]) == 0 and "Commands" not in shown
