"""``eve-replay workshop list``: the lessons, how long each takes, what a learner finds out."""

from __future__ import annotations

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.shared import language_option, shipped, shipped_books
from eve_replay.cli.workshop.words import said
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.text import line, paragraph
from eve_replay.workshop.grading.notebook_file import Book
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.model import Language

__all__ = ["cli"]

_MINUTES = 15


@command("list")
@language_option("Language of the titles (default en).")
def cli(shell: Shell, language: Language | None) -> None:
    """List the lessons: how long each takes, and what it is about."""
    language = language or "en"
    rows = [_row(book, language) for book in shipped_books(language)]
    if shell.json:
        emit_json(shell, "workshop-list", str(shipped()), lessons=rows)
        return
    minutes = sum(int(str(row["minutes"])) for row in rows)
    for row in rows:
        head = f"{row['lesson']}  {said('minutes', language, minutes=row['minutes'])}  "
        echo(shell, [line((head, "muted"), (str(row["title"]), "strong"))])
        indent = display_width(head)
        echo(shell, paragraph(str(row["finds"]), width=shell.width, indent=indent) if row["finds"] else [])
    told = said("together", language, minutes=minutes)
    echo(shell, [(), *paragraph(told, width=shell.width)])


def _row(book: Book, language: Language) -> dict[str, object]:
    task = tasks().get(book.lesson)
    finds = task.finds if task is not None else None
    return {
        "lesson": book.lesson,
        "name": book.path.stem,
        "title": task.title.get(language) if task is not None else book.title or book.path.stem,
        "minutes": book.minutes or (task.minutes if task is not None else _MINUTES),
        "exercise": task is not None,
        "finds": finds.get(language) if finds is not None else "",
    }
