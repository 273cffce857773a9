"""``eve-replay workshop play``: how a lesson's starting code fails, told in the terminal."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.check import judged, limits_of
from eve_replay.cli.workshop.shared import language_option, shipped_book, verdict_lines
from eve_replay.errors import NotFound
from eve_replay.views.kit.text import line
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.grading.notebook_file import read_book
from eve_replay.workshop.grading.script_file import is_script, read_script
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = ["cli"]


@command("play")
@click.argument("lesson", metavar="[LESSON|FILE]", required=False, default="1")
@language_option("Language of the story (default en).")
def cli(shell: Shell, lesson: str, language: Language | None) -> None:
    """Show how a lesson's starting code fails, or your own, as a story.

    LESSON is a number or a name, 1 when it is not given; its own starting code is played. FILE is a notebook
    or a .py file: the answer in it is judged, in a Python of its own. The code is shown first, so that it is
    plain what was judged.
    """
    if _is_file(lesson):
        _file(shell, Path(lesson), language)
        return
    language = language or "en"
    book = shipped_book(lesson, language)
    exercise = task(book.lesson)
    source = book.answer
    if source is None:
        raise NotFound(f"Lesson {book.lesson} has no code to break.", hint="Try another one.")
    names: dict[str, object] = {"__name__": "answer"}
    exec(compile(source, "<answer>", "exec", dont_inherit=True), names)  # shipped with this package
    verdict = check(book.lesson, names.get(exercise.answer), language=language)
    _tell(shell, book.lesson, source, str(book.path), verdict)


def _is_file(text: str) -> bool:
    """Whether somebody means a file: it says so by its ending, or there is one."""
    path = Path(text)
    if path.suffix.lower() in (".py", ".ipynb"):
        return True
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _file(shell: Shell, path: Path, language: Language | None) -> None:
    book = read_script(path, "", language or "en") if is_script(path) else read_book(path)
    told = language or book.language
    verdict = judged(book, told, limits_of(30.0, 1024))
    if verdict is None or book.answer is None:
        raise NotFound(f"{path} holds no answer to a lesson.", hint="`eve-replay workshop list`")
    _tell(shell, verdict.lesson, book.answer, str(path), verdict)
    if not verdict.passed:
        shell.exit_code = 1


def _tell(shell: Shell, lesson: str, source: str, path: str, verdict: Verdict) -> None:
    if shell.json:
        emit_json(shell, "workshop-play", path, lesson=lesson, code=source, verdict=verdict.to_json())
        return
    title = task(lesson).title.get(verdict.language)
    echo(shell, [line((f"{lesson}  {title}", "strong")), ()])
    echo(shell, [line((f"    {each}", "muted")) for each in textwrap.dedent(source).strip().splitlines()])
    echo(shell, [()])
    echo(shell, verdict_lines(shell, verdict))
