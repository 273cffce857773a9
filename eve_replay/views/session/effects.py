"""Effects as rows: how often each ran, how we know, what protects it, and each attempt's part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Execution
from eve_replay.journal.effects.judge import judge_effect, of_count
from eve_replay.redaction.veil import glimpse
from eve_replay.views.kit.base import View, attempt_key, call_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone

__all__ = ["EffectPart", "EffectRow", "effect_rows"]

_PREVIEW = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPart(View):
    """What one attempt says about an effect.

    Attributes:
        key: key of the call in that attempt, or of the attempt.
        attempt: its number.
        word: ran once, may have run, did not run.
        why: the reason, one sentence.
        result: the recorded result, one safe line.
        call_id: the id the call had there.
        certainty: observed, implied or unknown.
        at: when.
        tone: its tone.
    """

    key: str
    attempt: int
    word: str
    why: str
    certainty: str
    result: str = ""
    call_id: str = ""
    at: datetime | None = None
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow(View):
    """One effect over all attempts.

    Attributes:
        key: key of its last call (or its step).
        step: key of the step it ran in last.
        tool: tool or function name; ``kind`` tool, step or workflow-tool.
        call_id: the last call id; ``call_ids`` all of them.
        turn: turn id, empty outside turns; ``place`` turn, step and position in words.
        word: ran twice, may have run twice, ran once ...; ``note`` why a repeat is no harm; ``tone`` and
            ``rank`` (0 is worst) of both.
        minimum, maximum: executions, ``maximum`` None without bound.
        outside_minimum, outside_maximum: how often the outside acted if the protection holds.
        certainty: observed, implied or unknown.
        protection: the class in words, for example ``keyed by call id``; ``survives`` whether it holds when
            the step runs again, None when that depends.
        protection_source: policy, evidence, hint or none.
        idempotency_key: the last key seen, empty when none was; ``same_key`` whether all keys seen agree.
        left_behind: a cancelled turn asked for it and no result is recorded.
        parts: what each attempt says, in log order.
    """

    key: str
    step: str
    tool: str
    kind: str
    call_id: str
    call_ids: tuple[str, ...]
    turn: str
    place: str
    word: str
    note: str
    tone: Tone
    rank: int
    harmful: bool
    minimum: int
    maximum: int | None
    outside_minimum: int
    outside_maximum: int | None
    certainty: str
    protection: str
    protection_source: str
    survives: bool | None = None
    idempotency_key: str = ""
    same_key: bool | None = None
    left_behind: bool = False
    parts: tuple[EffectPart, ...] = ()


def effect_rows(
    effects: Iterable[Effect], *, reading: bool = True, counts: Mapping[int, int] | None = None
) -> tuple[EffectRow, ...]:
    """Return a row per effect, in the order given.

    Args:
        effects: the effects.
        reading: read-only ones too.
        counts: how often a ledger says that each happened, by ``id`` of the effect.
    """
    known = counts or {}
    return tuple(_row(each, known.get(id(each))) for each in effects if reading or each.protection.acts)


def _row(effect: Effect, counted: int | None = None) -> EffectRow:
    judged = judge_effect(effect, counted)
    last = next((p for p in reversed(effect.by_attempt) if p.executions.max != 0), None)
    place = ""
    if effect.coordinate is not None:
        number = effect.coordinate.turn_id.removeprefix("turn_")
        place = f"turn {number}, model step {effect.coordinate.step_index}"
        place += f", call {effect.position + 1}" if effect.position is not None else ""
    return EffectRow(
        key=_part_key(last) if last is not None else step_key(effect.run_id, effect.step_id),
        step=step_key(effect.run_id, effect.step_id),
        tool=safe_text(effect.tool),
        kind=effect.kind,
        call_id=safe_text(effect.call_id or ""),
        call_ids=tuple(safe_text(each) for each in effect.call_ids),
        turn=effect.turn_id or "",
        place=safe_text(place),
        word=judged.word,
        note=judged.note,
        tone=judged.tone,
        rank=judged.rank,
        harmful=judged.harmful,
        minimum=effect.executions.min,
        maximum=effect.executions.max,
        outside_minimum=effect.outside.min,
        outside_maximum=effect.outside.max,
        certainty=effect.certainty,
        protection=safe_text(effect.protection.word),
        protection_source=effect.protection.source,
        survives=effect.protection.survives,
        idempotency_key=safe_text(effect.key or ""),
        same_key=effect.same_key,
        left_behind=effect.left_behind,
        parts=tuple(_part(part) for part in effect.by_attempt),
    )


def _part_key(part: Execution) -> str:
    if part.call_id:
        return call_key(part.run_id, part.step_id, part.attempt, part.call_id)
    return attempt_key(part.run_id, part.step_id, part.attempt)


def _result(part: Execution) -> str:
    """Return what came back; a function whose result was not opened (too big, unreadable) shows none."""
    if not part.returned or (part.output is None and part.call_id is None):
        return ""
    return safe_text(glimpse(part.output, _PREVIEW))


def _part(part: Execution) -> EffectPart:
    said = of_count(part.executions.min, part.executions.max)
    return EffectPart(
        key=_part_key(part),
        attempt=part.attempt,
        word=said.word,
        why=safe_text(part.why),
        certainty=part.certainty,
        result=_result(part),
        call_id=safe_text(part.call_id or ""),
        at=part.at,
        tone="error" if part.is_error else said.tone,
    )
