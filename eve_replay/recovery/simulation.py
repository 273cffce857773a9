"""Asking about one turn: its crash points, what a crash at one does, and what a crash at any does.

All take what a person has in hand as ``target`` and one frozen ``Question`` for what is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.model import Session, Turn
from eve_replay.journal.targets import Target, locate, turn_of
from eve_replay.recovery.address import place_at, place_of
from eve_replay.recovery.engine import simulate as _simulate
from eve_replay.recovery.frameworks.base import Plans
from eve_replay.recovery.matrix import Matrix, matrix_of
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import session_plans
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import crash_points as _crash_points
from eve_replay.recovery.question import Question, question_or_default
from eve_replay.recovery.result import CrashPoint, Simulation

__all__ = ["Crash", "crash_points", "matrix", "plan_of", "simulate"]

#: Where the process dies: a point, its position, an address or class name, or a time.
Crash: TypeAlias = CrashPoint | int | str | datetime


def plan_of(
    target: Target | Plans | Plan,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    effects: EffectsLike = None,
) -> Plan:
    """Return the prepared turn that is meant. Give it as ``target`` to ask about one turn many times.

    Args:
        target: a source, journal, session, turn, step, attempt or call; or prepared plans, or a plan already.
        turn: ``"turn_0"``, ``0`` or a Turn; None for the target's own, the only one, or a whole plain run.
        session: id of the session, where the target holds several.
        effects: what the user knows of their tools (plans have theirs).

    Raises:
        NotFound: no such session or turn, or several turns and none named.
        WrongUse: an argument of another kind; the message says what is possible.
    """
    if isinstance(target, Plan):
        return target
    if isinstance(target, Plans):
        plans, found = target, None if turn is None else turn.id if isinstance(turn, Turn) else str(turn)
    else:
        located = locate(target, session=session)
        plans, one = session_plans(located.session, effects), turn_of(located, turn)
        found = one.id if one is not None else None
    return plans.plan(plans.default_turn() if found is None else found)


def crash_points(
    target: Target | Plans | Plan,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    effects: EffectsLike = None,
    moments: bool = True,
) -> tuple[CrashPoint, ...]:
    """Return every crash point of a turn in order: each gap between two durable writes.

    Args:
        target: what holds the turn; see :func:`plan_of`.
        turn: the turn.
        session: id of its session.
        effects: what the user knows of their tools.
        moments: also gaps the journal implies but does not show (effect done, result not yet written).

    Raises:
        NotFound, WrongUse: as :func:`plan_of`.
    """
    return tuple(_crash_points(plan_of(target, turn, session=session, effects=effects), moments=moments))


def simulate(
    target: Target | Plans | Plan,
    crash: Crash | Sequence[Crash] | None,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
) -> Simulation:
    """Return what a crash at ``crash`` would do.

    Args:
        target: what holds the turn; see :func:`plan_of`.
        crash: a crash point, its position, an address such as ``after:evnt_...`` or ``before:chnk_...``, a
            class name, a time; a list of these for a schedule (crash again during recovery); None for
            no crash.
        turn: the turn.
        session: id of its session.
        question: what is assumed; eve's rules under ``eve start`` without one.
        effects: what the user knows of their tools.

    Raises:
        NotFound, WrongUse: an address or a name that does not exist, or an argument of another kind.

    Example::

        simulate(session, "in-tool:charge_card", question=Question(model="new-ids")).outcome
    """
    plan = plan_of(target, turn, session=session, effects=effects)
    asked = question_or_default(question).fitted(plan.framework)
    plan = _asked_plan(plan, asked)
    many = crash if isinstance(crash, list | tuple) else [] if crash is None else [crash]
    return _simulate(plan, [_place(plan, each) for each in many], asked)


def matrix(
    target: Target | Plans | Plan,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
    moments: bool = True,
) -> Matrix:
    """Return the simulation of every crash point of a turn, with totals.

    Args:
        target: what holds the turn; see :func:`plan_of`.
        turn: the turn.
        session: id of its session.
        question: what is assumed; see :func:`simulate`.
        effects: what the user knows of their tools.
        moments: also the points the journal implies but does not show.

    Raises:
        NotFound, WrongUse: as :func:`simulate`.
    """
    plan = plan_of(target, turn, session=session, effects=effects)
    asked = question_or_default(question).fitted(plan.framework)
    plan = _asked_plan(plan, asked)
    return matrix_of(plan, asked, moments=moments)


def _asked_plan(plan: Plan, question: Question) -> Plan:
    size = question.model_calls_per_step
    return plan if size is None else regroup(plan, size)


def _place(plan: Plan, crash: object) -> int:
    if isinstance(crash, CrashPoint):
        return crash.position
    if isinstance(crash, int) and not isinstance(crash, bool):
        return crash
    if isinstance(crash, datetime):
        if crash.tzinfo is None:
            raise WrongUse(f"{crash} has no time zone.", hint="Write datetime(..., tzinfo=UTC).")
        return place_at(plan, crash)
    if isinstance(crash, str):
        side, colon, rest = crash.partition(":")
        if colon and side in ("after", "before"):
            return place_of(plan, rest, side)
        return place_of(plan, crash, "after")
    raise WrongUse(
        f"A crash cannot be at {crash!r}.",
        hint="Give a CrashPoint, its position, an address (after:evnt_...), a class name (in-tool), "
        "a datetime, a list of these, or None for no crash.",
    )
