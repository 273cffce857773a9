"""One recorded turn under several runtimes' rules: what each repeats, loses, leaves unknown, point by point.

The turn is what one framework recorded; another runtime's rules are asked of the same situations, as if its
process had died there. What its own records would have looked like is not claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Session, Turn
from eve_replay.journal.targets import Target
from eve_replay.recovery.engine import simulate as _simulate
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import crash_points
from eve_replay.recovery.question import Question, question_or_default
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation
from eve_replay.recovery.runtimes.base import Runtime
from eve_replay.recovery.runtimes.registry import comparable, runtime_named
from eve_replay.recovery.simulation import plan_of

__all__ = ["Answer", "SideBySide", "SidePoint", "side_by_side"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one runtime makes of a crash at one point.

    Attributes:
        runtime: its name.
        repeats: effects that the outside certainly sees again; ``maybe`` those it may see again.
        loses: effects that are given up for sure; ``unknown`` those of which nobody knows whether they acted.
        resumes: durable calls whose body runs again with its recorded steps replayed.
        calls_again: model calls paid again.
    """

    runtime: str
    outcome: str
    ends: str
    repeats: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    resumes: tuple[str, ...] = ()
    calls_again: int = 0
    simulation: Simulation

    @property
    def calm(self) -> bool:
        """Whether nothing is repeated, lost or left unknown."""
        return not (self.repeats or self.maybe or self.loses or self.unknown)

    def to_json(self) -> dict[str, object]:
        """Return the answer as plain data."""
        return {
            "runtime": self.runtime,
            "outcome": self.outcome,
            "ends": self.ends,
            "repeats": list(self.repeats),
            "mayRepeat": list(self.maybe),
            "loses": list(self.loses),
            "unknown": list(self.unknown),
            "resumes": list(self.resumes),
            "callsAgain": self.calls_again,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SidePoint:
    """One crash point with every runtime's answer."""

    point: CrashPoint
    answers: tuple[Answer, ...]

    @property
    def differs(self) -> bool:
        """Whether the runtimes do not do the same."""
        said = {(a.outcome, a.repeats, a.maybe, a.loses, a.unknown, a.resumes) for a in self.answers}
        return len(said) > 1

    def to_json(self) -> dict[str, object]:
        """Return the point as plain data."""
        return {
            "point": self.point.to_json(),
            "differs": self.differs,
            "answers": [answer.to_json() for answer in self.answers],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """A turn under several rules."""

    session_id: str
    turn_id: str | None
    framework: str
    runtimes: tuple[str, ...]
    points: tuple[SidePoint, ...]

    def totals(self, runtime: str) -> dict[str, int]:
        """Return at how many points a runtime repeats, may repeat, loses, leaves unknown, fails."""
        mine = [a for p in self.points for a in p.answers if a.runtime == runtime]
        return {
            "points": len(mine),
            "repeats": sum(bool(a.repeats) for a in mine),
            "mayRepeat": sum(bool(a.maybe) for a in mine),
            "loses": sum(bool(a.loses) for a in mine),
            "unknown": sum(bool(a.unknown) for a in mine),
            "fails": sum(a.outcome in ("fails", "hangs") for a in mine),
            "callsAgain": sum(a.calls_again for a in mine),
        }

    def to_json(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "sessionId": self.session_id,
            "turnId": self.turn_id,
            "framework": self.framework,
            "runtimes": list(self.runtimes),
            "points": [point.to_json() for point in self.points],
            "totals": {name: self.totals(name) for name in self.runtimes},
        }


def side_by_side(
    target: Target | Plan,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    runtimes: Sequence[str | Runtime] = (),
    question: Question | None = None,
    effects: EffectsLike = None,
) -> SideBySide:
    """Return one turn under several runtimes' rules.

    Args:
        target: what holds the turn; see :func:`~eve_replay.recovery.simulation.plan_of`.
        turn: the turn.
        session: id of its session.
        runtimes: whose rules, by name or as objects; without any the journal's own and eve's or Flue's.
        question: what else is assumed.
        effects: what the user knows of their tools.

    Raises:
        NotFound, WrongUse: as ``plan_of``, or a runtime that does not exist.
    """
    plan = target if isinstance(target, Plan) else plan_of(target, turn, session=session, effects=effects)
    known = comparable(plan.framework)
    wanted: Sequence[str | Runtime] = runtimes or [name for name in known if name != "none"]
    base = question_or_default(question)
    rules = [runtime_named(each) if isinstance(each, str) else each for each in wanted]
    # Each where it comes back by itself: rules are compared, not places in which nobody applies them.
    asked = [replace(base, runtime=each, environment=None, note="") for each in rules]
    names = [each.runtime.name for each in asked]
    if len(set(names)) < len(names):
        raise WrongUse(f"A runtime is named twice: {', '.join(names)}.")
    points = []
    for point in crash_points(plan):
        answers = tuple(_answer(_simulate(plan, point, each), each.runtime.name) for each in asked)
        points.append(SidePoint(point=point, answers=answers))
    return SideBySide(
        session_id=plan.session_id,
        turn_id=plan.turn_id,
        framework=plan.framework,
        runtimes=tuple(names),
        points=tuple(points),
    )


def _answer(sim: Simulation, name: str) -> Answer:
    acting = [effect for effect in sim.effects if effect.after.max != 0 or effect.missed.max != 0]
    resumed = [e for e in acting if e.resumed]
    again = [
        e
        for e in acting
        if e not in resumed and e.after.max != 0 and (e.outside.max is None or e.outside.max > 1)
    ]
    sure = [e for e in again if e.outside.min > 1]
    return Answer(
        runtime=name,
        outcome=sim.outcome,
        ends=sim.ends,
        repeats=tuple(_name(e) for e in sure),
        maybe=tuple(_name(e) for e in again if e not in sure),
        loses=tuple(_name(e) for e in acting if e.missed.min > 0),
        unknown=tuple(_name(e) for e in acting if e.missed.min == 0 and e.missed.max != 0 and e not in again),
        resumes=tuple(_name(e) for e in resumed if e.before.max != 0),
        calls_again=sim.model_calls.again,
        simulation=sim,
    )


def _name(effect: EffectVerdict) -> str:
    return effect.tool
