"""``eve-replay tui``: the options, and what terminals it draws for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from eve_replay.cli.shared.common import Shell
from eve_replay.cli.shared.errors import guarded
from eve_replay.cli.showing.tui import _ascii, _theme, cli

SHELL = Shell(now=datetime(2026, 11, 30, tzinfo=UTC))


def test_help_names_every_option():
    shown = CliRunner().invoke(cli, ["--help"]).output
    for option in ("--read", "--session", "--step", "--theme", "--ascii", "--no-live", "--effects"):
        assert option in shown


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_without_a_terminal_it_says_what_to_use(words, capsys):
    assert guarded(lambda: cli.main([*words, "sample:crash-in-tool"], standalone_mode=False)) == 2
    said = capsys.readouterr().err
    assert "terminal" in said and "eve-replay" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("env", "theme"),
    [
        ({"TERM": "xterm-256color"}, "dark"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ({"TERM": "dumb"}, "none"),
        ({"TERM": "vt100"}, "none"),
        ({"TERM": "xterm", "COLORFGBG": "0;15"}, "light"),
        ({"TERM": "xterm", "COLORFGBG": "15;0"}, "dark"),
        ({"TERM": "xterm", "COLORFGBG": "15;default"}, "dark"),
    ],
)
def test_the_theme_follows_the_terminal(env, theme):
    assert _theme("auto", env) == theme
    assert _theme("light", env) == "light"


@pytest.mark.parametrize(
    ("env", "plain"),
    [
        ({"LANG": "C"}, True),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LC_CTYPE": "ja_JP.utf8", "LANG": "C"}, False),
        ({}, False),
        ({"TERM": "vt100"}, True),
    ],
)
def test_the_characters_follow_the_locale(env, plain):
    assert _ascii(env, SHELL) is plain


def test_starting_passes_everything_on(monkeypatch):
    seen = {}

    class Fake:
        def __init__(self, options):
            seen["options"] = options

        def run(self):
            seen["journal"] = seen["options"].opener()

    monkeypatch.setattr("eve_replay_tui.app.ReplayApp", Fake)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("eve_replay.cli.showing.tui.sys.stdout", _Terminal())
    monkeypatch.setattr("eve_replay.cli.showing.tui.sys.stdin", _Terminal())
    words = ["-s", "sample:crash-in-tool", "--session", "J64S", "--step", "4SKG", "--theme", "light", "--utc"]
    cli.main([*words, "--now", "2026-11-30T12:00:00Z"], standalone_mode=False)
    options = seen["options"]
    assert (options.session, options.step, options.theme, options.zone) == ("J64S", "4SKG", "light", UTC)
    assert options.label == "sample:crash-in-tool" and not options.live
    assert options.now() == datetime(2026, 11, 30, 12, tzinfo=UTC) or options.now().year >= 2026
    assert len(seen["journal"].heads) == 1


class _Terminal:
    encoding = "utf-8"

    def isatty(self):
        return True

    def write(self, text):
        return len(text)

    def flush(self):
        return None
