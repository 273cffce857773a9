"""``eve-replay workshop play``: how a lesson's starting code fails, told in the terminal."""

from __future__ import annotations

import textwrap

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.shared import language_option, shipped_book, verdict_lines
from eve_replay.errors import NotFound
from eve_replay.views.kit.text import line
from eve_replay.workshop.grading.check import check
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Language

__all__ = ["cli"]


@command("play")
@click.argument("lesson", metavar="[LESSON]", required=False, default="1")
@language_option("Language of the story (default en).")
def cli(shell: Shell, lesson: str, language: Language | None) -> None:
    """Show how a lesson's starting code fails, as a story: the shortest way to see what it is about.

    LESSON is a number or a name, 1 when it is not given. The code is the lesson's own, nobody else's.
    """
    language = language or "en"
    book = shipped_book(lesson, language)
    exercise = task(book.lesson)
    source = book.answer
    if source is None:
        raise NotFound(f"Lesson {book.lesson} has no code to break.", hint="Try another one.")
    names: dict[str, object] = {"__name__": "answer"}
    exec(compile(source, "<answer>", "exec", dont_inherit=True), names)  # shipped with this package
    verdict = check(book.lesson, names.get(exercise.answer), language=language)
    if shell.json:
        emit_json(
            shell, "workshop-play", str(book.path), lesson=book.lesson, code=source, verdict=verdict.to_json()
        )
        return
    title = exercise.title.get(language)
    echo(shell, [line((f"{book.lesson}  {title}", "strong")), ()])
    echo(shell, [line((f"    {each}", "muted")) for each in textwrap.dedent(source).strip().splitlines()])
    echo(shell, [()])
    echo(shell, verdict_lines(shell, verdict))
