"""Break your neighbour: an answer that passed, in a world that somebody else has chosen.

A world is plain data: what the model does when it is asked again, how long a process stays away, how often
it dies, whether answers get lost, which names the case has. The engine judges: whatever the attacker says, an
answer is broken when a promise of the lesson is, under a schedule of that world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

from eve_replay.errors import WrongUse
from eve_replay.recovery.strategies import ModelAnswer
from eve_replay.workshop.model import Case, FaultKind
from eve_replay.workshop.task import Task

__all__ = ["HOURS", "World", "against", "world_of"]

#: Hours that a process can be made to stay away: at once, a night, a weekend.
HOURS = (0.0, 13.0, 61.0)
_MODELS = ("same", "new-ids", "other")
_MOST_CRASHES = 3
_CRASHES: tuple[FaultKind, ...] = ("crash-before", "crash-in-flight", "crash-after")
_LOST: tuple[FaultKind, ...] = ("lost", "refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Where an answer is tried.

    Attributes:
        model: what the model does when it is asked again.
        away: hours that a dead process stays away, one of :data:`HOURS`.
        crashes: faults in a schedule at most, 1 to 3.
        lost: whether answers and requests can be lost too.
        seed: which names, amounts and orders.
    """

    model: ModelAnswer = "same"
    away: float = 0.0
    crashes: int = 1
    lost: bool = False
    seed: int = 1


def world_of(data: Mapping[str, object]) -> World:
    """Return the world that plain data describes.

    Raises:
        WrongUse: a value is not one of those there are.
    """
    model, away = data.get("model", "same"), data.get("away", 0.0)
    crashes, seed = data.get("crashes", 1), data.get("seed", 1)
    if model not in _MODELS or model not in get_args(ModelAnswer):
        raise WrongUse(f"There is no model {model!r}.", hint=f"There are {', '.join(_MODELS)}.")
    if not isinstance(away, int | float) or float(away) not in HOURS:
        raise WrongUse("A process stays away for 0, 13 or 61 hours.")
    if not isinstance(crashes, int) or not 1 <= crashes <= _MOST_CRASHES:
        raise WrongUse("A process dies once, twice or three times.")
    if not isinstance(seed, int) or not 0 <= seed < 1_000_000:
        raise WrongUse("A seed is a number from 0 to 999999.")
    return World(
        model=model,  # type: ignore[arg-type]
        away=float(away),
        crashes=crashes,
        lost=data.get("lost") is True,
        seed=seed,
    )


def against(exercise: Task, world: World) -> Task:
    """Return the exercise as it is in a world: the same promises, other cases and other faults."""
    cases = exercise.cases

    def changed(seed: int) -> tuple[Case, ...]:
        return tuple(replace(each, model=world.model) for each in (cases(seed) if cases is not None else ()))

    return replace(
        exercise,
        cases=changed,
        crashes=world.crashes,
        faults=(*_CRASHES, *(_LOST if world.lost else ())),
        hours=tuple(dict.fromkeys((0.0, world.away))),
    )
