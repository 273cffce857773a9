"""``eve-replay workshop quiz``: a few questions again, a day and a week later, with other numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.shared import hanging, language_option
from eve_replay.cli.workshop.words import said
from eve_replay.errors import NotFound
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import Line, line
from eve_replay.workshop.grading.quiz import Memo, Question, due_from, questions_of
from eve_replay.workshop.model import Language

__all__ = ["cli"]


@command("quiz")
@click.argument("folder", metavar="[FOLDER]", type=click.Path(path_type=Path), default=Path())
@click.option("--count", type=click.IntRange(1, 20), default=5, show_default=True, help="How many questions.")
@click.option("--all", "everything", is_flag=True, help="Also questions that are not due yet.")
@language_option("Language of the questions (default en).")
def cli(shell: Shell, folder: Path, count: int, everything: bool, language: Language | None) -> None:
    """Ask some questions of the lessons again: two minutes, a day and a week later.

    FOLDER is where the lessons lie. What was right comes back after 1, 3, 7 and 21 days, what was wrong
    the next day. The numbers are other ones each time; each answer is worked out by the engine, not kept.
    """
    told = language or "en"
    memo = Memo(folder)
    now = datetime.now(UTC)
    asked = questions_of(memo, now, count, everything=everything)
    if not asked:
        when = due_from(memo)
        if when is None:
            raise NotFound("There is nothing to ask.")
        if shell.json:
            emit_json(shell, "workshop-quiz", str(folder), Receipt(), questions=[], due=when.isoformat())
            return
        echo(shell, [line(said("quiz-later", told, date=f"{when:%Y-%m-%d}"))])
        return
    if shell.json:
        documents = [each.to_json(told) for each in asked]
        emit_json(shell, "workshop-quiz", str(folder), Receipt(), questions=documents, due=None)
        return
    right = 0
    for number, each in enumerate(asked, 1):
        echo(shell, [(), *_asked(shell, each, number, len(asked), told)])
        chosen = click.prompt(
            said("quiz-choose", told), type=click.IntRange(1, len(each.choices)), prompt_suffix=" "
        )
        good = each.right == chosen - 1
        right += good
        memo.note(each, good, now)
        sign, tone = ("✓ ", "ok") if good else ("✗ ", "error")
        echo(shell, hanging(sign, each.reveal.get(told), min(shell.width, 100), tone))  # type: ignore[arg-type]
    echo(shell, [(), line((said("quiz-sum", told, right=right, all=len(asked)), "strong"))])


def _asked(shell: Shell, question: Question, number: int, count: int, language: Language) -> list[Line]:
    width = min(shell.width, 100)
    lines = hanging(f"{number}/{count}  ", question.text.get(language), width, "strong")
    for index, choice in enumerate(question.choices, 1):
        lines += hanging(f"    {index}  ", choice.get(language), width)
    return lines
