"""Asking a runtime, and meeting every mistake of its answer with a sentence.

The runtimes of this package are held by their tests. One of another package is held here, each time it is
asked: an answer that forgets an effect must not look like an effect that does not happen again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Outcome, Verdict
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures, Runtime
from eve_replay.recovery.situation import EffectState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.recovery.words import RuleText

__all__ = ["ask", "check_course", "rule_of"]

_OUTCOMES = get_args(Outcome)
_VERDICTS = get_args(Verdict)
_OWN = "eve_replay.recovery.runtimes."


def ask(runtime: Runtime, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
    """Return what a runtime makes of a situation, checked when the runtime is not one of this package.

    Raises:
        WrongUse: the answer is no Course, or lacks something; the sentence says what of which effect.
    """
    if type(runtime).__module__.startswith(_OWN):
        return runtime.recover(situation, environment, model)
    try:
        course = runtime.recover(situation, environment, model)
    except EveReplayError:
        raise
    except Exception as error:
        raise WrongUse(
            f"The runtime {runtime.name!r} failed: {type(error).__name__}: {error}.",
            hint="check_runtime(runtime) shows on which situation.",
        ) from error
    check_course(course, situation, runtime.name)
    return course


def check_course(course: object, situation: Situation, name: str) -> None:
    """Raise WrongUse with a sentence when a course does not say what becomes of everything, once."""
    if not isinstance(course, Course):
        raise WrongUse(
            f"The runtime {name!r} returned {type(course).__name__}; recover() returns a Course.",
            hint="Make one with Course(outcome=...) and fill in fates and futures.",
        )
    if course.outcome not in _OUTCOMES:
        raise WrongUse(
            f"The runtime {name!r} says the outcome {course.outcome!r}, which there is not.",
            hint=f"Use one of {', '.join(_OUTCOMES)}.",
        )
    _check_fates(course, situation, name)
    _check_futures(course, situation, name)


def _check_fates(course: Course, situation: Situation, name: str) -> None:
    wanted = {id(step): step for step in situation.steps}
    seen: set[int] = set()
    for fate in course.fates:
        if not isinstance(fate, Fate):
            raise WrongUse(f"The runtime {name!r} gave {type(fate).__name__} where a Fate belongs.")
        if id(fate.step) not in wanted:
            raise WrongUse(
                f"The runtime {name!r} tells of a step that is not in the situation.",
                hint="Take the steps from situation.steps, not copies of them.",
            )
        if id(fate.step) in seen:
            raise WrongUse(f"The runtime {name!r} gave two fates to {_step(fate.step)}; one is wanted.")
        if fate.verdict not in _VERDICTS:
            raise WrongUse(
                f"The runtime {name!r} says {fate.verdict!r} of {_step(fate.step)}.",
                hint=f"Use one of {', '.join(_VERDICTS)}.",
            )
        _check_range(fate.attempts, f"the attempts of {_step(fate.step)}", name)
        seen.add(id(fate.step))
    missing = next((step for key, step in wanted.items() if key not in seen), None)
    if missing is not None:
        raise WrongUse(
            f"The runtime {name!r} says nothing of {_step(missing)}; every step needs a fate.",
            hint="course.fates.append(Fate(step=step, verdict=..., attempts=...)), one for each step.",
        )


def _check_futures(course: Course, situation: Situation, name: str) -> None:
    if not isinstance(course.futures, Futures):
        raise WrongUse(
            f"The runtime {name!r} gave its futures as {type(course.futures).__name__}.",
            hint="They are kept by effect: course.futures[effect] = Future(...).",
        )
    for effect in situation.effects:
        if effect not in course.futures:
            raise WrongUse(
                f"The runtime {name!r} says nothing of {_effect(effect)}; every effect needs a future.",
                hint="course.futures[effect] = Future() says that recovery adds nothing to it.",
            )
        future = course.futures[effect]
        if not isinstance(future, Future):
            raise WrongUse(
                f"The runtime {name!r} gave {type(future).__name__} as future of {_effect(effect)}."
            )
        _check_range(future.after, f"what comes after for {_effect(effect)}", name)
        _check_range(future.missed, f"what {_effect(effect)} misses", name)
    known = {id(effect) for effect in situation.effects}
    if any(id(effect) not in known for effect in course.futures.effects()):
        raise WrongUse(
            f"The runtime {name!r} tells of an effect that is not in the situation.",
            hint="Take the effects from situation.effects, not copies of them.",
        )


def _check_range(value: object, of: str, name: str) -> None:
    if not isinstance(value, Executions):
        raise WrongUse(
            f"The runtime {name!r} gave {value!r} as {of}.",
            hint="Write Executions(min=0, max=1), or max=None.",
        )
    if value.min < 0 or (value.max is not None and value.max < value.min):
        most = "no end" if value.max is None else value.max
        raise WrongUse(f"The runtime {name!r} says {value.min} to {most} as {of}: that is no range.")


def _step(step: StepState) -> str:
    return f"the step {step.function}" + (f" ({step.step_id})" if step.step_id else "")


def _effect(effect: EffectState) -> str:
    return f"the effect {effect.tool}" + (f" ({effect.call_id})" if effect.call_id else "")


def rule_of(runtime: Runtime, rule: str) -> RuleText | None:
    """Return the text of a rule that a runtime of another package brings in its ``rules``: name to text."""
    rules = getattr(runtime, "rules", None)
    text = rules.get(rule) if isinstance(rules, Mapping) else None
    if isinstance(text, RuleText):
        return text
    return RuleText(text, runtime.source) if isinstance(text, str) else None
