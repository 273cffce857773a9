"""What changed between two JS values, as a tree: same, changed, added, removed, moved, unknown."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from eve_replay.diff.model import ABSENT, Absent, Change, ChangeKind
from eve_replay.diff.pairing import Item, pair_items
from eve_replay.diff.sequence import align
from eve_replay.diff.shape import Shape, shape_of, step_path
from eve_replay.diff.tokens import Tokens
from eve_replay.values import Undecoded, preview, type_name

__all__ = ["MAX_DEPTH", "MAX_NODES", "diff_values"]

#: Deeper differences are reported as one change: nobody reads them, and readers may recurse.
MAX_DEPTH = 200
#: A comparison stops taking containers apart after this many nodes (hugely shared values, exponential trees).
MAX_NODES = 200_000
#: Equal neighbours up to this many are listed one by one, more become one ``same`` node with a count.
_LISTED = 3

_Key = TypeVar("_Key", bound=Hashable)


def diff_values(before: object, after: object) -> Change:
    """Return what leads from ``before`` to ``after``.

    Equal means what ``eve_replay.values.same`` means: JS types count, the order of an object's keys does not,
    that of a Map's entries does. In lists an insert is one change whatever comes after it, a moved item is
    one move, an edited item shows what was edited. Cycles are followed once. Never raises; takes time about
    linear in the size of the values.
    """
    return _Comparison().run(before, after)


@dataclass(slots=True)
class _Pair:
    """Two values to compare, and where."""

    kind: ChangeKind
    path: str
    old_path: str
    label: str
    before: object
    after: object
    key: str | int | None = None
    old_key: str | int | None = None


class _Node:
    """A pair that is being taken apart: the parts still to do, and the changes found so far."""

    __slots__ = ("children", "key", "pair", "parts")

    def __init__(self, pair: _Pair, parts: list[_Pair | Change], key: tuple[int, int]) -> None:
        self.pair = pair
        self.parts = parts
        self.key = key
        self.children: list[Change] = []


class _Comparison:
    """One comparison with its token memory and its budget."""

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.nodes = 0
        #: Pairs taken apart already: where, and whether they differ. Shared values are taken apart once.
        self.settled: dict[tuple[int, int], tuple[str, bool]] = {}
        #: Shapes make lists of their own (headers); the token memory needs them alive.
        self.alive: list[Shape] = []

    def run(self, before: object, after: object) -> Change:
        done = self._leaf(_Pair("changed", "$", "$", "$", before, after))
        if isinstance(done, Change):
            return done
        stack = [done]
        open_pairs = {done.key}
        while True:
            node = stack[-1]
            if node.parts:
                part = node.parts.pop()
                if isinstance(part, Change):
                    node.children.append(part)
                    continue
                found = self._leaf(part, depth=len(stack), open_pairs=open_pairs)
                if isinstance(found, Change):
                    node.children.append(found)
                else:
                    stack.append(found)
                    open_pairs.add(found.key)
                continue
            stack.pop()
            open_pairs.discard(node.key)
            change = _finished(node)
            self.settled[node.key] = (node.pair.path, change.kind != "same")
            if not stack:
                return change
            stack[-1].children.append(change)

    def _leaf(
        self, pair: _Pair, *, depth: int = 0, open_pairs: set[tuple[int, int]] | None = None
    ) -> Change | _Node:
        """Return the change when it is settled at once, else the node to take apart."""
        before, after = pair.before, pair.after
        if before is after or self.tokens.of(before) == self.tokens.of(after):
            return _change(pair, "moved" if pair.kind == "moved" else "same", equal=True)
        if isinstance(before, Undecoded) or isinstance(after, Undecoded):
            bad = before if isinstance(before, Undecoded) else after
            return _change(pair, "unknown", note=f"undecoded: {getattr(bad, 'reason', '')}")
        if isinstance(before, str) and isinstance(after, str):
            return _change(pair, pair.kind)
        key = (id(before), id(after))
        if open_pairs is not None and key in open_pairs:
            return _change(pair, "same", note="refers back to values compared above")
        known = self.settled.get(key)
        if known is not None:
            where, differs = known
            return _change(pair, pair.kind if differs else "same", note=f"as at {where}")
        old, new = shape_of(before), shape_of(after)
        if old is None or new is None or old.family != new.family or old.head != new.head:
            return _change(pair, pair.kind, note=_type_note(before, after))
        if depth >= MAX_DEPTH or self.nodes >= MAX_NODES:
            return _change(pair, pair.kind, note="differs inside; not taken further apart")
        self.alive += (old, new)
        parts = self._parts(pair, old, new)
        self.nodes += len(parts)
        parts.reverse()
        return _Node(pair, parts, key)

    def _parts(self, pair: _Pair, old: Shape, new: Shape) -> list[_Pair | Change]:
        if old.family == "record":
            return self._named(pair, old, new)
        if old.family == "list":
            return self._listed(pair, old.parts, new.parts)
        return self._keyed(pair, old, new)

    def _named(self, pair: _Pair, old: Shape, new: Shape) -> list[_Pair | Change]:
        """Pair the parts by name, in the new order, removed ones after the name they followed."""
        left = dict(zip(old.names, old.parts, strict=True))
        right = dict(zip(new.names, new.parts, strict=True))
        names = _merged_order(list(left), list(right))
        out: list[_Pair | Change] = []
        run: list[Change] = []
        for name in names:
            path = step_path(pair.path, "record", name)
            old_path = step_path(pair.old_path, "record", name)
            sides = (left.get(name, ABSENT), right.get(name, ABSENT))
            part = self._part(_Pair("changed", path, old_path, str(name), *sides, key=name, old_key=name))
            if isinstance(part, Change) and part.kind == "same":
                run.append(part)
                continue
            out.extend(_folded(run, "keys"))
            run = []
            out.append(part)
        out.extend(_folded(run, "keys"))
        return out

    def _part(self, pair: _Pair) -> _Pair | Change:
        """Settle a part that only one side has, or that is equal on both."""
        if pair.before is ABSENT:
            return _change(replace(pair, old_path="", old_key=None), "added")
        if pair.after is ABSENT:
            return _change(replace(pair, path=pair.old_path, key=None), "removed")
        if pair.kind == "moved":
            return pair
        if pair.before is pair.after or self.tokens.of(pair.before) == self.tokens.of(pair.after):
            return _change(pair, "same")
        return pair

    def _keyed(self, pair: _Pair, old: Shape, new: Shape) -> list[_Pair | Change]:
        """Pair Map entries by key and Set members by themselves; one that changed its place is moved."""
        what = "key" if old.family == "map" else "member"
        old_keys = [self.tokens.of(k) for k in (old.keys or old.parts)]
        new_keys = [self.tokens.of(k) for k in (new.keys or new.parts)]
        left = {token: i for i, token in enumerate(old_keys)}
        right = {token: j for j, token in enumerate(new_keys)}
        staying = {i for i, _ in align(old_keys, new_keys)}
        out: list[_Pair | Change] = []
        run: list[Change] = []
        for token in _merged_order(list(left), list(right)):
            i, j = left.get(token, -1), right.get(token, -1)
            key = (new.keys or new.parts)[j] if j >= 0 else (old.keys or old.parts)[i]
            part = self._part(
                _Pair(
                    "moved" if i >= 0 and j >= 0 and i not in staying else "changed",
                    step_path(pair.path, old.family, j),
                    step_path(pair.old_path, old.family, i),
                    f"{what} {preview(key, 40)}",
                    old.parts[i] if i >= 0 else ABSENT,
                    new.parts[j] if j >= 0 else ABSENT,
                    key=j,
                    old_key=i,
                )
            )
            if isinstance(part, Change) and part.kind == "same":
                run.append(part)
                continue
            out.extend(_folded(run, what + "s"))
            run = []
            out.append(part)
        out.extend(_folded(run, what + "s"))
        return out

    def _listed(self, pair: _Pair, before: Sequence[object], after: Sequence[object]) -> list[_Pair | Change]:
        left = [self.tokens.of(item) for item in before]
        right = [self.tokens.of(item) for item in after]
        out: list[_Pair | Change] = []
        start = -1
        items = pair_items(before, after, left, right, _Likeness(self.tokens))
        for at, item in enumerate([*items, Item("removed", -1, -1)]):
            # An item that moved away breaks a run: within one, old and new indexes rise together.
            runs_on = item.kind == "same" and start >= 0 and item.i == items[at - 1].i + 1
            if start >= 0 and not runs_on:
                out.extend(_same_items(pair, items[start:at], before, after))
                start = -1
            if item.kind == "same":
                start = at if start < 0 else start
            elif at < len(items):
                out.append(self._item(pair, item, before, after))
        return out

    def _item(
        self, pair: _Pair, item: Item, before: Sequence[object], after: Sequence[object]
    ) -> _Pair | Change:
        kind: ChangeKind = "moved" if item.kind == "moved" else "changed"
        made = _pair_of(pair, kind, item, before, after)
        return made if item.kind in ("moved", "edited") else self._part(made)


class _Likeness:
    """Judges whether two list items are one item edited."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def alike(self, before: object, after: object) -> float:
        """Return the share of equal parts; for texts, of common words at the beginning."""
        if isinstance(before, str) and isinstance(after, str):
            left, right = set(before[:2000].split()), set(after[:2000].split())
            return len(left & right) / max(len(left), len(right), 1)
        old, new = shape_of(before), shape_of(after)
        if old is None or new is None or old.head != new.head:
            return 0.0
        if old.family == "record":
            left_parts = dict(zip(old.names, old.parts, strict=True))
            shared = [n for n in new.names if n in left_parts]
            right_parts = dict(zip(new.names, new.parts, strict=True))
            same = sum(self._same(left_parts[n], right_parts[n]) for n in shared)
            return (2 * same + len(shared)) / (3 * max(len(old.names), len(new.names), 1))
        tokens: set[Hashable] = {self._tokens.of(part) for part in old.parts}
        common = sum(self._tokens.of(part) in tokens for part in new.parts)
        return (common + 1) / max(len(old.parts), len(new.parts), 1)

    def _same(self, before: object, after: object) -> bool:
        return self._tokens.of(before) == self._tokens.of(after)


