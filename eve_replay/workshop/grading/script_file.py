"""An answer as a plain Python file: which lesson it is for, and its text. Nothing of it is run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from eve_replay.errors import NotFound, SourceUnreadable, WrongUse
from eve_replay.workshop.grading.notebook_file import Book, BookCell
from eve_replay.workshop.lesson import task, tasks
from eve_replay.workshop.model import Language

__all__ = ["is_script", "read_script"]

_LARGEST = 1 << 20
#: ``# lesson 4``, ``# 第 4 课`` near the top of the file.
_SAID = re.compile(r"^#.*?(?:lesson|第)\s*:?\s*([0-9]{1,2})", re.IGNORECASE | re.MULTILINE)
#: ``01-mine.py``, ``lesson_04.py``, ``4.py``.
_NAMED = re.compile(r"^(?:lesson[-_ ]?)?([0-9]{1,2})(?![0-9])", re.IGNORECASE)


def is_script(path: Path) -> bool:
    """Return whether a file is read as a script."""
    return path.suffix.lower() == ".py"


def read_script(path: Path, lesson: str = "", language: Language = "en") -> Book:
    """Read one script as a notebook with a single cell, the answer.

    Args:
        path: the file.
        lesson: which lesson, where somebody says it; else a comment ``# lesson 4``, else the file's name
            (``04-mine.py``), else the function that it defines, where only one lesson wants such a one.
        language: of the verdict.

    Raises:
        SourceUnreadable: there is no such file, it is too large, or no text.
        WrongUse: nothing says which lesson it is for.
    """
    try:
        if not path.is_file():
            raise SourceUnreadable(f"There is no file {path}.")
        if path.stat().st_size > _LARGEST:
            raise SourceUnreadable(f"{path} is larger than {_LARGEST >> 20} MB.")
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path} cannot be read: {error}.") from None
    number = _lesson(path, text, lesson)
    return Book(
        path=path,
        lesson=number,
        language=language,
        minutes=None,
        title=path.stem,
        cells=(BookCell(code=True, tags=frozenset({"answer"}), source=text),),
    )


def _lesson(path: Path, text: str, lesson: str) -> str:
    if lesson:
        return task(lesson).lesson
    said = _SAID.search(text[:2000]) or _NAMED.match(path.stem)
    if said is not None:
        try:
            return task(said[1]).lesson
        except NotFound:
            pass
    defined = _functions(text)
    fits = [each.lesson for each in tasks().values() if each.answer in defined]
    if len(fits) == 1:
        return fits[0]
    raise WrongUse(
        f"{path.name} does not say which lesson it is for"
        + (f": `{sorted(defined)[0]}` is asked for in several" if len(fits) > 1 else "")
        + ".",
        hint="Say it with --lesson 4, with a comment `# lesson 4`, or in its name: 04-mine.py.",
    )


def _functions(text: str) -> frozenset[str]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
