"""What a crash would do, without running any code: crash points, simulation, matrix, forecast.

Use::

    turn = journal.session(id).turns[0]
    for point in crash_points(turn):
        print(point.label, simulate(turn, point).outcome)
    table = matrix(turn, question=Question(strategies={"charge_card": "business-id"}))
    for each in forecast(journal): print(each.answer.sentence)

Every answer carries its assumptions, the rules it used and where they come from.
"""

from __future__ import annotations

from eve_replay.recovery.address import place_at, place_of
from eve_replay.recovery.dedup import Dedup, dedup_effects, dedup_events
from eve_replay.recovery.determinism import Determinism, check_determinism
from eve_replay.recovery.environment import ENVIRONMENTS, Environment
from eve_replay.recovery.forecast import Forecast, forecast
from eve_replay.recovery.matrix import (
    Comparison,
    Matrix,
    Totals,
    compare_batches,
    compare_strategies,
)
from eve_replay.recovery.plan.batching import regroup
from eve_replay.recovery.plan.build import SessionPlans, session_plans
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import CLASSES
from eve_replay.recovery.question import Question
from eve_replay.recovery.result import CrashPoint, EffectVerdict, Simulation, StepVerdict
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures, Runtime
from eve_replay.recovery.runtimes.contract import RuntimeContract, check_runtime
from eve_replay.recovery.runtimes.registry import runtimes
from eve_replay.recovery.simulation import Crash, crash_points, matrix, plan_of, simulate
from eve_replay.recovery.situation import EffectState, RunState, Situation, StepState
from eve_replay.recovery.strategies import STRATEGIES, ModelAnswer, Strategy

__all__ = [
    "CLASSES",
    "ENVIRONMENTS",
    "STRATEGIES",
    "Comparison",
    "check_runtime",
    "StepState",
    "Situation",
    "RuntimeContract",
    "RunState",
    "Futures",
    "Future",
    "Fate",
    "EffectState",
    "Course",
    "Crash",
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
