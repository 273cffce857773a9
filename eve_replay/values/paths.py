"""Paths into a value, written ``$.args[0]["odd key"].entries[2][1]`` (docs/formats/tagged-json.md#paths)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from eve_replay.values.containers import JsMap, JsSet, SparseArray
from eve_replay.values.objects import JsError, Tagged, Unknown
from eve_replay.values.scalars import Boxed

__all__ = ["Segment", "Trail", "children", "format_path", "join_path", "walk"]

#: One step down: object key or field name, array index, or several at once (``("entries", 3, 0)``).
Segment = str | int | tuple[str | int, ...]

_IDENT = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


def join_path(path: str, segment: Segment) -> str:
    """Return ``path`` with one step more."""
    if isinstance(segment, int):
        return f"{path}[{segment}]"
    if isinstance(segment, str):
        return f"{path}.{segment}" if _IDENT.match(segment) else f"{path}[{json.dumps(segment)}]"
    for part in segment:
        path = join_path(path, part)
    return path


def format_path(segments: Iterable[Segment], root: str = "$") -> str:
    """Return the path text of some steps from ``root``."""
    return root + "".join(join_path("", segment) for segment in segments)


class Trail:
    """How a walk came to a value: a chain of steps, made into text only when somebody asks.

    A path tuple per value would cost the square of the depth; 20,000 levels are real.
    """

    __slots__ = ("parent", "segment")

    def __init__(self, parent: Trail | None, segment: Segment) -> None:
        self.parent = parent
        self.segment = segment

    def segments(self) -> tuple[Segment, ...]:
        """Return the steps from the root."""
        steps: list[Segment] = []
        at: Trail | None = self
        while at is not None and at.parent is not None:
            steps.append(at.segment)
            at = at.parent
        return tuple(reversed(steps))

    def path(self, root: str = "$") -> str:
        """Return the path as text."""
        return format_path(self.segments(), root)


def children(value: object) -> Iterator[tuple[Segment, object]]:
    """Yield ``(segment, child)`` for everything directly inside a value; nothing for scalars."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, (JsError, Tagged)):
        yield from value.fields.items()
    elif isinstance(value, JsMap):
        for i, (key, item) in enumerate(value.entries):
            yield ("entries", i, 0), key
            yield ("entries", i, 1), item
    elif isinstance(value, JsSet):
        for i, item in enumerate(value.values):
            yield ("values", i), item
    elif isinstance(value, SparseArray):
        yield from value.entries.items()
    elif isinstance(value, Boxed):
        yield "value", value.value
    elif isinstance(value, Unknown):
        yield "payload", value.payload


def walk(value: object) -> Iterator[tuple[Trail, object]]:
    """Yield every value inside ``value``, itself first, with the trail of its first path.

    Depth first, in order, without recursion. Objects are yielded once, so cycles end; strings and
    numbers are yielded wherever they stand.
    """
    root = Trail(None, "$")
    yield root, value
    seen = {id(value)}
    stack = [(root, children(value))]
    while stack:
        trail, rest = stack[-1]
        step = next(rest, None)
        if step is None:
            stack.pop()
            continue
        segment, child = step
        kind = child.__class__
        here = Trail(trail, segment)
        if kind is str or kind is int or kind is float or kind is bool or child is None:
            yield here, child
            continue
        if id(child) in seen:
            continue
        seen.add(id(child))
        yield here, child
        stack.append((here, children(child)))
