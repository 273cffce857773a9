"""``eve-replay workshop start``: the lessons in a folder of one's own, and JupyterLab on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo
from eve_replay.cli.showing.lab import open_lab
from eve_replay.cli.workshop.shared import language_option, shipped
from eve_replay.cli.workshop.words import said
from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.model import Language

__all__ = ["cli", "copy_lessons", "lesson_files"]

#: What only an instructor gets, by the first part of its path, and names of single files.
_INSTRUCTOR = frozenset({"solutions", "instructor"})
_GUIDES = ("guide", "instructor")


@command("start")
@click.argument("target", metavar="[DIR]", required=False)
@language_option("Language of the lessons (default en).")
@click.option("--instructor", is_flag=True, help="Copy solutions and the instructor's guide too.")
@click.option("--copy-only", is_flag=True, help="Copy the lessons and stop.")
@click.option("--port", type=int, help="Port of JupyterLab.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def cli(
    shell: Shell,
    target: str | None,
    language: Language | None,
    instructor: bool,
    copy_only: bool,
    port: int | None,
    no_browser: bool,
) -> None:
    """Copy the lessons into a folder of your own and open JupyterLab on it.

    DIR is eve-replay-workshop when it is not given (eve-replay-workshop-zh for the Chinese lessons). Files
    that are there already stay as they are: the same command goes on with the first lesson you have not
    passed yet.
    """
    folder = Path(target or ("eve-replay-workshop-zh" if language == "zh" else "eve-replay-workshop"))
    copied, kept = copy_lessons(folder, language or "en", instructor=instructor)
    told: Language = language or "en"
    copies = said("copied", told, count=copied, files=plural(copied, "file"))
    remark = said("kept", told, count=kept) if kept else ""
    echo(shell, [line(copies, (str(folder), "strong"), remark)])
    if not copy_only:
        shell.exit_code = open_lab(next_lesson(folder), port=port, no_browser=no_browser)


def next_lesson(folder: Path) -> Path:
    """Return the first lesson that has not been passed, or the folder when there is none left."""
    known = Progress(folder).lessons()
    for path in sorted(folder.glob("[0-9][0-9]-*.ipynb")):
        lesson = known.get(path.name[:2])
        if lesson is None or not lesson.passed:
            return path
    return folder


def copy_lessons(folder: Path, language: Language, *, instructor: bool = False) -> tuple[int, int]:
    """Copy the lessons and return how many files were copied and how many were there already.

    Raises:
        WrongUse: the target is a file.
        SourceUnreadable: the folder cannot be written, or the installation lacks its lessons.
    """
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is a file.", hint="Name a folder.")
    copied = kept = 0
    try:
        for source, inside in lesson_files(language, instructor=instructor):
            place = folder / inside
            if place.exists():
                kept += 1
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(source.read_bytes())
            copied += 1
    except OSError as error:
        raise SourceUnreadable(f"The lessons cannot be copied to {folder}: {error.strerror}.") from error
    return copied, kept


def lesson_files(language: Language, *, instructor: bool = False) -> Iterator[tuple[Path, Path]]:
    """Yield the files of the workshop in a language: where each lies, and where it goes in the copy.

    A file of ``zh/`` takes the place of the one with the same name outside of it.
    """
    home = shipped()
    found: dict[Path, Path] = {}
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
        if path.is_file() and not hidden and inside.parts[0] != "zh":
            found[inside] = path
    if language == "zh":
        translated = home / "zh"
        found |= {
            path.relative_to(translated): path for path in sorted(translated.rglob("*")) if path.is_file()
        }
    for inside, path in sorted(found.items()):
        if instructor or not _for_instructors(inside):
            yield path, inside


def _for_instructors(inside: Path) -> bool:
    return inside.parts[0] in _INSTRUCTOR or inside.stem.lower().startswith(_GUIDES)
