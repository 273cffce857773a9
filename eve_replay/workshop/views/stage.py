"""The stage: answers what the browser asks about a learner's tool on a lesson's cases.

``see`` runs it under a schedule, ``strip`` runs it once for every point and kind of the next fault,
``break`` looks for the shortest schedule that breaks a promise. Nothing is computed before it is asked for.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import TONES
from eve_replay.workshop.engine.schedules import KINDS, kinds_at
from eve_replay.workshop.model import Case, Fault, FaultKind, Language, Outcome, Schedule
from eve_replay.workshop.task import Task
from eve_replay.workshop.views.accidents import faults_of, plain_faults, plain_hours
from eve_replay.workshop.views.lanes import slots_of
from eve_replay.workshop.views.scenery import drawn, safe_data, safe_lines_of, slot_name, time_words
from eve_replay.workshop.views.tallies import Mark, mark_of
from eve_replay.workshop.views.words import word, words_for

if TYPE_CHECKING:
    from eve_replay.workshop.engine.explore import Runs

__all__ = ["RUNTIMES", "Stage", "trouble_of"]

#: What a learner can compare, by the names of :mod:`eve_replay.recovery`.
RUNTIMES = ("eve", "flue", "none")
#: Faults that can be set by hand: more are not read any more.
_MOST_FAULTS = 3
#: Characters of what a tool prints that are shown.
_PRINTED = 4_000
#: Outcomes kept; a strip of a long case is some hundred.
_KEPT = 2_000


def trouble_of(tool: object, task: Task, language: Language) -> str:
    """Return in words why something cannot be run on a lesson's cases, empty when it can."""
    from eve_replay.workshop.grading.answers import reach, shape, what_it_is
    from eve_replay.workshop.grading.remarks import remark

    if task.cases is None:
        return word("no_case", language)
    trouble = shape(tool, task.answer, ("input", "ctx", "outside"))
    if trouble is None:
        waits = reach(tool)
        trouble = waits if waits is not None and waits[0] == "really-waits" else None
    if trouble is None:
        return ""
    code, facts = trouble
    facts = {"name": task.answer, "what": what_it_is(tool, language), **facts}
    return " ".join(filter(None, (remark(each, language, **facts) for each in (code, f"{code}-next"))))


