"""What a check says: passed or not, why, and the shortest way in which it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eve_replay.workshop.model import Language, Outcome

__all__ = ["Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a check, in the learner's language.

    Attributes:
        lesson: two digits.
        code: diagnosis of the failure (``key-changed``, ``memory-lost`` ...), empty when passed.
        headline: one sentence.
        story: the shortest failing schedule as sentences, in order; empty when passed.
        why: what made it fail, in one or two sentences.
        next: what to think about next, or what the fix still cannot do.
        basis: how that is known (observed, implied or unknown), where answers were run; empty when judged.
        tried: schedules (or inputs) that were tried; ``complete`` when these are all within the bound.
        cases: cases that were tried.
        wall: what kept the answer in while it was judged (``network``, ``files``); empty: limits of time and
            memory only, or it ran in this very process.
        outcome: the shortest failing outcome, for the picture; None when passed or judged.
        faultless: the same case without faults: the frame of the picture, so that no crash is drawn past a
            commit that it prevented.
    """

    lesson: str
    passed: bool
    language: Language
    headline: str
    code: str = ""
    story: tuple[str, ...] = ()
    why: str = ""
    next: str = ""
    basis: str = ""
    tried: int = 0
    complete: bool = True
    cases: int = 0
    wall: tuple[str, ...] = ()
    outcome: Outcome | None = None
    faultless: Outcome | None = None

    def to_json(self) -> Mapping[str, object]:
        """Return it as plain JSON data, without the outcome."""
        return {
            "lesson": self.lesson,
            "passed": self.passed,
            "code": self.code,
            "headline": self.headline,
            "story": list(self.story),
            "why": self.why,
            "next": self.next,
            "basis": self.basis,
            "tried": self.tried,
            "complete": self.complete,
            "cases": self.cases,
            "wall": list(self.wall),
        }

    def __str__(self) -> str:
        parts = [self.headline, *(f"  {number}. {each}" for number, each in enumerate(self.story, 1))]
        return "\n".join([*parts, *(each for each in (self.why, self.next, self.basis) if each)])
