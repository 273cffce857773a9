"""Flue's rules on a situation of Flue's own: every call has a stage, the submission a budget.

Rules: docs/evidence/flue.md#after-a-crash; each is a row of that table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Paid
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures, lease_end
from eve_replay.recovery.situation import ONCE, UNSURE, EffectState, Situation, StepState
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["recover_rows"]


def recover_rows(situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
    """Return what becomes of every message and every call of an open submission."""
    course = Course(outcome="recovers" if situation.open_turn else "nothing-open")
    if not situation.open_turn:
        course.by, course.ends = "nobody", situation.ends or "nothing is open"
        for step in situation.steps:
            course.fates.append(_kept(step))
        course.futures = Futures(
            (effect, _resumed(Future(rule="flue-kept"), effect, situation)) for effect in situation.effects
        )
        return course
    end = _end(situation, course)
    budget = situation.budget
    course.ends = end
    course.by = "lease"
    queued = budget is not None and budget.status == "queued"
    course.earliest = budget.lease_until if budget is not None and not queued else None
    if course.earliest is None and not queued:
        course.earliest = lease_end(situation.at, environment)
    if queued:
        course.by, course.delay = "restart", "it waits for the submissions before it"
    else:
        course.use("flue-lease")
    if environment.recovers == "no":
        course.outcome, course.by, course.person = "needs-person", "person", environment.person
        course.earliest = None
    goes = end == "completed" and not situation.final and not situation.settling
    keeps = environment.same_version
    for effect in situation.effects:
        future = _resumed(_future(effect, situation, goes, model, keeps=keeps), effect, situation)
        if future.rule and future.rule != "never-reached":
            course.use(future.rule)
        course.futures[effect] = future
    again = 0
    for step in situation.steps:
        fate, asked = _fate(step, situation, goes)
        course.fates.append(fate)
        again += asked
    known = sum(1 for s in situation.steps if s.code == "unborn") if goes else 0
    begun = sum(1 for s in situation.steps if s.code != "unborn")
    course.calls = Paid(paid=begun + known + again, again=again, paid_min=begun + known)
    # An answer that is not whole has no usage on record.
    course.tokens = Paid(unknown=bool(again))
    if goes:
        if situation.answering:
            course.use("flue-continued" if situation.partial else "flue-unfinished")
        if situation.hooks:
            course.use("flue-hooks")
    return course


def _end(situation: Situation, course: Course) -> str:
    """Return how the submission ends, and note by which rule; ``course.outcome`` says when it fails."""
    budget = situation.budget
    if situation.settling:
        return situation.ends or "completed"
    if situation.final:
        course.use("flue-final")
        return "completed"
    if budget is not None and budget.abort_asked_at is not None:
        course.use("flue-abort")
        return "aborted"
    if any(e.delegate == "bare" for e in situation.effects):
        course.use("flue-bare-child")
        course.outcome = "fails"
        return "failed"
    if budget is not None and budget.status != "queued":
        if budget.max_attempts is not None and budget.attempts >= budget.max_attempts:
            course.use("flue-exhausted")
            course.outcome = "fails"
            return "failed"
        lease = budget.lease_until
        if budget.deadline is not None and lease is not None and budget.deadline <= lease:
            course.use("flue-deadline")
            course.outcome = "fails"
            return "failed"
        if budget.deadline is not None:
            course.delay = (
                f"before its deadline of {budget.deadline:%Y-%m-%d %H:%M:%S} UTC; after it, it fails"
            )
    return "completed"


def _kept(step: StepState) -> Fate:
    return Fate(
        step=step, verdict="replayed", attempts=Executions(min=step.starts, max=step.starts), rule="flue-kept"
    )


def _fate(step: StepState, situation: Situation, goes: bool) -> tuple[Fate, int]:
    """Return the fate of a model message, and how many model calls it costs again."""
    if step.code == "done":
        return _kept(step), 0
    if step.code == "unborn":
        count = Executions(min=1 if goes else 0, max=1 if goes else 0)
        return Fate(step=step, verdict="never-reached", attempts=count, rule="never-reached"), 0
    if not step.answered:
        verdict = "re-executed" if goes else "never-reached"
        more = 1 if goes else 0
        count = Executions(min=step.starts + more, max=step.starts + more)
        made = Fate(
            step=step,
            verdict=verdict,  # type: ignore[arg-type]  # one of its words
            attempts=count,
            completes=False,
            rule="flue-unfinished",
        )
        return made, more
    # Its answer is whole and kept. A durable call is entered again, a child goes on: neither asks the model.
    return _kept(step), 0


def _resumed(future: Future, effect: EffectState, situation: Situation) -> Future:
    """Say of a durable call that being entered twice is not acting twice, as far as its steps are known."""
    if not effect.durable or effect.kind == "step":
        return future
    known = any(e.kind == "step" and e.within == effect.call_id for e in situation.effects)
    return replace(future, resumed="steps" if known else "open")


def _future(
    effect: EffectState, situation: Situation, goes: bool, model: ModelAnswer, *, keeps: bool
) -> Future:
    if effect.stage == "settled":
        return Future(rule="flue-kept")
    if effect.stage == "unborn":
        return _unborn(effect, situation, goes, model, keeps=keeps)
    if effect.stage == "asked":
        if not goes:
            return Future(rule="never-reached")
        # The message is closed without it; whether the model asks for it again is the model's.
        return Future(
            after=ONCE if situation.complete and model != "other" else UNSURE, rule="flue-unfinished"
        )
    if effect.delegate == "missing":
        return Future(missed=ONCE, rule="flue-no-child")
    if effect.delegate == "bare":
        return Future(rule="flue-bare-child")
    if effect.delegate == "begun":
        return Future(rule="flue-child" if goes else "flue-kept")
    if effect.durable and goes and keeps:
        return Future(after=ONCE, again=True, rule="flue-durable")
    if effect.durable is None and goes:
        return Future(after=UNSURE, again=True, missed=UNSURE, rule="flue-undeclared")
    return Future(missed=UNSURE, rule="flue-interrupted")


def _unborn(
    effect: EffectState, situation: Situation, goes: bool, model: ModelAnswer, *, keeps: bool
) -> Future:
    if not goes:
        return Future(rule="never-reached")
    call = _call_of(effect, situation)
    if call is not None and call.stage == "open":
        if not (call.durable and keeps):
            # The call it belongs to is never run again, so no further step of it is.
            return Future(missed=UNSURE, rule="flue-interrupted")
        window = effect.before.max != 0
        return Future(after=ONCE, again=window, rule="flue-step-window" if window else "flue-durable")
    if call is not None and call.stage == "settled" and call.delegate != "begun":
        return Future(rule="never-reached")
    if any(task.delegate == "missing" or task.stage == "settled" for task in _tasks_above(effect, situation)):
        return Future(missed=ONCE, rule="flue-no-child")
    return Future(after=UNSURE if model == "other" else ONCE, rule="never-reached")


def _call_of(effect: EffectState, situation: Situation) -> EffectState | None:
    """Return the durable call that a step belongs to."""
    if effect.within is None:
        return None
    return next((e for e in situation.effects if e.call_id == effect.within and e.kind != "step"), None)


def _tasks_above(effect: EffectState, situation: Situation) -> Iterator[EffectState]:
    """Yield the call that started the conversation an effect lies in, then that one's, up to the root."""
    at = effect.child
    for _ in situation.runs:
        if not at:
            return
        run = situation.runs[at]
        yield from (
            e for e in situation.effects if e.kind != "step" and e.call_id == run.call and e.child == at
        )
        at = run.parent
