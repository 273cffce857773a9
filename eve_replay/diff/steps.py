"""Step against step and run against run: what they were given, what they gave, how they went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eve_replay.codec import Payload
from eve_replay.diff.attempts import CallDiff, pair_calls
from eve_replay.diff.facts import Fact, compare, seconds, spread, time_text, token_text
from eve_replay.diff.model import Change
from eve_replay.diff.sequence import align
from eve_replay.diff.values import diff_values
from eve_replay.journal.model import Run, Step, Tokens
from eve_replay.values import UNDEFINED

__all__ = ["RunDiff", "StepDiff", "StepPair", "diff_runs", "diff_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDiff:
    """The comparison of two steps.

    Attributes:
        first, second: the steps.
        facts: names, versions, status, attempts, times, tokens.
        input, output, error: the payloads compared; None when neither side has one. A side without one
            counts as ``undefined``.
        calls: tool calls of the last attempts, paired.
    """

    first: Step
    second: Step
    facts: tuple[Fact, ...]
    input: Change | None
    output: Change | None
    error: Change | None
    calls: tuple[CallDiff, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPair:
    """One step of two runs, paired by function and order; a side is None where the step is missing.

    ``verdict``: same, changed (``what`` says in which respects), only first, only second.
    """

    first: Step | None
    second: Step | None
    verdict: str
    what: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiff:
    """The comparison of two runs.

    Attributes:
        first, second: the runs.
        facts: workflow, versions, status, times, counts.
        input, output, error: payloads compared, None when neither side has one.
        attributes: run attributes compared.
        steps: the steps, paired.
        events: event types in log order, paired: ``same``, ``only first``, ``only second`` with the type.
    """

    first: Run
    second: Run
    facts: tuple[Fact, ...]
    input: Change | None
    output: Change | None
    error: Change | None
    attributes: Change
    steps: tuple[StepPair, ...]
    events: tuple[tuple[str, str], ...]


def diff_steps(first: Step, second: Step) -> StepDiff:
    """Return how ``second`` differs from ``first``; decodes the payloads of both."""
    one = first.attempts[-1] if first.attempts else None
    two = second.attempts[-1] if second.attempts else None
    return StepDiff(
        first=first,
        second=second,
        facts=(
            compare("function", first.name.function, second.name.function),
            compare("version", first.name.version or "", second.name.version or ""),
            compare("status", first.status, second.status),
            compare("action", first.action or "", second.action or ""),
            compare("coordinates", _places(first), _places(second)),
            compare("attempts", str(len(first.attempts)), str(len(second.attempts))),
            compare("started", time_text(first.started_at), time_text(second.started_at), expected=True),
            compare("took", _took(first), _took(second), expected=True),
            compare("tokens", token_text(_tokens(first)), token_text(_tokens(second))),
        ),
        input=_payloads(first.input, second.input),
        output=_payloads(first.output, second.output),
        error=_payloads(first.error, second.error),
        calls=pair_calls(one.tool_calls if one else (), two.tool_calls if two else ()),
    )


def diff_runs(first: Run, second: Run) -> RunDiff:
    """Return how ``second`` differs from ``first``. Step payloads are compared by what is stored first."""
    return RunDiff(
        first=first,
        second=second,
        facts=(
            compare("workflow", first.workflow.full, second.workflow.full),
            compare("role", first.role, second.role),
            compare("eve version", first.eve_version or "", second.eve_version or ""),
            compare("status", first.status, second.status),
            compare("steps", str(len(first.steps)), str(len(second.steps))),
            compare("starts", _starts(first), _starts(second)),
            compare("events", str(len(first.events)), str(len(second.events))),
            compare("children", str(len(first.children)), str(len(second.children))),
            compare("created", time_text(first.created_at), time_text(second.created_at), expected=True),
            compare("took", _run_took(first), _run_took(second), expected=True),
        ),
        input=_payloads(first.record.payload("input"), second.record.payload("input")),
        output=_payloads(first.record.payload("output"), second.record.payload("output")),
        error=_payloads(first.error, second.error),
        attributes=diff_values(_plain(first.record.attributes), _plain(second.record.attributes)),
        steps=_paired(first.steps, second.steps),
        events=_events(first, second),
    )


def _plain(attributes: Mapping[str, object]) -> dict[str, object]:
    return dict(attributes)


def _payloads(one: Payload | None, two: Payload | None) -> Change | None:
    if one is None and two is None:
        return None
    return diff_values(UNDEFINED if one is None else one.shared, UNDEFINED if two is None else two.shared)


def _places(step: Step) -> str:
    return ", ".join(f"{c.turn_id} step {c.step_index}" for c in step.coordinates)


def _took(step: Step) -> str:
    return spread(seconds(step.started_at, step.ended_at))


def _run_took(run: Run) -> str:
    return spread(seconds(run.started_at, run.ended_at))


def _starts(run: Run) -> str:
    return str(sum(len(step.attempts) for step in run.steps))


def _tokens(step: Step) -> Tokens | None:
    counted = [attempt.tokens for attempt in step.attempts if attempt.tokens is not None]
    return sum(counted[1:], counted[0]) if counted else None


def _paired(first: Sequence[Step], second: Sequence[Step]) -> tuple[StepPair, ...]:
    """Pair steps by function in log order; one that is missing on a side stands alone."""
    kept = align([s.function for s in first], [s.function for s in second])
    out: list[StepPair] = []
    i = j = 0
    for a, b in [*kept, (len(first), len(second))]:
        out.extend(StepPair(first=s, second=None, verdict="only first") for s in first[i:a])
        out.extend(StepPair(first=None, second=s, verdict="only second") for s in second[j:b])
        if a < len(first):
            what = _differs(first[a], second[b])
            verdict = "changed" if what else "same"
            out.append(StepPair(first=first[a], second=second[b], verdict=verdict, what=what))
        i, j = a + 1, b + 1
    return tuple(out)


def _differs(one: Step, two: Step) -> tuple[str, ...]:
    found = []
    if one.name.version != two.name.version:
        found.append("version")
    if one.status != two.status:
        found.append("status")
    if one.action != two.action:
        found.append("action")
    if len(one.attempts) != len(two.attempts):
        found.append("attempts")
    for name in ("input", "output", "error"):
        left, right = getattr(one, name), getattr(two, name)
        if not _same_payload(left, right):
            found.append(name)
    return tuple(found)


def _same_payload(one: Payload | None, two: Payload | None) -> bool:
    """Compare stored bytes first: most payloads that are equal are equal byte by byte."""
    if one is None or two is None:
        return one is two
    return one.raw == two.raw or diff_values(one.shared, two.shared).is_same


def _events(first: Run, second: Run) -> tuple[tuple[str, str], ...]:
    """Event types in log order, paired; a step's events are told apart by its function."""
    left, right = _types(first), _types(second)
    out: list[tuple[str, str]] = []
    i = j = 0
    for a, b in [*align(left, right), (len(left), len(right))]:
        out.extend(("only first", name) for name in left[i:a])
        out.extend(("only second", name) for name in right[j:b])
        if a < len(left):
            out.append(("same", left[a]))
        i, j = a + 1, b + 1
    return tuple(out)


def _types(run: Run) -> list[str]:
    functions = {step.step_id: step.function for step in run.steps}
    return [
        f"{event.event_type} {functions.get(event.correlation_id or '', '')}".rstrip() for event in run.events
    ]
