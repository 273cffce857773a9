"""The crash lab: every crash point along a turn, and what a crash there would do, as plain data.

::

    lab = CrashLab(session, "turn_0")            # or without a turn for a plain SDK run
    lab.points                                   # CrashPointRow, in order
    lab.view(31, model="new-ids", strategies={"charge_card": "coordinates"})   # CrashView
    lab.matrix(Question(environment="eve-dev"))         # MatrixView, views/matrix.py
    lab.choices                                  # what can be chosen, with words
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from eve_replay.errors import WrongUse
from eve_replay.journal import Session
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.recovery.engine import environments_for, simulate
from eve_replay.recovery.environment import ENVIRONMENTS
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import session_plans
from eve_replay.recovery.points import crash_points
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import CrashPoint, Simulation
from eve_replay.recovery.runtimes.registry import comparable
from eve_replay.recovery.side_by_side import SideBySide, side_by_side
from eve_replay.recovery.strategies import STRATEGIES
from eve_replay.views.crashlab.rows import (
    MODELS,
    OUTCOMES,
    Choice,
    CrashChoices,
    CrashEffectRow,
    CrashPointRow,
    CrashStepRow,
    CrashView,
    count_text,
    crash_view,
    effect_row,
    point_row,
    simulation_tone,
)
from eve_replay.views.kit.tone import Tone

if TYPE_CHECKING:
    from eve_replay.views.crashlab.matrix import MatrixView

__all__ = [
    "Choice",
    "CrashChoices",
    "CrashEffectRow",
    "CrashLab",
    "CrashPointRow",
    "CrashStepRow",
    "CrashView",
    "Question",
    "count_text",
    "crash_view",
    "effect_row",
    "outcome_choices",
    "point_row",
]


def outcome_choices() -> tuple[Choice, ...]:
    """Return every outcome a crash can have, for a person who predicts one."""
    return tuple(Choice(name=name, words=words) for name, (words, _) in OUTCOMES.items())


class CrashLab:
    """The crash points of one turn and what each would do.

    Args:
        session: the joined session.
        turn_id: the turn; None takes the last one, or the whole run of a plain SDK run.
        effects: the user's effects policy (a path, a dict, or None).
        moments: also the points that the journal implies but does not show.
        batch: what if ``modelCallsPerStep`` were this: recorded steps regrouped, with fewer points.

    Raises:
        NotFound: the session has no such turn.
        WrongUse: the policy cannot be read, or a batch below one.
    """

    def __init__(
        self,
        session: Session,
        turn_id: str | None = None,
        effects: EffectsLike = None,
        *,
        moments: bool = True,
        batch: int = 1,
    ) -> None:
        self.session = session
        self.turn_id = turn_id or (session.turns[-1].id if session.turns else None)
        self._plans = session_plans(session, EffectsPolicy.load(effects))
        plan = self._plans.plan(self.turn_id)
        self.plan = plan if batch == 1 else regroup(plan, batch)
        self._points: tuple[CrashPoint, ...] = tuple(crash_points(self.plan, moments=moments))

    def __len__(self) -> int:
        return len(self._points)

    @cached_property
    def points(self) -> tuple[CrashPointRow, ...]:
        """Every crash point of the turn, in order."""
        return tuple(point_row(point, index) for index, point in enumerate(self._points))

    @cached_property
    def choices(self) -> CrashChoices:
        """What can be assumed, in the order to offer it."""
        names = environments_for(self.turn_id is None, self.plan.framework)
        end = simulate(self.plan, self._points[-1]) if self._points else None
        return CrashChoices(
            runtimes=tuple(Choice(name=name, words=name) for name in comparable(self.plan.framework)),
            environments=tuple(
                Choice(name=name, words=ENVIRONMENTS[name].words, note=ENVIRONMENTS[name].why)
                for name in names
            ),
            models=tuple(Choice(name=name, words=words, note=note) for name, words, note in MODELS),
            strategies=tuple(
                Choice(name=each.name, words=each.words, note=each.note) for each in STRATEGIES.values()
            ),
            tools=tuple(dict.fromkeys(effect.tool for effect in end.effects)) if end else (),
        )

    def tones(self, question: Question | None = None) -> tuple[Tone, ...]:
        """Return a tone per point: that of what a crash there does, not of what had happened by then."""
        asked = question if question is not None else Question()
        return tuple(simulation_tone(simulate(self.plan, point, asked)) for point in self._points)

    def index_of(self, wanted: str) -> int | None:
        """Return the first point after an event, chunk or record id, or of a class; None without one."""
        for point in self.points:
            if wanted and wanted in (point.address, point.key, point.klass):
                return point.index
        return None

    def simulation(self, index: int, question: Question | None = None) -> Simulation:
        """Return the engine's own answer for a point."""
        return simulate(self.plan, self._at(index), question)

    def view(self, index: int, question: Question | None = None) -> CrashView:
        """Return what a crash at point ``index`` does.

        Args:
            index: number of the point.
            question: what is assumed.

        Raises:
            WrongUse: there is no such point.
        """
        return crash_view(self.simulation(index, question), self.points[index], len(self._points))

    def next_different(self, index: int, question: Question | None = None) -> int | None:
        """Return the next point at which something else comes of a crash, round the end; None without one.

        Neighbouring points often have the same answer: who predicts wants one that asks something new.

        Args:
            index: number of the point one is at.
            question: what is assumed.

        Raises:
            WrongUse: there is no such point.
        """
        here = _comes_of(self.simulation(index, question))
        for step in range(1, len(self._points)):
            at = (index + step) % len(self._points)
            if _comes_of(self.simulation(at, question)) != here:
                return at
        return None

    def matrix(self, question: Question | None = None) -> MatrixView:
        """Return the answers for every point as a matrix."""
        from eve_replay.views.crashlab.matrix import matrix_view

        asked = question if question is not None else Question()
        return matrix_view([simulate(self.plan, point, asked) for point in self._points], self.points)

    def beside(self, runtimes: Sequence[str] = ()) -> SideBySide:
        """Return the turn under several runtimes' rules, its own first."""
        return side_by_side(self.plan, runtimes=runtimes)

    def _at(self, index: int) -> CrashPoint:
        if not 0 <= index < len(self._points):
            raise WrongUse(f"There is no crash point {index}.", hint=f"They run from 0 to {len(self) - 1}.")
        return self._points[index]


def _comes_of(simulation: Simulation) -> object:
    """What is predicted at a point: how the session goes on, and what the outside sees of each effect."""
    return simulation.outcome, [(each.tool, each.outside, each.missed) for each in simulation.effects]
