"""``eve-replay workshop kit``: a folder that installs without internet."""

from __future__ import annotations

from collections.abc import Sequence
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
from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural, size
from eve_replay.workshop.model import Language

__all__ = ["cli"]


@command("kit")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--python",
    "pythons",
    metavar="VERSION",
    multiple=True,
    help="Python of the learners, 3.12; may be given several times (default: this one's).",
)
@click.option(
    "--platform",
    "platforms",
    metavar="NAME",
    multiple=True,
    help="windows-x64, windows-arm64, macos-arm64, macos-x64, linux-x64, linux-arm64, or a wheel tag; "
    "may be given several times (default: this machine's).",
)
@several_languages
@click.option(
    "--instructor",
    is_flag=True,
    help="Also OUT-instructor, beside it: solutions and the guide, for you alone.",
)
@click.option("--no-zip", is_flag=True, help="The folder only, without OUT.zip.")
@build_options
def cli(
    shell: Shell,
    out: Path,
    pythons: tuple[str, ...],
    platforms: tuple[str, ...],
    languages: tuple[Language, ...],
    instructor: bool,
    no_zip: bool,
    force: bool,
    wheels: tuple[Path, ...],
) -> None:
    """Make a folder (and OUT.zip) that installs eve-replay and the lessons without internet.

    It holds the wheels for every named Python on every named platform, the lessons, a start script for each
    system, and a README. Making it needs internet once, and pip. Installing it by hand:
    pip install --no-index --find-links wheels 'eve-replay[workshop]'
    """
    need_builders()
    from eve_replay.tools.kit import build_kit  # only here: what it uses takes a while to load
    from eve_replay.tools.machines import machines

    building = Building(shell)
    chosen = chosen_languages(languages)
    lessons = {each: tuple(lesson_files(each)) for each in chosen}
    kit = build_kit(
        out,
        lessons,
        machines(pythons, platforms),
        building.say,
        sources=wheels,
        archive=not no_zip,
        force=force,
    )
    own = _instructor_folder(out, chosen) if instructor else None
    if shell.json:
        emit_json(
            shell,
            "workshop-kit",
            str(out),
            Receipt(),
            folder=str(kit.folder),
            archive=str(kit.archive) if kit.archive else None,
            bytes=kit.size,
            wheels=kit.wheels,
            machines=[{"python": each.python, "platform": each.platform} for each in kit.machines],
            lessons=dict(kit.lessons),
            instructor=str(own) if own is not None else None,
        )
        return
    lines = [building.told(out, kit.size, kit.lessons, plural(kit.wheels, "wheel"))]
    if kit.archive is not None:
        lines.append(
            line((str(kit.archive), "strong"), f": {size(kit.archive.stat().st_size)}, the same in one file")
        )
    if own is not None:
        lines.append(
            line((str(own), "strong"), ": solutions and the guide. Keep it: learners do not get it.")
        )
    pythons_said = (
        'python -c "import sys, sysconfig; print(sys.version.split()[0], sysconfig.get_platform())"'
    )
    echo(
        shell,
        [
            *lines,
            line("Give it to the learners; README.txt in it says how it is started."),
            line("To find out which Python a learner has, let them run this one line and send what it says:"),
            line((f"  {pythons_said}", "strong")),
        ],
    )


def _instructor_folder(out: Path, languages: Sequence[Language]) -> Path:
    """Write what only the instructor gets into a folder beside the kit, and return it."""
    own = out.with_name(f"{out.name}-instructor")
    try:
        for each in languages:
            learners = {inside for _, inside in lesson_files(each)}
            for source, inside in lesson_files(each, instructor=True):
                if inside not in learners:
                    place = own / f"lessons-{each}" / inside
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(source.read_bytes())
    except OSError as error:
        raise SourceUnreadable(f"{own} cannot be written: {error.strerror}.") from error
    return own
