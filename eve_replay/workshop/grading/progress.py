"""What a learner has predicted and checked: one small JSON file beside the notebooks.

Every change reads the file again first, so that several notebooks, each with a kernel of its own, can be
open at once. It is a notebook's diary, not a proof: learners can edit it, ``eve-replay workshop check`` runs
the answers again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.times import iso
from eve_replay.workshop.lesson import number_of
from eve_replay.workshop.verdict import Verdict

__all__ = ["FILE_NAME", "Checked", "LessonProgress", "Predicted", "Progress"]

FILE_NAME = "workshop-progress.json"
_FORMAT = "eve-replay/workshop-progress"
_LARGEST = 8 << 20
_LONGEST_CODE = 40
#: Kept per lesson; the number of tries counts on.
_KEPT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """One prediction.

    Attributes:
        name: as the lesson names it.
        choice: number of the choice from 0, or the free text.
        right: None for free text.
        at: when, ISO 8601 in UTC.
    """

    name: str
    choice: int | str
    right: bool | None = None
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One check: passed or the diagnosis' code, how many schedules were tried, when."""

    passed: bool
    code: str = ""
    tried: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonProgress:
    """One lesson of one learner.

    Attributes:
        predictions: the first one of each name: what was thought before the answer was shown.
        checks: the latest checks, oldest first.
        tries: how many checks there were in all.
        passed: whether one of them ever passed.
    """

    predictions: tuple[Predicted, ...] = ()
    checks: tuple[Checked, ...] = ()
    tries: int = 0
    passed: bool = False

    def prediction(self, name: str) -> Predicted | None:
        """Return what was predicted under a name."""
        return next((each for each in self.predictions if each.name == name), None)


class Progress:
    """The progress file of one folder. Neither reading nor writing raises.

    Attributes:
        path: the file.
        trouble: why the last change could not be written (a read-only folder, a full disk), else empty.
    """

    def __init__(self, folder: Path | str = ".") -> None:
        """Take the folder in which the notebooks lie; nothing is read or written yet."""
        self.path = Path(folder) / FILE_NAME
        self.trouble = ""

    def lessons(self) -> Mapping[str, LessonProgress]:
        """Return what is known, by lesson, in order. What makes no sense in the file is left out."""
        stored = self._read()
        found = {number_of(name): _lesson(each) for name, each in sorted(stored.items())}
        return {name: each for name, each in found.items() if name and each != LessonProgress()}

    def lesson(self, lesson: str | int) -> LessonProgress:
        """Return what is known of one lesson, which may be nothing."""
        return self.lessons().get(number_of(lesson), LessonProgress())

    def predicted(
        self, lesson: str, name: str, choice: int | str, *, right: bool | None = None, at: datetime
    ) -> bool:
        """Note a prediction; a second one of the same name changes nothing. Returns whether it is written."""
        stored = self._read()
        place = stored.setdefault(number_of(lesson) or lesson, {})
        list_ = _list(place, "predictions")
        if any(isinstance(each, dict) and each.get("name") == name for each in list_):
            return True
        list_.append({"name": name, "choice": choice, "right": right, "at": iso(at)})
        return self._write(stored)

    def checked(self, verdict: Verdict, *, at: datetime) -> bool:
        """Note a check. Returns whether it is written."""
        stored = self._read()
        place = stored.setdefault(verdict.lesson, {})
        list_ = _list(place, "checks")
        list_.append({"passed": verdict.passed, "code": verdict.code, "tried": verdict.tried, "at": iso(at)})
        del list_[:-_KEPT]
        tries = place.get("tries")
        place["tries"] = (tries if isinstance(tries, int) else len(list_) - 1) + 1
        place["passed"] = bool(place.get("passed")) or verdict.passed
        return self._write(stored)

    def _read(self) -> dict[str, dict[str, object]]:
        try:
            if not self.path.is_file() or self.path.stat().st_size > _LARGEST:
                return {}
            document = loads_json(self.path.read_bytes())
        except (OSError, ValueError):
            return {}
        lessons = document.get("lessons") if isinstance(document, dict) else None
        if not isinstance(lessons, dict):
            return {}
        return {name: each for name, each in lessons.items() if isinstance(each, dict)}

    def _write(self, lessons: Mapping[str, object]) -> bool:
        document = {"format": _FORMAT, "version": 1, "lessons": lessons}
        beside = self.path.with_name(f".{FILE_NAME}.{os.getpid()}")
        try:
            self._set_aside()
            # In one move, so that a kernel that is killed while it writes leaves the old file whole.
            beside.write_text(dumps_tagged(document, indent=1), "utf-8")
            beside.replace(self.path)
        except (OSError, ValueError) as error:
            self.trouble = str(error)
            with contextlib.suppress(OSError, ValueError):
                beside.unlink(missing_ok=True)
            return False
        self.trouble = ""
        return True

    def _set_aside(self) -> None:
        """Keep a file that cannot be read under another name instead of writing over it."""
        if self.path.exists() and not self._readable():
            self.path.replace(self.path.with_name(f"{FILE_NAME}.unreadable"))

    def _readable(self) -> bool:
        try:
            return (
                self.path.is_file()  # a pipe would be waited for
                and self.path.stat().st_size <= _LARGEST
                and isinstance(loads_json(self.path.read_bytes()), dict)
            )
        except (OSError, ValueError):
            return False


def _list(place: dict[str, object], name: str) -> list[object]:
    found = place.get(name)
    if not isinstance(found, list):
        found = place[name] = []
    return found


def _lesson(stored: Mapping[str, object]) -> LessonProgress:
    predictions: dict[str, Predicted] = {}
    for each in _dicts(stored.get("predictions")):
        name, choice, right = each.get("name"), each.get("choice"), each.get("right")
        if isinstance(name, str) and isinstance(choice, int | str):
            one = Predicted(
                name=name,
                choice=choice,
                right=right if isinstance(right, bool) else None,
                at=_string(each.get("at")),
            )
            predictions.setdefault(name, one)
    checks = tuple(
        Checked(
            passed=each["passed"] is True,
            code=_string(each.get("code"))[:_LONGEST_CODE],
            tried=tried if isinstance(tried := each.get("tried"), int) else 0,
            at=_string(each.get("at")),
        )
        for each in _dicts(stored.get("checks"))
        if isinstance(each.get("passed"), bool)
    )
    tries = stored.get("tries")
    return LessonProgress(
        predictions=tuple(predictions.values()),
        checks=checks,
        tries=max(len(checks), min(tries, 1_000_000) if isinstance(tries, int) else 0),
        passed=stored.get("passed") is True or any(each.passed for each in checks),
    )


def _dicts(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
