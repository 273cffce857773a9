"""The one judge of effects: what a count is called, which tone it carries, and what stands above what.

Every list, badge, total, diff, matrix and plan asks here and nowhere else. A judgement is made of three
things: how often the body ran (a range), what the outside sees of it (a range, after the protection has done
its work), and how we know. The rules:

* Harm is what the outside sees more than once. A repeat behind a key that held, or of a tool that only reads,
  is no harm and never red.
* "Ran twice" and "may have run twice" are two numbers (:class:`Twice`) and are never added up.
* An unprotected repeat stands above one behind a key, whether it is proven or only possible: somebody has to
  look it up, and nobody has to look up the other.
* A range that is open without any sign of a second execution (an attempt died in its model call) is no
  repeat: it is said as what it is, "ran once, as far as seen".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.effects.idempotency_keys import absorbed
from eve_replay.journal.effects.policy import Protection

__all__ = [
    "HARMFUL",
    "RANKS",
    "JudgeCode",
    "Judgement",
    "Twice",
    "judge",
    "judge_effect",
    "of_count",
    "tally",
    "worst_first",
]

#: Worst first. ``without-end``: every wake-up acts again; ``sure``: the outside saw it more than once;
#: ``possible``: it may have; ``retried``: all but the last threw, and a body that threw may have acted;
#: ``keyed``: repeats under one key, the outside acts once if the receiver honours it; ``open``: nothing shows
#: a second execution and nothing excludes it; ``absorbed``: the receiver (or a ledger) says that it acted
#: once; ``reads``: a repeat of a reader; then once, maybe once, not at all.
JudgeCode = Literal[
    "without-end",
    "sure",
    "possible",
    "retried",
    "keyed",
    "open",
    "absorbed",
    "reads",
    "maybe",
    "once",
    "none",
]
#: Names of tones as the views have them (views/kit/tone.py); the model knows the names only.
JudgeTone = Literal["harm", "again", "unknown", "once", "muted"]

#: Judgements that say: somebody outside may see this more often than it was meant.
HARMFUL: frozenset[JudgeCode] = frozenset({"without-end", "sure", "possible", "retried"})

#: Place of a judgement in a list, 0 is worst.
RANKS: dict[JudgeCode, int] = {
    code: rank
    for rank, code in enumerate(JudgeCode.__args__)  # type: ignore[attr-defined]
}
_TONES: dict[JudgeCode, JudgeTone] = {
    "without-end": "harm",
    "sure": "harm",
    "possible": "harm",
    "retried": "again",
    "keyed": "again",
    "open": "unknown",
    "absorbed": "again",
    "reads": "muted",
    "maybe": "unknown",
    "once": "once",
    "none": "muted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to be said of one effect.

    Attributes:
        code: see ``JudgeCode``.
        word: how often it ran, in the vocabulary: ``ran twice``, ``may have run twice``, ``ran once`` ...
        note: why a repeat is no harm (``same key``, ``absorbed``, ``reads only``), or what makes it doubtful
            (``threw before``); empty otherwise.
        meaning: the judgement in one plain sentence.
        tone: name of the tone it is shown in.
        rank: place in a list, 0 is worst.
    """

    code: JudgeCode
    word: str
    note: str
    meaning: str
    tone: JudgeTone
    rank: int

    @property
    def harmful(self) -> bool:
        """Whether the outside saw it, or may have seen it, more than once."""
        return self.code in HARMFUL

    @property
    def sure(self) -> bool:
        """Whether the outside certainly saw it more than once."""
        return self.code in ("without-end", "sure")

    @property
    def possible(self) -> bool:
        """Whether the outside may have seen it more than once, and nothing settles it."""
        return self.code in ("possible", "retried")

    @property
    def said(self) -> str:
        """Word and note together: ``ran twice, same key``."""
        return f"{self.word}, {self.note}" if self.note else self.word


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """How many effects the outside saw more than once: for sure, and possibly. Never one number."""

    sure: int = 0
    possible: int = 0

    def __bool__(self) -> bool:
        return bool(self.sure or self.possible)

    def __add__(self, other: Twice) -> Twice:
        return Twice(sure=self.sure + other.sure, possible=self.possible + other.possible)

    @property
    def words(self) -> str:
        """Both numbers in words: ``1 twice, 2 possibly``; empty when both are zero."""
        parts = [f"{self.sure} twice" if self.sure else ""]
        if self.possible:
            parts.append(f"{self.possible} possibly" if self.sure else f"{self.possible} possibly twice")
        return ", ".join(part for part in parts if part)

    @property
    def sentence(self) -> str:
        """Both numbers with their noun, for a badge: ``1 effect twice, 2 possibly``."""
        first = self.sure or self.possible
        noun = "effect" if first == 1 else "effects"
        return self.words.replace(f"{first} ", f"{first} {noun} ", 1)

    @property
    def short(self) -> str:
        """Both numbers for a narrow column: ``1``, ``1+2?``, ``2?``; empty when both are zero."""
        sure = str(self.sure) if self.sure else ""
        maybe = f"{self.possible}?" if self.possible else ""
        return "+".join(part for part in (sure, maybe) if part)

    def to_json(self) -> dict[str, int]:
        """Return CONTRACT's ``{sure, possible}``."""
        return {"sure": self.sure, "possible": self.possible}


