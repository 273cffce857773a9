"""Effects as they stand in a journal: what they did so far, and which step will execute them next."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.messages import recorded_answer
from eve_replay.journal.model import Session, Step
from eve_replay.recovery.situation import EffectState, Situation, StepState

__all__ = ["EffectReader"]


class EffectReader:
    """Reads the state of effects.

    Args:
        session: the joined session.
        index: place of each run in the situation.
        states: step states by step id.
        steps: the session's steps by id.
        answered: whether the log holds a delivery after the last committed step.
    """

    def __init__(
        self,
        session: Session,
        index: Mapping[str, int],
        states: Mapping[str, StepState],
        steps: Mapping[str, Step],
        *,
        answered: bool,
    ) -> None:
        self.session = session
        self.index = index
        self.states = states
        self.steps = steps
        self._was_answered = answered

    def read(self, effect: Effect, situation: Situation) -> EffectState:
        """Return one effect's state; a step that is still to come is added to the situation."""
        home = self.states.get(effect.step_id)
        child = self.index.get(effect.run_id, 0) or None
        state = EffectState(
            tool=effect.tool,
            kind=effect.kind,
            call_id=effect.call_id if effect.kind != "step" else effect.step_id,
            call_ids=effect.call_ids,
            coordinate=(
                (effect.coordinate.turn_id, effect.coordinate.step_index) if effect.coordinate else None
            ),
            position=effect.position,
            before=effect.executions,
            step=home,
            child=child,
            protection=effect.protection,
            evidence=tuple(item.id for item in effect.evidence[:4]),
            certainty=effect.certainty,
        )
        if effect.kind == "workflow-tool":
            state.child = None
            starter = next((s for s in self.states.values() if set(s.plans) & self._children(effect)), None)
            state.step = starter or home
            return state
        self._gate(effect, state, situation)
        return state

    def _children(self, effect: Effect) -> set[int]:
        return {self.index[p.run_id] for p in effect.by_attempt if p.run_id in self.index}

    def _gate(self, effect: Effect, state: EffectState, situation: Situation) -> None:
        """Find the step that will execute a call that waits: for a person, or for its dispatch."""
        asked = [p for p in self.session.parks if p.kind == "approval" and p.call_id in effect.call_ids]
        home = state.step
        if asked and effect.executions.max == 0:
            newest = asked[-1]
            asking = self.states.get(newest.step_id or "")
            committed = asking is None or asking.code == "done"
            if not newest.open and newest.released_by and not newest.released_by.startswith("approve"):
                state.step = None
                return
            if committed and home is not None and home.code == "done":
                state.step = _unborn(situation, "turnStep")
            if not committed:
                state.gate = "lost"
            elif newest.open and not self._was_answered:
                state.gate = "approval"
            elif newest.open:
                # The answer is in the log and not yet taken: what it says is not on the stream.
                state.gate = None if self._approves(newest.request_id) else "approval"
            return
        if home is not None and home.code == "done" and effect.executions.max == 0:
            deferred = any(
                c.call_id in effect.call_ids and c.deferred
                for s in (self.steps.get(effect.step_id),)
                if s is not None
                for c in s.tool_calls
            )
            state.step = _dispatcher(situation) if deferred else None

    def _approves(self, request_id: str | None) -> bool:
        """Whether the log's newest answer to the request says yes."""
        return (recorded_answer(self.session.messages, request_id) or "").startswith("approve")


def _unborn(situation: Situation, function: str) -> StepState:
    state = StepState(step_id=None, run=0, function=function, role="turn", code="unborn")
    known = next((s for s in situation.root.steps if s.step_id is None and s.role == "turn"), None)
    if known is not None:
        return known
    following = next((s for s in situation.root.steps if s.role == "turn" and s.open), None)
    if following is not None:
        return following
    situation.root.steps.append(state)
    return state


def _dispatcher(situation: Situation) -> StepState:
    known = next((s for s in reversed(situation.root.steps) if s.role == "dispatch"), None)
    if known is not None:
        return known
    state = StepState(
        step_id=None, run=0, function="dispatchCoordinationStep", role="dispatch", code="unborn"
    )
    situation.root.steps.append(state)
    return state
