"""The seam between situations and what a runtime makes of them: one small protocol, one answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol, runtime_checkable

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Outcome, Paid, Verdict
from eve_replay.recovery.situation import NEVER, EffectState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.times import later

__all__ = ["Applied", "Course", "Fate", "Future", "Futures", "Runtime", "lease_end"]


@dataclass(slots=True, kw_only=True)
class Fate:
    """What becomes of one step."""

    step: StepState
    verdict: Verdict
    attempts: Executions
    completes: bool | None = True
    record_attempt: Executions | None = None
    rule: str = ""
    proves: str = ""


@dataclass(slots=True, kw_only=True)
class Future:
    """What recovery adds to one effect.

    Attributes:
        after: executions that recovery adds.
        again: whether they come from a re-run of a body that had begun (the model is asked again for them).
        missed: effects that the runtime itself gives up (Flue's interrupted calls), before any strategy.
        resumed: the body is entered again and not run anew: ``steps`` where what it does stands in recorded
            steps, each an effect of its own; ``open`` where nothing tells whether it acts outside of them.
    """

    after: Executions = NEVER
    again: bool = False
    missed: Executions = NEVER
    rule: str = ""
    resumed: Literal["", "steps", "open"] = ""


class Futures:
    """What recovery adds to each effect, by the effect itself: ``course.futures[effect] = Future(...)``.

    An effect is looked up by identity, so two calls that look alike stay two. Iterating yields the futures in
    the order in which they were said.
    """

    __slots__ = ("_said",)

    def __init__(self, said: Iterable[tuple[EffectState, Future]] = ()) -> None:
        self._said: dict[int, tuple[EffectState, Future]] = {}
        for effect, future in said:
            self[effect] = future

    def __setitem__(self, effect: EffectState, future: Future) -> None:
        self._said[id(effect)] = (effect, future)

    def __getitem__(self, effect: EffectState) -> Future:
        return self._said[id(effect)][1]

    def __contains__(self, effect: object) -> bool:
        return id(effect) in self._said

    def __iter__(self) -> Iterator[Future]:
        return (future for _, future in self._said.values())

    def __len__(self) -> int:
        return len(self._said)

    def effects(self) -> list[EffectState]:
        """Return the effects that something was said of."""
        return [effect for effect, _ in self._said.values()]


@dataclass(slots=True)
class Applied:
    """A rule that was used: its name in ``words.RULES`` and what it was used on."""

    rule: str
    about: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Course:
    """What a runtime makes of a situation.

    Attributes:
        fates: one per step; each names its step.
        futures: one per effect, by the effect.
        delay: what the delay is made of when no time can be named, in words.
    """

    outcome: Outcome
    fates: list[Fate] = field(default_factory=list)
    futures: Futures = field(default_factory=Futures)
    by: str = "restart"
    earliest: datetime | None = None
    delay: str = ""
    person: str = ""
    ends: str = "completed"
    calls: Paid = field(default_factory=Paid)
    tokens: Paid = field(default_factory=Paid)
    events_again: int = 0
    rules: list[Applied] = field(default_factory=list)
    unknown: bool = False

    def use(self, rule: str, about: str = "", evidence: tuple[str, ...] = ()) -> None:
        """Note that a rule was used."""
        self.rules.append(Applied(rule, about, evidence))


@runtime_checkable
class Runtime(Protocol):
    """How a runtime recovers. One instance per runtime, without state.

    Attributes:
        name: as ``--runtime`` takes it.
        words: what a person calls it.
        source: where its rules come from.
        environment: name of the environment it is asked in when none is named.
    """

    name: str
    words: str
    source: str
    environment: str

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what becomes of every step and every effect of ``situation``."""
        ...


def lease_end(started: datetime | None, environment: Environment) -> datetime | None:
    """Return when a step that started then may be taken over (docs/evidence/observed.md#lease)."""
    return None if started is None else later(started, timedelta(seconds=environment.lease_seconds))


def scaled(base: Executions, times: Executions) -> Executions:
    """Return ``base`` executions, ``times`` over."""
    top: int | None
    if base.max == 0 or times.max == 0:
        top = 0
    elif base.max is None or times.max is None:
        top = None
    else:
        top = base.max * times.max
    return Executions(min=base.min * times.min, max=top)
