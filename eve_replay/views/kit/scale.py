"""Time axes: ticks whose labels are all different, a scale that squeezes quiet stretches, and a minimap."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from eve_replay.views.kit.base import View
from eve_replay.views.kit.tone import Tone

__all__ = ["Bucket", "Knot", "Minimap", "Tick", "knots_for", "minimap_of", "place_on", "ticks_for"]

#: Steps of the time axis in milliseconds: those a person counts in.
_STEPS = (
    *(n * 10**e for e in range(-3, 3) for n in (1, 2, 5)),
    *(n * 1000 for n in (1, 2, 5, 10, 15, 30)),
    *(n * 60_000 for n in (1, 2, 5, 10, 15, 30)),
    *(n * 3_600_000 for n in (1, 2, 3, 6, 12)),
    *(n * 86_400_000 for n in (1, 2, 7, 14, 28)),
)
_BUCKETS = 160
#: Worst last: a bucket takes the gravest tone that falls into it.
_GRAVITY: tuple[Tone, ...] = (
    "muted", "plain", "parked", "model", "tool", "committed", "unknown", "again", "error", "harm",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(View):
    """A tick: where, and what it says."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Knot(View):
    """A point of the squeezed scale: milliseconds and the share of the width, 0 to 1."""

    at: float
    x: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(View):
    """A stretch of the minimap: how many bars touch it, and the gravest tone among them."""

    count: int
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimap(View):
    """The whole time in equal buckets."""

    buckets: tuple[Bucket, ...]
    length: float


def ticks_for(start: float, end: float, count: int = 8) -> tuple[Tick, ...]:
    """Return about ``count`` ticks between two moments in milliseconds; no two labels are the same."""
    span = end - start
    if span <= 0 or count < 1:
        return (Tick(at=start, label=_label(start, 1.0)),)
    wanted = span / count
    step = next((each for each in _STEPS if each >= wanted), None)
    if step is None:
        step = math.ceil(wanted / 86_400_000) * 86_400_000
    first = math.ceil(start / step - 1e-9)
    last = math.floor(end / step + 1e-9)
    return tuple(Tick(at=n * step, label=_label(n * step, step)) for n in range(first, last + 1))


def _label(at: float, step: float) -> str:
    """Return ``+1.25 s``: as many decimals as the step needs, in the unit that fits the moment."""
    if at == 0:
        return "0"
    sign = "-" if at < 0 else "+"
    value = abs(at)
    if value < 1000 and step < 1000:
        return f"{sign}{_trimmed(value, step)} ms"
    if value < 60_000 or step < 1000:
        return f"{sign}{_trimmed(value / 1000, step / 1000)} s"
    if step >= 86_400_000:
        return f"{sign}{round(value / 86_400_000)} d"
    seconds = round(value / 1000)
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else "", f"{left} s" if left else ""]
    return sign + " ".join(part for part in parts if part)


def _trimmed(value: float, step: float) -> str:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
    return f"{value:.{decimals}f}"


def knots_for(
    busy: Sequence[tuple[float, float]], length: float
) -> tuple[tuple[Knot, ...], tuple[tuple[float, float], ...]]:
    """Return the squeezed scale and the stretches it shortens.

    A stretch in which nothing ran counts as quiet when it is longer than a fifth of all the busy time (and
    a quarter of a second); each takes a sixteenth of the width, whatever its length.
    """
    merged: list[list[float]] = []
    for start, end in sorted(busy):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    active = sum(end - start for start, end in merged)
    longest = max(active / 5, 250.0)
    edges = [(0.0, 0.0), *((a, b) for a, b in merged), (length, length)]
    quiet = [(before[1], after[0]) for before, after in pairwise(edges) if after[0] - before[1] > longest]
    total = length - sum(b - a for a, b in quiet)
    if not quiet or total <= 0:
        return (Knot(at=0.0, x=0.0), Knot(at=length, x=1.0)), ()
    each = min(1 / 16, 0.5 / len(quiet))
    rate = (1 - each * len(quiet)) / total
    knots = [Knot(at=0.0, x=0.0)]
    x, at = 0.0, 0.0
    for start, end in quiet:
        x += (start - at) * rate
        if start > at:
            knots.append(Knot(at=start, x=x))
        x += each
        knots.append(Knot(at=end, x=min(x, 1.0)))
        at = end
    if at < length:
        knots.append(Knot(at=length, x=1.0))
    return tuple(knots), tuple(quiet)


def place_on(knots: Sequence[Knot], at: float) -> float:
    """Return where a moment lies on a squeezed scale, 0 to 1."""
    if not knots:
        return 0.0
    n = bisect_right([knot.at for knot in knots], at)
    if n == 0:
        return knots[0].x
    if n == len(knots):
        return knots[-1].x
    left, right = knots[n - 1], knots[n]
    share = (at - left.at) / (right.at - left.at) if right.at > left.at else 0.0
    return left.x + (right.x - left.x) * share


def minimap_of(bars: Sequence[tuple[float, float, Tone]], length: float) -> Minimap:
    """Return the bars gathered into equal buckets."""
    if length <= 0:
        return Minimap(buckets=(), length=0.0)
    counts = [0] * _BUCKETS
    grave = [-1] * _BUCKETS
    for start, end, tone in bars:
        rank = _GRAVITY.index(tone) if tone in _GRAVITY else 1
        low = min(int(start / length * _BUCKETS), _BUCKETS - 1)
        high = min(int(end / length * _BUCKETS), _BUCKETS - 1)
        for n in range(low, high + 1):
            counts[n] += 1
            grave[n] = max(grave[n], rank)
    return Minimap(
        buckets=tuple(
            Bucket(count=count, tone=_GRAVITY[rank] if rank >= 0 else "plain")
            for count, rank in zip(counts, grave, strict=True)
        ),
        length=length,
    )
