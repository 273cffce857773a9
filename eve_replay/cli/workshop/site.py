"""``eve-replay workshop site``: the edition that runs in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.building import (
    Building,
    build_options,
    chosen_languages,
    need_builders,
    several_languages,
)
from eve_replay.cli.workshop.start import lesson_files
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import line
from eve_replay.workshop.model import Language

__all__ = ["cli"]


@command("site")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@several_languages
@click.option(
    "--pyodide",
    "runtime",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="A Pyodide archive or folder, instead of the npm registry.",
)
@build_options
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

    building = Building(shell)
    lessons = {each: tuple(lesson_files(each)) for each in chosen_languages(languages)}
    built = build_site(out, lessons, building.say, runtime=runtime, wheels=wheels, force=force)
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
    echo(
        shell,
        [
            building.told(out, built.size, built.lessons, f"Python {built.python}"),
            line("Serve it:  python -m http.server --directory ", str(out), " 8000"),
            line("Open:      http://localhost:8000    (more in README.txt there)"),
        ],
    )
