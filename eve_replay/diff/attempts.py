"""Attempt against attempt of one step: what a re-run repeated, and what came out differently.

What is the same by rule (input, coordinates, delivery ids) and what is always new (event ids, times) is told
apart from what a model or a tool answered differently (docs/evidence/sweep.md#d,
docs/evidence/observed.md#call-ids, #said-again).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eve_replay.diff.facts import Fact, Verdict, compare, seconds, spread, time_text, token_text
from eve_replay.diff.model import Change
from eve_replay.diff.values import diff_values
from eve_replay.errors import NotFound
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution
from eve_replay.journal.effects.identity import pair_sightings
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.journal.model import Attempt, Coordinate, ModelCall, Step, StreamEvent, ToolCall
from eve_replay.values import preview

__all__ = ["AttemptDiff", "CallDiff", "ModelDiff", "Repeat", "attempt_of", "diff_attempts", "pair_calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDiff:
    """One tool call in both attempts, paired by the rule of :mod:`eve_replay.journal.effects.identity`.

    Attributes:
        name: tool name.
        coordinate, position: its place, None when unknown.
        first, second: the call on either side, None where it is missing.
        request: ``same``, ``other ids`` (same tool and input, new call id), ``changed`` (other input),
            ``only first`` or ``only second``.
        result: the same for the result; ``unknown`` when neither side recorded one.
        input_change, result_change: details, None when equal or missing.
    """

    name: str
    coordinate: Coordinate | None
    position: int | None
    first: ToolCall | None
    second: ToolCall | None
    request: Verdict
    result: Verdict
    input_change: Change | None = None
    result_change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDiff:
    """One model call in both attempts, paired by coordinate.

    Attributes:
        coordinate: turn and step index.
        first, second: the call on either side, None where it is missing.
        text: verdict on the model's text; ``unknown`` when a side was cut before any text.
        calls: verdict on the tool calls it asked for: ``other ids`` when only the ids differ.
        text_change: details by words, None when equal or missing.
    """

    coordinate: Coordinate
    first: ModelCall | None
    second: ModelCall | None
    text: Verdict
    calls: Verdict
    text_change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """An effect that ran, or may have run, in both attempts.

    Attributes:
        effect: the effect over all attempts.
        first, second: what the two attempts say about it.
        proven: both attempts recorded that it ran.
        same_result: whether both recorded the same result, None when a side has none.
    """

    effect: Effect
    first: Execution
    second: Execution
    proven: bool
    same_result: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptDiff:
    """The comparison of two attempts of one step.

    Attributes:
        step: the step; ``first`` and ``second`` the attempts compared.
        repeats: effects in both, worst first by the judge.
        facts: same coordinates and input, outcomes, times, tokens, event ids.
        models, calls: what the model said and asked for, and what the tools gave back.
    """

    step: Step
    first: Attempt
    second: Attempt
    repeats: tuple[Repeat, ...]
    facts: tuple[Fact, ...]
    models: tuple[ModelDiff, ...]
    calls: tuple[CallDiff, ...]


def attempt_of(step: Step, n: int) -> Attempt:
    """Return attempt ``n`` of a step. Raises NotFound with the numbers that exist."""
    for attempt in step.attempts:
        if attempt.n == n:
            return attempt
    there = ", ".join(str(a.n) for a in step.attempts) or "none"
    raise NotFound(f"Step {step.step_id} has no attempt {n}.", hint=f"Its attempts: {there}.")


def diff_attempts(step: Step, first: int, second: int, *, effects: Sequence[Effect] = ()) -> AttemptDiff:
    """Return how attempt ``second`` of a step differs from attempt ``first``.

    Args:
        step: the step, as the journal joined it.
        first: number of the one attempt.
        second: number of the other.
        effects: the session's effects (``journal.effects.effects_of``), to name what ran in both.

    Raises:
        NotFound: the step has no such attempt.
    """
    one, two = attempt_of(step, first), attempt_of(step, second)
    calls = pair_calls(one.tool_calls, two.tool_calls)
    return AttemptDiff(
        step=step,
        first=one,
        second=two,
        repeats=_repeats(step, one, two, effects),
        facts=tuple(_facts(step, one, two)),
        models=_models(one, two, calls),
        calls=calls,
    )


def _repeats(step: Step, one: Attempt, two: Attempt, effects: Sequence[Effect]) -> tuple[Repeat, ...]:
    out = []
    for effect in effects:
        parts = {p.attempt: p for p in effect.by_attempt if p.step_id == step.step_id}
        left, right = parts.get(one.n), parts.get(two.n)
        if left is None or right is None or left.executions.max == 0 or right.executions.max == 0:
            continue
        if not effect.protection.acts:
            continue
        proven = left.executions.min > 0 and right.executions.min > 0
        if not proven and not all(part.requested or part.returned for part in (left, right)):
            # An attempt that shows no sign of the call only widens the count: nothing says it came so far.
            continue
        same = None
        if left.returned and right.returned and left.is_error != right.is_error:
            same = False
        elif left.returned and right.returned and left.shown and right.shown:
            same = diff_values(left.output, right.output).is_same
        out.append(Repeat(effect=effect, first=left, second=right, proven=proven, same_result=same))
    out.sort(key=lambda repeat: (judge_effect(repeat.effect).rank, not repeat.proven))
    return tuple(out)


def _facts(step: Step, one: Attempt, two: Attempt) -> list[Fact]:
    facts = [
        _coordinates(one, two),
        Fact(
            name="input",
            verdict="same",
            certainty="implied",
            note="every attempt of a step gets the input recorded with the step",
            evidence=step.evidence[:1],
        ),
        _deliveries(one, two),
        compare("outcome", one.outcome, two.outcome),
        compare("body", one.body, two.body),
        compare("started", time_text(one.started_at), time_text(two.started_at), expected=True),
        compare("took", spread(_took(one)), spread(_took(two)), expected=True),
        compare("tokens", token_text(one.tokens), token_text(two.tokens)),
        compare("started by", _starter(one), _starter(two), expected=True),
        _event_ids(one, two),
    ]
    if one.error is not None and two.error is not None:
        change = diff_values(one.error.shared, two.error.shared)
        facts.append(
            Fact(
                name="error",
                verdict="same" if change.is_same else "changed",
                change=None if change.is_same else change,
            )
        )
    elif one.error is not None:
        facts.append(Fact(name="error", verdict="only first", before=preview(one.error.shared, 60)))
    elif two.error is not None:
        facts.append(Fact(name="error", verdict="only second", after=preview(two.error.shared, 60)))
    return facts


def _took(attempt: Attempt) -> float | None:
    """Seconds from the start to the recorded end, else to the last sign on the stream."""
    return seconds(attempt.started_at, attempt.ended_at or attempt.last_sign_at)


def _starter(attempt: Attempt) -> str:
    return f"delivery {attempt.owner}" if attempt.owner else "the queue" if attempt.started_event else ""


def _reached(attempt: Attempt) -> list[Coordinate]:
    seen = dict.fromkeys(e.coordinate for e in attempt.stream_events if e.coordinate is not None)
    return list(seen)


def _coordinates(one: Attempt, two: Attempt) -> Fact:
    left, right = _reached(one), _reached(two)
    texts = [", ".join(f"{c.turn_id} step {c.step_index}" for c in side) for side in (left, right)]
    shorter, longer = sorted((left, right), key=len)
    fact = compare("coordinates", *texts)
    if fact.verdict != "same" and shorter == longer[: len(shorter)]:
        # An attempt that died early shows fewer coordinates, not other ones.
        note = f"the same as far as attempt {one.n if shorter is left else two.n} came"
        return replace(fact, verdict="same", note=note)
    return fact


def _deliveries(one: Attempt, two: Attempt) -> Fact:
    texts = [", ".join(dict.fromkeys(d for e in a.stream_events for d in e.delivery_ids)) for a in (one, two)]
    return compare("delivery ids", *texts)


def _event_ids(one: Attempt, two: Attempt) -> Fact:
    left = [e.meta_id for e in one.stream_events if e.meta_id]
    right = [e.meta_id for e in two.stream_events if e.meta_id]
    common = len(set(left) & set(right))
    kinds = _kinds(one.stream_events), _kinds(two.stream_events)
    again = sum((kinds[0][key] and kinds[1].get(key, 0)) > 0 for key in kinds[0])
    note = f"{again} kinds of event were emitted again under new ids" if again and not common else ""
    if not left and not right:
        return Fact(name="event ids", verdict="unknown", note="no event ids are recorded")
    return Fact(
        name="event ids",
        verdict="changed" if not common else "same" if set(left) == set(right) else "changed",
        before=f"{len(left)} events",
        after=f"{len(right)} events",
        note=note or f"{common} ids in both",
        expected=not common,
    )


def _kinds(events: Sequence[StreamEvent]) -> dict[tuple[str, int | None], int]:
    out: dict[tuple[str, int | None], int] = {}
    for event in events:
        out[event.type, event.step_index] = out.get((event.type, event.step_index), 0) + 1
    return out


def pair_calls(first: Sequence[ToolCall], second: Sequence[ToolCall]) -> tuple[CallDiff, ...]:
    """Return the calls of two attempts paired, in the order of the first, then what only the second has."""
    partner = dict(pair_sightings(first, second))
    taken = set(partner.values())
    pairs = [(call, second[partner[i]] if i in partner else None) for i, call in enumerate(first)]
    rest = [call for j, call in enumerate(second) if j not in taken]
    return tuple([_call_diff(a, b) for a, b in pairs] + [_call_diff(None, c) for c in rest])


def _call_diff(one: ToolCall | None, two: ToolCall | None) -> CallDiff:
    known = one or two
    assert known is not None
    place = {"name": known.name, "coordinate": known.coordinate, "position": known.position}
    if one is None or two is None:
        side: Verdict = "only second" if one is None else "only first"
        result: Verdict = side if known.returned else "unknown"
        return CallDiff(**place, first=one, second=two, request=side, result=result)  # type: ignore[arg-type]
    inputs = diff_values(one.input, two.input)
    request: Verdict = "same" if one.call_id == two.call_id else "other ids"
    if not inputs.is_same or one.name != two.name:
        request = "changed"
    change = None
    if one.returned and two.returned:
        change = diff_values(_answer(one), _answer(two))
        result = "same" if change.is_same else "changed"
    else:
        result = "only first" if one.returned else "only second" if two.returned else "unknown"
    return CallDiff(
        name=known.name,
        coordinate=known.coordinate,
        position=known.position,
        first=one,
        second=two,
        request=request,
        result=result,
        input_change=None if inputs.is_same else inputs,
        result_change=None if change is None or change.is_same else change,
    )


def _answer(call: ToolCall) -> object:
    return dict(call.error) if call.error is not None else call.output


def _models(one: Attempt, two: Attempt, calls: Sequence[CallDiff]) -> tuple[ModelDiff, ...]:
    left = {call.coordinate: call for call in one.model_calls}
    right = {call.coordinate: call for call in two.model_calls}
    return tuple(_model_diff(c, left.get(c), right.get(c), calls) for c in sorted({**left, **right}))


def _model_diff(
    place: Coordinate, one: ModelCall | None, two: ModelCall | None, calls: Sequence[CallDiff]
) -> ModelDiff:
    if one is None or two is None:
        side: Verdict = "only second" if one is None else "only first"
        return ModelDiff(coordinate=place, first=one, second=two, text=side, calls=side)
    change = None
    text: Verdict = "unknown"
    if one.text is None and two.text is None:
        text = "same" if one.status == two.status == "completed" else "unknown"
    elif one.text is not None and two.text is not None:
        change = diff_values(one.text, two.text)
        cut = (one.partial and two.text.startswith(one.text)) or (
            two.partial and one.text.startswith(two.text)
        )
        text = "same" if change.is_same else "unknown" if cut else "changed"
    return ModelDiff(
        coordinate=place,
        first=one,
        second=two,
        text=text,
        calls=_asked(place, one, two, calls),
        text_change=None if change is None or change.is_same else change,
    )


def _asked(place: Coordinate, one: ModelCall, two: ModelCall, calls: Sequence[CallDiff]) -> Verdict:
    """Say whether the model asked for the same tools; ``unknown`` while a side was cut before the end."""
    here = [call for call in calls if call.coordinate == place]
    if any(call.request == "changed" for call in here):
        return "changed"
    if any(call.first is None or call.second is None for call in here):
        cut = one if any(c.first is None for c in here) else two
        return "unknown" if cut.status in ("interrupted", "running") else "changed"
    if any(call.request == "other ids" for call in here):
        return "other ids"
    if not here and "completed" not in (one.status, two.status):
        return "unknown"
    return "same"
