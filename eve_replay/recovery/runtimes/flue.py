"""How Flue recovers, as docs/evidence/flue.md#after-a-crash states it, applied to the same situation.

Every model message, tool call, outcome and durable memo is a record of its own there. So a finished call is
kept, an unresolved ordinary call is never run again (its outcome is unknown, the model goes on and may ask
again), a durable tool runs again with its recorded ``step.do`` replayed, and partial text is continued.
"""

from __future__ import annotations

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Paid
from eve_replay.recovery.runtimes.base import Course, Fate, Future, lease_end
from eve_replay.recovery.runtimes.flue_rows import recover_rows
from eve_replay.recovery.situation import NEVER, ONCE, UNSURE, EffectState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["FlueRuntime"]


class FlueRuntime:
    """Flue 2.1, ordinary tools unless an effect is named durable."""

    name = "flue"
    words = "Flue, as observed"
    source = "docs/evidence/flue.md#after-a-crash"
    environment = "flue"

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what becomes of every model message ("step") and every call ("effect").

        A situation of Flue's own (with a budget, and a stage for every call) is judged by its rows; one of
        another framework by what its records would have been in Flue.
        """
        if situation.budget is not None or any(effect.stage for effect in situation.effects):
            return recover_rows(situation, environment, model)
        course = Course(outcome="recovers" if situation.open_turn else "nothing-open")
        if not situation.open_turn:
            course.by, course.ends = "nobody", situation.ends or "nothing is open"
        if situation.message_lost:
            course.outcome, course.by = "needs-message", "message"
            course.person = "the client has to send it again"
        calls = again = 0
        tokens = tokens_again = 0
        for step in situation.steps:
            course.fates.append(_fate(step))
            if step.model is not None:
                spent = step.model.tokens.total if step.model.tokens else 0
                # A message that was complete is kept; an unfinished one is asked again.
                unfinished = step.open and step.model.maybe > 0 and not _answered(step, situation)
                calls += step.model.total + (1 if unfinished else 0)
                again += 1 if unfinished else 0
                tokens += spent * (2 if unfinished else 1)
                tokens_again += spent if unfinished else 0
        course.calls = Paid(paid=calls, again=again, paid_min=calls - again)
        course.tokens = Paid(paid=tokens, again=tokens_again, paid_min=tokens - tokens_again)
        for effect in situation.effects:
            future = _future(effect, situation)
            if model == "other" and not effect.before.max and future.after is ONCE:
                future.after = UNSURE
            course.futures[effect] = future
        if any(f.rule == "flue-interrupted" for f in course.futures):
            course.use("flue-interrupted")
        course.use("flue-kept")
        if course.outcome == "recovers":
            course.by, course.ends = "lease", situation.ends or "completed"
            course.earliest = lease_end(situation.at, environment)
            course.use("flue-lease")
        return course


def _answered(step: StepState, situation: Situation) -> bool:
    return any(e.step is step and not e.unborn for e in situation.effects)


def _fate(step: StepState) -> Fate:
    if step.code == "done":
        return Fate(step=step, verdict="replayed", attempts=Executions(min=step.starts, max=step.starts))
    ran = step.starts > 0
    count = step.starts + 1
    return Fate(
        step=step,
        verdict="re-executed" if ran else "never-reached",
        attempts=Executions(min=count, max=count),
        rule="flue-kept",
    )


def _future(effect: EffectState, situation: Situation) -> Future:
    step = effect.step
    if step is None or step.code == "done":
        return Future(rule="flue-kept")
    if effect.kind in ("step", "workflow-tool"):
        # Nearest to a durable tool with recorded step.do: what is recorded is replayed, what is open runs
        # again.
        if effect.before.min:
            return Future(rule="flue-kept")
        return Future(after=ONCE, again=effect.before.max != 0, rule="flue-durable")
    if effect.before.min >= 1:
        return Future(rule="flue-kept")
    if effect.before.max == 0:
        # Not asked for yet: the model's message is complete or asked again, and the call runs then.
        return Future(after=ONCE if situation.open_turn else NEVER, rule="never-reached")
    return Future(after=NEVER, missed=UNSURE, rule="flue-interrupted")
