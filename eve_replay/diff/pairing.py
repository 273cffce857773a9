"""Which items of two lists are the same item, moved or edited: what makes one insert one change."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from eve_replay.diff.sequence import align

__all__ = ["Item", "Likeness", "pair_items"]

#: Names of fields that say which thing an item is, most telling first. Taken from the journals: tool calls,
#: requests, log and stream events, steps, runs.
_IDENTITIES = ("id", "toolCallId", "callId", "requestId", "eventId", "stepId", "runId", "key", "name")
#: Gaps with more candidate pairs than this are paired by position only.
_MAX_PAIRS = 10_000
_ENOUGH = 0.35


class Likeness(Protocol):
    """Judges how alike two items are; the comparison gives it, since it knows their parts."""

    def alike(self, before: object, after: object) -> float:
        """Return 0 (unrelated) to 1 (equal)."""
        ...


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an aligned list: what became of ``before[i]`` and ``after[j]`` (-1 where there is none)."""

    kind: Literal["same", "edited", "added", "removed", "moved"]
    i: int
    j: int


def pair_items(
    before: Sequence[object],
    after: Sequence[object],
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    parts: Likeness,
) -> list[Item]:
    """Return the items of two lists in reading order: the new order, removed ones where they stood.

    Args:
        before: the old items.
        after: the new items.
        left: tokens of the old items, equal for equal items.
        right: tokens of the new items.
        parts: judges how alike two items are.
    """
    kept = align(left, right)
    gaps: list[tuple[list[int], list[int]]] = []
    i = j = 0
    for a, b in [*kept, (len(left), len(right))]:
        gaps.append((list(range(i, a)), list(range(j, b))))
        i, j = a + 1, b + 1
    moved = _moves(gaps, left, right)
    moved.update(_moves_by_identity(gaps, before, after))
    items: list[Item] = []
    for at, (gone, came) in enumerate(gaps):
        items.extend(_gap(gone, came, before, after, moved, parts))
        if at < len(kept):
            items.append(Item("same", *kept[at]))
    return items


def _moves(
    gaps: list[tuple[list[int], list[int]]], left: Sequence[Hashable], right: Sequence[Hashable]
) -> dict[int, int]:
    """Return new index to old index of items that are equal and stand elsewhere."""
    places: dict[Hashable, list[int]] = {}
    for gone, _ in gaps:
        for i in gone:
            places.setdefault(left[i], []).append(i)
    moved: dict[int, int] = {}
    for _, came in gaps:
        for j in came:
            queue = places.get(right[j])
            if queue:
                moved[j] = queue.pop(0)
    return moved


def _moves_by_identity(
    gaps: list[tuple[list[int], list[int]]], before: Sequence[object], after: Sequence[object]
) -> dict[int, int]:
    """Return new index to old index of items that carry the same identity in another gap."""
    where: dict[Hashable, list[tuple[int, int]]] = {}
    for number, (gone, _) in enumerate(gaps):
        for i in gone:
            name = _identity(before[i])
            if name is not None:
                where.setdefault(name, []).append((number, i))
    moved: dict[int, int] = {}
    for number, (_, came) in enumerate(gaps):
        for j in came:
            name = _identity(after[j])
            found = where.get(name, []) if name is not None else []
            if len(found) == 1 and found[0][0] != number:
                moved[j] = found[0][1]
                where[name] = []
    return moved


def _identity(item: object) -> Hashable | None:
    if not isinstance(item, dict):
        return None
    for field in _IDENTITIES:
        value = item.get(field)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return (field, value)
    return None


def _gap(
    gone: list[int],
    came: list[int],
    before: Sequence[object],
    after: Sequence[object],
    moved: dict[int, int],
    parts: Likeness,
) -> list[Item]:
    """Return the items between two anchors."""
    away = set(moved.values())
    gone = [i for i in gone if i not in away]
    fresh = [j for j in came if j not in moved]
    pairs = dict(_edited(gone, fresh, before, after, parts))
    partner = {j: i for i, j in pairs.items()}
    items: list[Item] = []
    waiting = list(gone)
    for j in came:
        if j in moved:
            items.append(Item("moved", moved[j], j))
        elif j in partner:
            while waiting and waiting[0] <= partner[j]:
                i = waiting.pop(0)
                if i != partner[j]:
                    items.append(Item("removed", i, -1))
            items.append(Item("edited", partner[j], j))
        else:
            items.append(Item("added", -1, j))
    items.extend(Item("removed", i, -1) for i in waiting)
    return items


def _edited(
    gone: list[int], came: list[int], before: Sequence[object], after: Sequence[object], parts: Likeness
) -> list[tuple[int, int]]:
    """Return pairs of items that are one item edited, in order on both sides."""
    if not gone or not came:
        return []
    if len(gone) * len(came) > _MAX_PAIRS:
        return list(zip(gone, came, strict=True)) if len(gone) == len(came) else []
    by_place = len(gone) == len(came)
    score = [
        [_likeness(before[i], after[j], parts, by_place and x == y) for y, j in enumerate(came)]
        for x, i in enumerate(gone)
    ]
    best = [[0.0] * (len(came) + 1) for _ in range(len(gone) + 1)]
    for x in range(len(gone) - 1, -1, -1):
        for y in range(len(came) - 1, -1, -1):
            take = best[x + 1][y + 1] + score[x][y] if score[x][y] else 0.0
            best[x][y] = max(best[x + 1][y], best[x][y + 1], take)
    pairs: list[tuple[int, int]] = []
    x = y = 0
    while x < len(gone) and y < len(came):
        if score[x][y] and best[x][y] == best[x + 1][y + 1] + score[x][y]:
            pairs.append((gone[x], came[y]))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return pairs


def _likeness(before: object, after: object, parts: Likeness, same_place: bool) -> float:
    """Return how much an item is another one edited; 0 when they had better be shown as two items."""
    left, right = _identity(before), _identity(after)
    if left is not None and left == right:
        return 2.0
    alike = parts.alike(before, after)
    if alike >= _ENOUGH:
        return alike
    plain = not isinstance(before, (dict, list)) and not isinstance(after, (dict, list))
    return 0.05 if same_place and plain and type(before) is type(after) else 0.0
