"""One compared fact: what it is on either side, and whether it is the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from eve_replay.diff.model import Change
from eve_replay.journal.model import Certainty, Evidence, Tokens
from eve_replay.times import iso

__all__ = ["Fact", "Verdict", "compare", "seconds", "spread", "time_text", "token_text"]

#: ``other ids``: the same in everything but ids that are minted anew; ``expected`` differences (times, event
#: ids) are ``changed`` with ``expected=True``, so that front ends can hold them back.
Verdict = Literal["same", "changed", "other ids", "only first", "only second", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of a comparison.

    Attributes:
        name: machine word, for example ``input`` or ``model text``.
        verdict: see :data:`Verdict`.
        before, after: the two sides as short text, empty where a side has none.
        note: why, in words, may be empty.
        expected: a re-run always differs in this.
        certainty: how the verdict is known.
        change: the detailed comparison, None when there is nothing to take apart.
        evidence: where it can be checked.
    """

    name: str
    verdict: Verdict
    before: str = ""
    after: str = ""
    note: str = ""
    expected: bool = False
    certainty: Certainty = "observed"
    change: Change | None = None
    evidence: tuple[Evidence, ...] = ()


def compare(name: str, before: str, after: str, *, note: str = "", expected: bool = False) -> Fact:
    """Return a fact from two texts; an empty text is a side that has none."""
    verdict: Verdict = "same" if before == after else "changed"
    if before != after and not before:
        verdict = "only second"
    elif before != after and not after:
        verdict = "only first"
    return Fact(name=name, verdict=verdict, before=before, after=after, note=note, expected=expected)


def seconds(start: object, end: object) -> float | None:
    """Return the seconds between two datetimes, None when either is missing."""
    if isinstance(start, datetime) and isinstance(end, datetime):
        return (end - start).total_seconds()
    return None


def spread(value: float | None) -> str:
    """Return a duration as text with a unit, empty for None (exact to the millisecond)."""
    return "" if value is None else f"{value:.3f} s"


def time_text(value: object) -> str:
    """Return ISO text of a datetime, empty for None."""
    return (iso(value) or "") if isinstance(value, datetime) else ""


def token_text(tokens: Tokens | None) -> str:
    """Return ``386 in, 12 out``, empty when no usage was recorded."""
    return "" if tokens is None else f"{tokens.input:,} in, {tokens.output:,} out"
