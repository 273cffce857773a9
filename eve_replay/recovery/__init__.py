"""What a crash would do, without running any code: crash points, simulation, matrix, forecast.

Use::

    session = journal.session(id)
    for point in crash_points(session, "turn_0"):
        print(point.label, simulate(session, point, turn="turn_0").outcome)
    table = matrix(session, "turn_0", strategies={"charge_card": "business-id"})
    for each in forecast(journal): print(each.answer.sentence)

Every answer carries its assumptions, the rules it used and where they come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from eve_replay.journal.effects.policy import EffectsPolicy
from eve_replay.journal.model import Session
from eve_replay.recovery.address import place_at, place_of
from eve_replay.recovery.dedup import Dedup, dedup_effects, dedup_events
from eve_replay.recovery.determinism import Determinism, check_determinism
from eve_replay.recovery.engine import Question
from eve_replay.recovery.engine import simulate as _simulate
from eve_replay.recovery.environment import ENVIRONMENTS, Environment
from eve_replay.recovery.forecast import Forecast, forecast
from eve_replay.recovery.matrix import (
    Comparison,
    Matrix,
    Totals,
    compare_batches,
    compare_strategies,
    matrix_of,
)
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import SessionPlans, session_plans
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import CLASSES
from eve_replay.recovery.points import crash_points as _crash_points
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation, StepVerdict
from eve_replay.recovery.runtimes.base import Runtime, runtimes
from eve_replay.recovery.strategies import STRATEGIES, ModelAnswer, Strategy

__all__ = [
    "CLASSES",
    "ENVIRONMENTS",
    "STRATEGIES",
    "Comparison",
    "CrashPoint",
    "Dedup",
    "Determinism",
    "EffectVerdict",
    "Environment",
    "Forecast",
    "Matrix",
    "ModelAnswer",
    "Plan",
    "Question",
    "Runtime",
    "SessionPlans",
    "Simulation",
    "StepVerdict",
    "Strategy",
    "Totals",
    "check_determinism",
    "compare_batches",
    "compare_strategies",
    "crash_points",
    "dedup_effects",
    "dedup_events",
    "forecast",
    "matrix",
    "place_at",
    "place_of",
    "plan_of",
    "runtimes",
    "regroup",
    "session_plans",
    "simulate",
]

Target = Session | SessionPlans | Plan
Effects = EffectsPolicy | Mapping[str, object] | str | None
Crash = CrashPoint | int | str | datetime


def plan_of(target: Target, turn: str | None = None, *, effects: Effects = None) -> Plan:
    """Return the prepared turn that ``target`` and ``turn`` mean.

    Args:
        target: a session, its prepared plans (to ask about many turns), or a plan already.
        turn: ``turn_0`` ...; None for the only turn, or for a plain SDK run as a whole.
        effects: the user's effects policy (for a session; plans have theirs).

    Raises:
        NotFound: no such turn, or several and none named.
    """
    if isinstance(target, Plan):
        return target
    plans = target if isinstance(target, SessionPlans) else session_plans(target, effects)
    return plans.plan(plans.default_turn() if turn is None else turn)


def crash_points(
    target: Target, turn: str | None = None, *, effects: Effects = None, moments: bool = True
) -> tuple[CrashPoint, ...]:
    """Return every crash point of a turn in order: each gap between two durable writes.

    Args:
        target: a session, prepared plans, or a plan; see :func:`plan_of`.
        turn: the turn's id; None for the only turn or a plain run.
        effects: the user's effects policy.
        moments: also gaps the journal implies but does not show (effect done, result not yet written).
    """
    return tuple(_crash_points(plan_of(target, turn, effects=effects), moments=moments))


def simulate(
    target: Target,
    crash: Crash | Sequence[Crash] | None,
    *,
    turn: str | None = None,
    runtime: str | Runtime = "eve",
    environment: str | Environment | None = None,
    model: ModelAnswer = "same",
    effects: Effects = None,
    strategies: Mapping[str, str | Strategy] | None = None,
    lease_seconds: float | None = None,
    max_retries: int | None = None,
    model_calls_per_step: int | None = None,
) -> Simulation:
    """Return what a crash at ``crash`` would do.

    Args:
        target: a session, prepared plans, or a plan; see :func:`plan_of`.
        turn: the turn's id; None for the only turn or a plain run.
        effects: the user's effects policy.
        crash: a crash point, its position, an address such as ``after:evnt_...`` or ``before:chnk_...``, a
            class name, a time; a sequence of these for a schedule (crash again during recovery); None for
            no crash.
        runtime: ``eve``, ``flue``, ``none`` or an object with the same protocol.
        environment: how the process comes back (``ENVIRONMENTS``); None for the runtime's own.
        model: what the model answers when asked again: ``same``, ``new-ids``, ``other``.
        strategies: idempotency strategy per tool, ``*`` for all (``STRATEGIES``).
        lease_seconds: length of the lease, which the journal does not hold.
        max_retries: retries of a step that throws.
        model_calls_per_step: regroup the recorded steps first.

    Raises:
        NotFound, WrongUse: an address or a name that does not exist.
    """
    plan = plan_of(target, turn, effects=effects)
    if model_calls_per_step is not None:
        plan = regroup(plan, model_calls_per_step)
    question = Question(
        runtime=runtime,
        environment=environment,
        model=model,
        strategies=strategies,
        lease_seconds=lease_seconds,
        max_retries=max_retries,
    )
    many = list(crash) if isinstance(crash, (list, tuple)) else [] if crash is None else [crash]
    return _simulate(plan, [_place(plan, each) for each in many], question)  # type: ignore[arg-type]


def _place(plan: Plan, crash: Crash) -> int:
    if isinstance(crash, CrashPoint):
        return crash.position
    if isinstance(crash, int):
        return crash
    if isinstance(crash, datetime):
        return place_at(plan, crash)
    side, colon, rest = crash.partition(":")
    if colon and side in ("after", "before"):
        return place_of(plan, rest, side)
    return place_of(plan, crash, "after")


def matrix(
    target: Target,
    turn: str | None = None,
    *,
    runtime: str | Runtime = "eve",
    environment: str | Environment | None = None,
    model: ModelAnswer = "same",
    effects: Effects = None,
    strategies: Mapping[str, str | Strategy] | None = None,
    model_calls_per_step: int | None = None,
    moments: bool = True,
) -> Matrix:
    """Return the simulation of every crash point of a turn, with totals. Arguments as in :func:`simulate`."""
    plan = plan_of(target, turn, effects=effects)
    if model_calls_per_step is not None:
        plan = regroup(plan, model_calls_per_step)
    question = Question(runtime=runtime, environment=environment, model=model, strategies=strategies)
    return matrix_of(plan, question, moments=moments)
