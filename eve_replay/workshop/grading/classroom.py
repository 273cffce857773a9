"""A class in one table: who has passed which lesson, who still tries, and what most of them stumble over."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.workshop.grading.notebook_file import Book, find_books, read_book, same_code
from eve_replay.workshop.grading.progress import FILE_NAME, LessonProgress, Progress

__all__ = ["Answers", "Learner", "Mark", "Summary", "Work", "gather", "summarise"]

State = Literal["passed", "tried", "not begun"]
#: Characters of a code that a file gives: whatever stands there, a table stays one.
_LONGEST_CODE = 40
_ORDER: Mapping[State, int] = MappingProxyType({"not begun": 0, "tried": 1, "passed": 2})
#: A cell that begins so is a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One learner and one lesson.

    Attributes:
        state: ``passed``, ``tried`` (begun, not passed), ``not begun``.
        tries: how many checks are known, at least 1 where the answer was run or its last check is on record;
            0 where it was changed and nobody has checked it.
        code: the diagnosis of the latest failure, empty when there is none.
        predictions: how many predictions were made.
        right: how many of them were right.
    """

    state: State = "not begun"
    tries: int = 0
    code: str = ""
    predictions: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learner:
    """One learner: a name and a mark per lesson that was touched."""

    name: str
    marks: Mapping[str, Mark] = field(default_factory=lambda: MappingProxyType({}))

    def mark(self, lesson: str) -> Mark:
        """Return the mark of a lesson."""
        return self.marks.get(lesson, Mark())

    @property
    def passed(self) -> int:
        """How many lessons are passed."""
        return sum(each.state == "passed" for each in self.marks.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A class.

    Attributes:
        lessons: two digits each, in order.
        learners: in order of their names.
    """

    lessons: tuple[str, ...]
    learners: tuple[Learner, ...]

    def begun(self, lesson: str) -> int:
        """Return how many learners have begun a lesson."""
        return sum(each.mark(lesson).state != "not begun" for each in self.learners)

    def stumbles(self, lesson: str) -> tuple[tuple[str, int], ...]:
        """Return what keeps learners from passing a lesson, by code, most frequent first."""
        marks = [each.mark(lesson) for each in self.learners]
        counted = Counter(each.code for each in marks if each.state == "tried" and each.code)
        return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))

    def to_json(self) -> Mapping[str, object]:
        """Return it as plain JSON data."""
        return {
            "lessons": [
                {
                    "lesson": lesson,
                    "begun": self.begun(lesson),
                    "passed": sum(each.mark(lesson).state == "passed" for each in self.learners),
                    "stumbles": [{"code": code, "learners": n} for code, n in self.stumbles(lesson)],
                }
                for lesson in self.lessons
            ],
            "learners": [
                {
                    "name": each.name,
                    "passed": each.passed,
                    "lessons": {lesson: _mark_json(each.mark(lesson)) for lesson in self.lessons},
                }
                for each in self.learners
            ],
        }

    def to_csv(self) -> str:
        """Return it as CSV, one row per learner; what a spreadsheet would take for a formula is quoted."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        head = [
            word for lesson in self.lessons for word in (lesson, f"{lesson} tries", f"{lesson} stumbles over")
        ]
        writer.writerow(["learner", "passed", *head, "predictions", "right"])
        for each in self.learners:
            marks = [each.mark(lesson) for lesson in self.lessons]
            cells = [cell for mark in marks for cell in (mark.state, mark.tries, _plain(mark.code))]
            predictions = sum(mark.predictions for mark in marks)
            right = sum(mark.right for mark in marks)
            writer.writerow([_plain(each.name), each.passed, *cells, predictions, right])
        return out.getvalue()


def _as_people_count(name: str) -> tuple[object, ...]:
    """Sort learner2 before learner10."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts), name


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one learner handed in: notebooks, and what the progress files beside them say."""

    name: str
    books: tuple[Book, ...] = ()
    progress: Mapping[str, LessonProgress] = field(default_factory=lambda: MappingProxyType({}))


#: Says of a notebook whether its answer passes and, if not, why: (passed, code). None: it was not looked at.
Answers = Callable[[Book], tuple[bool, str] | None]


def gather(folder: Path, receipt: Receipt, names: Iterable[str] = ()) -> tuple[Work, ...]:
    """Read the notebooks and progress files of a class; nothing is run.

    A learner is a sub-folder, or a file whose name holds two names (``Ana-04-which-key``).
    A folder that holds one learner's lessons by their own names is that learner.

    Args:
        folder: the class.
        receipt: takes down what could not be read.
        names: the lessons' own file names, ``04-which-key``: what is left of a file's name is the learner's.

    Raises:
        SourceUnreadable: there is no such folder.
    """
    if not folder.is_dir():
        raise SourceUnreadable(
            f"{folder} is no folder.", hint="Name the folder with the learners' notebooks."
        )
    names = tuple(names)
    known = {name[:2] for name in names}
    books: dict[str, list[Book]] = {}
    for path in find_books(folder):
        name = _learner(path, folder, names)
        receipt.seen += 1
        try:
            book = read_book(path)
        except SourceUnreadable as error:
            receipt.skip(where=str(path), what="notebook", why=error.message)
            books.setdefault(name, [])
            continue
        receipt.parsed += 1
        if book.lesson and known and book.lesson not in known:
            receipt.skip(where=str(path), what="notebook", why=f"there is no lesson {book.lesson}")
        elif book.lesson:
            books.setdefault(name, []).append(book)
        else:
            receipt.skip(where=str(path), what="notebook", why="it does not say which lesson it is")
    progress = _progress(folder, set(books))
    learners = sorted({*books, *progress}, key=_as_people_count)
    return tuple(
        Work(name=name, books=tuple(books.get(name, ())), progress=progress.get(name, {}))
        for name in learners
    )


