"""What the builders of the kit and of the site share: their options, and the telling of a long build."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from eve_replay.cli.shared.common import Shell, echo
from eve_replay.errors import WrongUse
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import size
from eve_replay.workshop.model import Language

__all__ = ["Building", "build_options", "chosen_languages", "need_builders", "several_languages"]

several_languages = click.option(
    "--language",
    "languages",
    type=click.Choice(["en", "zh"]),
    multiple=True,
    help="Language of the lessons; may be given twice (default: both).",
)


def chosen_languages(languages: tuple[Language, ...]) -> tuple[Language, ...]:
    """Return each chosen language once, both when none was chosen."""
    return tuple(dict.fromkeys(languages)) or ("en", "zh")


def build_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what both builders take: ``force``, and folders of ``wheels``."""
    function = click.option(
        "--wheels",
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        multiple=True,
        help="Folders with the wheels, instead of the package index.",
    )(function)
    return click.option("--force", is_flag=True, help="Replace what is in OUT, whatever it is.")(function)


def need_builders() -> None:
    """Make sure that the builders are there: they come with the source, not with the wheel.

    Raises:
        WrongUse: this was installed from a wheel.
    """
    if find_spec("eve_replay.tools") is None:
        raise WrongUse(
            "Kit and site are built from the source of eve-replay, which is not here.",
            hint="In a checkout, or in the unpacked source distribution: python -m eve_replay workshop kit.",
        )


class Building:
    """A long build: a line a step while it runs, and how long it took at its end."""

    def __init__(self, shell: Shell) -> None:
        """Begin now."""
        self._shell = shell
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """Print a step, unless JSON is wanted."""
        if not self._shell.json:
            echo(self._shell, [line(text)])

    def told(self, out: Path, bytes_: int, lessons: Mapping[Language, int], *facts: str) -> Line:
        """Return the line about what was built: where, how large, facts, lessons, how long it took."""
        counts = [f"{count} lessons ({language})" for language, count in lessons.items()]
        seconds = f"{round(time.monotonic() - self._began)} s"
        return line((str(out), "strong"), f": {', '.join([size(bytes_), *facts, *counts, seconds])}")
