"""A recorded turn (or plain run) prepared for crashing: every part with the places of its writes.

Built once; :meth:`Plan.situation` then gives what lies there at any place, by comparing numbers only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from eve_replay.recovery.plan.parts import (
    FAR,
    PlanCall,
    PlanEffect,
    PlanHook,
    PlanPark,
    PlanPart,
    PlanRun,
    PlanStart,
    PlanStep,
    PlanWait,
)
from eve_replay.recovery.plan.states import effect_state, run_state, step_state
from eve_replay.recovery.situation import ParkState, RunState, Situation, StepState
from eve_replay.recovery.writes.order import Write, Writes

__all__ = [
    "FAR",
    "Plan",
    "PlanCall",
    "PlanEffect",
    "PlanHook",
    "PlanPark",
    "PlanPart",
    "PlanRun",
    "PlanStart",
    "PlanStep",
    "PlanWait",
]

#: Milliseconds within which concurrent writes may have been the other way round
#: (docs/evidence/observed.md#order).
CONCURRENT = 80.0


@dataclass(slots=True)
class Plan:
    """One turn or plain run, ready to be crashed anywhere.

    Attributes:
        first, last: places between which the turn is written: a crash at ``first`` has nothing of it.
        opened: place from which the turn is open (its message is durable); ``closed`` where it is over.
    """

    session_id: str
    turn_id: str | None
    writes: Writes
    runs: list[PlanRun]
    effects: list[PlanEffect]
    first: int
    last: int
    opened: int
    closed: int
    parks: list[PlanPark] = field(default_factory=list)
    plain: bool = False
    framework: str = "eve"
    eve_version: str | None = None
    ends: str = "completed"
    title: str = ""
    fine: bool = True
    #: False when the recorded turn is itself not finished: what comes after its last write is not known.
    complete: bool = True
    #: ``modelCallsPerStep`` of a what-if, None for the turn as recorded.
    batch: int | None = None
    #: Says where a place is, for frameworks whose points are not those of a step's commit.
    teller: Callable[[Plan, int, Situation], tuple[str, str, StepState | None, RunState | None]] | None = None
    #: Step states by step and cut: shared by the situations of all places.
    _shared: dict[tuple[int, int], StepState] = field(default_factory=dict, repr=False)
    #: What simulations of this plan have worked out, by question (see ``engine``).
    memo: dict[object, dict[object, object]] = field(default_factory=dict, repr=False)

    @property
    def batches_calls(self) -> bool:
        """Whether several model calls can share a step of it: eve's ``modelCallsPerStep``."""
        return self.framework == "eve" and not self.plain

    def situation(self, place: int, *, fresh: bool = False) -> Situation:
        """Return what lies there when exactly the first ``place`` entries of ``writes`` have happened.

        Args:
            place: how many entries have happened.
            fresh: whether the caller is going to change the parts; otherwise parts that did not change since
                another place are shared with that one's situation.
        """
        shared = None if fresh else self._shared
        states: dict[int, StepState] = {}
        runs = [run_state(plan, place, states, shared) for plan in self.runs]
        # A child's word that is half delivered is delivered again by its own step, which runs again.
        telling = any(s.role == "handover" and s.open for run in runs[1:] for s in run.steps)
        items = self.writes.items
        situation = Situation(
            session_id=self.session_id,
            turn_id=self.turn_id,
            runs=runs,
            effects=[effect_state(e, place, states, runs, shared) for e in self.effects],
            open_turn=self.opened <= place < self.closed,
            message_lost=runs[0].lost > 0 and not telling,
            at=items[min(place, len(items)) - 1].at if place > 0 and items else None,
            plain=self.plain,
            framework=self.framework,
            eve_version=self.eve_version,
            complete=self.complete,
            ends=self.ends,
            title=self.title,
        )
        self._near(place, states, situation)
        if self.parks:
            self._parked(place, situation)
        return situation

    def _parked(self, place: int, situation: Situation) -> None:
        for park in self.parks:
            waiting = ParkState(
                kind=park.park.kind,
                of_whom=park.park.of_whom,
                due=park.park.due,
                asked=park.park.asked,
                tool=park.park.tool,
            )
            if park.since < place <= park.until:
                situation.parked.append(waiting)
            if park.until >= place:
                situation.future_parks.append(waiting)
        people = sum(p.kind in ("approval", "question", "sign-in") for p in situation.parked)
        if people and not any(s.open and s.role != "side" for s in situation.steps):
            # Every step written so far is committed: the session only waits.
            situation.open_turn, situation.asks = False, people

    def _near(self, place: int, states: dict[int, StepState], situation: Situation) -> None:
        """Note steps whose writes are concurrent with the newest one, a moment before and after."""
        items = self.writes.items
        if not 0 < place <= len(items):
            return
        anchor = items[place - 1]
        times = self.writes.times
        low = bisect_left(times, anchor.time - CONCURRENT)
        high = bisect_right(times, anchor.time + CONCURRENT)
        for run in self.runs:
            if anchor.kind == "chunk" and run.run_id == anchor.run:
                continue
            for step in run.steps:
                if step.step_id == anchor.subject or step.lock >= high or step.end < low:
                    continue
                if not self._concurrent(step, run, anchor):
                    continue
                state = states[id(step)]
                near = tuple(
                    other
                    for other in (step_state(step, low, self._shared), step_state(step, high, self._shared))
                    if other is not state
                )
                if near:
                    situation.near[id(state)] = near

    @staticmethod
    def _concurrent(step: PlanStep, run: PlanRun, anchor: Write) -> bool:
        """Whether the anchor's write and the step's are made by different tasks."""
        if run.run_id != anchor.run:
            return True
        return step.role == "side" or anchor.kind in ("token", "index", "record", "lock", "event")

    def step_of(self, step_id: str) -> PlanStep | None:
        """Return a step of the plan by id."""
        return next((s for run in self.runs for s in run.steps if s.step_id == step_id), None)
