import io
import json
from datetime import UTC, datetime

import click
import pytest
from click.testing import CliRunner

from eve_replay.cli.shared import common as _common
from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, source_and, source_argument
from eve_replay.cli.shared.match import match_id
from eve_replay.errors import NotFound, WrongUse
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import Span, line

RUNS = [
    "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S",
    "wrun_01M8NVET2Q9XT7ZZ1AMCABJ64S",
    "wrun_01N0000000000000000000WXYZ",
]


def call(cli, *args, env=None):
    return CliRunner(env=env).invoke(cli, list(args), standalone_mode=False)


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (RUNS[0], 0),
        ("AAJ64S", 0),
        ("aaj64s", 0),
        ("WXYZ", 2),
        ("wrun_…WXYZ", 2),
        ("wrun_~WXYZ", 2),
        ("wrun_01N", 2),
    ],
)
def test_ids_may_be_abbreviated(wanted, index):
    assert match_id(RUNS, wanted, "run") == RUNS[index]


def test_an_ambiguous_or_unknown_id_says_what_there_is():
    with pytest.raises(NotFound, match=r"fits 2 runs: wrun_.*AAJ64S, .*ABJ64S. Give more characters"):
        match_id(RUNS, "J64S", "run")
    with pytest.raises(
        NotFound, match=r"No run has the id 'nope'. There are 3 runs here, for example wrun_01N"
    ):
        match_id(RUNS, "nope", "run")
    with pytest.raises(NotFound, match="There are 0 steps here"):
        match_id([], "x", "step")


def probe():
    seen = []

    @command("probe")
    @source_argument
    @click.option("--own", help="Own.")
    def cli(shell, source, own):
        """Look."""
        seen.append((shell, source))

    return cli, seen


def test_the_shared_options_reach_the_shell(monkeypatch):
    cli, seen = probe()
    result = call(
        cli, "src", "--json", "--utc", "--limit", "64M", "--now", "2026-11-30T09:05:32Z", "--color", "always"
    )
    assert result.exception is None
    shell, source = seen[0]
    assert (source, shell.json, shell.zone, shell.limit.payload, shell.colour) == (
        "src",
        True,
        UTC,
        64 << 20,
        True,
    )
    assert shell.now == datetime(2026, 11, 30, 9, 5, 32, tzinfo=UTC)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--limit", "lots"], "not a size"),
        (["--now", "noon"], "not a time"),
        (["--key", "c2hvcnQ="], "32 bytes"),
        (["--key-file", "/does/not/exist"], "cannot be read"),
        (["a", "-s", "b"], "given twice"),
    ],
)
def test_wrong_texts_are_wrong_use(args, message):
    cli, _ = probe()
    result = call(cli, *args)
    assert isinstance(result.exception, WrongUse)
    assert message in str(result.exception)


def test_a_bad_key_is_never_repeated():
    cli, _ = probe()
    assert "c2hvcnQ" not in str(call(cli, "--key", "c2hvcnQ=").exception)


def test_help_shows_own_and_shared_options_apart():
    cli, _ = probe()
    output = CliRunner().invoke(cli, ["--help"]).output
    assert output.index("Options:") < output.index("--own") < output.index("Options of every command:")


def test_source_and_name_in_every_form(tmp_path):
    seen = []

    @command("probe")
    @source_and("run")
    def cli(shell, source, run):
        seen.append((source, run))

    for args in (
        ["RUN1"],
        ["sample:crash", "RUN1"],
        ["sample:crash"],
        [str(tmp_path)],
        ["-s", "x", "RUN1"],
        ["-s", "x"],
        ["postgres://h/d"],
        [],
    ):
        assert call(cli, *args).exception is None
    assert seen == [
        (None, "RUN1"),
        ("sample:crash", "RUN1"),
        ("sample:crash", None),
        (str(tmp_path), None),
        ("x", "RUN1"),
        ("x", None),
        ("postgres://h/d", None),
        (None, None),
    ]
    assert isinstance(call(cli, "a", "b", "c").exception, WrongUse)
    assert isinstance(call(cli, "-s", "a", "b", "c").exception, WrongUse)


def shell(**fields):
    return Shell(now=datetime(2026, 11, 30, tzinfo=UTC), **fields)


def test_echo_colours_only_when_asked_and_is_safe(capsys):
    lines = [line(("ran twice", "harm"), " ", "plain"), "text\x1b[2J", (Span("x\x07  "),)]
    echo(shell(), lines)
    assert capsys.readouterr().out == "ran twice plain\ntext\\x1b[2J\nx\\x07\n"
    echo(shell(colour=True), lines[:1])
    assert capsys.readouterr().out == "\x1b[31m\x1b[1mran twice\x1b[0m plain\n"


def test_signs_become_ascii_where_nothing_else_can_be_shown(capsys):
    echo(shell(ascii_only=True), ["‖ ■ wrun_…J64S"])
    assert capsys.readouterr().out == "!! # wrun_~J64S\n"


def test_colour_follows_the_terminal_and_no_color(monkeypatch):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    options = {"as_json": False, "utc": False, "now": None, "key": (), "key_file": (), "limit": ()}
    options["fetch_keys"] = False
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert _common._shell(color="auto", **options).colour
    assert not _common._shell(color="never", **options).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _common._shell(color="auto", **options).colour
    assert _common._shell(color="always", **options).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not _common._shell(color="auto", **options).colour


def test_finish_sets_the_code_and_names_the_first_problems(capsys):
    receipt = Receipt()
    ours = shell()
    finish(ours, receipt)
    assert ours.exit_code == 0
    receipt.problem("info", "note", "", "Just so.")
    finish(ours, receipt)
    assert ours.exit_code == 0
    for n in range(4):
        receipt.problem("warning", "torn-file", f"f{n}", "is cut\x1b.", "Look.")
    receipt.skip(where="f1", what="event", why="cut")
    receipt.skip(where="g", what="event", why="cut")
    finish(ours, receipt)
    err = capsys.readouterr().err
    assert ours.exit_code == 1
    assert "warning: f0: is cut\\x1b. Look." in err
    assert "and 2 more: `eve-replay receipt` lists them all." in err
    finish(shell(json=True), receipt)
    assert capsys.readouterr().err == ""
    ours = shell()
    finish(ours, Receipt(), problems=True)
    assert ours.exit_code == 1


def test_every_document_has_the_head_of_the_contract(capfdbinary):
    emit_json(shell(json=True), "turns", "src", None, turns=[1])
    document = json.loads(capfdbinary.readouterr().out)
    assert document == {
        "format": "eve-replay/turns",
        "version": 1,
        "source": "src",
        "receipt": {"seen": 0, "parsed": 0, "decoded": 0, "skipped": [], "problems": []},
        "turns": [1],
    }
