"""``eve-replay workshop summary``: a class in one table."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, note
from eve_replay.cli.workshop.check import judged, limits_of
from eve_replay.cli.workshop.shared import hanging, language_option, limit_options, shipped_books
from eve_replay.cli.workshop.words import said
from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.views.kit.table import Cell, Column, Row, Table, table_lines
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.words import plural
from eve_replay.workshop.grading.classroom import Mark, Summary, Work, gather, summarise
from eve_replay.workshop.grading.notebook_file import Book, plain_code, same_code
from eve_replay.workshop.grading.remarks import short
from eve_replay.workshop.grading.remote import Limits
from eve_replay.workshop.lesson import tasks
from eve_replay.workshop.model import Language

__all__ = ["cli"]

_Key = tuple[str, str]
_MOST_STUMBLES = 2


@command("summary")
@click.argument("folder", metavar="FOLDER")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the table there too, for a spreadsheet.")
@click.option("--saved", is_flag=True, help="Run nothing: take what notebooks and progress files say.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), help="Answers at a time (default: one processor stays free)."
)
@language_option("Language of what they stumble over (default en).")
@limit_options
def cli(
    shell: Shell,
    folder: str,
    csv_file: str | None,
    saved: bool,
    jobs: int | None,
    language: Language | None,
    seconds: float,
    megabytes: int,
) -> None:
    """Show a class: who has passed what, and where most of them stumble.

    FOLDER has one folder per learner, or files named after lesson and learner (04-which-key-Ana.ipynb).
    Answers that were changed are RUN, as `workshop check` does it, with your rights; with --saved nothing
    is. Tries and predictions come from the workshop-progress.json beside the notebooks.
    """
    language = language or "en"
    receipt = Receipt()
    shipped = [*shipped_books("en"), *shipped_books("zh")]
    starting = {book.lesson: book.answer for book in shipped}
    works = gather(Path(folder), receipt, dict.fromkeys(book.path.stem for book in shipped))
    verdicts: Mapping[_Key, tuple[bool, str]] = {}
    if not saved:
        limits = limits_of(seconds, megabytes)
        verdicts = _run(shell, works, starting, language, limits, jobs or max((os.cpu_count() or 2) - 1, 1))
    summary = summarise(
        works, (book.lesson for book in shipped), lambda book: verdicts.get(_key(book)), starting
    )
    if csv_file is not None:
        _write(csv_file, summary)
    if shell.json:
        emit_json(shell, "workshop-summary", folder, receipt, **summary.to_json())
    else:
        _tell(shell, summary, language)
    finish(shell, receipt)


def _key(book: Book) -> _Key:
    return book.lesson, plain_code(book.answer) if book.answer is not None else ""


def _run(
    shell: Shell,
    works: tuple[Work, ...],
    starting: Mapping[str, str | None],
    language: Language,
    limits: Limits,
    jobs: int,
) -> Mapping[_Key, tuple[bool, str]]:
    """Run every answer that was changed, the same answer once, and return (passed, code) of each."""
    books = {
        _key(book): book
        for work in works
        for book in work.books
        if not same_code(book.answer, starting.get(book.lesson))
    }
    if not books:
        return {}
    answers, learners = plural(len(books), "answer"), plural(len(works), "learner")
    facts = {"answers": answers, "learners": learners, "count": len(books), "people": len(works)}
    note(shell, said("running", language, jobs=jobs, **facts))

    def one(book: Book) -> tuple[bool, str]:
        verdict = judged(book, language, limits)
        return (verdict.passed, verdict.code) if verdict is not None else (True, "")

    watched = sys.stderr.isatty()
    done: dict[_Key, tuple[bool, str]] = {}
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for key, each in zip(books, pool.map(one, books.values()), strict=True):
            done[key] = each
            if watched:
                click.echo(f"\r{len(done)} / {len(books)} ", nl=False, err=True)
    if watched:
        click.echo(err=True)
    return done


def _write(name: str, summary: Summary) -> None:
    try:
        # With a byte order mark, without which spreadsheets read Chinese names wrongly.
        Path(name).write_bytes(summary.to_csv().encode("utf-8-sig", "backslashreplace"))
    except OSError as error:
        raise SourceUnreadable(f"{name} cannot be written: {error.strerror}.") from error


def _tell(shell: Shell, summary: Summary, language: Language) -> None:
    columns = [Column(title=said("learner", language), shrink=1, minimum=6)]
    columns += [Column(title=lesson) for lesson in summary.lessons]
    columns.append(Column(title=said("right", language), align="right", optional=True))
    rows: list[Row] = [
        [each.name, *(_cell(each.mark(lesson)) for lesson in summary.lessons), _right(each.marks)]
        for each in summary.learners
    ]
    table = Table(columns=columns, rows=rows, empty=said("empty", language))
    echo(shell, table_lines(table, width=shell.width, gap=1))
    if not rows:
        return
    echo(shell, [(), *paragraph(said("legend", language), width=shell.width, tone="muted")])
    told = [(lesson, _stumbles(summary, lesson, language)) for lesson in summary.lessons]
    if any(words for _, words in told):
        echo(shell, [(), line((said("stumbles", language), "strong"))])
        for lesson, words in told:
            for number, each in enumerate(words):
                echo(shell, hanging(f"  {lesson if number == 0 else '  '}  ", each, shell.width))


def _cell(mark: Mark) -> Cell:
    if mark.state == "passed":
        return Cell("✓", "ok")
    if mark.state == "tried":
        return Cell(f"✗{mark.tries}", "error") if mark.tries else Cell("…", "muted")
    return Cell("·", "muted")


def _right(marks: Mapping[str, Mark]) -> str:
    made = sum(each.predictions for each in marks.values())
    return f"{sum(each.right for each in marks.values())}/{made}" if made else ""


def _stumbles(summary: Summary, lesson: str, language: Language) -> list[str]:
    """Return the most frequent failures of a lesson: ``12 of 30: a key that changes ...``."""
    begun = summary.begun(lesson)
    return [
        said("of", language, count=count, begun=begun, words=_named(lesson, code, language))
        for code, count in summary.stumbles(lesson)[:_MOST_STUMBLES]
    ]


def _named(lesson: str, code: str, language: Language) -> str:
    """Return what a failure is called; one that only this lesson knows by the first sentence of its hint."""
    name = short(code, language)
    if name != code or lesson not in tasks():
        return name
    hint = tasks()[lesson].hints.get(code)
    if hint is None:
        return code
    first = re.split(r"(?<=[.?!])\s|(?<=[。？！])", hint.get(language), maxsplit=1)[0]
    return said("colon", language, code=code, words=first)
