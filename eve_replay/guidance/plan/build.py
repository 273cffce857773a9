"""From everything that is known to one plan: ordered, without contradictions, nothing said twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import Voice
from eve_replay.guidance.frameworks.registry import telling_of
from eve_replay.guidance.keys import key_advice
from eve_replay.guidance.plan.coming import ahead_of, coming_steps, soon_of
from eve_replay.guidance.plan.done import done_steps
from eve_replay.guidance.plan.model import NO_PLAN, Place, Plan, PlanStep, Soon
from eve_replay.guidance.plan.waiting import open_steps, park_steps, state_steps, wedge_steps
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.journal.effects.policy import EffectsPolicy
from eve_replay.journal.model import Session
from eve_replay.recovery.observe import observe

if TYPE_CHECKING:
    from eve_replay.guidance.why import Report

__all__ = ["agreed", "environment_of", "plan_of"]

#: A generation of ``eve dev``: a time in base 36 and a UUID.
_GENERATION = re.compile(r"[0-9a-z]{7,10}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
#: Verdicts of a session that is over or at rest: nothing of it is open, so nothing is simulated.
_AT_REST = frozenset({"idle", "completed", "cancelled-run", "failed-run", "purged", "no-log", "retired"})
#: Verdicts whose advice may be to start something, or to wait while something starts.
_STARTING = frozenset(
    {
        "overdue",
        "dormant",
        "leased",
        "running",
        "interrupted",
        "between-steps",
        "repeats-without-end",
        "wedged",
    }
)


def environment_of(session: Session) -> str:
    """Return how a session's process comes back, as far as the session alone tells."""
    record = session.runs[0].record if session.runs else None
    deployment = record.text("deploymentId") if record is not None else None
    if session.kind == "workflow":
        return "python-sdk" if deployment == "" else "sdk-started"
    return "eve-dev" if deployment and _GENERATION.match(deployment) else "eve-start"


def plan_of(
    session: Session,
    report: Report,
    *,
    voice: Voice,
    place: Place | None = None,
    effects: EffectsPolicy | None = None,
) -> Plan:
    """Return what to do now about a session.

    Args:
        session: the session.
        report: its post-mortem.
        voice: now, zone, assumed lease.
        place: where it lies and how it is reached; without one commands name the default address.
        effects: the user's effects policy.
    """
    place = place if place is not None else Place()
    telling = telling_of(session.framework)
    if telling is not None:
        return telling.plan(session, report, voice, place)
    if any(run.log_missing and run.ended_at is None for run in session.runs):
        return Plan(steps=tuple(state_steps(session, report.verdicts, report.effects, place)))
    rest = all(
        v.code in _AT_REST or (v.severity == "info" and v.code not in _STARTING) for v in report.verdicts
    )
    ahead = None
    soon: tuple[tuple[Soon, Effect | None], ...] = ()
    if not (rest and any(v.code in _AT_REST for v in report.verdicts)):
        ahead = ahead_of(
            session, observe(session, effects), place.environment or environment_of(session), voice
        )
        soon = soon_of(session, ahead, report.effects, voice, place)
    bare = any(each.unprotected for each, _ in soon)
    steps: list[PlanStep] = list(wedge_steps(session, report.wedges, report.effects, place))
    held: frozenset[int] = frozenset()
    if ahead is not None:
        steps += coming_steps(session, ahead, soon, voice, place)
        held = frozenset(id(effect) for each, effect in soon if effect is not None and each.unprotected)
    counted = list(zip(report.effects, report.counts, strict=True))
    steps += done_steps(session, counted, held, voice, ahead.start if ahead is not None else "")
    steps += state_steps(session, report.verdicts, report.effects, place)
    steps += park_steps(session, voice, place, ahead)
    if ahead is not None and place.alive is not True:
        steps += open_steps(session, ahead, bare, report.effects, voice)
    if not steps and not soon:
        return NO_PLAN
    return Plan(
        steps=_settled(steps),
        soon=tuple(each for each, _ in soon),
        advice=_advice(report),
        as_of=voice.now,
        zone=voice.zone,
    )


def _settled(steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Put the steps in order and take out what another step rules out.

    A server that is to be stopped or kept down is not to be started without a condition, and somebody who
    has to decide about that is not told to wait. What needs a server up comes after what needs it down.
    """
    stops = any(step.does == "stop-server" for step in steps)
    keeps = any(step.does == "keep-down" for step in steps)
    kept: list[PlanStep] = []
    seen: set[tuple[str, str]] = set()
    for step in sorted(steps, key=lambda each: each.group):
        if (step.kind, step.text) in seen:
            continue
        seen.add((step.kind, step.text))
        if step.does == "start-server" and not step.only_if and (stops or keeps):
            continue
        if step.does == "start-server" and stops:
            continue
        starts = any(each.does == "start-server" and each.kind == "act-now" for each in kept)
        if step.does == "start-server" and step.kind == "safe-to-start" and not step.only_if and starts:
            continue  # what is to be started has been said already, and how
        if step.does == "wait" and any(each.does == "reset" and each.kind == "act-now" for each in kept):
            continue  # nothing comes of waiting for a session that nothing wakes
        if step.does == "wait" and (stops or keeps) and step.deadline is None:
            continue
        if step.does in ("answer", "send", "reset") and (stops or keeps) and not step.only_if:
            first = "After the repair" if stops else "Only when the above is decided"
            step = replace(step, only_if=f"{first}:", sentence=step.sentence)
        kept.append(step)
    return tuple(kept)


def _advice(report: Report) -> tuple[str, ...]:
    """Return what to change for the next time, per tool that repeated unprotected; checked on the data."""
    tools = dict.fromkeys(
        e.tool for e in report.effects if e.kind != "workflow-tool" and judge_effect(e).harmful
    )
    return tuple(text for tool in tools if (text := key_advice(report.effects, tool)))


def agreed(verdicts: Sequence[Verdict], plan: Plan) -> tuple[Verdict, ...]:
    """Return the verdicts with advice that does not contradict the plan: where both speak, the plan does."""
    if not plan.holds:
        return tuple(verdicts)
    return tuple(
        replace(verdict, next="Not before what stands under Do now: a start runs effects again.")
        if verdict.code in _STARTING
        and verdict.next
        and verdict.code not in ("repeats-without-end", "wedged")
        else verdict
        for verdict in verdicts
    )