def summarise(
    works: Iterable[Work], lessons: Iterable[str], answers: Answers, starting: Mapping[str, str | None]
) -> Summary:
    """Return the table of a class.

    Args:
        works: what was handed in.
        lessons: the lessons of the workshop; others that turn up are added.
        answers: asked for every notebook whose answer was changed.
        starting: the answer cell that each lesson begins with.
    """
    learners = tuple(
        Learner(name=work.name, marks=MappingProxyType(_marks(work, answers, starting))) for work in works
    )
    known = {*lessons, *(lesson for each in learners for lesson in each.marks)}
    return Summary(lessons=tuple(sorted(known)), learners=learners)


def _marks(work: Work, answers: Answers, starting: Mapping[str, str | None]) -> dict[str, Mark]:
    marks: dict[str, Mark] = {}
    for lesson in sorted({*work.progress, *(each.lesson for each in work.books)}):
        known = work.progress.get(lesson, LessonProgress())
        best: tuple[State, str] = ("not begun", "")
        looked = on_record = False
        for book in work.books:
            if book.lesson == lesson and not same_code(book.answer, starting.get(lesson)):
                said = answers(book)
                looked = looked or said is not None
                on_record = on_record or bool(book.saved)
                one = _said(book, said)
                if _ORDER[one[0]] >= _ORDER[best[0]]:
                    best = one
        if not looked and known.tries:  # nothing was run: what the notebook itself noted
            best = (
                ("passed", "") if known.passed else ("tried", known.checks[-1].code if known.checks else "")
            )
        elif best[0] == "not begun" and known.tries:
            best = ("tried", known.checks[-1].code if known.checks else "")
        marks[lesson] = Mark(
            state=best[0],
            tries=max(known.tries, 1 if looked or on_record else 0),
            code=best[1],
            predictions=len(known.predictions),
            right=sum(each.right is True for each in known.predictions),
        )
    return marks


def _said(book: Book, said: tuple[bool, str] | None) -> tuple[State, str]:
    if said is None:
        saved = book.saved or {}
        said = (saved.get("passed") is True, str(saved.get("code") or "")[:_LONGEST_CODE])
    return ("passed", "") if said[0] else ("tried", said[1])


def _progress(folder: Path, names: set[str]) -> dict[str, dict[str, LessonProgress]]:
    """Return the progress of every learner; of several files of one learner the fuller one per lesson."""
    found: dict[str, dict[str, LessonProgress]] = {}
    for place in _folders(folder):
        if not (place / FILE_NAME).is_file():
            continue
        inside = _below(place, folder)
        # Of a file right in the folder nobody knows whose it is, unless there is one learner only.
        own = _own_name(folder)
        if not inside and names - {own}:
            continue
        mine = found.setdefault(inside[0] if inside else own, {})
        for lesson, each in Progress(place).lessons().items():
            if lesson not in mine or each.tries > mine[lesson].tries:
                mine[lesson] = each
    return found


def _folders(folder: Path, depth: int = 0) -> Iterator[Path]:
    yield folder
    try:
        inside = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:
        return
    for each in inside:
        if not each.name.startswith(".") and depth < 6:
            yield from _folders(each, depth + 1)


def _below(place: Path, folder: Path) -> tuple[str, ...]:
    """Return the folders between, without the ones that only say the language."""
    parts = place.relative_to(folder).parts
    return parts[1:] if parts[:1] in (("zh",), ("en",)) else parts


def _learner(path: Path, folder: Path, names: tuple[str, ...]) -> str:
    inside = _below(path, folder)
    if len(inside) > 1:
        return inside[0]
    rest = re.sub(r"-Copy\d+$|\(\d+\)$", "", path.stem)  # as Jupyter and browsers name a second one
    for name in names:
        rest = rest.replace(name, " ")
    return re.sub(r"^[\s_.-]+|[\s_.-]+$", "", rest) or _own_name(folder)


def _own_name(folder: Path) -> str:
    return folder.resolve().name or "learner"


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _mark_json(mark: Mark) -> dict[str, object]:
    return {
        "state": mark.state,
        "tries": mark.tries,
        "code": mark.code,
        "predictions": mark.predictions,
        "right": mark.right,
    }
