"""What if ``modelCallsPerStep`` were larger: recorded steps regrouped into one workflow step.

With a batch one workflow step holds several model steps; a crash in the third repeats the first two as well
(seen in batch-crash: cycles 1 and 2 twice). Nothing between the grouped steps is written any more.
"""

from __future__ import annotations

from dataclasses import replace

from eve_replay.errors import WrongUse
from eve_replay.recovery.plan.model import FAR, Plan, PlanEffect, PlanPart, PlanRun, PlanStart, PlanStep

__all__ = ["regroup"]


def regroup(plan: Plan, size: int) -> Plan:
    """Return the plan as it would be with ``size`` model calls per workflow step.

    Only committed turn steps that follow each other directly are grouped: a park (an approval, a dispatch)
    ends a step whatever the batch size. Steps that already hold several model calls count as that many.

    Raises:
        WrongUse: a size below one.
    """
    if size < 1:
        raise WrongUse(f"A batch of {size} model calls makes no sense.", hint="Give one or more.")
    merged: dict[str, PlanStep] = {}
    runs = [_regroup_run(run, size, merged) for run in plan.runs]
    if not merged:
        return replace(plan, batch=size, memo={})
    effects = [_moved(effect, merged) for effect in plan.effects]
    return replace(plan, runs=runs, effects=effects, batch=size, _shared={}, memo={})


def _regroup_run(run: PlanRun, size: int, merged: dict[str, PlanStep]) -> PlanRun:
    steps: list[PlanStep] = []
    group: list[PlanStep] = []
    for step in run.steps:
        if step.role == "side":
            steps.append(step)
            continue
        if step.role == "turn" and group and _joins(group, step, size):
            group.append(step)
            continue
        steps += _closed(group, merged)
        group = [step]
    steps += _closed(group, merged)
    return replace(run, steps=sorted(steps, key=lambda s: s.lock))


def _joins(group: list[PlanStep], step: PlanStep, size: int) -> bool:
    last = group[-1]
    if last.role != "turn" or last.end >= FAR or last.turn_id != step.turn_id:
        return False
    if len(last.starts) != 1 or len(step.starts) != 1:
        return False
    calls = sum(max(1, len(s.starts[0].calls)) for s in group) + max(1, len(step.starts[0].calls))
    # Nothing but this pair's own writes may lie between them: a park or a dispatch ends the step.
    return calls <= size and step.lock - last.end <= 2


def _closed(group: list[PlanStep], merged: dict[str, PlanStep]) -> list[PlanStep]:
    if len(group) < 2:
        return group
    first, last = group[0], group[-1]
    start = first.starts[0]
    whole = PlanStart(
        running=start.running,
        started=start.started,
        at=start.at,
        inline=start.inline,
        chunks=tuple(chunk for step in group for chunk in step.starts[0].chunks),
        calls=tuple(call for step in group for call in step.starts[0].calls),
        evidence=start.evidence,
    )
    step = replace(
        first,
        starts=(whole,),
        terminal=last.terminal,
        ended=last.ended,
        end=last.end,
        plans=tuple(p for s in group for p in s.plans),
        end_evidence=last.end_evidence,
        _cuts=None,
    )
    for each in group:
        merged[each.step_id] = step
    return [step]


def _moved(effect: PlanEffect, merged: dict[str, PlanStep]) -> PlanEffect:
    if effect.home is None or effect.home.step_id not in merged:
        return effect
    home = merged[effect.home.step_id]
    parts = []
    for part in effect.parts:
        step = merged.get(part.step.step_id)
        if step is None:
            parts.append(part)
            continue
        begin = max(part.begin, part.step.lock)
        parts.append(
            PlanPart(
                start=step.starts[0].started,
                begin=begin,
                proof=part.proof,
                close=step.terminal,
                final=part.final,
                step=step,
            )
        )
    asked = [(place, merged.get(step.step_id, step)) for place, step in effect.asked]
    return replace(effect, home=home, parts=parts, asked=asked, states={}, _cuts=None)
