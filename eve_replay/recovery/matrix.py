"""All crash points of a turn times its effects, with totals, and strategies or batch sizes side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eve_replay.brief import Brief
from eve_replay.recovery.engine import answer, known_tools
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import point_at
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import Simulation
from eve_replay.recovery.strategies import STRATEGIES, strategy

#: Milliseconds between the writes inside a commit, which carry one time in the journal: "a few ms each in a
#: normal run" (docs/evidence/sweep.md#limits). Taken as one, so that shares are not made to look larger than
#: they are.
COMMIT_GAP = 1.0

__all__ = ["Comparison", "Matrix", "Totals", "compare_batches", "compare_strategies", "matrix_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a matrix adds up to.

    Attributes:
        points: number of crash points; ``outcomes`` how many end how.
        worst: repeats (executions beyond the first, over all effects) at the worst point, None without bound;
            ``worst_at`` its place; ``worst_bounded`` the worst among points with a bound.
        expected: repeats expected when the crash time is uniform over the turn, unbounded points counted once
            (``unbounded_share`` of the time they take is named beside it).
        outside: the same two after the strategies.
        tokens_again, calls_again: paid again at the worst bounded point, and expected.
        tokens_unknown: at some points the tokens of what is paid again are not recorded.
        missed: effects that may never happen because of a strategy, at most, at the worst point.
    """

    points: int
    outcomes: Mapping[str, int]
    worst: int | None
    worst_at: int
    worst_bounded: int
    expected: float
    outside_worst: int | None
    outside_worst_bounded: int
    outside_expected: float
    unbounded_share: float
    stuck_share: float
    tokens_again: int
    tokens_expected: float
    tokens_unknown: bool
    calls_again: int
    missed: int

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``totals``."""
        return {
            "points": self.points,
            "outcomes": dict(self.outcomes),
            "worst": {"repeats": self.worst, "position": self.worst_at, "bounded": self.worst_bounded},
            "expected": round(self.expected, 4),
            "outside": {
                "worst": self.outside_worst,
                "bounded": self.outside_worst_bounded,
                "expected": round(self.outside_expected, 4),
            },
            "unboundedShare": round(self.unbounded_share, 6),
            "stuckShare": round(self.stuck_share, 6),
            "tokensAgain": {
                "worst": self.tokens_again,
                "expected": round(self.tokens_expected, 2),
                "unknown": self.tokens_unknown,
            },
            "callsAgain": self.calls_again,
            "missed": self.missed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One row of a comparison: a strategy (or a batch size, a runtime) and what the matrix adds up to."""

    name: str
    words: str
    totals: Totals

    def to_json(self) -> dict[str, object]:
        """Return the row."""
        return {"name": self.name, "words": self.words, **self.totals.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Matrix(Brief):
    """Every crash point of one turn with its simulation."""

    session_id: str
    turn_id: str | None
    points: tuple[Simulation, ...]
    weights: tuple[float, ...] = field(repr=False)
    totals: Totals

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``points`` and ``totals``."""
        return {
            "sessionId": self.session_id,
            "turnId": self.turn_id,
            "points": [point.to_json(steps=False) for point in self.points],
            "totals": self.totals.to_json(),
        }


def matrix_of(plan: Plan, question: Question | None = None, *, moments: bool = True) -> Matrix:
    """Return the simulations of every crash point of a turn.

    Args:
        plan: the turn or plain run.
        question: what is assumed.
        moments: also the points the journal implies but does not show.

    Raises:
        WrongUse: a strategy for a tool that the turn does not call.
    """
    asked = (question if question is not None else Question()).fitted(plan.framework)
    known_tools(plan, asked)
    memo = plan.memo.setdefault(asked, {})
    points: list[Simulation] = []
    places: list[int] = []
    items = plan.writes.items
    for place in range(plan.first, min(plan.last, len(items)) + 1):
        if not moments and place > plan.first and not items[place - 1].durable:
            continue
        situation = plan.situation(place)
        points.append(answer(situation, asked, point_at(plan, place, situation), batch=plan.batch, memo=memo))
        places.append(place)
    weights = tuple(_weights(plan, places))
    return Matrix(
        session_id=plan.session_id,
        turn_id=plan.turn_id,
        points=tuple(points),
        weights=weights,
        totals=_totals(points, weights),
    )


def _weights(plan: Plan, places: Sequence[int]) -> Iterable[float]:
    """How long the process stands at each point, as a share of the turn."""
    items = plan.writes.items
    end = min(plan.closed, plan.last, len(items))
    if not items or end <= plan.first:
        return [1.0 / max(1, len(places))] * len(places)
    widths = []
    for place in places:
        if not plan.first < place < end:
            widths.append(0.0)
            continue
        newest = items[place - 1]
        width = items[place].time - newest.time
        if newest.kind in ("lock", "record") and width < COMMIT_GAP:
            width = COMMIT_GAP
        widths.append(max(0.0, width))
    whole = sum(widths)
    return [w / whole for w in widths] if whole else [1.0 / len(places)] * len(places)


def _totals(points: Sequence[Simulation], weights: Sequence[float]) -> Totals:
    outcomes: dict[str, int] = {}
    worst: int | None = 0
    worst_at = points[0].point.position if points else 0
    bounded = out_bounded = tokens = calls = missed = 0
    out_worst: int | None = 0
    expected = out_expected = unbounded = stuck = tokens_expected = 0.0
    for sim, weight in zip(points, weights, strict=True):
        outcomes[sim.outcome] = outcomes.get(sim.outcome, 0) + 1
        repeats, least = _repeats(sim, outside=False)
        outside, out_least = _repeats(sim, outside=True)
        expected += weight * (least if repeats is None else repeats)
        out_expected += weight * (out_least if outside is None else outside)
        if repeats is None:
            unbounded += weight
            if worst is not None:
                worst, worst_at = None, sim.point.position
        else:
            if worst is not None and repeats > worst:
                worst, worst_at = repeats, sim.point.position
            bounded = max(bounded, repeats)
        if outside is None:
            out_worst = None
        else:
            out_bounded = max(out_bounded, outside)
            out_worst = max(out_worst, outside) if out_worst is not None else None
        if sim.outcome in ("hangs", "fails"):
            stuck += weight
        tokens = max(tokens, sim.tokens.again)
        tokens_expected += weight * sim.tokens.again
        calls = max(calls, sim.model_calls.again)
        missed = max(missed, sum(e.missed.max or 0 for e in sim.effects))
    return Totals(
        points=len(points),
        outcomes=outcomes,
        worst=worst,
        worst_at=worst_at,
        worst_bounded=bounded,
        expected=expected,
        outside_worst=out_worst,
        outside_worst_bounded=out_bounded,
        outside_expected=out_expected,
        unbounded_share=unbounded,
        stuck_share=stuck,
        tokens_again=tokens,
        tokens_expected=tokens_expected,
        tokens_unknown=any(sim.tokens.unknown and sim.model_calls.again for sim in points),
        calls_again=calls,
        missed=missed,
    )


def _repeats(sim: Simulation, *, outside: bool) -> tuple[int | None, int]:
    """Executions beyond the first over all effects: at most (None: no bound), and at least."""
    most: int | None = 0
    least = 0
    for effect in sim.effects:
        count = effect.outside if outside else effect.executions
        least += max(0, count.min - 1)
        if count.max is None:
            most = None
        elif most is not None:
            most += max(0, count.max - 1)
    return most, least


def compare_strategies(
    plan: Plan, question: Question | None = None, names: Sequence[str] | None = None
) -> tuple[Comparison, ...]:
    """Return one row per strategy, applied to every effect of the turn."""
    base = (question if question is not None else Question()).fitted(plan.framework)
    wanted = names if names is not None else [n for n in STRATEGIES if n != "read-only"]
    rows = []
    situations = [
        (plan.situation(place), place) for place in range(plan.first, min(plan.last, len(plan.writes)) + 1)
    ]
    points = [point_at(plan, place, situation) for situation, place in situations]
    weights = list(_weights(plan, [place for _, place in situations]))
    for name in wanted:
        asked = replace(base, strategies={"*": strategy(name)})
        memo = plan.memo.setdefault(asked, {})
        sims = [
            answer(situation, asked, point, memo=memo)
            for (situation, _), point in zip(situations, points, strict=True)
        ]
        rows.append(Comparison(name=name, words=asked.strategies["*"].words, totals=_totals(sims, weights)))
    return tuple(rows)


def compare_batches(
    plan: Plan, question: Question | None = None, sizes: Sequence[int] = (1, 2, 4)
) -> tuple[Comparison, ...]:
    """Return one row per ``modelCallsPerStep``: larger steps repeat more."""
    rows = []
    for size in sizes:
        found = matrix_of(regroup(plan, size), question)
        words = f"{size} model {'call' if size == 1 else 'calls'} per step"
        rows.append(Comparison(name=str(size), words=words, totals=found.totals))
    return tuple(rows)
