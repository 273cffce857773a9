"""What the commands of the workshop share: the shipped lessons, the language option, verdicts as lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from eve_replay.cli.shared.common import Shell
from eve_replay.errors import NotFound, SourceUnreadable
from eve_replay.views.kit.safe import display_width, safe_text, wrap
from eve_replay.views.kit.text import Line, Span, paragraph
from eve_replay.views.kit.tone import Tone
from eve_replay.workshop.grading.notebook_file import Book, read_book
from eve_replay.workshop.lesson import number_of
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = [
    "hanging",
    "language_option",
    "limit_options",
    "shipped",
    "shipped_book",
    "shipped_books",
    "verdict_lines",
]


#: Before why it fails, and before what to think about next.
_HEADS: Mapping[Language, tuple[str, str]] = {"en": ("  Why   ", "  Next  "), "zh": ("  原因  ", "  想想  ")}


def language_option(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--language en|zh``; the function gets ``language``, None when it was not given."""
    return click.option("--language", type=click.Choice(["en", "zh"]), help=help_text)


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the limits of answers that are run: ``seconds`` and ``megabytes``."""
    function = click.option(
        "--megabytes",
        type=click.IntRange(256, 65536),
        default=1024,
        show_default=True,
        help="Memory an answer may use, where the system can limit it.",
    )(function)
    return click.option(
        "--seconds",
        type=click.FloatRange(1, 3600),
        default=30.0,
        show_default=True,
        help="Time an answer may take.",
    )(function)


def shipped() -> Path:
    """Return the folder of the lessons: inside the wheel, or beside the package in a checkout.

    Raises:
        SourceUnreadable: the installation lacks them.
    """
    package = Path(str(files("eve_replay")))
    for place in (package / "_notebooks" / "workshop", package.parent / "notebooks" / "workshop"):
        if next(place.glob("*.ipynb"), None) is not None:
            return place
    raise SourceUnreadable("This installation has no lessons.", hint="Install eve-replay again.")


def shipped_books(language: Language) -> tuple[Book, ...]:
    """Return the lessons as they are shipped, in order; in English where a translation is missing."""
    folder = shipped()
    found = {path.name: path for path in sorted(folder.glob("*.ipynb"))}
    if language == "zh":
        found |= {path.name: path for path in sorted((folder / "zh").glob("*.ipynb"))}
    return tuple(read_book(found[name]) for name in sorted(found))


def shipped_book(lesson: str, language: Language) -> Book:
    """Return one lesson, by its number or its name.

    Raises:
        NotFound: there is none; the message lists those there are.
    """
    number = number_of(lesson)
    books = shipped_books(language)
    for book in books:
        if book.lesson == number if number else book.path.stem.partition("-")[2] == lesson:
            return book
    known = ", ".join(book.lesson for book in books)
    raise NotFound(f"There is no lesson {lesson!r}.", hint=f"There are {known}: `eve-replay workshop list`.")


def verdict_lines(shell: Shell, verdict: Verdict) -> list[Line]:
    """Return a verdict as lines: the sentence, the story in numbered lines, why, what next."""
    width = min(shell.width, 100)
    good = verdict.passed
    lines = hanging("✓ " if good else "✗ ", verdict.headline, width, "ok" if good else "error")
    for number, each in enumerate(verdict.story, 1):
        lines += hanging(f"{number:>3}. ", each, width)
    why, after = _HEADS[verdict.language]
    for head, each in ((why, verdict.why), (after if not verdict.passed else "  ", verdict.next)):
        if each:
            lines += [()] if verdict.story else []
            lines += hanging(head, each, width)
    if verdict.basis:
        lines += [(), *paragraph(verdict.basis, width=width, indent=2, tone="muted")]
    return lines


def hanging(head: str, text: str, width: int, tone: Tone = "plain") -> list[Line]:
    """Return a text behind a head, its further lines below its start."""
    room = max(width - display_width(head), 10)
    blank = " " * display_width(head)
    parts: Sequence[str] = wrap(safe_text(text), room)
    return [(Span(blank if index else head, tone), Span(part, tone)) for index, part in enumerate(parts)]
