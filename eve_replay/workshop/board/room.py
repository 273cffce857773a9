"""What a class has said and handed in: kept in memory, and on disk one line per thing.

A room knows nothing of the network. Answers are judged one after another by whoever is given as judge (in a
child process with the limits of ``check``), never here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import EveReplayError, NotFound, WrongUse
from eve_replay.views.kit.safe import safe_text
from eve_replay.workshop.grading.attack import World, world_of
from eve_replay.workshop.lesson import task, tasks
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = ["Judge", "Room"]

#: Judges one answer: lesson, source, language, and the world a neighbour chose (None: the lesson's own).
Judge = Callable[[str, str, Language, World | None], Verdict]

_NAME, _SOURCE = 40, 100_000
#: People in one room, and what waits to be judged: beyond that somebody is not a class.
_PEOPLE, _WAITING = 200, 400
FILE_NAME = "board.ndjson"


@dataclass(slots=True)
class _Answer:
    source: str
    tries: int = 1
    passed: bool | None = None
    code: str = ""
    headline: str = ""
    broken_by: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Person:
    name: str
    choices: dict[str, int] = field(default_factory=dict)
    answers: dict[str, _Answer] = field(default_factory=dict)
    attacks: int = 0
    broke: list[str] = field(default_factory=list)


class Room:
    """One class.

    Args:
        folder: where it is written down; what lies there is read again, so that a restart loses nothing.
        judge: judges answers; it is called from one thread only.
    """

    def __init__(self, folder: Path, judge: Judge) -> None:
        self._judge = judge
        self._lock = threading.Lock()
        self._people: dict[str, _Person] = {}
        self._jobs: dict[int, dict[str, Any]] = {}
        self._queue: SimpleQueue[tuple[int, Callable[[], dict[str, Any]]] | None] = SimpleQueue()
        self._waiting = self._next = 0
        self._version = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / FILE_NAME
        self._read()
        threading.Thread(target=self._work, daemon=True, name="board-judge").start()

    # -- what people do ---------------------------------------------------------------------------------

    def predict(self, who: str, lesson: str, name: str, choice: int) -> None:
        """Note a prediction; the first one counts.

        Raises:
            NotFound: no such lesson or prediction.
            WrongUse: no such choice.
        """
        asked = task(lesson)
        found = asked.predictions.get(name)
        if found is None:
            raise NotFound(f"Lesson {asked.lesson} has no prediction {name!r}.")
        if not 0 <= choice < len(found.choices):
            raise WrongUse("There is no such choice.")
        with self._lock:
            person = self._person(who)
            if person.choices.setdefault(f"{asked.lesson}/{name}", choice) == choice:
                self._note({"who": person.name, "predicts": f"{asked.lesson}/{name}", "choice": choice})

    def hand_in(self, who: str, lesson: str, source: str, language: Language) -> int:
        """Take an answer in and let it be judged. Returns the number of the job to ask for."""
        number = task(lesson).lesson
        if len(source) > _SOURCE:
            raise WrongUse(f"An answer has at most {_SOURCE:,} characters.")
        with self._lock:
            person = self._person(who)
            before = person.answers.get(number)
            held = _Answer(source, tries=before.tries + 1 if before is not None else 1)
            person.answers[number] = held
            self._note({"who": person.name, "hands_in": number, "source": source})
        return self._put(lambda: self._judged(person.name, number, held, language))

    def neighbour(self, who: str, lesson: str) -> Mapping[str, object]:
        """Return a passed answer of somebody else: the next one in the room whose code is another.

        Raises:
            NotFound: nobody else has passed yet.
        """
        number = task(lesson).lesson
        with self._lock:
            person = self._person(who)
            names = sorted(self._people)
            start = names.index(person.name) + 1
            own = person.answers.get(number)
            for name in (*names[start:], *names[: start - 1]):
                held = self._people[name].answers.get(number)
                if held is None or not held.passed or (own is not None and held.source == own.source):
                    continue
                return {"of": name, "source": held.source, "broken": len(held.broken_by)}
        raise NotFound("Nobody else has passed this lesson yet, or all wrote what you wrote.")

    def attack(self, who: str, lesson: str, of: str, world: Mapping[str, object], language: Language) -> int:
        """Try a neighbour's passed answer in another world. Returns the number of the job."""
        number, chosen = task(lesson).lesson, world_of(world)
        if task(lesson).kind == "judged":
            raise WrongUse("This lesson's answers are not run under crashes.")
        with self._lock:
            person = self._person(who)
            other = self._people.get(_name(of))
            held = other.answers.get(number) if other is not None else None
            if other is None or held is None or not held.passed or other is person:
                raise NotFound("There is no such neighbour with a passed answer.")
            person.attacks += 1
        return self._put(lambda: self._attacked(person, other, number, held, chosen, language))

    def job(self, number: int) -> Mapping[str, object]:
        """Return what came of a job: ``{"done": False, "ahead": 3}``, or the verdict's words."""
        with self._lock:
            known = self._jobs.get(number)
            if known is not None:
                return {"done": True, **known}
            if not 0 < number <= self._next:
                raise NotFound("There is no such job.")
            return {"done": False, "ahead": self._waiting}

    # -- what everybody sees ------------------------------------------------------------------------------

    def questions(self, lesson: str, language: Language) -> list[dict[str, object]]:
        """Return the predictions of a lesson, without their answers."""
        return [
            {
                "name": name,
                "question": each.question.get(language),
                "choices": [choice.get(language) for choice in each.choices],
            }
            for name, each in task(lesson).predictions.items()
            if each.choices
        ]

    def state(self, language: Language) -> Mapping[str, object]:
        """Return the whole room for the instructor's screen: counts, hands, who broke whom."""
        with self._lock:
            people = [self._people[name] for name in sorted(self._people, key=_natural)]
            return {
                "version": self._version,
                "waiting": self._waiting,
                "people": [
                    {
                        "name": each.name,
                        "answers": {
                            number: {
                                "passed": held.passed,
                                "tries": held.tries,
                                "code": held.code,
                                "broken": len(held.broken_by),
                            }
                            for number, held in each.answers.items()
                        },
                        "broke": len(each.broke),
                        "attacks": each.attacks,
                    }
                    for each in people
                ],
                "predictions": self._counted(),
                "stumbles": self._stumbles(language),
            }

    def _counted(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for each in tasks().values():
            for name, asked in each.predictions.items():
                key = f"{each.lesson}/{name}"
                counts = [0] * len(asked.choices)
                for person in self._people.values():
                    if key in person.choices:
                        counts[person.choices[key]] += 1
                if any(counts):
                    found[key] = counts
        return found

    def _stumbles(self, language: Language) -> list[dict[str, object]]:
        from eve_replay.workshop.grading.remarks import short

        found: dict[tuple[str, str], int] = {}
        for person in self._people.values():
            for number, held in person.answers.items():
                if held.passed is False:
                    found[number, held.code] = found.get((number, held.code), 0) + 1
        most = sorted(found.items(), key=lambda each: (-each[1], each[0]))[:8]
        return [
            {"lesson": number, "words": short(code, language), "count": count}
            for (number, code), count in most
        ]

    # -- inside -------------------------------------------------------------------------------------------

    def _person(self, who: str) -> _Person:
        name = _name(who)
        if not name:
            raise WrongUse("Say who you are.")
        if name not in self._people:
            if len(self._people) >= _PEOPLE:
                raise WrongUse("The room is full.")
            self._people[name] = _Person(name)
        self._version += 1
        return self._people[name]

    def _put(self, job: Callable[[], dict[str, Any]]) -> int:
        with self._lock:
            if self._waiting >= _WAITING:
                raise WrongUse("Too much is waiting to be judged.", hint="Try again in a minute.")
            self._waiting += 1
            self._next += 1
            number = self._next
        self._queue.put((number, job))
        return number

    def _work(self) -> None:
        while (each := self._queue.get()) is not None:
            number, job = each
            try:
                result = job()
            except EveReplayError as error:
                result = {"passed": False, "headline": str(error), "story": [], "why": "", "next": ""}
            with self._lock:
                self._jobs[number] = result
                self._waiting -= 1
                self._version += 1

    def _judged(self, who: str, number: str, held: _Answer, language: Language) -> dict[str, Any]:
        verdict = self._judge(number, held.source, language, None)
        with self._lock:
            held.passed, held.code, held.headline = verdict.passed, verdict.code, verdict.headline
            self._note({"who": who, "judged": number, "passed": verdict.passed, "code": verdict.code})
        return _words(verdict)

    def _attacked(
        self,
        person: _Person,
        other: _Person,
        number: str,
        held: _Answer,
        world: World,
        language: Language,
    ) -> dict[str, Any]:
        verdict = self._judge(number, held.source, language, world)
        with self._lock:
            if not verdict.passed and verdict.story:
                if person.name not in held.broken_by:
                    held.broken_by.append(person.name)
                    person.broke.append(f"{other.name}/{number}")
                self._note({"who": person.name, "breaks": other.name, "lesson": number, "code": verdict.code})
        return _words(verdict)

    def _note(self, line: Mapping[str, object]) -> None:
        self._version += 1
        with self._file.open("a", encoding="utf-8") as file:
            file.write(dumps_tagged(dict(line)) + "\n")

    def _read(self) -> None:
        if not self._file.exists():
            return
        for text in self._file.read_text("utf-8", "replace").splitlines():
            try:
                line = loads_json(text)
                person = self._person(str(line["who"]))
                if "predicts" in line:
                    person.choices[str(line["predicts"])] = int(line["choice"])
                elif "hands_in" in line:
                    number = str(line["hands_in"])
                    before = person.answers.get(number)
                    tries = before.tries + 1 if before is not None else 1
                    person.answers[number] = _Answer(str(line["source"]), tries=tries)
                elif "judged" in line and str(line["judged"]) in person.answers:
                    held = person.answers[str(line["judged"])]
                    held.passed, held.code = line["passed"] is True, str(line["code"])
                elif "breaks" in line:
                    person.broke.append(f"{line['breaks']}/{line['lesson']}")
            except (ValueError, KeyError, TypeError, WrongUse):
                continue  # a line that was cut when the computer went off


def _words(verdict: Verdict) -> dict[str, Any]:
    document = verdict.to_json()
    return {name: document[name] for name in ("passed", "headline", "story", "why", "next", "wall")}


def _name(who: str) -> str:
    return " ".join(safe_text(who).split())[:_NAME]


def _natural(name: str) -> tuple[object, ...]:
    """Sort learner2 before learner10."""
    import re

    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", name))
