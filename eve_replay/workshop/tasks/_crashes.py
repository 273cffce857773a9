"""Crash points of the recordings for lesson 2: what lay there, and what the product says comes of it.

What lay there is put into four plain numbers about one step and one effect of it. The answer is that of
:func:`eve_replay.recovery.simulate`, without any key. Left out are points where the session does not go on by
itself (inside the creation or the commit of a step: docs/evidence/sweep.md#writes), and steps of several
model calls, where a begun step need not have come as far as the effect (docs/evidence/observed.md#batches).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from eve_replay.recovery import CrashPoint, EffectVerdict, Plan, Question, crash_points, plan_of, simulate
from eve_replay.workshop.tasks._readings import session

__all__ = ["Place", "places"]

_GOES_ON = ("recovers", "nothing-open")
_PAYS = ("charge_card", "pay_with_key", "pay_without_key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One crash point of a recording, about one charge.

    Attributes:
        where: what lay there: ``started``, ``returned``, ``stream``, ``committed``.
        charges: how often the outside sees the charge in the end, at least and at most.
        label: the point in plain words.
    """

    sample: str
    turn: str
    position: int
    label: str
    where: tuple[tuple[str, int], ...]
    charges: tuple[int, int]


@cache
def places(sample: str) -> tuple[Place, ...]:
    """Return one crash point for each different ``where`` of a recording, in order."""
    found: dict[object, Place] = {}
    for turn in session(sample).turns:
        plan = plan_of(session(sample), turn.id)
        for point in crash_points(plan):
            for place in _places(sample, turn.id, plan, point):
                found.setdefault((turn.id, place.where, place.charges), place)
    return tuple(found.values())


def _places(sample: str, turn: str, plan: Plan, point: CrashPoint) -> Iterator[Place]:
    answer = simulate(plan, point, question=Question(strategies={"*": "none"}))
    if answer.outcome not in _GOES_ON:
        return
    for effect in answer.effects:
        most = effect.outside.max
        if effect.tool in _PAYS and most is not None and point.klass != "beside-turn":
            yield Place(
                sample=sample,
                turn=turn,
                position=point.position,
                label=point.label,
                where=_where(plan, point, effect),
                charges=(effect.outside.min, most),
            )


def _where(plan: Plan, point: CrashPoint, effect: EffectVerdict) -> tuple[tuple[str, int], ...]:
    written = [each.words for each in plan.writes.items[: point.position] if each.subject == effect.step_id]
    index = effect.coordinate[1] if effect.coordinate else 0
    said = f"stream event step.completed({index})"
    return (
        ("started", sum(words.startswith("event step_started") for words in written)),
        ("returned", effect.before.min),
        ("stream", sum(each.words == said for each in plan.writes.items[plan.first : point.position])),
        ("committed", sum(words.startswith("event step_completed") for words in written)),
    )
