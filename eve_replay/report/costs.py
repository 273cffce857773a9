"""What a period cost: tokens, and the sum of a field of the calls, each as at least and at most.

A call of an interrupted attempt may have acted or not: its amount is in the second number only. What a key or
a claim absorbs is absorbed as the judge has it (``outside``), and only as far as it does what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from eve_replay.journal import Session
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import Tokens

__all__ = ["Spent", "Sum", "spent_in", "sums_in"]

#: How deep a field is looked for in a call's input.
_DEEPEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A field summed over the calls of one tool.

    Attributes:
        tool: its name; ``field`` what is summed.
        calls: effects with a number in that field that ran, or may have run, in the period.
        least, most: the sum if nothing doubtful acted, and if all of it did; ``most`` None without a bound.
        absorbed: the sum if every recorded key and claim kept the outside from acting twice, at most.
        without: effects of this tool without such a number.
    """

    tool: str
    field: str
    calls: int
    least: Decimal
    most: Decimal | None
    absorbed: Decimal | None
    without: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens of the model calls that began in a period, and of those the ones that were paid again."""

    calls: int
    tokens: Tokens
    again: Tokens
    unknown: int

    @classmethod
    def nothing(cls) -> Spent:
        """Return what nothing costs."""
        return cls(calls=0, tokens=Tokens(), again=Tokens(), unknown=0)

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            again=self.again + other.again,
            unknown=self.unknown + other.unknown,
        )


def spent_in(session: Session, since: datetime, until: datetime) -> Spent:
    """Return the tokens of a session in a period; calls without a count are in ``unknown``."""
    total = Spent.nothing()
    for step in session.steps:
        for attempt in step.attempts:
            for call in attempt.model_calls:
                at = call.started_at or attempt.started_at
                if at is None or not since <= at < until:
                    continue
                total += Spent(
                    calls=1,
                    tokens=call.tokens or Tokens(),
                    again=(call.tokens or Tokens()) if call.paid_again else Tokens(),
                    unknown=int(call.tokens is None),
                )
    return total


def sums_in(effects: Iterable[Effect], field: str, since: datetime, until: datetime) -> tuple[Sum, ...]:
    """Return the sums of a field by tool, over what ran or may have run in a period; biggest first.

    Args:
        effects: of any number of sessions; those that do not act (read only) are left out.
        field: name of a number in a call's input, at any depth; with dots a path (``order.cents``).
        since: the beginning, an aware time.
        until: the end, not part of the period.
    """
    found: dict[str, list[tuple[Decimal | None, int, int | None, int | None]]] = {}
    for effect in effects:
        if not effect.protection.acts:
            continue
        parts = [p for p in effect.by_attempt if p.at is None or since <= p.at < until]
        least = sum(part.executions.min for part in parts)
        most = _top(part.executions.max for part in parts)
        if most == 0:
            continue
        value = amount(effect.input, field)
        outside = effect.outside.max if len(parts) == len(effect.by_attempt) else most
        found.setdefault(effect.tool, []).append((value, least, most, outside))
    sums = []
    for tool, rows in found.items():
        known = [(value, least, most, outside) for value, least, most, outside in rows if value is not None]
        if known:
            sums.append(
                Sum(
                    tool=tool,
                    field=field,
                    calls=len(known),
                    least=sum((value * least for value, least, _, _ in known), Decimal()),
                    most=_total((value, most) for value, _, most, _ in known),
                    absorbed=_total((value, outside) for value, _, _, outside in known),
                    without=len(rows) - len(known),
                )
            )
    return tuple(sorted(sums, key=lambda each: (-each.least, each.tool)))


def _top(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _total(pairs: Iterable[tuple[Decimal, int | None]]) -> Decimal | None:
    total = Decimal()
    for value, count in pairs:
        if count is None:
            return None
        total += value * count
    return total


def amount(value: object, field: str) -> Decimal | None:
    """Return the number of a field: the first found, nearest to the top; None when there is none."""
    names = field.split(".")
    level = [value]
    for _ in range(_DEEPEST):
        for each in level:
            number = _at(each, names)
            if number is not None:
                return number
        level = [inner for each in level for inner in _inside(each)]
    return None


def _at(value: object, names: list[str]) -> Decimal | None:
    for name in names:
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value)) if len(str(value)) <= 40 else None
    except (InvalidOperation, ValueError):
        return None
    return number if number is not None and number.is_finite() else None


def _inside(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
