"""Which calls are part of an effect that ran twice: looked up by tree, timeline and cursor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import ToolCall
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import Word, executions

__all__ = ["CallMark", "EffectMarks", "mark_tone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMark:
    """What a call is part of: the effect, its word over all attempts, and the call's own tone."""

    effect: Effect
    word: Word
    tone: Tone

    @property
    def harmful(self) -> bool:
        """Whether the effect ran or may have run more than once and a repeat can matter."""
        return self.tone == "harm"


@dataclass(slots=True)
class EffectMarks:
    """Effects by call and by step. Read-only tools are no effects here: a repeat of theirs does no harm."""

    _calls: dict[tuple[str, str], CallMark] = field(default_factory=dict)
    _steps: dict[str, list[CallMark]] = field(default_factory=dict)

    @classmethod
    def of(cls, effects: Iterable[Effect]) -> EffectMarks:
        """Return the marks of a session's effects."""
        marks = cls()
        for effect in effects:
            if not effect.protection.acts:
                continue
            mark = _mark(effect)
            steps = dict.fromkeys([*(part.step_id for part in effect.by_attempt), effect.step_id])
            ids = dict.fromkeys([*effect.call_ids, *(p.call_id for p in effect.by_attempt if p.call_id)])
            for step_id in steps:
                marks._steps.setdefault(step_id, []).append(mark)
                for call_id in ids:
                    marks._calls[step_id, call_id] = mark
        return marks

    def of_call(self, call: ToolCall) -> CallMark | None:
        """Return the mark of a call, None when it is no effect."""
        return self._calls.get((call.step_id, call.call_id))

    def of_step(self, step_id: str) -> list[CallMark]:
        """Return the marks of a step's effects."""
        return self._steps.get(step_id, [])

    def worst(self, step_id: str) -> CallMark | None:
        """Return the step's most harmful mark, None when it has no effect that ran twice."""
        found = [mark for mark in self.of_step(step_id) if mark.harmful]
        return max(found, key=lambda mark: mark.effect.executions.min, default=None)


def mark_tone(effect: Effect) -> Tone:
    """Return the tone of an effect over all its attempts."""
    tone = executions(effect.executions.min, effect.executions.max).tone
    if not effect.protection.acts:
        return "muted"
    if tone == "harm" and not effect.ran_twice and not effect.may_have_run_twice:
        # The range is open, but nothing on the stream is a sign of a second execution.
        return "unknown"
    return tone


def _mark(effect: Effect) -> CallMark:
    word = executions(effect.executions.min, effect.executions.max)
    return CallMark(effect=effect, word=word, tone=mark_tone(effect))
