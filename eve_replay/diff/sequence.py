"""Which items of two sequences belong together: a longest common subsequence in bounded time.

``difflib`` is quadratic to cubic on repeated items; here every region is settled by the first of these
that applies: equal ends, items that occur once on both sides (patience), Myers' greedy search up to
:data:`MAX_EDITS` edits, and at last the k-th occurrence on one side with the k-th on the other.
The whole stays within O(n log n) plus ``MAX_EDITS`` squared per region.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

__all__ = ["MAX_EDITS", "align"]

#: Edits that Myers' search may spend on one region before it gives up (its memory is the square of it).
MAX_EDITS = 160

Pair = tuple[int, int]
Region = tuple[int, int, int, int]


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Pair]:
    """Return index pairs ``(i, j)`` of items that stay, both indexes rising.

    Items are compared by equality of the tokens given. The result is a longest common subsequence of
    items that do not repeat, else a good common subsequence.
    """
    pairs: list[Pair] = []
    stack: list[Region] = [(0, len(before), 0, len(after))]
    while stack:
        region = _trim(before, after, stack.pop(), pairs)
        if region is None:
            continue
        alo, ahi, blo, bhi = region
        anchors = _unique_anchors(before, after, region)
        if not anchors:
            found = _myers(before, after, region)
            pairs.extend(_by_occurrence(before, after, region) if found is None else found)
            continue
        for i, j in anchors:
            stack.append((alo, i, blo, j))
            alo, blo = i + 1, j + 1
        pairs.extend(anchors)
        stack.append((alo, ahi, blo, bhi))
    pairs.sort()
    return pairs


def _trim(
    before: Sequence[Hashable], after: Sequence[Hashable], region: Region, pairs: list[Pair]
) -> Region | None:
    """Take equal ends off a region and note them; None when nothing is left on one side."""
    alo, ahi, blo, bhi = region
    while alo < ahi and blo < bhi and before[alo] == after[blo]:
        pairs.append((alo, blo))
        alo, blo = alo + 1, blo + 1
    while alo < ahi and blo < bhi and before[ahi - 1] == after[bhi - 1]:
        ahi, bhi = ahi - 1, bhi - 1
        pairs.append((ahi, bhi))
    return None if alo == ahi or blo == bhi else (alo, ahi, blo, bhi)


def _unique_anchors(before: Sequence[Hashable], after: Sequence[Hashable], region: Region) -> list[Pair]:
    """Return a longest rising chain of items that occur exactly once on either side of the region."""
    alo, ahi, blo, bhi = region
    left, right = Counter(before[alo:ahi]), Counter(after[blo:bhi])
    place = {t: j for j, t in enumerate(after[blo:bhi], blo) if right[t] == 1 and left.get(t) == 1}
    return _rising([(i, place[t]) for i, t in enumerate(before[alo:ahi], alo) if t in place])


def _by_occurrence(before: Sequence[Hashable], after: Sequence[Hashable], region: Region) -> list[Pair]:
    """Pair equal items by their order of occurrence and keep a longest rising chain of the pairs."""
    alo, ahi, blo, bhi = region
    places: dict[Hashable, list[int]] = {}
    for j in range(bhi - 1, blo - 1, -1):
        places.setdefault(after[j], []).append(j)
    pairs = []
    for i in range(alo, ahi):
        queue = places.get(before[i])
        if queue:
            pairs.append((i, queue.pop()))
    return _rising(pairs)


def _rising(pairs: list[Pair]) -> list[Pair]:
    """Return a longest chain with rising second index (the first rises already)."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for at, (_, j) in enumerate(pairs):
        rank = bisect_left(tails, j)
        previous.append(ends[rank - 1] if rank else -1)
        if rank == len(tails):
            tails.append(j)
            ends.append(at)
        else:
            tails[rank] = j
            ends[rank] = at
    chain: list[Pair] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = previous[at]
    chain.reverse()
    return chain


def _myers(before: Sequence[Hashable], after: Sequence[Hashable], region: Region) -> list[Pair] | None:
    """Return the matches of a shortest edit script, None when it needs more than :data:`MAX_EDITS` edits."""
    alo, ahi, blo, bhi = region
    n, m = ahi - alo, bhi - blo
    if abs(n - m) > MAX_EDITS:
        return None
    furthest: dict[int, int] = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(MAX_EDITS, n + m) + 1):
        trace.append(dict(furthest))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
            x = furthest[k + 1] if down else furthest[k - 1] + 1
            y = x - k
            while x < n and y < m and before[alo + x] == after[blo + y]:
                x, y = x + 1, y + 1
            furthest[k] = x
            if x >= n and y >= m:
                return _walk_back(trace, alo, blo, n, m)
    return None


def _walk_back(trace: list[dict[int, int]], alo: int, blo: int, n: int, m: int) -> list[Pair]:
    """Follow the recorded furthest points back from the end and collect the diagonal moves."""
    pairs: list[Pair] = []
    x, y = n, m
    for edits in range(len(trace) - 1, -1, -1):
        furthest = trace[edits]
        k = x - y
        down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
        came = k + 1 if down else k - 1
        start_x = furthest[came] if edits else 0
        start_y = start_x - came if edits else 0
        after_edit = (start_x, start_y + 1) if down else (start_x + 1, start_y)
        stop = after_edit if edits else (0, 0)
        while (x, y) != stop and x > stop[0] and y > stop[1]:
            x, y = x - 1, y - 1
            pairs.append((alo + x, blo + y))
        x, y = start_x, start_y
    return pairs
