"""What one attempt says about one effect: it ran, it did not, or the journal cannot tell.

The rules are those of docs/evidence/sweep.md and docs/evidence/observed.md#throw-then-kill,
#optimistic-start, #refused-calls, #held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.journal.model import Attempt, Certainty, Coordinate, Evidence, Run, Step, ToolCall
from eve_replay.values import Undecoded

__all__ = [
    "Execution",
    "Executions",
    "arguments_of",
    "child_part",
    "function_part",
    "not_run",
    "seen_part",
    "unseen_part",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Executions:
    """At least ``min`` and at most ``max`` executions; ``max`` is None when there is no bound."""

    min: int
    max: int | None

    def __add__(self, other: Executions) -> Executions:
        top = None if self.max is None or other.max is None else self.max + other.max
        return Executions(min=self.min + other.min, max=top)

    def to_json(self) -> dict[str, int | None]:
        """Return, for docs/json.md, ``{min, max}``."""
        return {"min": self.min, "max": self.max}


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What one attempt says about one effect.

    Attributes:
        run_id, step_id, attempt: the attempt.
        executions: zero, one, or zero to one.
        why: the reason in words.
        requested: whether the request is recorded for this attempt (if not, only
            other attempts show the call).
        returned: whether a result is.
        reached: whether the attempt shows that it came this far: the call itself, or its model's answer.
        call_id: the id the call had in this attempt, None for step functions and where none is seen.
        output: the recorded result (what a step function threw, if ``is_error``), None without one.
        shown: False where a result is recorded and ``output`` does not hold it: too big, or not to be read.
        at: when it returned, else was requested, else when the attempt started.
        beside: another body of the step was at work at the same time: two processes.
        started_at, window_end: the attempt's window; ``window_end`` is None while it is open.
    """

    run_id: str
    step_id: str
    attempt: int
    executions: Executions
    certainty: Certainty
    why: str
    requested: bool = False
    returned: bool = False
    reached: bool = False
    is_error: bool = False
    call_id: str | None = None
    input: object = field(default=None, repr=False)
    output: object = field(default=None, repr=False)
    shown: bool = True
    beside: bool = False
    at: datetime | None = None
    started_at: datetime | None = None
    window_end: datetime | None = None
    evidence: tuple[Evidence, ...] = ()


#: Bytes of a payload that is opened for lists and sentences; what is bigger is shown where it is asked for.
_SHOWN = 1 << 14
#: Signs that a model step has its answer; what the answer asked for may have run.
_ANSWERED = frozenset({"message.completed", "actions.requested", "action.result", "step.completed"})
#: Signs that the answer to an approval was taken: the approved call is the next thing to run.
_TAKEN = frozenset({"input.resolved", "approval.settled"})


def not_run(call: ToolCall) -> bool:
    """Whether the result itself says that the tool never ran (approval-denied recording)."""
    output = call.output
    if isinstance(output, Mapping):
        tool = output.get("tool")
        if isinstance(tool, Mapping) and tool.get("result") == "not_run":
            return True
    return call.error is not None and call.error.get("code") == "TOOL_EXECUTION_DENIED"


def seen_part(call: ToolCall, step: Step, attempt: Attempt, *, cancelled: bool = False) -> Execution:
    """What an attempt that names the call says about it."""
    low, high, certainty, why = _count_seen(call, step, attempt, cancelled)
    return Execution(
        run_id=step.run_id,
        step_id=step.step_id,
        attempt=attempt.n,
        executions=Executions(min=low, max=high),
        certainty=certainty,
        why=why,
        requested=call.requested_at is not None and not call.deferred,
        returned=call.returned and high > 0,
        reached=high > 0,
        is_error=call.is_error,
        call_id=call.call_id,
        beside=bool(attempt.overlaps),
        input=call.input,
        output=call.output if call.returned else None,
        at=call.returned_at or call.requested_at or attempt.started_at,
        started_at=attempt.started_at,
        window_end=attempt.window_end,
        evidence=call.evidence,
    )


