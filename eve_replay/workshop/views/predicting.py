"""A prediction: what is asked, what was chosen, and only then what is so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.model import Language
from eve_replay.workshop.task import Prediction, Task
from eve_replay.workshop.views.scenery import safe_data, safe_lines_of
from eve_replay.workshop.views.words import word, words_for

__all__ = ["Predicting"]

#: Characters of a free answer that are kept.
_LONGEST = 2_000


class Predicting:
    """One prediction of one lesson.

    Args:
        task: the lesson.
        name: of the prediction.
        language: of every word.
        progress: where choices are kept; the first one counts.
        clock: gives the instant that is written down for a choice.

    Raises:
        WrongUse: the lesson has no prediction of this name.
    """

    def __init__(
        self,
        task: Task,
        name: str,
        language: Language,
        progress: Progress,
        clock: Callable[[], datetime],
    ) -> None:
        found = task.predictions.get(name)
        if found is None:
            known = ", ".join(task.predictions) or "none"
            raise WrongUse(f"Lesson {task.lesson} has no prediction {name!r}.", hint=f"It has: {known}.")
        self._task, self._name, self._language, self._progress = task, name, language, progress
        self._prediction: Prediction = found
        self._clock = clock
        self._chosen: int | str | None = None

    @property
    def chosen(self) -> int | str | None:
        """What was chosen first, in this kernel or earlier; None before."""
        if self._chosen is None:
            earlier = self._progress.lesson(self._task.lesson).prediction(self._name)
            if earlier is not None and self._fits(earlier.choice):
                self._chosen = earlier.choice
        return self._chosen

    def data(self) -> dict[str, Any]:
        """Return what the browser needs: nothing of the answer before there is a choice."""
        prediction, language = self._prediction, self._language
        chosen = self.chosen
        return {
            "lang": "zh-CN" if language == "zh" else "en",
            "words": words_for(language),
            "question": safe_lines_of(prediction.question.get(language)),
            "choices": [safe_data(each.get(language)) for each in prediction.choices],
            "shown": None if chosen is None else self._shown(chosen),
        }

    def answer(self, request: Mapping[str, Any]) -> object:
        """Take a choice and return what is so."""
        if request.get("do") != "choose":
            raise WrongUse(f"Nobody answers {request.get('do')!r}.")
        return self.choose(request.get("choice"))

    def choose(self, choice: object) -> dict[str, Any]:
        """Take a choice (number from 0, or text), keep it, and return what is so.

        Raises:
            WrongUse: there is no such choice.
        """
        if self.chosen is None:
            if not self._fits(choice):
                raise WrongUse(f"There is no choice {choice!r} here.")
            assert isinstance(choice, int | str)
            self._chosen = choice[:_LONGEST] if isinstance(choice, str) else choice
            self._progress.predicted(
                self._task.lesson,
                self._name,
                self._chosen,
                right=self._right(self._chosen)[0],
                at=self._clock(),
            )
        assert self._chosen is not None
        return self._shown(self._chosen)

    def _fits(self, choice: object) -> bool:
        if self._prediction.choices:
            return (
                isinstance(choice, int)
                and not isinstance(choice, bool)
                and 0 <= choice < len(self._prediction.choices)
            )
        return isinstance(choice, str) and bool(choice.strip())

    def _right(self, choice: int | str) -> tuple[bool | None, int | None]:
        """Return whether a choice is right, and which one is; None where that cannot be said."""
        if self._prediction.answer is None or not isinstance(choice, int):
            return None, None
        try:
            answer = self._prediction.answer()
        except (EveReplayError, OSError, ImportError):
            return None, None
        return choice == answer, answer

    def _shown(self, choice: int | str) -> dict[str, Any]:
        right, answer = self._right(choice)
        trouble = ""
        if self._progress.trouble:
            trouble = word("unwritten", self._language, why=self._progress.trouble)
        shown: dict[str, Any] = safe_data(
            {
                "right": right,
                "answer": answer,
                "source": self._prediction.source,
                "trouble": trouble,
            }
        )
        shown["reveal"] = safe_lines_of(self._reveal())
        return {**shown, "choice": safe_lines_of(choice) if isinstance(choice, str) else choice}

    def _reveal(self) -> str:
        prediction = self._prediction
        text = prediction.reveal.get(self._language)
        if prediction.facts is None:
            return text
        try:
            return text.format_map(dict(prediction.facts()))
        except (EveReplayError, OSError, ImportError, LookupError) as error:
            return word("no_facts", self._language, why=f"{type(error).__name__}: {error}")
