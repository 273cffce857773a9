"""``eve-replay tui``: the terminal user interface."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import Shell, command, source_argument
from eve_replay.cli.shared.ledger import ledger_options, load_ledger
from eve_replay.cli.shared.options import SOURCE_VARIABLE, effects_option
from eve_replay.errors import WrongUse
from eve_replay.worlds.sources import public_source

if TYPE_CHECKING:
    from eve_replay.journal import Journal
    from eve_replay.views.kit.tone import Theme

_THEMES = ("auto", "dark", "light", "high-contrast", "none")
#: Terminals that draw no colours.
_PLAIN = ("dumb", "vt100", "vt102", "vt220", "unknown")


@command("tui")
@source_argument
@click.option("--session", metavar="SESSION", help="Open this session at once.")
@click.option("--step", metavar="STEP", help="Select this step (or event, or call) in it.")
@effects_option
@ledger_options
@click.option(
    "--theme",
    type=click.Choice(_THEMES),
    default="auto",
    show_default=True,
    help="Colours; none for no colours.",
)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--no-live", is_flag=True, help="Do not look for changes.")
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    step: str | None,
    effects: str | None,
    ledger: str | None,
    ledger_query: str | None,
    column: tuple[str, ...],
    theme: str,
    ascii_only: bool,
    no_live: bool,
) -> None:
    """Open the terminal user interface: sessions, timeline, inspector, diffs and the crash lab.

    Everything works with the keyboard; `?` shows the keys. Nothing is ever written to the source.
    """
    if shell.json:
        raise WrongUse("The terminal user interface writes no JSON.", hint="Use `eve-replay dump --json`.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WrongUse(
            "The terminal user interface needs a terminal.",
            hint="Use `eve-replay sessions` or `eve-replay why` in a pipe.",
        )
    try:
        from eve_replay_tui.app import ReplayApp
        from eve_replay_tui.options import Options
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich", "eve_replay_tui"):
            raise
        raise WrongUse(
            f"The terminal user interface needs {error.name}, which is not installed.",
            hint="pip install 'eve-replay[tui]'",
        ) from error
    load_ledger(ledger, ledger_query, column)  # what is wrong with it is said before the screen is taken
    where = source or os.environ.get(SOURCE_VARIABLE) or "."
    began = datetime.now(UTC)
    fixed = shell.now if abs(shell.now - began) > timedelta(minutes=1) else None

    def opened() -> Journal:
        from eve_replay.cli.shared.common import open_journal

        return open_journal(shell, source)

    options = Options(
        source=where,
        session=session,
        step=step,
        opener=opened,
        label=public_source(where) if where != "." else os.path.basename(os.getcwd()) or "/",  # noqa: PTH109, PTH119
        theme=_theme(theme, os.environ),
        ascii_only=ascii_only or _ascii(os.environ, shell),
        zone=shell.zone,
        now=(lambda: fixed) if fixed is not None else (lambda: datetime.now(UTC)),
        effects=effects,
        ledger=(lambda: load_ledger(ledger, ledger_query, column)) if ledger else None,
        ledger_file=Path(ledger) if ledger else None,
        live=not no_live and not where.startswith("sample:"),
    )
    ReplayApp(options).run()


def _theme(wanted: str, env: Mapping[str, str]) -> Theme:
    """Return the theme: what was asked for, none where colours are unwanted or impossible, else dark.

    ``COLORFGBG`` (set by several terminals) ends in the number of the background: 7 and above are light.
    """
    if wanted != "auto":
        return wanted  # type: ignore[return-value]
    if env.get("NO_COLOR") or env.get("TERM", "") in _PLAIN:
        return "none"
    background = env.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background.isdigit() and int(background) in (7, 9, 10, 11, 12, 13, 14, 15) else "dark"


def _ascii(env: Mapping[str, str], shell: Shell) -> bool:
    """Return whether the locale names an encoding that is not Unicode.

    Python itself coerces the C locale to UTF-8 and sets LC_CTYPE for it, so its own streams do not tell.
    Without any locale (containers) the terminal is nearly always a Unicode one.
    """
    if shell.ascii_only:
        return True
    lang = (
        env.get("LC_ALL")
        or (env.get("LC_CTYPE") if env.get("LC_CTYPE") != "C.UTF-8" else "")
        or env.get("LANG", "")
    )
    if not lang:
        return env.get("TERM", "") in _PLAIN
    return "utf" not in lang.lower()
