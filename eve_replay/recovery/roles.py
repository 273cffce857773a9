"""What a step is for, by its function: it decides what a wedge of it stops.

Source: docs/evidence/sweep.md#side-step.
"""

from __future__ import annotations

from eve_replay.journal.model import Run, Step
from eve_replay.recovery.situation import StepRole

__all__ = ["SIDE_STEPS", "awaited_run", "role_of", "step_role", "step_word"]

#: Run beside the turn: the workflow does not wait for them. F1 or F2 of one stops the session after the
#: running turn step, until another message (docs/evidence/sweep.md#message).
SIDE_STEPS = frozenset({"startSessionTimeoutStep"})
#: A child tells its parent: the parent goes on as soon as its own hook_received is durable.
HANDOVER_STEPS = frozenset({"resumeHookStep"})


def role_of(function: str, kind: str, *, dispatched: bool = False) -> StepRole:
    """Return the role of a step function.

    Args:
        function: short name.
        kind: the journal's ``turn``, ``function`` or ``runtime``.
        dispatched: whether it is known to have started a child run.
    """
    if kind == "turn":
        return "turn"
    if kind == "function":
        return "function"
    if function in SIDE_STEPS:
        return "side"
    if function in HANDOVER_STEPS:
        return "handover"
    if function.startswith("dispatch") or dispatched:
        return "dispatch"
    return "runtime"


def step_role(step: Step) -> StepRole:
    """Return the role of a recorded step."""
    return role_of(step.function, step.kind, dispatched=bool(step.dispatched))


def awaited_run(run: Run, starter: Step | None) -> bool:
    """Whether the turn waits for a child run: for workflow tools and turn runs, not for session timeouts."""
    if run.role == "timeout":
        return False
    return starter is None or starter.function not in SIDE_STEPS


def step_word(step: Step | None) -> str:
    """Return what a child tells its parent with this step, empty when it is no such step or not recorded."""
    if step is None or step.function not in HANDOVER_STEPS or step.input is None:
        return ""
    kind = step.input.at(("args", 1, "kind"))
    return kind if isinstance(kind, str) else ""
