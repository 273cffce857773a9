"""How far each run gets by itself, and what stops it: wedges, failures, doubled children.

Runs form a tree: a turn waits for the tool runs it dispatched, a tool run for the session of the subagent it
opened. What stops a run stops everything above it that still waits for a word of it, and nothing else: a
child that has given its last word may hang for ever.

Source: docs/evidence/sweep.md, docs/evidence/fates.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.situation import ONCE, Below, RunState, Situation, StepState

__all__ = ["WITHOUT_END", "Flow", "Goes", "Stop", "flow_of"]

WITHOUT_END = Executions(min=1, max=None)
Goes = Literal["yes", "maybe", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One thing that keeps a run from going on.

    Attributes:
        rule: its name in ``words.RULES`` (``F1`` ... ``W2``, ``deaf-hook``, ``child-failed``,
            ``child-stuck``).
        run: index of the run it stops; ``about``, ``evidence``: what it is.
        by_hand: whether a half-written commit of this very run is behind it; ``subject`` its step, wait or
            hook.
    """

    rule: str
    run: int
    about: str
    evidence: tuple[str, ...] = ()
    by_hand: bool = True
    subject: str = ""


@dataclass(slots=True)
class Flow:
    """How far each run gets by itself: what its steps without a body so far can count on."""

    goes: list[Goes] = field(default_factory=list)
    #: Executions of a whole fresh child that recovery adds to what lies there, by run index.
    extra: dict[int, Executions] = field(default_factory=dict)
    hangs: list[Stop] = field(default_factory=list)
    #: What is half written and stops nobody, with the reason.
    harmless: list[Stop] = field(default_factory=list)
    #: Half-committed steps beside the turn: the turn stops after its running step until a message comes.
    side: list[StepState] = field(default_factory=list)
    #: The same, but the turn runs to its end in one go, and the session hears nothing after that.
    deaf: list[StepState] = field(default_factory=list)
    fails: tuple[str, str, tuple[str, ...]] | None = None
    #: The inbox's hook has no record: the turn goes on, every message is refused.
    mute: tuple[str, tuple[str, ...]] | None = None
    #: Subagents that wait for a person: the turn does, too.
    asking: list[Below] = field(default_factory=list)
    #: Flows of the sessions below, in their order.
    below: list[Flow] = field(default_factory=list)

    @property
    def stopped(self) -> frozenset[int]:
        """Indexes of the runs that never go on."""
        return frozenset(stop.run for stop in self.hangs)


def flow_of(situation: Situation) -> Flow:
    """Return how far each run of a situation gets by itself."""
    flow = Flow()
    root = situation.root
    flow.below = [flow_of(each.situation) for each in situation.below]
    _side_steps(situation, flow)
    for run in situation.runs:
        if run.index == 0 or run.awaited:
            _own_stops(run, flow, situation)
    _from_below(situation, flow)
    stopped = set(flow.stopped)
    for run in sorted(situation.runs, key=lambda each: -_depth(each, situation)):
        if run.index and run.index in stopped and run.awaited and not run.told:
            stopped.add(run.parent or 0)
    flow.goes = ["no" if run.index in stopped or run.over else "yes" for run in situation.runs]
    if root.code == "R1" and not situation.plain:
        flow.fails = ("R1", root.run_id, root.evidence)
    for hook in root.hooks:
        if hook.fatal:
            flow.fails = ("H1", hook.hook_id, hook.evidence)
        elif hook.mute and not root.over:
            flow.mute = (hook.hook_id, hook.evidence)
    if 0 in stopped or flow.fails or root.code == "unborn":
        flow.goes[0] = "no"
    elif not root.over and (
        flow.side
        or (flow.asking and not situation.complete)
        or (not situation.complete and (situation.message_lost or not situation.open_turn))
    ):
        # A lost message is taken to be sent again where the recording shows what it led to.
        flow.goes[0] = "maybe"
    for each in flow.asking:
        if flow.goes[each.under] == "yes" and not situation.complete:
            flow.goes[each.under] = "maybe"
    # A child that is not there yet goes as far as its dispatch does, and one that is lives on by itself.
    for run in situation.runs[1:]:
        if run.code == "unborn" and flow.goes[run.index] == "yes":
            flow.goes[run.index] = flow.goes[run.parent or 0]
    for step in situation.steps:
        if step.role == "dispatch":
            _dispatch(step, situation, flow)
    return flow