def _count_seen(
    call: ToolCall, step: Step, attempt: Attempt, cancelled: bool
) -> tuple[int, int, Certainty, str]:
    if call.ran is not None:
        return call.ran.min, call.ran.max, call.ran.certainty, call.ran.why
    if call.history_only and call.error is not None:
        return 0, 0, "observed", f"the stream says that the call was invalid ({call.error.get('code')})"
    if call.history_only:
        return 0, 0, "implied", "only the history names it: unknown tool or invalid input, so nothing ran"
    if call.returned:
        if not_run(call):
            return 0, 0, "observed", "the recorded result says the tool was not run"
        return 1, 1, "observed", "its result is on the stream of this attempt"
    if call.deferred:
        return 0, 0, "observed", "asked for here, executed elsewhere"
    if call.began != "unknown":
        return 1, 1, call.began, "something recorded proves that it began, no result is recorded"
    if attempt.outcome == "interrupted":
        return 0, 1, "unknown", "asked for, no result, and the attempt was interrupted"
    if attempt.outcome == "refused":
        return 0, 1, "unknown", "asked for, no result, in a body beside the one that committed"
    if attempt.outcome == "running":
        return 0, 1, "unknown", "asked for, no result, and no end of the attempt is recorded"
    if cancelled or attempt.outcome == "cancelled" or step.action == "cancelled":
        return 0, 1, "unknown", "asked for in a turn that was cancelled, no result"
    return 0, 1, "unknown", f"asked for, no result, although the attempt {attempt.outcome}"


def unseen_part(
    coordinate: Coordinate | None, position: int | None, step: Step, attempt: Attempt
) -> Execution | None:
    """What an attempt says about a call that only other attempts show. None when it says nothing."""
    if attempt.whole or attempt.outcome not in ("interrupted", "running", "failed", "refused"):
        return None
    low_why = _beyond(coordinate, position, step, attempt)
    count = Executions(min=0, max=0 if low_why else 1)
    reached = not low_why and _reached(coordinate, attempt)
    why = low_why or "nothing on the stream of this interrupted attempt names it, which proves nothing"
    if reached:
        why = "the stream of this interrupted attempt ends just before this call"
    elif attempt.outcome == "running" and not low_why:
        why = "nothing on the stream of this attempt names it yet"
    return Execution(
        run_id=step.run_id,
        step_id=step.step_id,
        attempt=attempt.n,
        executions=count,
        certainty="implied" if low_why else "unknown",
        why=why,
        reached=reached,
        at=attempt.started_at,
        started_at=attempt.started_at,
        window_end=attempt.window_end,
        evidence=attempt.evidence,
    )


def _reached(coordinate: Coordinate | None, attempt: Attempt) -> bool:
    """Whether the model had answered in this attempt, or the approval had been taken: the call was due."""
    return any(
        (event.coordinate == coordinate and event.type in _ANSWERED)
        or (event.turn_id == (coordinate.turn_id if coordinate else None) and event.type in _TAKEN)
        for event in attempt.stream_events
    )


def _beyond(coordinate: Coordinate | None, position: int | None, step: Step, attempt: Attempt) -> str:
    """Return why the call cannot have run in ``attempt``, empty when it can."""
    if attempt.body == "did not run":
        return attempt.body_why or "the body did not run"
    if coordinate is None:
        return ""
    signs = [e for e in attempt.stream_events if e.turn_id == coordinate.turn_id and e.step_index is not None]
    # The step's first model call is always in reach; the result of an approved call of an earlier model step
    # may come before it, under the earlier index.
    called = [m.coordinate.step_index for m in step.model_calls]
    first = min(called or [c.step_index for c in step.coordinates], default=0)
    last = max((e.step_index for e in signs if e.step_index is not None), default=first)
    last = max(last, first)
    # Effects run some milliseconds ahead of the stream, but not a whole model call ahead: the next model step
    # can only have begun when the end of this one is on the stream.
    ended = any(e.step_index == last and e.type == "step.completed" for e in signs)
    if coordinate.step_index > last + (1 if ended else 0):
        return f"the attempt ended in model step {last}, before this call could be asked for"
    instead = [
        call
        for call in attempt.tool_calls
        if call.coordinate == coordinate and call.position == position and call.position is not None
    ]
    if instead:
        return f"the model asked for {instead[0].name} in its place"
    return ""


