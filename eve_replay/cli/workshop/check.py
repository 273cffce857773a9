"""``eve-replay workshop check``: run the answers in notebooks and scripts, each in a process of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.shared import hanging, language_option, limit_options, verdict_lines
from eve_replay.cli.workshop.words import said
from eve_replay.errors import NotFound, SourceUnreadable, WrongUse
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.tone import Tone
from eve_replay.workshop.grading.notebook_file import Book, find_books, read_book
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.grading.remote import Limits, check_source, refusal
from eve_replay.workshop.grading.script_file import is_script, read_script
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = ["cli", "judged", "limits_of"]

_SIGNS: Mapping[str, tuple[str, Tone]] = MappingProxyType(
    {"passed": ("✓ ", "ok"), "failed": ("✗ ", "error"), "unreadable": ("! ", "warning")}
)
State = Literal["passed", "failed", "no exercise", "not checked", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """One notebook and what came of it; ``words`` where there is no verdict."""

    path: str
    state: State
    book: Book | None = None
    verdict: Verdict | None = None
    words: str = ""
    language: Language = "en"


@command("check")
@click.argument("notebooks", metavar="FILE...", nargs=-1, required=True)
@click.option("--lesson", default="", help="Which lesson a .py file answers, where it does not say so.")
@click.option("--watch", is_flag=True, help="Check again whenever a file is saved, until Ctrl+C.")
@language_option("Language of the verdicts (default: the notebook's).")
@click.option("--saved", is_flag=True, help="Run nothing: tell what the notebook's last check said.")
@limit_options
def cli(
    shell: Shell,
    notebooks: tuple[str, ...],
    lesson: str,
    watch: bool,
    language: Language | None,
    saved: bool,
    seconds: float,
    megabytes: int,
) -> None:
    """Run the answers in notebooks and Python files and say whether they hold.

    THIS RUNS THE CODE in the answer cells. Each answer gets a Python of its own with an empty folder, no
    environment, and limits of time and memory. On Linux it also stands behind a wall (no network, no files
    but Python's own); the verdict says which wall there was. Without one, look at answers of strangers
    first. Nothing else of a notebook is run, and nothing is written to it. A folder means the notebooks in
    it. A .py file says its lesson by its name (04-mine.py), by a comment (# lesson 4) or with --lesson.

    Exit code: 0 all passed, 1 some did not, 3 no notebook could be read.
    """
    limits = limits_of(seconds, megabytes)
    if watch:
        _watch(shell, notebooks, lesson, language, limits)
        return
    receipt = Receipt()
    results: list[_Checked] = []
    for path in _paths(notebooks):
        receipt.seen += 1
        result = _one(path, language, saved, limits, lesson)
        results.append(result)
        if result.book is None:
            receipt.skip(where=result.path, what="notebook", why=result.words)
        else:
            receipt.parsed += 1
        if not shell.json:
            echo(shell, _lines(shell, result, first=len(results) == 1))
    readable = [each for each in results if each.book is not None]
    if shell.json:
        emit_json(
            shell,
            "workshop-check",
            ", ".join(notebooks),
            receipt,
            notebooks=[_json(each) for each in results],
        )
    if not readable:
        shell.exit_code = 3
    elif any(each.state not in ("passed", "no exercise") for each in results):
        shell.exit_code = 1
    if not shell.json and len(results) > 1:
        passed = sum(each.state == "passed" for each in results)
        told = language or ("zh" if readable and all(each.language == "zh" for each in readable) else "en")
        echo(shell, [(), line(said("some-passed", told, passed=passed, all=len(results)))])


#: Seconds between two looks at the files.
_LOOK = 0.3


def _watch(
    shell: Shell, files: Sequence[str], lesson: str, language: Language | None, limits: Limits
) -> None:
    """Check whenever a file is saved: first all, then the one that changed. Ends with Ctrl+C."""
    seen: dict[Path, tuple[int, int]] = {}
    while True:
        for path in _paths(files):
            try:
                now = path.stat()
            except OSError:  # between two saves of an editor there may be no file
                continue
            mark = (now.st_mtime_ns, now.st_size)
            if seen.get(path) == mark:
                continue
            blank: list[Line] = [()] if seen else []
            seen[path] = mark
            result = _one(path, language, False, limits, lesson)
            size = len((result.book.answer or "").splitlines()) if result.book is not None else 0
            at = said("judged-at", result.language, time=time.strftime("%H:%M:%S"), size=size)
            echo(shell, [*blank, *_lines(shell, result, first=True), line((at, "muted"))])
        echo(shell, [line((said("watching", language or "en", path=", ".join(files)), "muted"))])
        _until_changed(seen)


def _until_changed(seen: Mapping[Path, tuple[int, int]]) -> None:
    while True:
        for path, mark in seen.items():
            try:
                now = path.stat()
            except OSError:
                continue
            if (now.st_mtime_ns, now.st_size) != mark:
                time.sleep(0.05)  # let the editor finish
                return
        time.sleep(_LOOK)


def limits_of(seconds: float, megabytes: int) -> Limits:
    """Return the limits of an answer: nothing of the environment but what Python needs on Windows."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return Limits(seconds=seconds, megabytes=megabytes, environment={"LC_ALL": "C.UTF-8", **kept})


def judged(book: Book, language: Language, limits: Limits) -> Verdict | None:
    """Run the answer of a notebook; None for a lesson without an exercise."""
    try:
        lesson = task(book.lesson or "?").lesson
    except NotFound:
        return None
    if book.answer is None:
        return refusal(lesson, "no-answer", language)
    return check_source(lesson, book.answer, language=language, limits=limits, elsewhere=book.elsewhere)


def _paths(notebooks: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for each in notebooks:
        path = Path(each)
        inside = list(find_books(path)) if _is_folder(path) else [path]
        if not inside:
            raise SourceUnreadable(f"There is no notebook in {each}.")
        found += inside
    return found


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _one(path: Path, language: Language | None, saved: bool, limits: Limits, lesson: str = "") -> _Checked:
    try:
        book = read_script(path, lesson, language or "en") if is_script(path) else read_book(path)
    except (SourceUnreadable, WrongUse) as error:
        return _Checked(path=str(path), state="unreadable", words=str(error))
    told = language or book.language
    if saved:
        return _saved(path, book, told)
    verdict = judged(book, told, limits)
    if verdict is None:
        words = said("no-exercise" if book.lesson else "no-lesson", told, lesson=book.lesson)
        return _Checked(path=str(path), state="no exercise", book=book, words=words, language=told)
    state: State = "passed" if verdict.passed else "failed"
    return _Checked(path=str(path), state=state, book=book, verdict=verdict, language=told)


def _saved(path: Path, book: Book, language: Language) -> _Checked:
    """What the notebook says of itself: its last check's output, else the progress file beside it."""
    shown = book.saved
    known = Progress(path.parent).lesson(book.lesson)
    if shown is None and not known.checks:
        words = said("not-checked", language)
        return _Checked(path=str(path), state="not checked", book=book, words=words, language=language)
    if shown is not None:
        passed, words = (
            shown.get("passed") is True,
            str(shown.get("headline") or shown.get("code") or "")[:500],
        )
    else:
        passed, words = known.passed, known.checks[-1].code
    times = said("times", language, count=known.tries) if known.tries > 1 else ""
    told = words or said("did-pass" if passed else "did-not", language)
    state: State = "passed" if passed else "failed"
    return _Checked(path=str(path), state=state, book=book, words=told + times, language=language)


def _lines(shell: Shell, result: _Checked, *, first: bool) -> list[Line]:
    book = result.book
    lesson = _lesson(book.lesson, result.language) if book is not None and book.lesson else ""
    head = [line((result.path, "strong"), (lesson, "muted"))]
    out: list[Line] = head if first else [(), *head]
    if result.verdict is not None:
        wall = line((said(_wall(result.verdict), result.language), "muted"))
        return [*out, *verdict_lines(shell, result.verdict), wall]
    sign, tone = _SIGNS.get(result.state, ("  ", "muted"))
    return out + hanging(sign, result.words, shell.width, tone)


def _wall(verdict: Verdict) -> str:
    built = set(verdict.wall)
    if built == {"network", "files"}:
        return "wall-both"
    return f"wall-{next(iter(built))}" if built else "wall-none"


def _lesson(lesson: str, language: Language) -> str:
    # "lesson 01" stays what it was; in Chinese the number stands in a sentence
    return said("lesson", language, lesson=lesson.lstrip("0") or lesson if language == "zh" else lesson)


def _json(result: _Checked) -> dict[str, object]:
    return {
        "notebook": result.path,
        "lesson": result.book.lesson if result.book is not None else None,
        "language": result.book.language if result.book is not None else None,
        "state": result.state,
        "words": result.words,
        "verdict": result.verdict.to_json() if result.verdict is not None else None,
    }
