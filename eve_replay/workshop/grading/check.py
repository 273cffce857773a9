"""The grader: runs an answer under every crash schedule of cases it has not seen, and says what it finds.

First the lesson's own case (so that a failure is told about what the learner knows), then cases whose names,
amounts and orders come from the answer's own code: another code meets other cases, the same code the same
ones. A failure is made as short as it gets before it is told.

What does not help: knowing the sample, printing "passed", replacing the answer's name after the check has
begun, module memory (every simulated process has a fresh one), files, the network, threads, and attributes of
``ctx`` and ``outside`` that begin with an underscore; an answer that reaches for these is told so.

What is not defended: the answer runs in the same interpreter as its judge. Somebody who sets out to cheat, by
building code at run time or by patching this package from the cell around the answer, can. ``eve-replay
workshop check`` runs in a process of its own and looks at that cell too, which makes it harder, not
impossible. This is a class, and the story of a failure is worth more than the mark.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eve_replay.views.kit.safe import safe_text
from eve_replay.workshop.engine.explore import Report, explore, first_breach, runs_of
from eve_replay.workshop.engine.shrink import shrink
from eve_replay.workshop.explain.basis import basis, basis_of_all
from eve_replay.workshop.explain.diagnose import Diagnosis, diagnose
from eve_replay.workshop.explain.story import next_hint, story, why
from eve_replay.workshop.grading.answers import (
    Trouble,
    hidden_seeds,
    reach,
    remembers,
    salted,
    shape,
    what_it_is,
)
from eve_replay.workshop.grading.import_scan import refined
from eve_replay.workshop.grading.interpreter_state import Untouched
from eve_replay.workshop.grading.patience import TooLong, patience
from eve_replay.workshop.grading.remarks import headline, remark
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Breach, Case, Language, Outcome, Tool
from eve_replay.workshop.task import Judgement, Task
from eve_replay.workshop.verdict import Verdict

__all__ = ["HIDDEN", "PATIENCE", "check"]

Tools = Mapping[str, Tool] | Callable[..., object]

#: Seconds of processor time: ten times what the largest lesson needs.
PATIENCE = 30.0
#: How many hidden seeds an answer meets.
HIDDEN = 3
#: Schedules of a whole check, about three seconds' worth; of each case at least so many.
_TOGETHER = 20_000
_AT_LEAST = 500
_PARAMETERS = ("input", "ctx", "outside")


def check(
    lesson: str | int | Task,
    answer: object,
    *,
    language: Language = "en",
    seeds: Sequence[int] | None = None,
    seconds: float | None = PATIENCE,
    before: Untouched | None = None,
) -> Verdict:
    """Say whether an answer keeps its promises however it is interrupted.

    Args:
        lesson: a number, a name, or a task of your own.
        answer: what the answer cell defines: a tool, a workflow body, or what the task's judge takes.
        language: of the sentences.
        seeds: which cases to try, instead of the lesson's own (0) and the hidden ones.
        seconds: processor time it may take, where the system can watch it; None for no limit.
        before: what the workshop was like before the answer's cell was run; by default, as it is now.

    Returns:
        The verdict, in words also where the answer is no function. The same code gets the same verdict.

    Raises:
        NotFound: there is no such lesson.
        KeyboardInterrupt: somebody has stopped it (an endless loop can be stopped so).
        MemoryError: there is no memory left, outside of a tool (a tool's own is an error of the tool).
    """
    exercise = task(lesson)
    before = before or Untouched()
    verdict = _checked(exercise, answer, language, seeds, seconds)
    touched = before.touched()
    if touched:
        trouble = ("looks-inside", {"name": exercise.answer, "what": touched})
        return _refused(exercise, language, trouble)
    return verdict


def _checked(
    exercise: Task, answer: object, language: Language, seeds: Sequence[int] | None, seconds: float | None
) -> Verdict:
    with _quiet():
        trouble = _trouble(exercise, answer, language)
        if trouble is not None:
            return _refused(exercise, language, trouble)
        try:
            chosen = tuple(seeds) if seeds is not None else (0, *hidden_seeds(answer, HIDDEN))
            with patience(seconds):
                if exercise.kind == "judged":
                    return _judged(exercise, answer, language, chosen)
                return _crashed(exercise, answer, language, chosen)
        except (KeyboardInterrupt, MemoryError):
            raise
        except TooLong:
            return _refused(exercise, language, ("too-long", {"what": f"{seconds:g}"}))
        except BaseException as error:  # SystemExit and the like, raised by the answer in an odd place
            what = f"{type(error).__name__}: {_said(error)}"
            return _refused(exercise, language, ("stopped", {"what": what}))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Thousands of runs print thousands of lines: they go nowhere, and so do their warnings."""
    with (
        contextlib.redirect_stdout(_Nowhere()),
        contextlib.redirect_stderr(_Nowhere()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


def _said(error: BaseException) -> str:
    try:
        return safe_text(str(error))[:300]
    except Exception:
        return ""


# -- answers that cannot be run -----------------------------------------------------------------------


def _trouble(exercise: Task, answer: object, language: Language) -> Trouble | None:
    if exercise.kind == "judged":  # where it is no function, its judge knows what it should be
        found = shape(answer, exercise.answer, exercise.takes) if exercise.takes else None
        found = found or reach(answer)
    else:
        found = shape(answer, exercise.answer, _PARAMETERS)
        found = found or reach(answer) or remembers(answer) or salted(answer)
    if found is None:
        return None
    code, facts = refined(found)
    return code, {"name": exercise.answer, "what": what_it_is(answer, language)} | dict(facts)


def _refused(exercise: Task, language: Language, trouble: Trouble) -> Verdict:
    code, facts = trouble
    return Verdict(
        lesson=exercise.lesson,
        passed=False,
        language=language,
        code=code,
        headline=remark(code, language, **facts),
        next=remark(f"{code}-next", language, **facts),
    )


# -- answers that are judged by looking at them ---------------------------------------------------------


def _judged(exercise: Task, answer: object, language: Language, seeds: tuple[int, ...]) -> Verdict:
    assert exercise.judge is not None, f"lesson {exercise.lesson} is judged by nobody"
    tried = cases = 0
    said = Judgement()
    for seed in seeds:
        said = exercise.judge(answer, seed, language)
        tried += said.tried
        cases += 1
        if said.code:
            break
    words = said.words.get(language) if said.words is not None else ""
    if said.code:
        head = remark("wrong", language, words=words or said.code)
        after = said.next or _hint(exercise, Diagnosis(code=said.code), language)
    else:
        head = words or remark("passed-judged", language, tried=tried)
        after = said.next or exercise.good.get(language)
    return Verdict(
        lesson=exercise.lesson,
        passed=not said.code,
        language=language,
        headline=head,
        code=said.code,
        story=said.story,
        why=said.why,
        next=after,
        basis=basis(said.outcome, language) if said.outcome is not None else "",
        tried=tried,
        cases=cases,
        outcome=said.outcome,
    )


# -- answers that are run under crashes -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Failure:
    """The first failure of a case, as short as it gets, and the same case without faults."""

    outcome: Outcome
    breach: Breach
    faultless: Outcome


def _crashed(exercise: Task, answer: object, language: Language, seeds: tuple[int, ...]) -> Verdict:
    assert callable(answer)
    tools: Tools = answer if exercise.kind == "workflow" else {**exercise.others, exercise.answer: answer}
    tried = cases = 0
    complete = True
    chosen = [(seed, exercise.cases(seed) if exercise.cases is not None else ()) for seed in seeds]
    waiting = sum(len(each) for _, each in chosen)
    for seed, those in chosen:
        for case in those:
            # What a small case leaves over is for the larger ones.
            report = _explored(exercise, tools, case, max((_TOGETHER - tried) // waiting, _AT_LEAST))
            waiting -= 1
            cases += 1
            tried += report.tried
            complete = complete and report.complete
            if report.failing is not None and report.breach is not None:
                failure = _shortest(exercise, tools, report.failing, report.breach)
                return _failed(exercise, failure, language, tried, cases, complete, hidden=seed != seeds[0])
    words = "passed" if complete else "passed-partly"
    return Verdict(
        lesson=exercise.lesson,
        passed=True,
        language=language,
        headline=remark(words, language, tried=f"{tried:,}", cases=cases, crashes=exercise.crashes),
        next=exercise.good.get(language),
        basis=basis_of_all(language),
        tried=tried,
        complete=complete,
        cases=cases,
    )


def _explored(exercise: Task, tools: Tools, case: Case, budget: int) -> Report:
    return explore(
        tools,
        case,
        exercise.promises,
        crashes=exercise.crashes,
        faults=exercise.faults,
        hours=exercise.hours,
        budget=budget,
        workflow=exercise.kind == "workflow",
    )


def _shortest(exercise: Task, tools: Tools, outcome: Outcome, breach: Breach) -> _Failure:
    """Make a failure as short as it gets, as long as the same promise is broken in the same way."""

    def fails(outcome: Outcome) -> bool:
        found = first_breach(outcome, exercise.promises)
        return found is not None and found.code == breach.code

    workflow = exercise.kind == "workflow"
    case, schedule = shrink(tools, outcome.case, outcome.schedule, fails, workflow=workflow)
    runs = runs_of(tools, case, workflow=workflow)
    shorter = runs.outcome(schedule)
    found = first_breach(shorter, exercise.promises)
    if found is None:  # it looks at what no simulation holds, and does not fail the same way twice
        whole = runs_of(tools, outcome.case, workflow=workflow)
        return _Failure(outcome, breach, whole.outcome())
    return _Failure(shorter, found, runs.outcome())


def _failed(
    exercise: Task,
    failure: _Failure,
    language: Language,
    tried: int,
    cases: int,
    complete: bool,
    *,
    hidden: bool,
) -> Verdict:
    outcome, breach = failure.outcome, failure.breach
    found = diagnose(outcome, breach)
    words = headline(outcome, breach, language)
    if hidden:
        words = _joined(words, remark("hidden", language), language)
    return Verdict(
        lesson=exercise.lesson,
        passed=False,
        language=language,
        code=found.code,
        headline=words,
        story=story(outcome, language),
        why=why(found, language),
        next=_hint(exercise, found, language),
        basis=basis(outcome, language),
        tried=tried,
        complete=complete,
        cases=cases,
        outcome=outcome,
        faultless=failure.faultless,
    )


def _hint(exercise: Task, found: Diagnosis, language: Language) -> str:
    own = exercise.hints.get(found.code)
    return own.get(language) if own is not None else next_hint(found, language)


def _joined(one: str, other: str, language: Language) -> str:
    return one + ("" if language == "zh" else " ") + other
