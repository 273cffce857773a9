"""How far each run gets by itself, and what stops it: wedges, failures, doubled children.

Source: docs/evidence/sweep.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.situation import ONCE, RunState, Situation, StepState

__all__ = ["WITHOUT_END", "Flow", "Goes", "flow_of"]

WITHOUT_END = Executions(min=1, max=None)
Goes = Literal["yes", "maybe", "no"]


@dataclass(slots=True)
class Flow:
    """How far each run gets by itself: what its steps without a body so far can count on."""

    goes: list[Goes] = field(default_factory=list)
    #: Executions of a whole fresh child that recovery adds to what lies there, by run index.
    extra: dict[int, Executions] = field(default_factory=dict)
    hangs: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    #: Half-committed steps beside the turn: the turn stops after its running step until a message comes.
    side: list[StepState] = field(default_factory=list)
    #: The same, but the turn runs to its end in one go, and the session hears nothing after that.
    deaf: list[StepState] = field(default_factory=list)
    fails: tuple[str, str, tuple[str, ...]] | None = None


def flow_of(situation: Situation) -> Flow:
    """Return how far each run of a situation gets by itself."""
    flow = Flow()
    root = situation.root
    blocked = _blocks(root, flow, situation)
    _side_steps(root, flow)
    flow.goes = ["yes" for _ in situation.runs]
    for run in situation.runs[1:]:
        if not run.awaited:
            continue
        stops = _blocks(run, flow, situation)
        if stops:
            flow.goes[run.index] = "no"
            blocked = True
    if root.code == "R1" and not situation.plain:
        flow.fails = ("R1", root.run_id, root.evidence)
    for run in situation.runs:
        for hook in run.hooks:
            if hook.fatal and run.index == 0:
                flow.fails = ("H1", hook.hook_id, hook.evidence)
    if blocked or flow.fails or root.code == "unborn":
        flow.goes[0] = "no"
    elif flow.side or (not situation.complete and (situation.message_lost or not situation.open_turn)):
        # A lost message is taken to be sent again where the recording shows what it led to.
        flow.goes[0] = "maybe"
    # A child that is not there yet goes as far as its dispatch does, and one that is lives on by itself.
    for run in situation.runs[1:]:
        if run.code == "unborn" and flow.goes[run.index] == "yes":
            flow.goes[run.index] = flow.goes[run.parent or 0]
    for step in situation.steps:
        if step.role == "dispatch":
            _dispatch(step, situation, flow)
    return flow


def _side_steps(root: RunState, flow: Flow) -> None:
    """What a half-committed step beside the turn does to it.

    The turn's own step decides. Begun, it is taken over through the queue when its lease is out, and the run
    stops behind it. Not begun (or not even created), it runs at once and the turn goes on to its end in one
    go; F1 throws again meanwhile and stops it all the same. After that the session takes messages into its
    log and processes none, as behind every half-committed step.
    """
    if root.code in ("done", "ending", "unborn"):
        return
    begun = any(s.open and s.role != "side" and s.code not in ("B", "C3", "unborn") for s in root.steps)
    for step in root.steps:
        if step.role != "side" or not step.wedged:
            continue
        wakes = step.code == "F1" or (step.code == "F2" and begun)
        (flow.side if wakes else flow.deaf).append(step)


def _blocks(run: RunState, flow: Flow, situation: Situation) -> bool:
    """Whether something half written stops the run for good, and note what."""
    if run.code in ("done", "ending", "unborn"):
        return False
    stopped = False
    for step in run.steps:
        if not step.wedged:
            continue
        if step.role == "side":
            continue
        if step.role == "handover" and step.code in ("F1", "F2"):
            # The parent has its word already: the child stays running for ever, the turn goes on.
            continue
        flow.hangs.append((step.code, step.function, step.evidence))
        stopped = True
    for wait in run.waits:
        if wait.code in ("W1", "W2"):
            flow.hangs.append((wait.code, wait.wait_id, wait.evidence))
            stopped = True
    del situation
    return stopped


def _dispatch(step: StepState, situation: Situation, flow: Flow) -> None:
    """How many more children an interrupted dispatch starts (docs/evidence/sweep.md#dispatch)."""
    children = [i for i in step.plans if i < len(situation.runs)]
    there = [i for i in children if situation.runs[i].code != "unborn"]
    if step.code in ("D", "R"):
        for index in there:
            flow.extra[index] = ONCE
    elif step.code == "F1":
        for index in children:
            flow.extra[index] = WITHOUT_END