def _depth(run: RunState, situation: Situation) -> int:
    depth, seen = 0, {run.index}
    while run.index and run.parent is not None and run.parent not in seen:
        depth += 1
        seen.add(run.parent)
        run = situation.runs[run.parent]
    return depth


def _side_steps(situation: Situation, flow: Flow) -> None:
    """What a half-committed step beside the turn does to it.

    The session waits for this step at the end of its turn: with it never committing, no later message is
    processed and a subagent never tells its caller. Whether the turn itself gets to its end depends on its
    own step. Not begun (or not even created), it runs at once and the turn goes on to its end in one go.
    Begun (its record saying ``running`` is enough: tests/corpus/workshop-kills.json, 049-two), it is taken
    over through the queue when its lease is out, and the run stops behind it until
    something wakes it, which matters only where the turn needs another step.
    """
    root = situation.root
    if root.code in ("done", "ending", "unborn"):
        return
    begun = any(s.open and s.role != "side" and s.code not in ("B", "unborn") for s in root.steps)
    for step in root.steps:
        if step.role != "side" or not step.wedged:
            continue
        wakes = (step.code == "F1" or (step.code == "F2" and begun)) and situation.more is not False
        (flow.side if wakes else flow.deaf).append(step)


def _own_stops(run: RunState, flow: Flow, situation: Situation) -> None:
    """Note what is half written in a run and stops it for good."""
    if run.code in ("done", "ending", "unborn"):
        if run.index and run.awaited and not run.told and run.ended in ("failed", "cancelled"):
            # It gave no last word and never will: whoever waits for it waits for ever.
            parent = situation.runs[run.parent or 0]
            if not parent.over and situation.open_turn:
                flow.hangs.append(
                    Stop(
                        rule="child-failed",
                        run=parent.index,
                        about=run.workflow or run.run_id,
                        evidence=run.evidence,
                        by_hand=False,
                    )
                )
        return
    for step in run.steps:
        if not step.wedged or (step.role == "side" and not (run.index and run.role == "session")):
            continue
        # The step beside a subagent's turn keeps it from telling its caller: nobody can wake it up.
        stop = Stop(
            rule=step.code,
            run=run.index,
            about=step.function,
            evidence=step.evidence,
            subject=step.step_id or "",
        )
        if run.index and run.told and step.code in ("F1", "F2"):
            # The parent has its last word already: the child stays running for ever, the turn goes on.
            flow.harmless.append(stop)
            continue
        flow.hangs.append(stop)
    for wait in run.waits:
        if wait.code in ("W1", "W2"):
            flow.hangs.append(
                Stop(
                    rule=wait.code,
                    run=run.index,
                    about=wait.wait_id,
                    evidence=wait.evidence,
                    subject=wait.wait_id,
                )
            )
    if run.index and not run.told:
        for hook in run.hooks:
            if hook.deaf:
                flow.hangs.append(
                    Stop(
                        rule="deaf-hook",
                        run=run.index,
                        about=hook.hook_id,
                        evidence=hook.evidence,
                        subject=hook.hook_id,
                    )
                )


def _from_below(situation: Situation, flow: Flow) -> None:
    """What the sessions of subagents do to the runs that wait for them."""
    for each, inner in zip(situation.below, flow.below, strict=True):
        run = situation.runs[each.under]
        if each.told or run.told or run.over or not (run.awaited or run.index == 0):
            continue
        below = each.situation
        # Nobody can send a subagent a message: what would wake a session up does not come here.
        stuck = inner.stopped & {0} or inner.fails or inner.side or inner.deaf
        failed = below.root.over and below.root.ended in ("failed", "cancelled")
        if stuck or failed:
            why = inner.hangs[0] if inner.hangs else None
            flow.hangs.append(
                Stop(
                    rule="child-failed" if failed and not stuck else "child-stuck",
                    run=each.under,
                    about=below.title or below.session_id,
                    evidence=why.evidence if why else below.root.evidence,
                    by_hand=False,
                )
            )
        elif (below.asks or inner.asking) and not each.heard:
            flow.asking.append(each)


def _dispatch(step: StepState, situation: Situation, flow: Flow) -> None:
    """How many more children an interrupted dispatch starts (docs/evidence/sweep.md#dispatch)."""
    if situation.runs[step.run].over:
        return
    children = [i for i in step.plans if i < len(situation.runs)]
    there = [i for i in children if situation.runs[i].code != "unborn"]
    if step.code in ("D", "R"):
        for index in there:
            flow.extra[index] = ONCE
    elif step.code == "F1":
        for index in children:
            flow.extra[index] = WITHOUT_END
