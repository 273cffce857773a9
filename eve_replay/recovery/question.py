"""What is assumed when a crash is asked about: one frozen value, the same for every function that asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType
from typing import get_args

from eve_replay.errors import WrongUse
from eve_replay.recovery.environment import ENVIRONMENTS, Environment
from eve_replay.recovery.environment import environment as named_environment
from eve_replay.recovery.result import Assumptions
from eve_replay.recovery.runtimes.base import Runtime
from eve_replay.recovery.runtimes.registry import OWN, comparable, runtime_named, runtime_of, runtimes
from eve_replay.recovery.situation import EffectState
from eve_replay.recovery.strategies import STRATEGIES, ModelAnswer, Strategy, strategy, strategy_for

__all__ = ["Question", "question_or_default"]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Question:
    """What is assumed: whose rules, how the process comes back, what the model answers, what protects.

    Names are looked up at once, so a question that exists can be asked. ``dataclasses.replace`` changes one
    assumption and keeps the others::

        question = Question(model="new-ids", strategies={"charge_card": "business-id"})
        simulate(session, "in-tool", question=question)
        matrix(session, question=replace(question, environment="eve-dev"))

    Args:
        runtime: whose recovery rules: ``eve``, ``flue``, ``none``, or an object with the same protocol; None
            for those of the framework that wrote the journal (eve's until that is known).
        environment: how the process comes back (a name of ``ENVIRONMENTS``); None for the runtime's own.
        model: what the model answers when it is asked again: ``same``, ``new-ids`` (the same calls under new
            ids) or ``other``.
        strategies: what protects a tool from a repeat, by tool name, ``*`` for all (``STRATEGIES``).
        lease_seconds: length of the lease, which the journal does not hold.
        max_retries: retries of a step that throws.
        retention_days: how long a finished run keeps its payloads.
        model_calls_per_step: what if a step held this many model calls: the recorded ones are regrouped.
        note: why this was assumed, kept with the answer.

    Raises:
        WrongUse: a name that does not exist, or a number that makes no sense; the message names the choices.
    """

    runtime: Runtime
    environment: Environment | None
    model: ModelAnswer
    strategies: Mapping[str, Strategy]
    lease_seconds: float | None
    max_retries: int | None
    retention_days: float | None
    model_calls_per_step: int | None
    note: str
    #: The environment that is meant, with the numbers given here.
    surroundings: Environment = field(init=False, repr=False, compare=False)
    _made: dict[tuple[int, int | None], Assumptions] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        *,
        runtime: str | Runtime | None = None,
        environment: str | Environment | None = None,
        model: ModelAnswer = "same",
        strategies: Mapping[str, str | Strategy] | None = None,
        lease_seconds: float | None = None,
        max_retries: int | None = None,
        retention_days: float | None = None,
        model_calls_per_step: int | None = None,
        note: str = "",
    ) -> None:
        rules = _runtime(runtime)
        given = None if environment is None else _environment(environment)
        if model not in get_args(ModelAnswer):
            raise WrongUse(f"There is no model assumption {model!r}.", hint="Use same, new-ids or other.")
        numbers = {
            "lease_seconds": lease_seconds,
            "max_retries": max_retries,
            "retention_days": retention_days,
        }
        for name, value in numbers.items():
            _check_number(name, value, least=0)
        _check_number("max_retries", max_retries, least=0, whole=True)
        _check_number("model_calls_per_step", model_calls_per_step, least=1, whole=True)
        found = _environment(rules.environment) if given is None else given
        values: dict[str, object] = {
            "runtime": rules,
            "environment": given,
            "model": model,
            "strategies": MappingProxyType(_strategies(strategies)),
            **numbers,
            "model_calls_per_step": model_calls_per_step,
            "note": note,
            "surroundings": found.with_options(
                lease_seconds=lease_seconds, max_retries=max_retries, retention_days=retention_days
            ),
            "_made": {},
        }
        for name, each in values.items():
            object.__setattr__(self, name, each)

    def __hash__(self) -> int:
        return hash((self.runtime.name, self.surroundings.name, self.model, frozenset(self.strategies)))

    def __repr__(self) -> str:
        """Return the question as one would write it: what is said by default is left out."""
        said = {
            "runtime": self.runtime.name if self.runtime.name != "eve" else None,
            "environment": self.environment.name if self.environment is not None else None,
            "model": self.model if self.model != "same" else None,
            "strategies": {tool: each.name for tool, each in self.strategies.items()} or None,
            "lease_seconds": self.lease_seconds,
            "max_retries": self.max_retries,
            "retention_days": self.retention_days,
            "model_calls_per_step": self.model_calls_per_step,
            "note": self.note or None,
        }
        return f"Question({', '.join(f'{name}={v!r}' for name, v in said.items() if v is not None)})"

    def fitted(self, framework: str) -> Question:
        """Return the question with the rules of the runtime that wrote the run, where none was asked for.

        Rules that say nothing about such a run (eve's about one of the Python SDK) give way as well.

        Args:
            framework: who wrote the run.
        """
        rules = runtime_of(framework)
        name = self.runtime.name
        strange = name in runtimes() and name not in comparable(framework)
        return replace(self, runtime=rules) if self.runtime is OWN or strange else self

    def strategy_of(self, effect: EffectState) -> Strategy:
        """Return the strategy of an effect: asked for by name, for all (``*``), or its effects policy's."""
        found = self.strategies.get(effect.tool) or self.strategies.get("*")
        return found if found is not None else strategy_for(effect.protection)

    def assumptions(self, *, crashes: int = 1, batch: int | None = None) -> Assumptions:
        """Return what the answer takes for granted."""
        made = self._made.get((crashes, batch))
        if made is not None:
            return made
        env = self.surroundings
        notes = [self.note] if self.note else []
        if self.runtime.name == "python-sdk":
            if env.recovers == "yes" and self.max_retries is None:
                notes.append(f"{env.max_retries} retries a step are assumed; the journal does not hold it")
        elif env.lease_assumed and env.recovers == "yes":
            notes.append("the lease length is assumed; the journal does not hold it")
        if env.certainty != "observed":
            notes.append(f"{env.words}: {env.certainty}, {env.source}")
        made = self._made[crashes, batch] = Assumptions(
            runtime=self.runtime.name,
            environment=env.name,
            model=self.model,
            lease_seconds=env.lease_seconds if env.recovers == "yes" else None,
            lease_fixed=not env.lease_assumed and self.lease_seconds is None,
            max_retries=env.max_retries,
            strategies=tuple(sorted((k, v.name) for k, v in self.strategies.items())),
            crashes=crashes,
            model_calls_per_step=batch,
            notes=tuple(notes),
        )
        return made


def question_or_default(question: object) -> Question:
    """Return the question, or the default one for None. Raises WrongUse for anything else."""
    if question is None:
        return Question()
    if isinstance(question, Question):
        return question
    raise WrongUse(
        f"A question is a Question, not {_shown(question)}.",
        hint='Write question=Question(model="new-ids"), and name a turn with turn="turn_0".',
    )


def _runtime(runtime: object) -> Runtime:
    if runtime is None:
        return OWN
    if isinstance(runtime, str):
        return runtime_named(runtime)
    if isinstance(runtime, Runtime) and not isinstance(runtime, type):
        return runtime
    raise WrongUse(
        f"A runtime is a name or an object with the protocol Runtime, not {_shown(runtime)}.",
        hint=f"Names: {', '.join(runtimes())}.",
    )


def _environment(environment: object) -> Environment:
    if isinstance(environment, Environment):
        return environment
    if isinstance(environment, str):
        return named_environment(environment)
    raise WrongUse(
        f"An environment is a name or an Environment, not {_shown(environment)}.",
        hint=f"Names: {', '.join(ENVIRONMENTS)}.",
    )


def _strategies(strategies: object) -> dict[str, Strategy]:
    if strategies is None:
        return {}
    if not isinstance(strategies, Mapping):
        raise WrongUse(
            f"Strategies are a dict from tool to strategy, not {_shown(strategies)}.",
            hint='Write strategies={"charge_card": "business-id"}, or {"*": ...} for every tool.',
        )
    found = {}
    for tool, each in strategies.items():
        if not isinstance(tool, str) or not isinstance(each, str | Strategy):
            raise WrongUse(
                f"The strategy of {tool!r} cannot be {_shown(each)}.",
                hint=f"Use one of {', '.join(STRATEGIES)}.",
            )
        found[tool] = strategy(each) if isinstance(each, str) else each
    return found


def _check_number(name: str, value: object, *, least: int, whole: bool = False) -> None:
    kinds = (int,) if whole else (int, float)
    if value is None or (isinstance(value, kinds) and not isinstance(value, bool) and least <= value < inf):
        return
    what = "a whole number" if whole else "a number"
    raise WrongUse(f"{name} cannot be {_shown(value)}.", hint=f"Give {what} from {least} up, or None.")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
