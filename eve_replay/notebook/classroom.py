"""A lesson's desk in a notebook: predictions, the stage, and the check.

::

    here = lesson("04", language="en")
    here.predict("twice")
    here.play(pay)
    here.check(pay)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from eve_replay.errors import WrongUse
from eve_replay.notebook._assets import Family, style, widget_module
from eve_replay.notebook.clock import clock_at
from eve_replay.notebook.language import teach_in
from eve_replay.notebook.widgets import JournalWidget
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.lesson import task as find_task
from eve_replay.workshop.model import Language
from eve_replay.workshop.task import Task
from eve_replay.workshop.verdict import Verdict
from eve_replay.workshop.views.accidents import faults_of, plain_faults
from eve_replay.workshop.views.predicting import Predicting
from eve_replay.workshop.views.scenery import drawn, safe_data
from eve_replay.workshop.views.stage import RUNTIMES, Stage, trouble_of
from eve_replay.workshop.views.words import word, words_for

__all__ = ["ClassroomWidget", "Desk", "verdict_widget"]

_LANGUAGES: tuple[Language, ...] = ("en", "zh")


class ClassroomWidget(JournalWidget):
    """A widget of the workshop: ``stage``, ``predict``, ``verdict`` or ``desk``."""

    family: Family = "workshop"
    _esm = widget_module("workshop")
    _css = style("workshop")


class Desk:
    """One lesson in one notebook.

    Args:
        task: the lesson's exercise.
        language: of every word.
        folder: where the progress file lies; the notebook's folder.
        now: the instant that is written down for what is done; the clock's by default.
    """

    def __init__(
        self,
        task: Task,
        language: Language = "en",
        folder: str | Path = ".",
        *,
        now: datetime | None = None,
    ) -> None:
        self.task = task
        self.language: Language = language
        teach_in(language)
        self.progress = Progress(folder)
        self._clock = clock_at(now)

    def predict(self, name: str, choice: int | str | None = None) -> ClassroomWidget:
        """Ask for a prediction; what is so is shown after the choice. The first choice is kept.

        Args:
            name: of the prediction.
            choice: chooses by code: the number on the button (from 1), or the sentence.

        Raises:
            WrongUse: there is no such prediction or choice.
        """
        asked = Predicting(self.task, name, self.language, self.progress, self._clock)
        if choice is not None:
            asked.choose(choice - 1 if type(choice) is int else choice)
        data = asked.data()
        lines = [data["question"], *(f"  {n}. {text}" for n, text in enumerate(data["choices"], 1))]
        if data["shown"] is not None:
            lines.append(data["shown"]["reveal"])
        return _widget("predict", data, asked.answer, "\n".join(lines))

    def play(
        self,
        tool: Callable[..., object],
        *,
        schedule: Iterable[Any] = (),
        case: str | None = None,
        runtimes: Sequence[str] | bool | None = None,
    ) -> ClassroomWidget:
        """Show the stage: choose where the process dies, and see what the outside ends up with.

        Args:
            tool: the function, ``tool(input, ctx, outside)``, or the workflow body of a workflow lesson.
            schedule: faults to begin with: ``Fault`` objects, or tuples ``(point, kind, hours)``.
            case: name of the case to begin with.
            runtimes: runtimes that can be chosen; True for all of them; the task's own without it.
        """
        trouble = trouble_of(tool, self.task, self.language)
        if trouble:
            data = {"words": words_for(self.language), "lang": self._lang, "trouble": safe_data(trouble)}
            text = f"{word('cannot_run', self.language)}{word('colon', self.language)}{trouble}"
            return _widget("stage", data, _nobody, text)
        wanted = self.task.runtimes if runtimes is None else runtimes
        names = RUNTIMES if wanted is True else tuple(wanted or ())
        stage = Stage(self.task, tool, self.language, runtimes=names)
        start: dict[str, Any] = {"faults": plain_faults(faults_of(schedule))}
        if case is not None:
            known = [each.name for each in stage.cases]
            if case not in known:
                raise WrongUse(f"There is no case {case!r}.", hint=f"There are: {', '.join(known)}.")
            start["case"] = case
        identity = "" if start["faults"] or case else f"{self.task.lesson}/{getattr(tool, '__name__', '')}"
        return _stage_widget(stage, start, identity, self.language)

    def check(self, answer: object) -> Verdict:
        """Grade an answer; the result is kept and shows itself."""
        from eve_replay.workshop.grading.check import check

        verdict = check(self.task, answer, language=self.language)
        self.progress.checked(verdict, at=self._clock())
        return verdict

    @property
    def _lang(self) -> str:
        return "zh-CN" if self.language == "zh" else "en"

    def _data(self) -> dict[str, Any]:
        task, language = self.task, self.language
        known = self.progress.lesson(task.lesson)
        done = sum(known.prediction(name) is not None for name in task.predictions)
        progress = []
        if task.predictions:
            complete = done == len(task.predictions)
            progress.append(
                {"tone": "ok" if complete else "muted", "sign": "✓" if complete else "○",
                 "text": word("predictions", language, done=done, all=len(task.predictions))}
            )  # fmt: skip
        tries = word("once_times" if known.tries == 1 else "times", language, count=known.tries)
        if known.passed:
            progress.append({"tone": "ok", "sign": "✓", "text": word("passed_check", language, tries=tries)})
        elif known.tries:
            progress.append(
                {"tone": "warning", "sign": "✗", "text": word("tried_check", language, tries=tries)}
            )
        else:
            progress.append({"tone": "muted", "sign": "○", "text": word("unchecked", language)})
        return {
            "lang": self._lang,
            "words": words_for(language),
            "number": word("lesson", language, lesson=int(task.lesson)),
            "title": task.title.get(language),
            "minutes": word("minutes", language, minutes=task.minutes),
            "finds": task.finds.get(language) if task.finds is not None else "",
            "progress": progress,
            "trouble": word("unwritten", language, why=self.progress.trouble)
            if self.progress.trouble
            else "",
        }

    def __repr__(self) -> str:
        data = self._data()
        colon = word("colon", self.language)
        lines = [f"{data['number']}{colon}{data['title']} ({data['minutes']})", data["finds"]]
        lines += [f"{each['sign']} {each['text']}" for each in data["progress"]]
        return "\n".join(filter(None, lines))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return _widget("desk", safe_data(self._data()), _nobody, repr(self))._repr_mimebundle_(**kwargs)


def verdict_widget(verdict: Verdict) -> ClassroomWidget:
    """Return a verdict as it is shown: stamp, story, why, what next, and the picture."""
    language = verdict.language
    tried, one = "", "-one" if verdict.tried == 1 else ""
    if verdict.passed:
        tried = ""  # the headline says it
    elif verdict.tried and verdict.cases and verdict.outcome is not None:
        name = "verdict-case" if verdict.cases == 1 else "verdict-cases"
        cases = word(name, language, n=verdict.cases)
        tried = word(f"verdict-tried{one}", language, tried=verdict.tried, cases=cases)
    elif verdict.tried:
        tried = word(f"verdict-inputs{one}", language, tried=verdict.tried)
    if tried and not verdict.complete:
        tried = f"{tried} {word('verdict-incomplete', language)}"
    frame = () if verdict.faultless is None else (verdict.faultless,)
    data = {
        **verdict.to_json(),
        "lang": "zh-CN" if language == "zh" else "en",
        "words": words_for(language),
        "tried": tried,
        "view": drawn(verdict.outcome, language, plan=frame) if verdict.outcome is not None else None,
    }
    return _widget("verdict", safe_data(data), _nobody, str(verdict))


def desk(
    lesson: str | int | Task,
    language: str = "en",
    folder: str | Path = ".",
    *,
    now: datetime | None = None,
) -> Desk:
    """Return the desk of a lesson.

    Raises:
        WrongUse: there is no such language. NotFound: there is no such lesson.
    """
    if language not in _LANGUAGES:
        raise WrongUse(f"There is no language {language!r}.", hint="Use 'en' or 'zh'.")
    return Desk(find_task(lesson), "zh" if language == "zh" else "en", folder, now=now)


def _stage_widget(stage: Stage, start: dict[str, Any], identity: str, language: Language) -> ClassroomWidget:
    from eve_replay.notebook.widgets import remembered

    earlier = remembered("stage", identity)
    if isinstance(earlier, Mapping):
        start = {
            **start,
            **{name: earlier[name] for name in ("case", "runtime", "faults") if name in earlier},
        }
    data = stage.data(start)
    first = data["start"]
    case = next((each for each in stage.cases if each.name == first["case"]), stage.cases[0])
    faults = faults_of(first["faults"])
    text = f"{word('stage_of', language)}{word('colon', language)}{data['tool']}"
    return _widget("stage", data, stage.answer, text, identity=identity, preload=stage.preload(case, faults))


def _widget(
    kind: str,
    data: Mapping[str, object],
    answer: Callable[[Mapping[str, Any]], object],
    text: str,
    *,
    identity: str = "",
    preload: Iterable[Mapping[str, object]] = (),
) -> ClassroomWidget:
    from eve_replay.views.kit.html import lines_html
    from eve_replay.views.kit.text import line

    fallback = lines_html([line(each) for each in text.split("\n")])
    return ClassroomWidget(
        kind=kind, data=data, answer=answer, identity=identity, preload=preload, text=text, fallback=fallback
    )


def _nobody(request: Mapping[str, Any]) -> object:
    raise WrongUse(f"Nobody answers {request.get('do')!r}.")
