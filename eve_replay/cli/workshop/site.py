"""``eve-replay workshop site``: the edition that runs in a browser."""

from __future__ import annotations

import time
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.shared import need_builders
from eve_replay.cli.workshop.start import lesson_files
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import size
from eve_replay.workshop.model import Language

__all__ = ["chosen_languages", "cli", "several_languages"]


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


@command("site")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@several_languages
@click.option("--force", is_flag=True, help="Replace what is in OUT, whatever it is.")
@click.option(
    "--pyodide",
    "runtime",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="A Pyodide archive or folder, instead of the npm registry.",
)
@click.option(
    "--wheels",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Folders with the wheels, instead of the package index.",
)
def cli(
    shell: Shell,
    out: Path,
    languages: tuple[Language, ...],
    force: bool,
    runtime: Path | None,
    wheels: tuple[Path, ...],
) -> None:
    """Make a website of the lessons that runs in a browser, without installing and without internet.

    It is made with JupyterLite and Pyodide (Python in the browser), and needs no other server. Building it
    needs internet once, pip, npm, and: pip install 'eve-replay[site]'. OUT appears when all of it is there.
    """
    need_builders()
    from eve_replay.tools.site import build_site  # only here: what it uses takes a while to load

    began = time.monotonic()

    def say(text: str) -> None:
        if not shell.json:
            echo(shell, [line(text)])

    lessons = {each: tuple(lesson_files(each)) for each in chosen_languages(languages)}
    built = build_site(out, lessons, say, runtime=runtime, wheels=wheels, force=force)
    if shell.json:
        emit_json(
            shell,
            "workshop-site",
            str(out),
            Receipt(),
            folder=str(built.folder),
            bytes=built.size,
            lessons=dict(built.lessons),
            python=built.python,
            packages=built.packages,
        )
        return
    counts = ", ".join(f"{count} lessons ({language})" for language, count in built.lessons.items())
    seconds = round(time.monotonic() - began)
    echo(
        shell,
        [
            line((str(out), "strong"), f": {size(built.size)}, {counts}, Python {built.python}, {seconds} s"),
            line("Serve it:  python -m http.server --directory ", str(out), " 8000"),
            line("Open:      http://localhost:8000    (more in README.txt there)"),
        ],
    )
