"""Step against step and run against run as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eve_replay.diff.facts import Fact
from eve_replay.diff.steps import RunDiff, StepDiff, StepPair, diff_runs, diff_steps
from eve_replay.ids import short_id
from eve_replay.journal import Run, Step
from eve_replay.views.diffs.attempts import CallPair, FactRow, call_pair, fact_row
from eve_replay.views.diffs.diff import DiffView, diff_lines, diff_view
from eve_replay.views.kit.base import View, step_key
from eve_replay.views.kit.fit import fitted
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural

__all__ = [
    "RunDiffView",
    "StepDiffView",
    "StepPairRow",
    "run_diff_lines",
    "run_diff_view",
    "step_diff_lines",
    "step_diff_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides(View):
    """Two things that ran: ``facts`` first, then the payloads, None where neither side has one."""

    left: str
    right: str
    facts: tuple[FactRow, ...]
    input: DiffView | None
    output: DiffView | None
    error: DiffView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDiffView(_Sides):
    """Two steps: facts, payloads, then the calls."""

    calls: tuple[CallPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPairRow(View):
    """One step of two runs; a key is empty where the step is missing on that side."""

    function: str
    first: str
    second: str
    verdict: str
    what: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiffView(_Sides):
    """Two runs: facts, payloads, attributes, steps paired by function and order, events paired by type."""

    attributes: DiffView
    steps: tuple[StepPairRow, ...]
    events: tuple[tuple[str, str], ...]


_TONES: dict[str, Tone] = {"same": "muted", "changed": "again", "only first": "error", "only second": "once"}


def step_diff_view(first: Step, second: Step) -> StepDiffView:
    """Return how two steps differ."""
    diff: StepDiff = diff_steps(first, second)
    return StepDiffView(
        left=f"{safe_text(first.function)} {short_id(first.step_id)}",
        right=f"{safe_text(second.function)} {short_id(second.step_id)}",
        facts=_facts(diff.facts),
        input=diff_view(diff.input) if diff.input is not None else None,
        output=diff_view(diff.output) if diff.output is not None else None,
        error=diff_view(diff.error) if diff.error is not None else None,
        calls=tuple(call_pair(first, second, call) for call in diff.calls),
    )


def run_diff_view(first: Run, second: Run) -> RunDiffView:
    """Return how two runs differ."""
    diff: RunDiff = diff_runs(first, second)
    return RunDiffView(
        left=f"{safe_text(first.workflow.function)} {short_id(first.run_id)}",
        right=f"{safe_text(second.workflow.function)} {short_id(second.run_id)}",
        facts=_facts(diff.facts),
        input=diff_view(diff.input) if diff.input is not None else None,
        output=diff_view(diff.output) if diff.output is not None else None,
        error=diff_view(diff.error) if diff.error is not None else None,
        attributes=diff_view(diff.attributes),
        steps=tuple(_pair(pair) for pair in diff.steps),
        events=tuple((verdict, safe_text(name)) for verdict, name in diff.events),
    )


def _facts(facts: Sequence[Fact]) -> tuple[FactRow, ...]:
    return tuple(fact_row(fact) for fact in facts if fact.before or fact.after)


def _pair(pair: StepPair) -> StepPairRow:
    known = pair.first or pair.second
    assert known is not None
    return StepPairRow(
        function=safe_text(known.function),
        first=step_key(pair.first.run_id, pair.first.step_id) if pair.first is not None else "",
        second=step_key(pair.second.run_id, pair.second.step_id) if pair.second is not None else "",
        verdict=pair.verdict,
        what=", ".join(pair.what),
        tone=_TONES[pair.verdict],
    )


def step_diff_lines(view: StepDiffView, *, width: int = 80) -> list[Line]:
    """Return two steps as text."""
    out: list[Line] = [line((view.left, "strong"), ("  against  ", "muted"), (view.right, "strong")), ()]
    out += fact_lines(view.facts, width)
    for name in ("input", "output", "error"):
        out += _payload_lines(name, getattr(view, name), width)
    for call in view.calls:
        out += [(), line((f"{call.name}: ", "strong"), (call.sentence, call.tone))]
        for diff in (call.input_diff, call.result_diff):
            out += diff_lines(diff, width=width, indent=4) if diff is not None else []
    return fitted(out, width)


def run_diff_lines(view: RunDiffView, *, width: int = 80) -> list[Line]:
    """Return two runs as text."""
    out: list[Line] = [line((view.left, "strong"), ("  against  ", "muted"), (view.right, "strong")), ()]
    out += fact_lines(view.facts, width)
    for name in ("input", "output", "error", "attributes"):
        out += _payload_lines(name, getattr(view, name), width)
    out += [(), line(("steps", "strong"))]
    for row in view.steps:
        out.append(
            line(
                f"  {row.function:<28}",
                (row.verdict, row.tone),
                (f"  {row.what}" if row.what else "", "muted"),
            )
        )
    other = [(verdict, name) for verdict, name in view.events if verdict != "same"]
    same = len(view.events) - len(other)
    out += [(), line(("events", "strong"), (f"  {same} in the same order on both sides", "muted"))]
    out += [
        line((f"  {'-' if v == 'only first' else '+'} {cut(n, width - 6)}", _TONES[v])) for v, n in other[:60]
    ]
    if len(other) > 60:
        out.append(line((f"  and {plural(len(other) - 60, 'more event')}", "muted")))
    return fitted(out, width)


def fact_lines(facts: Sequence[FactRow], width: int) -> list[Line]:
    """Return facts as aligned lines: equal ones show one value, others both."""
    label = max((len(fact.name) for fact in facts), default=0)
    out = []
    for fact in facts:
        text = fact.before if fact.verdict == "same" else f"{fact.before or '-'} → {fact.after or '-'}"
        out.append(line((f"  {fact.name:<{label}}  ", "muted"), (cut(text, width - label - 4), fact.tone)))
    return out


def _payload_lines(name: str, view: DiffView | None, width: int) -> list[Line]:
    if view is None:
        return []
    out: list[Line] = [(), line((name, "strong"), (f"  {view.summary}", "muted"))]
    return out if view.same else [*out, *diff_lines(view, width=width, indent=2)]
