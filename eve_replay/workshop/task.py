"""What a lesson asks of a learner, and what decides whether the answer holds: plain data per lesson."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from eve_replay.workshop.model import Case, FaultKind, Language, Outcome, Promise, Text

__all__ = ["CRASHES", "Judge", "Judgement", "Prediction", "Task"]

#: The faults a crash can be, without lost answers.
CRASHES: tuple[FaultKind, ...] = ("crash-before", "crash-in-flight", "crash-after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A question that is answered before the answer is shown.

    Attributes:
        question: one or two sentences.
        choices: what can be chosen; empty for free text.
        answer: computes the right choice's number (from 0) from a recording or a simulation; None: free text.
        reveal: what is said after the choice, whatever it was. ``{...}`` fields are filled from ``facts``.
        facts: computes what ``reveal`` needs, from the recording: nothing on screen is typed in by hand.
        source: the recording or rule it rests on, for example ``sample:crash-in-tool`` or
            ``docs/evidence/observed.md#call-ids``.
    """

    question: Text
    choices: tuple[Text, ...] = ()
    answer: Callable[[], int] | None = None
    reveal: Text
    facts: Callable[[], Mapping[str, object]] | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a judge says of an answer that is not run under crashes (a function, a table of answers).

    Attributes:
        code: why it is wrong, empty when it is right: a key of the task's ``hints`` or a diagnosis code.
        words: what is wrong, with the input that shows it; for a right answer what is said, if not the usual.
        tried: how many inputs were tried.
        story, why, next, outcome: as in ``Verdict``, where a part of the answer was run under crashes.
    """

    code: str = ""
    words: Text | None = None
    tried: int = 0
    story: tuple[str, ...] = ()
    why: str = ""
    next: str = ""
    outcome: Outcome | None = None


Judge = Callable[[object, int, Language], Judgement]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One lesson's exercise.

    Attributes:
        lesson: two digits, ``"01"`` ...
        slug: the notebook's name after the number.
        title: the lesson's title.
        answer: name of what the answer cell defines.
        kind: ``tool`` (run under crashes), ``workflow`` (a workflow body, run under crashes), ``judged``.
        cases: cases from a seed; the first one is the one the lesson shows. Other seeds give other names,
            amounts, orders of calls: an answer that knows the sample fails.
        others: tools of the case that are not the learner's, by name.
        promises: what must hold under every schedule.
        faults: which faults fall.
        crashes: how many at most.
        hours: how long the process may stay away after a crash.
        runtimes: runtimes that the stage lets a learner choose from.
        judge: for ``judged``: looks at the answer itself.
        takes: for ``judged``: what the answer is called with; empty where it is no function.
        predictions: by name, as the notebook asks for them.
        hints: what to think about next, by diagnosis code (see ``diagnose``); the general ones otherwise.
        good: said when it passed: what the fix rests on, and what it still cannot do.
        minutes: how long the lesson takes.
        finds: what a learner will have found out, in one sentence; shown at the top of the notebook.
    """

    lesson: str
    slug: str
    title: Text
    answer: str
    kind: Literal["tool", "workflow", "judged"] = "tool"
    cases: Callable[[int], tuple[Case, ...]] | None = None
    others: Mapping[str, Callable[..., object]] = field(default_factory=lambda: MappingProxyType({}))
    promises: tuple[Promise, ...] = ()
    faults: tuple[FaultKind, ...] = CRASHES
    crashes: int = 2
    hours: tuple[float, ...] = (0.0,)
    runtimes: tuple[str, ...] = ()
    judge: Judge | None = None
    takes: tuple[str, ...] = ()
    predictions: Mapping[str, Prediction] = field(default_factory=lambda: MappingProxyType({}))
    hints: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))
    good: Text
    minutes: int = 15
    finds: Text | None = None