class Stage:
    """One tool on the cases of one lesson.

    Args:
        task: the lesson's exercise.
        tool: the learner's function; it must have no ``trouble_of``.
        language: of every word.
        runtimes: runtimes that can be chosen; with one or none there is no choice.
        kind: ``workflow`` for a workflow body; as the task says otherwise.
    """

    def __init__(
        self,
        task: Task,
        tool: Callable[..., object],
        language: Language,
        *,
        runtimes: Sequence[str] = (),
        kind: Literal["tool", "workflow", "judged", ""] = "",
    ) -> None:
        self._task = task
        self._tool = tool
        self._language = language
        self._workflow = (kind or task.kind) == "workflow"
        self._cases = list(task.cases(0)) if task.cases is not None else []
        self._runtimes = tuple(runtimes)
        self._outcomes: dict[tuple[str, str, Schedule], Outcome] = {}
        self._printed: dict[tuple[str, str, Schedule], str] = {}
        self._ready: dict[tuple[str, str], Runs] = {}

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that can be chosen."""
        return tuple(self._cases)

    def data(self, start: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return what the browser needs before it asks for anything."""
        language = self._language
        case = self._cases[0]
        return {
            "lang": "zh-CN" if language == "zh" else "en",
            "words": words_for(language),
            "signs": {tone: spec.sign for tone, spec in TONES.items() if spec.sign},
            "tool": safe_data(getattr(self._tool, "__name__", "") or self._task.answer),
            "cases": self._choices(),
            "runtimes": [
                {"name": name, "words": word(f"runtime-{name}", language)} for name in self._runtimes
            ],
            "hours": [
                {"hours": plain_hours(hours), "words": self._away(hours)} for hours in self._task.hours
            ],
            "start": {"case": case.name, "runtime": case.runtime, "faults": [], "active": 0, **(start or {})},
        }

    def answer(self, request: Mapping[str, Any]) -> object:
        """Answer a request of the browser.

        Raises:
            EveReplayError: nobody asks that, or the tool broke what runs it; the message can be shown.
        """
        # What is ready to run remembers the notebook's variables as they were and puts them back after a run.
        # Another cell may have changed them since the last request: that must stay.
        self._ready.clear()
        try:
            return self._answer(request)
        except EveReplayError:
            raise
        except Exception as error:  # whatever a learner's objects do must not silence the stage
            text = f"{word('cannot_run', self._language)}: {type(error).__name__}: {error}"
            raise WrongUse(safe_text(text)) from error

    def _answer(self, request: Mapping[str, Any]) -> object:
        do = request.get("do")
        case = self._case(request.get("case"), request.get("runtime"))
        if do == "see":
            return self.see(case, faults_of(request.get("faults", ())))
        if do == "strip":
            hours = request.get("hours")
            faults = faults_of(request.get("faults", ()))
            return self.strip(case, faults, float(hours) if isinstance(hours, int | float) else None)
        if do == "break":
            return self.shortest(case)
        raise WrongUse(f"Nobody answers {do!r}.")

    def see(self, case: Case, faults: Schedule) -> dict[str, Any]:
        """Return the picture of one schedule; a fault that falls nowhere is moved to a near point."""
        asked, faults = faults, self._fitting(case, faults)
        outcome = self.outcome(case, faults)
        plan = [self.outcome(case, faults[:number]) for number in range(len(faults))]
        view = drawn(outcome, self._language, plan=plan, promises=self._task.promises)
        last = faults[-1].point if faults else -1
        view["printed"] = safe_lines_of(self._printed.get((case.name, case.runtime, faults), "").rstrip())
        view["most"] = _MOST_FAULTS
        view["more"] = any(m.number is not None and m.number > last for m in outcome.trace)
        view["moved"] = word("schedule_gone", self._language) if faults != asked else ""
        view["removeWords"] = [word("remove", self._language, n=n + 1) for n in range(len(faults))]
        view["chooseWords"] = word("choose_second", self._language, n=outcome.trace[-1].process)
        return view

    def strip(self, case: Case, faults: Schedule, hours: float | None = None) -> dict[str, Any]:
        """Return for every point after some faults, and every kind, what the outside would see.

        Args:
            case: the conversation.
            faults: what went wrong before.
            hours: how long the process stays away after the next one.
        """
        faults = self._fitting(case, faults)  # as the picture does
        base = self.outcome(case, faults)
        after = faults[-1].point if faults else -1
        away = self._task.hours[0] if hours is None else hours
        cells = []
        for index, lane, slot in slots_of(base.trace):
            moment = base.trace[index]
            if moment.number is None or moment.number <= after:
                continue
            for kind in self._kinds(base, index):
                mark = self._mark(case, (*faults, Fault(moment.number, kind, away)))
                place = {"point": moment.number, "kind": kind, "slot": slot_name(slot), "lane": lane}
                cells.append({**place, **mark.to_json()})
        kinds = [kind for kind in KINDS if any(cell["kind"] == kind for cell in cells)]
        found: dict[str, Any] = safe_data({"cells": cells, "kinds": kinds})
        return found

    def shortest(self, case: Case) -> dict[str, Any]:
        """Look for the shortest schedule that breaks a promise: in this case first, then in the others."""
        from eve_replay.workshop.engine.explore import explore

        task, language = self._task, self._language
        tried, complete = 0, True
        others = [replace(each, runtime=case.runtime) for each in self._cases if each.name != case.name]
        for each in (case, *others):
            with _quietly():
                report = explore(
                    self._tools(), each, task.promises, crashes=task.crashes, faults=task.faults,
                    hours=task.hours, workflow=self._workflow,
                )  # fmt: skip
            tried += report.tried
            complete = complete and report.complete
            if report.failing is not None:
                name = "broken" if report.failing.schedule else "broken_already"
                name = name if each is case else "broken_elsewhere"
                return {
                    "case": each.name,
                    "faults": plain_faults(report.failing.schedule),
                    "say": word(name, language, tried=tried),
                }
        name = "unbroken" if complete else "unbroken_budget"
        return {
            "say": word(name, language, tried=tried, crashes=task.crashes),
            "tone": "ok" if complete else "muted",
        }

    def outcome(self, case: Case, faults: Schedule) -> Outcome:
        """Run the tool, or remember having run it."""
        where = (case.name, case.runtime, faults)
        found = self._outcomes.get(where)
        if found is None:
            if len(self._outcomes) > _KEPT:
                self._outcomes.clear()
                self._printed.clear()
            # A strip is a hundred runs: what each prints belongs beside its picture, not below the cell.
            with _quietly() as said:
                found = self._runs(case).outcome(faults)
            self._outcomes[where] = found
            self._printed[where] = said.getvalue()[:_PRINTED]
        return found

    def preload(self, case: Case, faults: Schedule) -> Iterator[Mapping[str, object]]:
        """Yield the requests whose answers a saved page should hold, the most wanted first."""
        base = {"case": case.name, "runtime": case.runtime}
        plain, away = plain_faults(faults), plain_hours(self._task.hours[0])
        yield {"do": "see", **base, "faults": plain}
        for number in range(max(1, len(faults))):
            hours = plain[number][2] if number < len(faults) else away
            yield {"do": "strip", **base, "faults": plain[:number], "hours": hours}
        if faults:
            yield {"do": "see", **base, "faults": []}
        try:
            cells = self.strip(case, ())["cells"]
        except Exception:  # it was said above already
            return
        for cell in cells:
            yield {"do": "see", **base, "faults": [[cell["point"], cell["kind"], away]]}
        for other in self._cases:
            if other.name != case.name:
                base = {"case": other.name, "runtime": case.runtime}
                yield {"do": "see", **base, "faults": []}
                yield {"do": "strip", **base, "faults": [], "hours": away}

    def _runs(self, case: Case) -> Runs:
        where = (case.name, case.runtime)
        if where not in self._ready:
            from eve_replay.workshop.engine.explore import runs_of

            self._ready[where] = runs_of(self._tools(), case, workflow=self._workflow)
        return self._ready[where]

    def _tools(self) -> dict[str, Callable[..., object]]:
        return {**self._task.others, self._task.answer: self._tool}

    def _case(self, name: object, runtime: object) -> Case:
        case = next((each for each in self.cases if each.name == name), self._cases[0])
        return replace(case, runtime=runtime) if isinstance(runtime, str) and runtime in RUNTIMES else case

    def _choices(self) -> list[dict[str, str]]:
        named = [
            {
                "name": each.name,
                "words": each.words.get(self._language) if each.words is not None else each.name,
            }
            for each in self._cases
        ]
        found: list[dict[str, str]] = safe_data(named)
        return found

    def _away(self, hours: float) -> str:
        if hours <= 0:
            return word("at_once", self._language)
        return word("back_after", self._language, time=time_words(hours * 3600, self._language))

    def _mark(self, case: Case, faults: Schedule) -> Mark:
        return mark_of(self.outcome(case, faults), self._task.promises, self._language)

    def _kinds(self, outcome: Outcome, index: int) -> tuple[FaultKind, ...]:
        """Return which faults the lesson lets fall at a moment."""
        return tuple(kind for kind in kinds_at(outcome.trace[index]) if kind in self._task.faults)

    def _fitting(self, case: Case, faults: Schedule) -> Schedule:
        """Return the faults that can fall, each at its point or the nearest one before it."""
        fitting: Schedule = ()
        for fault in faults[:_MOST_FAULTS]:
            base = self.outcome(case, fitting)
            after = fitting[-1].point if fitting else -1
            later = [each for each in base.trace if each.number is not None and each.number > after]
            exact = [each for each in later if each.number == fault.point]
            moment = min(
                exact or [each for each in later if kinds_at(each)],
                key=lambda each: abs((each.number or 0) - fault.point),
                default=None,
            )
            if moment is None or moment.number is None:
                break
            kinds = kinds_at(moment, inside_commit=True)
            kind = fault.kind if fault.kind in kinds else kinds[0]
            fitting = (*fitting, Fault(moment.number, kind, fault.hours))
        return fitting


@contextlib.contextmanager
def _quietly() -> Iterator[io.StringIO]:
    """Keep what a tool prints and warns of away from the cell."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield said
