"""What is paid and emitted again: model calls, tokens, stream events (docs/evidence/sweep.md#d)."""

from __future__ import annotations

from collections.abc import Sequence

from eve_replay.recovery.result import Paid
from eve_replay.recovery.runtimes.base import Course
from eve_replay.recovery.situation import Situation, StepState

__all__ = ["count_events", "count_model"]


def count_model(situation: Situation, course: Course, goes: Sequence[str]) -> None:
    """Fill in model calls and tokens: in all, and of those what had been paid before."""
    calls = [0, 0, 0, 0]
    tokens = [0, 0, 0, 0]
    unbounded = unknown = False
    for fate in course.fates:
        step = fate.step
        model = step.model
        if model is None:
            continue
        spent = model.tokens.total if model.tokens else 0
        again = model.again.total if model.again else 0
        low, high, more = _rounds(step, fate.completes, goes[step.run])
        calls[0] += model.maybe + model.total * high
        calls[2] += model.began + model.total * low
        tokens[0] += again + spent * high
        tokens[2] += (again if model.began else 0) + spent * low
        unknown = unknown or (bool(high and model.total) and model.tokens is None)
        if step.runs_again and high:
            unknown = unknown or (bool(model.maybe) and model.again is None)
            calls[1] += model.maybe
            calls[3] += model.began
            tokens[1] += again
            tokens[3] += again if model.began else 0
        unbounded = unbounded or more
    course.calls = Paid(
        paid=calls[0], again=calls[1], paid_min=calls[2], again_min=calls[3], unbounded=unbounded
    )
    course.tokens = Paid(
        paid=tokens[0],
        again=tokens[1],
        paid_min=tokens[2],
        again_min=tokens[3],
        unbounded=unbounded,
        unknown=unknown,
    )


def _rounds(step: StepState, completes: bool | None, goes: str) -> tuple[int, int, bool]:
    """Whole executions still to come: at least, at most, and whether there is no end to them."""
    if step.code == "done":
        return 0, 0, False
    if step.code == "F1":
        return (0, 0, False) if completes is False and goes == "left" else (1, 1, True)
    if step.wedged:
        return 0, 0, False
    if step.runs_again or step.begins:
        return (0, 0, False) if goes == "left" else (1, 1, False)
    return {"yes": (1, 1, False), "maybe": (0, 1, False)}.get(goes, (0, 0, False))


def count_events(situation: Situation, course: Course) -> None:
    """Stream events of unfinished executions that are durable appear again under new ``meta.id``s."""
    course.events_again = sum(step.emitted for step in situation.steps if step.runs_again)
