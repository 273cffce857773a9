"""Effects as they stand in a journal: what they did so far, and which step will execute them next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.frameworks.workflow.messages import recorded_answer
from eve_replay.journal.model import Park, Session, Step
from eve_replay.recovery.situation import NEVER, EffectState, Situation, StepState

__all__ = ["EffectReader"]


class EffectReader:
    """Reads the state of effects.

    Args:
        session: the joined session.
        index: place of each run in the situation.
        states: step states by step id.
        steps: the session's steps by id.
    """

    def __init__(
        self,
        session: Session,
        index: Mapping[str, int],
        states: Mapping[str, StepState],
        steps: Mapping[str, Step],
    ) -> None:
        self.session = session
        self.index = index
        self.states = states
        self.steps = steps
        asked = {p.call_id for p in session.parks if p.kind == "approval"}
        #: Tools that were seen to run without a person being asked.
        self._ungated = frozenset(
            call.name
            for step in session.steps
            for call in step.tool_calls
            if call.returned and call.call_id not in asked
        )

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
        if asked:
            self._asked(asked[-1], state, situation)
            return
        if home is not None and home.code == "done" and effect.executions.max == 0:
            deferred = any(
                c.call_id in effect.call_ids and c.deferred
                for s in (self.steps.get(effect.step_id),)
                if s is not None
                for c in s.tool_calls
            )
            state.step = _dispatcher(situation) if deferred else None
        elif home is not None and home.role == "turn" and home.runs_again and effect.kind == "tool":
            # The request to a person is written after the results of the other calls: it may be on its way.
            state.doubtful = effect.executions.min == 0 and effect.tool not in self._ungated

    def _asked(self, park: Park, state: EffectState, situation: Situation) -> None:
        """A call that a person was asked about (docs/evidence/fates.md#approvals).

        The approved calls of one answer run together, in the step that follows the last answer to any of
        them; each step after an earlier answer ends ``held`` and runs none.
        """
        asking = self.states.get(park.step_id or "")
        if asking is not None and asking.code != "done":
            # Asked by a step that runs again: it asks anew, and an answer to this request does nothing.
            state.gate, state.before = "lost", NEVER
            return
        batch = [
            p
            for p in self.session.parks
            if p.kind == "approval" and not p.lost and p.step_id == park.step_id and p.turn_id == park.turn_id
        ]
        if self._denied(park):
            state.step, state.before = None, NEVER
            return
        if any(self._unanswered(p) for p in batch):
            state.step, state.before, state.gate = _unborn(situation, "turnStep"), NEVER, "approval"
            return
        executing = self._after_answers(batch)
        if executing is None:
            state.step, state.before = _unborn(situation, "turnStep"), NEVER
        else:
            state.step = executing
            if not executing.starts:
                state.before = NEVER

    def _unanswered(self, park: Park) -> bool:
        if not park.open:
            return False
        return park.request_id is None or recorded_answer(self.session.messages, park.request_id) is None

    def _denied(self, park: Park) -> bool:
        if not park.open and park.released_by:
            return not park.released_by.startswith("approve")
        answer = recorded_answer(self.session.messages, park.request_id)
        return answer is not None and not answer.startswith("approve")

    def _after_answers(self, batch: Sequence[Park]) -> StepState | None:
        """Return the first turn step created after the last answer to a batch of requests."""
        wanted = {p.request_id for p in batch}
        answers = {m.event_id for m in self.session.messages if m.event_id and wanted & set(m.request_ids)}
        for run in self.session.runs:
            last = max((n for n, e in enumerate(run.events) if e.event_id in answers), default=None)
            if last is None:
                continue
            for event in run.events[last:]:
                if event.event_type in ("step_created", "step_started"):
                    state = self.states.get(event.correlation_id or "")
                    if state is not None and state.role == "turn":
                        return state
            # A step that is being created has no event yet: it has taken the answers all the same.
            return next(
                (s for s in self.states.values() if s.role == "turn" and s.code in ("C1a", "C1b")), None
            )
        asking = [state for p in batch if (state := self.states.get(p.step_id or "")) is not None]
        return asking[0] if asking else None


def _unborn(situation: Situation, function: str) -> StepState:
    """Return the turn step that is still to come after every step that is written."""
    state = StepState(step_id=None, run=0, function=function, role="turn", code="unborn")
    known = next((s for s in situation.root.steps if s.step_id is None and s.role == "turn"), None)
    if known is not None:
        return known
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
