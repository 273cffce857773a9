"""What a function can be asked to keep: each promise is held against what it does without a crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from eve_replay.workshop.model import Breach, Outcome, Promise

__all__ = ["Wanted", "at_least_once", "at_most_once", "once", "read_only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A promise that is not tied to a run yet.

    Attributes:
        words: how a report names it.
        effect: what it is about; empty for all effects.
        against: ties it to the run without a crash.
    """

    words: str
    effect: str
    against: Callable[[Outcome], Promise]


def once(effect: str, *, by: str = "") -> Wanted:
    """Each effect of the run without a crash happens exactly once, counted by a field of it."""
    return _counted("once", effect, by, least=True, most=True)


def at_least_once(effect: str, *, by: str = "") -> Wanted:
    """Each effect of the run without a crash happens; it may happen more often."""
    return _counted("at least once", effect, by, least=True, most=False)


def at_most_once(effect: str, *, by: str = "") -> Wanted:
    """No effect happens more often than without a crash; it may be missing."""
    return _counted("at most once", effect, by, least=False, most=True)


def read_only() -> Wanted:
    """Nothing outside is changed at all."""

    def promise(outcome: Outcome) -> Breach | None:
        if not outcome.ledger:
            return None
        return Breach(code="acted", facts={"words": f"{outcome.ledger[0].effect} changed something outside"})

    return Wanted(words="read only", effect="", against=lambda _peaceful: promise)


def _counted(words: str, effect: str, by: str, *, least: bool, most: bool) -> Wanted:
    def against(peaceful: Outcome) -> Promise:
        wanted = _counts(peaceful, effect, by)

        def promise(outcome: Outcome) -> Breach | None:
            found = _counts(outcome, effect, by)
            for value in {**wanted, **found}:
                more, less = found[value] > max(wanted[value], 1), found[value] < wanted[value]
                if (most and more) or (least and less):
                    what = f"{effect} {value}".strip()
                    said = f"{what}: {found[value]} instead of {wanted[value]}"
                    return Breach(code="twice" if more else "missed", facts={"words": said})
            return None

        return promise

    return Wanted(words=f"{effect} {words}" + (f" by {by}" if by else ""), effect=effect, against=against)


def _counts(outcome: Outcome, effect: str, by: str) -> Counter[str]:
    return Counter(str(each.fields.get(by)) if by else "" for each in outcome.ledger if each.effect == effect)
