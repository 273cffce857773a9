"""Lesson notebooks as files: which lesson, in which language, and what the learner's answer is.

A lesson's notebook carries ``{"eve_replay": {"lesson": "04", "language": "en"}}`` in its metadata and tags
on its code cells (``setup``, ``show``, ``predict``, ``play``, ``answer``, ``check``, ``own``). Nothing runs.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import SourceUnreadable
from eve_replay.workshop.lesson import number_of
from eve_replay.workshop.model import Language

__all__ = [
    "LARGEST",
    "VERDICT_MIME",
    "Book",
    "BookCell",
    "find_books",
    "plain_code",
    "read_book",
    "same_code",
]

#: A notebook beyond this many bytes is not read: a lesson with all its pictures has a few hundred thousand.
LARGEST = 64 << 20
#: A check's output may carry the verdict under this type, as plain data, for ``--saved``.
VERDICT_MIME = "application/vnd.eve-replay.verdict+json"
#: Characters of one cell that are looked into.
_LONGEST = 200_000
_MOST_FILES = 20_000
_DEEPEST = 8
#: Folders in which no learner works.
_NOT_HERE = frozenset({"solutions", "instructor", "node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BookCell:
    """One cell: its tags, its text, and the verdict its saved output shows, if any."""

    code: bool
    tags: frozenset[str]
    source: str
    verdict: Mapping[str, object] | None = None


@dataclass(frozen=True, kw_only=True)
class Book:
    """One lesson notebook.

    Attributes:
        path: where it lies.
        lesson: two digits, from its metadata, else from its name; empty when neither says it.
        language: the language of its text.
        minutes: how long the lesson takes, None where the notebook does not say it.
        title: the first heading.
        cells: in order.
    """

    path: Path
    lesson: str
    language: Language
    minutes: int | None
    title: str
    cells: tuple[BookCell, ...]

    @property
    def answer(self) -> str | None:
        """The text of all answer cells, None when there is no such cell."""
        found = [each.source for each in self.cells if each.code and "answer" in each.tags]
        return "\n\n".join(found) if found else None

    @property
    def saved(self) -> Mapping[str, object] | None:
        """The last verdict among the saved outputs."""
        found = [each.verdict for each in self.cells if each.verdict is not None]
        return found[-1] if found else None

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        """Names that cells outside the answer define: an answer that needs them does not stand alone."""
        names: set[str] = set()
        for cell in self.cells:
            if cell.code and "answer" not in cell.tags:
                names |= _defined(cell.source)
        return frozenset(names)


def read_book(path: Path) -> Book:
    """Read one notebook.

    Raises:
        SourceUnreadable: no such file, too large, no JSON, or no notebook of format 4.
    """
    try:
        if path.is_dir():
            raise SourceUnreadable(f"{path} is a folder, not a notebook.")
        if path.exists() and not path.is_file():  # a pipe or a device would never end
            raise SourceUnreadable(f"{path} is no ordinary file.")
        if path.stat().st_size > LARGEST:
            raise SourceUnreadable(
                f"{path} is larger than {LARGEST >> 20} MB.", hint="Clear its outputs and save it again."
            )
        data = path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError:  # a name with a NUL in it
        raise SourceUnreadable(f"{str(path)!r} is no file name.") from None
    try:
        document = loads_json(data)
    except ValueError:
        raise SourceUnreadable(f"{path} is no notebook: it is not JSON.") from None
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise SourceUnreadable(f"{path} is no notebook of format 4: it has no list of cells.")
    ours = _mapping(_mapping(document.get("metadata")).get("eve_replay"))
    lesson = ours.get("lesson")
    minutes = ours.get("minutes")
    cells = tuple(_cell(_mapping(each)) for each in document["cells"])
    return Book(
        path=path,
        lesson=(number_of(lesson) if isinstance(lesson, str | int) else "") or _from_name(path.stem),
        language="zh" if ours.get("language") == "zh" else "en",
        minutes=minutes if isinstance(minutes, int) and 0 < minutes < 1000 else None,
        title=_title(cells),
        cells=cells,
    )


def find_books(folder: Path) -> Iterator[Path]:
    """Yield the notebooks in a folder and below it, in order of their names; no hidden ones, no solutions."""
    seen = 0
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop(0)
        try:
            inside = sorted(here.iterdir())
        except OSError:
            continue
        for each in inside:
            seen += 1
            if seen > _MOST_FILES:
                return
            if each.name.startswith(".") or each.name in _NOT_HERE:
                continue
            if each.is_dir() and not each.is_symlink():
                if depth < _DEEPEST:
                    waiting.append((each, depth + 1))
            elif each.suffix == ".ipynb":
                yield each


def plain_code(source: str) -> str:
    """Return code in a form that comments, blank lines and quotes do not change."""
    tree = _parsed(source)
    try:
        if tree is not None:
            return ast.dump(tree)
    except RecursionError:
        pass
    return " ".join(source.split())


def same_code(one: str | None, other: str | None) -> bool:
    """Return whether two answers are the same code, whatever their comments, blank lines and quotes."""
    if one is None or other is None:
        return one is other
    return one == other or plain_code(one) == plain_code(other)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


def _cell(cell: Mapping[str, object]) -> BookCell:
    tags = _mapping(cell.get("metadata")).get("tags")
    outputs = cell.get("outputs")
    verdict = None
    for output in outputs if isinstance(outputs, list) else ():
        shown = _mapping(_mapping(output).get("data")).get(VERDICT_MIME)
        if isinstance(shown, dict):
            verdict = shown
    return BookCell(
        code=cell.get("cell_type") == "code",
        tags=frozenset(each for each in (tags if isinstance(tags, list) else ()) if isinstance(each, str)),
        source=_text(cell.get("source")),
        verdict=verdict,
    )


def _title(cells: tuple[BookCell, ...]) -> str:
    for cell in cells:
        if not cell.code:
            found = re.search(r"^#\s+(.+)$", cell.source, re.MULTILINE)
            if found:
                return found[1].strip()
    return ""


def _from_name(stem: str) -> str:
    """``04-which-key``, ``04-which-key-Ana``, ``Ana-04-which-key``: the lesson is the two digits."""
    found = re.search(r"(?<![0-9])([0-9]{2})(?=-[a-z])", stem)
    return found[1] if found else ""


def _parsed(source: str) -> ast.Module | None:
    """Return the syntax tree, None for what is no Python: half-written code, notebook magics, garbage."""
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():  # a learner's "\\d" is no news here
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(source: str) -> set[str]:
    tree = _parsed(source)
    if tree is None:
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(each.asname or each.name).partition(".")[0] for each in node.names}
    return names