def judge(
    runs: Executions,
    *,
    outside: Executions | None = None,
    acts: bool = True,
    signs: bool = True,
    settled: bool = False,
    threw: bool = False,
    shield: str = "same key",
    reader: str = "reads only",
) -> Judgement:
    """Return the judgement on a count.

    Args:
        runs: how often the body ran.
        outside: how often the outside acted if the protection does what it says; None for ``runs``.
        acts: False for a tool that only reads.
        signs: whether anything shows a second execution; without a sign an open range is no repeat.
        settled: the receiver's own answer, or a ledger, says that it acted once.
        threw: every execution but the last ended with an error.
        shield: what is said of a repeat behind a protection.
        reader: what is said of a repeat of a reader.
    """
    seen = runs if outside is None else outside
    again = runs.max is None or runs.max > 1
    if runs.max == 0:
        return _made("none", runs)
    if not again:
        made = _made("once" if runs.min == 1 else "maybe", runs)
        return made if acts else replace(made, tone="muted")
    if not acts:
        return _made("reads", runs, reader if runs.min > 1 or signs else "", signs=signs)
    if settled or (seen.max is not None and seen.max <= 1):
        return _made("absorbed" if settled else "keyed", runs, "absorbed" if settled else shield, signs=signs)
    if runs.min < 2 and not signs:
        return _made("open", runs, signs=False)
    if threw and seen.max is not None:
        return _made("retried", runs, "threw before")
    if seen.max is None:
        return _made("without-end", runs)
    return _made("sure" if seen.min > 1 else "possible", runs)


def judge_effect(effect: Effect, known: int | None = None) -> Judgement:
    """Return the judgement on a recorded effect.

    Args:
        effect: the effect.
        known: how often a ledger has it; it then decides what the outside saw.
    """
    runs, outside = effect.executions, effect.outside
    settled = any(absorbed(part.output) for part in effect.by_attempt if part.returned)
    if known is not None and (known or not runs.min):
        outside = Executions(min=known, max=known)
        settled = known == 1 and effect.ran_twice
        if known != 1 or not effect.ran_twice:
            runs = outside  # the ledger is the count: what the journal could not tell is told
    acted = [part for part in effect.by_attempt if part.executions.max != 0]
    return judge(
        runs,
        outside=outside,
        acts=effect.protection.acts,
        signs=effect.ran_twice or effect.may_have_run_twice,
        settled=settled,
        threw=known is None and len(acted) > 1 and all(part.is_error for part in acted[:-1]),
        shield=_shield(effect),
        reader=reads_words(effect.protection),
    )


def of_count(minimum: int, maximum: int | None, *, acts: bool = True) -> Judgement:
    """Return the judgement on a bare range, of which nothing is known but whether it acts."""
    return judge(Executions(min=minimum, max=maximum), acts=acts)


def reads_words(protection: Protection | None) -> str:
    """Return what is said of a reader's repeat: a name alone is only a hint that it reads."""
    if protection is not None and protection.source == "hint":
        return "reads only (guessed from the name)"
    return "reads only"


def tally(judgements: Iterable[Judgement]) -> Twice:
    """Return how many effects the outside saw more than once, surely and possibly."""
    sure = possible = 0
    for each in judgements:
        sure += each.sure
        possible += each.possible
    return Twice(sure=sure, possible=possible)


def worst_first(effects: Iterable[Effect]) -> list[tuple[Effect, Judgement]]:
    """Return effects with their judgements, worst first; equals keep their order."""
    return sorted(((e, judge_effect(e)) for e in effects), key=lambda pair: pair[1].rank)


def _shield(effect: Effect) -> str:
    protection = effect.protection
    if effect.same_key:
        return "same key"
    if protection.klass == "keyed":
        return "keyed"
    if protection.klass == "durable":
        return "its recorded steps are kept"
    return "claimed" if protection.klass == "claimed" else "protected"


def _made(code: JudgeCode, runs: Executions, note: str = "", *, signs: bool = True) -> Judgement:
    word = _word(runs, signs=signs)
    return Judgement(
        code=code, word=word, note=note, meaning=_MEANINGS[code], tone=_TONES[code], rank=RANKS[code]
    )


_MEANINGS: dict[JudgeCode, str] = {
    "without-end": "it acts again at every wake-up, without end",
    "sure": "two executions or more, and nothing kept the outside from seeing each",
    "possible": "the outside may have seen a second execution, and nothing recorded settles it",
    "retried": "all but the last threw; a body that threw may have acted before it threw",
    "keyed": "a repeat under one key: the outside acted once if the receiver honours it",
    "open": "nothing shows a second execution, and nothing excludes it",
    "absorbed": "a repeat that the receiver recognised: the outside acted once",
    "reads": "a repeat of a tool that only reads does no harm",
    "maybe": "an execution is possible, not recorded",
    "once": "exactly one execution",
    "none": "no execution",
}


def _word(runs: Executions, *, signs: bool) -> str:
    low, high = runs.min, runs.max
    if high == 0:
        return "did not run"
    if low >= 2:
        word = f"ran {_times(low)}"
        return word if low == high else f"{word} or more"
    if low == high == 1:
        return "ran once"
    if high is None or high >= 2:
        if not signs:
            return "ran once, as far as seen" if low else "may have run"
        return "may have run twice" if high in (2, None) else f"may have run {_times(high)}"
    return "may have run"


def _times(count: int) -> str:
    return {2: "twice", 3: "three times"}.get(count, f"{count} times")
