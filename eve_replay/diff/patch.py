"""A comparison as RFC 6902 JSON patch, and as a unified text diff of the pretty-printed values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from eve_replay.diff.model import Change
from eve_replay.diff.sequence import align
from eve_replay.diff.values import diff_values
from eve_replay.values import to_tagged

__all__ = ["json_patch", "unified"]

Operation = dict[str, object]


def json_patch(before: object, after: object) -> list[Operation]:
    """Return RFC 6902 operations that turn the tagged JSON of ``before`` into that of ``after``.

    The patch is over tagged JSON (docs/formats/tagged-json.md), because JSON patch knows no Map, no Date and
    no ``undefined``. Inserted, removed and moved list items are one operation each.
    """
    return list(_operations(diff_values(to_tagged(before), to_tagged(after)), ""))


def _operations(top: Change, pointer: str) -> Iterator[Operation]:
    waiting = [(top, pointer)]
    while waiting:
        change, pointer = waiting.pop()
        if change.kind in ("same", "unknown"):
            continue
        if change.children:
            yield from _own_operations(change, pointer)
            inner = [child for child in change.children if child.kind in ("changed", "moved")]
            waiting += [(child, _step(pointer, child.key)) for child in reversed(inner)]
        elif change.kind != "moved" or change.edited:
            yield {"op": "replace", "path": pointer, "value": change.after}


def _own_operations(change: Change, pointer: str) -> Iterator[Operation]:
    if isinstance(change.before, list) and isinstance(change.after, list):
        yield from _list_operations(change, pointer, len(change.before))
    else:
        for child in change.children:
            if child.kind == "removed":
                yield {"op": "remove", "path": _step(pointer, child.old_key)}
            elif child.kind == "added":
                yield {"op": "add", "path": _step(pointer, child.key), "value": child.after}


def _list_operations(change: Change, pointer: str, length: int) -> Iterator[Operation]:
    """Remove from the end, then move, then add from the start: each address is right when its turn comes."""
    for index in sorted((int(c.old_key or 0) for c in change.children if c.kind == "removed"), reverse=True):
        yield {"op": "remove", "path": _step(pointer, index)}
    gone = {c.old_key for c in change.children if c.kind == "removed"}
    now = [i for i in range(length) if i not in gone]
    before: int | None = None
    for child in (c for c in change.children if c.kind in ("same", "changed", "moved")):
        old = int(child.old_key or 0)
        if child.kind == "moved":
            at = now.index(old)
            now.pop(at)
            to = now.index(before) + 1 if before is not None else 0
            now.insert(to, old)
            if at != to:
                yield {"op": "move", "from": _step(pointer, at), "path": _step(pointer, to)}
        before = old + child.count - 1
    for child in change.children:
        if child.kind == "added":
            yield {"op": "add", "path": _step(pointer, child.key), "value": child.after}


def _step(pointer: str, key: str | int | None) -> str:
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def unified(
    before: object, after: object, *, names: tuple[str, str] = ("before", "after"), context: int = 3
) -> str:
    """Return a unified diff of the two values as pretty-printed tagged JSON; empty when they are equal.

    Text may hold control characters above U+001F: whoever draws it makes it safe (``views/safe.py``).
    """
    left, right = _pretty(before), _pretty(after)
    lines: list[str] = []
    for hunk in _hunks(left, right, context):
        alo, ahi, blo, bhi, body = hunk
        lines.append(f"@@ -{_range(alo, ahi)} +{_range(blo, bhi)} @@")
        lines.extend(body)
    if not lines:
        return ""
    return "\n".join([f"--- {names[0]}", f"+++ {names[1]}", *lines]) + "\n"


def _pretty(value: object) -> list[str]:
    return json.dumps(to_tagged(value), indent=2, ensure_ascii=False).split("\n")


def _range(low: int, high: int) -> str:
    return f"{low + 1},{high - low}" if high > low else f"{low},0"


Hunk = tuple[int, int, int, int, list[str]]


def _hunks(left: Sequence[str], right: Sequence[str], context: int) -> Iterator[Hunk]:
    """Yield hunks of a unified diff: changed stretches with ``context`` equal lines around them."""
    stretches: list[tuple[int, int, int, int]] = []
    i = j = 0
    for a, b in [*align(left, right), (len(left), len(right))]:
        if a > i or b > j:
            stretches.append((i, a, j, b))
        i, j = a + 1, b + 1
    while stretches:
        group = [stretches.pop(0)]
        while stretches and stretches[0][0] - group[-1][1] <= 2 * context:
            group.append(stretches.pop(0))
        lead = min(context, group[0][0])
        tail = min(context, len(left) - group[-1][1])
        at = group[0][0] - lead
        body: list[str] = []
        for alo, ahi, blo, bhi in group:
            body.extend(" " + text for text in left[at:alo])
            body.extend("-" + text for text in left[alo:ahi])
            body.extend("+" + text for text in right[blo:bhi])
            at = ahi
        body.extend(" " + text for text in left[at : at + tail])
        yield group[0][0] - lead, group[-1][1] + tail, group[0][2] - lead, group[-1][3] + tail, body