def _change(pair: _Pair, kind: ChangeKind, *, note: str = "", equal: bool = False) -> Change:
    return Change(
        kind=kind,
        path=pair.path,
        old_path=pair.old_path,
        label=pair.label,
        key=pair.key,
        old_key=pair.old_key,
        edited=kind == "moved" and not equal,
        before=pair.before,
        after=pair.after,
        type_before="" if pair.before is ABSENT else type_name(pair.before),
        type_after="" if pair.after is ABSENT else type_name(pair.after),
        note=note,
    )


def _type_note(before: object, after: object) -> str:
    old, new = type_name(before), type_name(after)
    return f"type changed from {old} to {new}" if old != new else ""


def _finished(node: _Node) -> Change:
    """Close a node. When no part differs, the two only took different ways round the same cycle."""
    differs = any(child.kind != "same" for child in node.children)
    if not differs:
        return _change(node.pair, "moved" if node.pair.kind == "moved" else "same", equal=True)
    return replace(_change(node.pair, node.pair.kind), children=tuple(node.children))


def _merged_order(before: list[_Key], after: list[_Key]) -> list[_Key]:
    """Return the new order with removed keys put after the surviving key they followed."""
    alive = set(after)
    follow: dict[_Key | Absent, list[_Key]] = {}
    last: _Key | Absent = ABSENT
    for key in before:
        if key in alive:
            last = key
        else:
            follow.setdefault(last, []).append(key)
    out = list(follow.get(ABSENT, ()))
    for key in after:
        out.append(key)
        out.extend(follow.get(key, ()))
    return out


def _folded(run: list[Change], what: str) -> list[Change]:
    """Return a run of equal neighbours as it is when short, else as one node that says how many."""
    if len(run) <= _LISTED:
        return run
    return [replace(run[0], label=f"{len(run)} same {what}", count=len(run))]


def _same_items(
    pair: _Pair, items: Sequence[Item], before: Sequence[object], after: Sequence[object]
) -> list[Change]:
    listed = items if len(items) <= _LISTED else items[:1]
    out = [_change(_pair_of(pair, "same", item, before, after), "same") for item in listed]
    if len(items) > _LISTED:
        return [replace(out[0], label=f"[{items[0].j}..{items[-1].j}]", count=len(items))]
    return out


def _pair_of(
    pair: _Pair, kind: ChangeKind, item: Item, before: Sequence[object], after: Sequence[object]
) -> _Pair:
    return _Pair(
        kind,
        step_path(pair.path, "list", item.j),
        step_path(pair.old_path, "list", item.i),
        f"[{item.j if item.j >= 0 else item.i}]",
        before[item.i] if item.i >= 0 else ABSENT,
        after[item.j] if item.j >= 0 else ABSENT,
        key=item.j,
        old_key=item.i,
    )
