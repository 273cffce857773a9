"""Attempt against attempt as rows: duplicate effects on top, then what is the same and what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from eve_replay.diff.attempts import AttemptDiff, CallDiff, ModelDiff, Repeat, diff_attempts
from eve_replay.diff.facts import Fact, token_text
from eve_replay.journal import Step
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution
from eve_replay.journal.effects.judge import judge_effect, of_count
from eve_replay.redaction.veil import glimpse
from eve_replay.views.diffs.diff import DiffView, diff_view
from eve_replay.views.kit.base import View, attempt_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock, joined
from eve_replay.views.session.attempts import CallRow, call_row
from eve_replay.views.session.effect_marks import EffectMarks

__all__ = [
    "AttemptDiffView",
    "CallPair",
    "FactRow",
    "ModelPair",
    "RepeatRow",
    "VERDICT_TONES",
    "attempt_diff_view",
    "call_pair",
    "fact_row",
]

_PREVIEW = 120

VERDICT_TONES: dict[str, Tone] = {
    "same": "muted",
    "changed": "again",
    "other ids": "again",
    "only first": "error",
    "only second": "once",
    "unknown": "unknown",
}
#: Differences of a re-run that nobody need look at.
_EXPECTED: Tone = "muted"
_NAMES = {"delivery ids": "messages", "started by": "started by"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow(View):
    """One compared fact.

    Attributes:
        name: what is compared; ``verdict`` same, changed, other ids, only first, only second or unknown.
        before, after: the two sides as safe text.
        note: why, in words.
        expected: a re-run always differs in this.
        certainty: how the verdict is known.
        diff: the details, None when there are none.
        tone: its tone.
    """

    name: str
    verdict: str
    before: str
    after: str
    note: str
    expected: bool
    certainty: str
    tone: Tone
    diff: DiffView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPair(View):
    """One tool call on both sides.

    Attributes:
        name: tool; ``place`` turn and model step.
        first, second: the call on either side, None where it is missing.
        request, result: verdicts; ``sentence`` both in words.
        input_diff, result_diff: details, None when equal or missing.
        tone: of the graver verdict.
    """

    name: str
    place: str
    first: CallRow | None
    second: CallRow | None
    request: str
    result: str
    sentence: str
    tone: Tone
    input_diff: DiffView | None = None
    result_diff: DiffView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPair(View):
    """One model call on both sides; ``text`` and ``calls`` are verdicts."""

    place: str
    text: str
    calls: str
    before: str
    after: str
    tokens_before: str
    tokens_after: str
    sentence: str
    tone: Tone
    diff: DiffView | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatRow(View):
    """An effect in both attempts.

    Attributes:
        tool: its name; ``word`` ran twice or may have run twice.
        first, second: what either attempt says, with the result when there is one.
        sentence: who, what, when, how we know, what next.
        proven: both attempts recorded that it ran.
        same_result: whether both results are equal, None when a side has none.
        note: why the repeat is no harm, empty when nothing says so; ``harmful`` whether it may be one.
    """

    tool: str
    call_id: str
    word: str
    first: str
    second: str
    sentence: str
    proven: bool
    same_result: bool | None
    tone: Tone = "harm"
    note: str = ""
    harmful: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptDiffView(View):
    """Two attempts of one step, side by side.

    Attributes:
        step: the step's key; ``function`` its name.
        first, second: keys of the attempts; ``left`` and ``right`` what to write above the columns.
        summary: one sentence.
        repeats: effects in both attempts, worst first by the judge: these go on top.
        facts, models, calls: the comparison, in reading order.
    """

    step: str
    function: str
    first: str
    second: str
    left: str
    right: str
    summary: str
    repeats: tuple[RepeatRow, ...]
    facts: tuple[FactRow, ...]
    models: tuple[ModelPair, ...]
    calls: tuple[CallPair, ...]


def attempt_diff_view(
    step: Step,
    first: int,
    second: int,
    *,
    effects: Sequence[Effect] = (),
    counts: Mapping[int, int] | None = None,
) -> AttemptDiffView:
    """Return how attempt ``second`` differs from attempt ``first``. Raises NotFound for unknown numbers.

    Args:
        step: the step.
        first: number of one attempt.
        second: number of the other.
        effects: the session's effects.
        counts: how often a ledger says that each happened, by ``id`` of the effect.
    """
    diff = diff_attempts(step, first, second, effects=effects)
    repeats = tuple(_repeat(repeat, (counts or {}).get(id(repeat.effect))) for repeat in diff.repeats)
    models = tuple(_model(model) for model in diff.models)
    marks = EffectMarks.of(effects, counts)
    calls = tuple(call_pair(step, step, call, marks) for call in diff.calls)
    return AttemptDiffView(
        step=step_key(step.run_id, step.step_id),
        function=safe_text(step.function),
        first=attempt_key(step.run_id, step.step_id, first),
        second=attempt_key(step.run_id, step.step_id, second),
        left=f"attempt {first}, {diff.first.outcome}",
        right=f"attempt {second}, {diff.second.outcome}",
        summary=_summary(diff, repeats, models, calls),
        repeats=repeats,
        facts=tuple(fact_row(fact) for fact in diff.facts),
        models=models,
        calls=calls,
    )


def fact_row(fact: Fact) -> FactRow:
    """Return the row of one compared fact."""
    return FactRow(
        name=_NAMES.get(fact.name, fact.name),
        verdict=fact.verdict,
        before=safe_text(fact.before),
        after=safe_text(fact.after),
        note=safe_text(fact.note),
        expected=fact.expected,
        certainty=fact.certainty,
        tone=_EXPECTED if fact.expected else VERDICT_TONES[fact.verdict],
        diff=diff_view(fact.change) if fact.change is not None else None,
    )


def call_pair(first: Step, second: Step, call: CallDiff, marks: EffectMarks | None = None) -> CallPair:
    """Return one tool call of two attempts or steps side by side."""
    sentence = _call_sentence(call)
    worst = call.request if call.request not in ("same", "unknown") else call.result
    tone = VERDICT_TONES[worst]
    # What the two sides differ in is one thing, what became of the effect another: a call that may have
    # acted twice is never shown in the colour of an addition.
    side = call.second or call.first
    mark = marks.of_call(side) if marks is not None and side is not None else None
    if mark is not None and mark.notable and call.first is not None and call.second is not None:
        tone = mark.tone
    return CallPair(
        name=safe_text(call.name),
        place=_place(call.coordinate.turn_id, call.coordinate.step_index) if call.coordinate else "",
        first=call_row(first, call.first, marks) if call.first is not None else None,
        second=call_row(second, call.second, marks) if call.second is not None else None,
        request=call.request,
        result=call.result,
        sentence=sentence,
        tone=tone,
        input_diff=diff_view(call.input_change) if call.input_change is not None else None,
        result_diff=diff_view(call.result_change) if call.result_change is not None else None,
    )


def _call_sentence(call: CallDiff) -> str:
    asked = {
        "same": "asked for with the same input and call id",
        "other ids": "asked for with the same input under another call id",
        "changed": "asked for with another input",
        "only first": "asked for in the first attempt only",
        "only second": "asked for in the second attempt only",
        "unknown": "asked for",
    }[call.request]
    if call.first is None or call.second is None:
        return asked
    got = {
        "same": "both gave the same result",
        "changed": "the results differ",
        "only first": "only the first has a recorded result",
        "only second": "only the second has a recorded result",
        "unknown": "no result is recorded on either side",
    }.get(call.result, "")
    return f"{asked}; {got}"


def _model(model: ModelDiff) -> ModelPair:
    one, two = model.first, model.second
    worst = model.text if model.text != "same" else model.calls
    words = {"same": "the same", "changed": "changed", "unknown": "cannot be compared"}
    if one is None or two is None:
        sentence = f"called in the {'second' if one is None else 'first'} attempt only"
    else:
        calls = "the same calls under other ids" if model.calls == "other ids" else ""
        if model.text == model.calls and not calls:
            sentence = f"text and calls {words.get(model.text, model.text)}"
        else:
            sentence = f"text {words.get(model.text, model.text)}; "
            sentence += calls or f"calls {words.get(model.calls, model.calls)}"
        if "unknown" in (model.text, model.calls):
            sentence += ", since one side was cut off"
    return ModelPair(
        place=_place(model.coordinate.turn_id, model.coordinate.step_index),
        text=model.text,
        calls=model.calls,
        before=safe_text((one.text or "")[:400]) if one else "",
        after=safe_text((two.text or "")[:400]) if two else "",
        tokens_before=token_text(one.tokens) if one else "",
        tokens_after=token_text(two.tokens) if two else "",
        sentence=sentence,
        tone=VERDICT_TONES[worst],
        diff=diff_view(model.text_change) if model.text_change is not None else None,
    )


def _place(turn_id: str, step_index: int) -> str:
    return safe_text(f"turn {turn_id.removeprefix('turn_')}, model step {step_index}")


def _side(part: Execution) -> str:
    if part.returned:
        return safe_text(_gave(part, _PREVIEW))
    return safe_text(part.why)


def _repeat(repeat: Repeat, counted: int | None = None) -> RepeatRow:
    effect = repeat.effect
    word = _between(repeat)
    judged = judge_effect(effect, counted)
    call = f" (call {effect.call_id})" if effect.call_id else ""
    parts = [_told(repeat.first), _told(repeat.second)]
    how = "Observed" if repeat.proven and effect.certainty == "observed" else effect.certainty.capitalize()
    if counted is not None:
        times = {0: "not at all", 1: "once", 2: "twice"}.get(counted, f"{counted} times")
        how = f"Observed: the ledger has it {times}"
        if len(effect.attempts) == 2:
            word = of_count(counted, counted).word
    same = {True: " Both results are equal.", False: " The results differ.", None: ""}[repeat.same_result]
    return RepeatRow(
        tool=safe_text(effect.tool),
        call_id=safe_text(effect.call_id or ""),
        word=word,
        first=_side(repeat.first),
        second=_side(repeat.second),
        sentence=safe_text(f"{effect.tool}{call} {word}: {', '.join(parts)}.{same} {how}."),
        proven=repeat.proven,
        same_result=repeat.same_result,
        tone=judged.tone if judged.harmful or not judged.note else "again",
        note=judged.note,
        harmful=judged.harmful,
    )


def _between(repeat: Repeat) -> str:
    """Return the word for these two attempts alone: the effect over all attempts may have more."""
    low = repeat.first.executions.min + repeat.second.executions.min
    return of_count(2 if repeat.proven else min(low, 1), 2).word


def _gave(part: Execution, size: int) -> str:
    """Return what came back in words: a value, an error, or that it is not shown here."""
    verb = "threw" if part.is_error and part.call_id is None else "returned"
    if not part.shown:
        return f"{verb} something that is not shown here"
    return f"{verb} {glimpse(part.output, size)}"


def _told(part: Execution) -> str:
    when = f" at {clock(part.at, UTC)} UTC" if part.at is not None else ""
    if part.returned:
        return f"attempt {part.attempt} {_gave(part, 60)}{when}"
    if part.requested and part.call_id is None:
        return f"attempt {part.attempt} was started{when}, no end of it is recorded"
    if part.requested:
        return f"attempt {part.attempt} asked for it{when}, no result is recorded"
    return f"attempt {part.attempt}: {part.why}"


def _summary(
    diff: AttemptDiff,
    repeats: Sequence[RepeatRow],
    models: Sequence[ModelPair],
    calls: Sequence[CallPair],
) -> str:
    proven = [row.tool for row in repeats if row.proven]
    possible = [row.tool for row in repeats if not row.proven]
    parts = []
    if proven:
        parts.append(f"{joined(list(dict.fromkeys(proven)))} ran in both attempts")
    if possible:
        parts.append(f"{joined(list(dict.fromkeys(possible)))} may have run in both")
    if not repeats:
        parts.append("no effect is known to have run in both attempts")
    compared = [m for m in models if m.text not in ("only first", "only second")]
    if compared and all(m.text == "same" and m.calls == "same" for m in compared):
        parts.append("the model answered the same")
    elif any(m.calls == "other ids" for m in compared):
        parts.append("the model asked for the same under other call ids")
    elif any("changed" in (m.text, m.calls) for m in compared):
        parts.append("the model answered differently")
    return "; ".join(parts) + "."