def child_part(run: Run, starter: Step | None) -> Execution:
    """One child run of a workflow tool: the tool was started once for it, whatever became of the run."""
    return Execution(
        run_id=run.run_id,
        step_id=starter.step_id if starter is not None else "",
        attempt=1,
        executions=Executions(min=1, max=1),
        certainty="observed",
        why=f"a child run was started for it, and is {run.status or 'without status'}",
        requested=True,
        returned=run.status == "completed",
        reached=True,
        call_id=run.parent_call,
        at=run.created_at,
        started_at=run.created_at,
        window_end=run.ended_at,
        evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id, note="child run"),),
    )


def function_part(step: Step, attempt: Attempt, run: Run) -> Execution:
    """What one start of a ``use step`` function says: an execution is a run of its body."""
    low, high, certainty, why = _count_function(step, attempt, run)
    output, shown = _function_output(step, attempt)
    return Execution(
        run_id=step.run_id,
        step_id=step.step_id,
        attempt=attempt.n,
        executions=Executions(min=low, max=high),
        certainty=certainty,
        why=why,
        requested=True,
        returned=attempt.outcome in ("completed", "failed") and high > 0,
        reached=high > 0,
        is_error=attempt.outcome == "failed",
        input=arguments_of(step),
        output=output,
        shown=shown,
        at=attempt.ended_at or attempt.started_at,
        started_at=attempt.started_at,
        window_end=attempt.window_end,
        evidence=attempt.evidence,
    )


def arguments_of(step: Step) -> object:
    """Return what a ``use step`` function was called with: its one argument, or the list of them.

    None where it is not recorded, cannot be read, or is so big that nobody would look at it in a list.
    """
    if step.input is None or step.input.size > _SHOWN:
        return None
    value = step.input.shared
    args = value.get("args") if isinstance(value, Mapping) else None
    if not isinstance(args, list) or not args:
        return None
    return args[0] if len(args) == 1 else args


def _function_output(step: Step, attempt: Attempt) -> tuple[object, bool]:
    """Return what an attempt gave back, and whether that is all of it.

    The step's output if it completed, what it threw if it failed: an attempt that threw returned nothing, not
    even null (docs/evidence/identity.md#step-functions).
    """
    if attempt.outcome not in ("completed", "failed"):
        return None, True
    stored = attempt.error if attempt.outcome == "failed" else step.output
    if stored is None:
        return None, False
    if stored.size > _SHOWN:
        return None, False
    value = stored.shared
    return (None, False) if isinstance(value, Undecoded) else (value, True)


def _count_function(step: Step, attempt: Attempt, run: Run) -> tuple[int, int, Certainty, str]:
    if attempt.body == "did not run":
        return 0, 0, attempt.body_certainty, attempt.body_why or "the body did not run"
    if attempt.outcome == "completed":
        return 1, 1, "observed", "the attempt completed"
    if attempt.outcome == "failed":
        return 1, 1, "observed", "the body ran and threw"
    ended = any(m.kind == "step" and m.phase == "terminal" and m.subject == step.step_id for m in run.marks)
    if ended and attempt is step.attempts[-1]:
        return 1, 1, "implied", "the step's terminal lock exists, and it is taken only after the body ended"
    word = "was interrupted" if attempt.outcome == "interrupted" else "has no recorded end"
    return 0, 1, "unknown", f"the body was started and the attempt {word}"
