"""What the judge says of the effect a call is part of: looked up by tree, timeline, cursor and lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import Judgement, Twice, judge_effect, tally
from eve_replay.journal.model import Coordinate, ToolCall
from eve_replay.views.kit.tone import Tone

__all__ = ["CallMark", "EffectMarks", "mark_tone", "twice_among"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMark:
    """What a call is part of: the effect, and the judgement on it over all attempts."""

    effect: Effect
    judgement: Judgement

    @property
    def tone(self) -> Tone:
        """The judgement's tone."""
        return self.judgement.tone

    @property
    def harmful(self) -> bool:
        """Whether the outside saw it, or may have seen it, more than once."""
        return self.judgement.harmful

    @property
    def notable(self) -> bool:
        """Whether it repeats at all: harm, or a repeat that something absorbed."""
        return self.harmful or self.judgement.code in ("keyed", "absorbed")


@dataclass(slots=True)
class EffectMarks:
    """Effects by call and by step. Read-only tools are no effects here: a repeat of theirs does no harm."""

    _calls: dict[tuple[str, str, str, Coordinate | None, int | None], CallMark] = field(default_factory=dict)
    _steps: dict[str, list[CallMark]] = field(default_factory=dict)

    @classmethod
    def of(cls, effects: Iterable[Effect], counts: Mapping[int, int] | None = None) -> EffectMarks:
        """Return the marks of a session's effects.

        Args:
            effects: the effects.
            counts: how often a ledger says that each happened, by ``id`` of the effect.
        """
        marks = cls()
        for effect in effects:
            if not effect.protection.acts:
                continue
            mark = CallMark(effect=effect, judgement=judge_effect(effect, (counts or {}).get(id(effect))))
            steps = dict.fromkeys([*(part.step_id for part in effect.by_attempt), effect.step_id])
            ids = dict.fromkeys([*effect.call_ids, *(p.call_id for p in effect.by_attempt if p.call_id)])
            for step_id in steps:
                marks._steps.setdefault(step_id, []).append(mark)
                for call_id in ids:
                    # Ids may repeat between model steps and tools: the place tells such calls apart.
                    marks._calls[step_id, call_id, effect.tool, effect.coordinate, effect.position] = mark
                    marks._calls.setdefault((step_id, call_id, effect.tool, None, None), mark)
        return marks

    def of_call(self, call: ToolCall) -> CallMark | None:
        """Return the mark of a call, None when it is no effect."""
        key = (call.step_id, call.call_id, call.name)
        return self._calls.get((*key, call.coordinate, call.position)) or self._calls.get((*key, None, None))

    def of_step(self, step_id: str) -> list[CallMark]:
        """Return the marks of a step's effects."""
        return self._steps.get(step_id, [])

    def worst(self, step_id: str) -> CallMark | None:
        """Return the step's worst mark by the judge's rank, None when none of its effects repeats."""
        found = [mark for mark in self.of_step(step_id) if mark.notable]
        return min(found, key=lambda mark: mark.judgement.rank, default=None)


def mark_tone(effect: Effect) -> Tone:
    """Return the tone of an effect over all its attempts."""
    return judge_effect(effect).tone


def twice_among(marks: Iterable[CallMark]) -> Twice:
    """Return how many different effects are twice, surely and possibly; a mark may be named twice."""
    return tally(mark.judgement for mark in {id(mark.effect): mark for mark in marks}.values())
