"""What to do now: one ordered plan per session, without contradictions, made of everything that is known."""

from __future__ import annotations

from eve_replay.guidance.plan.build import agreed, plan_of
from eve_replay.guidance.plan.model import NO_PLAN, About, Next, Place, Plan, PlanStep, Soon
from eve_replay.guidance.plan.place import place_of

__all__ = ["NO_PLAN", "About", "Next", "Place", "Plan", "PlanStep", "Soon", "agreed", "place_of", "plan_of"]
