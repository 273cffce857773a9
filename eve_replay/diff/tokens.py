"""Structural identity: equal values get the same token, so comparing two subtrees is one pointer comparison.

Every container is numbered bottom-up by what it is made of (hash consing): no digest, so no collision, and
each object is looked at once however often it is shared. 3 MB of history take about a tenth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Final

from eve_replay.diff.shape import LEAVES, Shape, shape_of
from eve_replay.values import Undecoded

__all__ = ["Tokens"]

_TRUE: Final = object()
_FALSE: Final = object()
_NAN: Final = object()
_MINUS_ZERO: Final = object()
_MISS: Final = object()

#: Containers that lie on a cycle cannot be remembered by identity alone. When looking at them again costs
#: more than this many visits, the rest counts as different from everything: cautious, and in bounded time.
MAX_VISITS = 2_000_000


#: How deep the fast way goes before it hands over.
_SHALLOW = 100


class _TooDeep(Exception):
    """The fast way met a cycle or deep nesting."""


def _key(shape: Shape, tokens: list[Hashable]) -> Hashable:
    """Return what a container is made of: for an object the bare pairs, for an array the bare tokens."""
    if shape.family == "record":
        pairs = frozenset(zip(shape.names, tokens, strict=True))
        return pairs if shape.head == "object" else (shape.head, pairs)
    return tuple(tokens) if shape.head == "array" else (shape.head, (), tuple(tokens))


class _Frame:
    """One container being numbered: its parts so far, and the lowest ancestor its parts refer back to."""

    __slots__ = ("at", "low", "parts", "shape", "tokens", "value")

    def __init__(self, value: object, shape: Shape, depth: int) -> None:
        self.value = value
        self.shape = shape
        self.parts = [*shape.keys, *shape.parts]
        self.tokens: list[Hashable] = []
        self.at = 0
        self.low = depth


class Tokens:
    """Gives tokens to values. Values compared with each other must get theirs from one instance.

    The memory's key is an object's identity, so the values must stay alive as long as the instance is used.
    """

    def __init__(self) -> None:
        self._known: dict[int, Hashable] = {}
        self._path: set[int] = set()
        self._numbers: dict[Hashable, object] = {}
        self._alive: list[object] = []
        self._visits = 0

    def of(self, value: object) -> Hashable:
        """Return the token of ``value``: equal for equal structure (``eve_replay.values.same``)."""
        token = self._quick(value)
        if token is not _MISS:
            return token
        try:
            return self._shallow(value, 0)
        except _TooDeep:
            self._path.clear()
            return self._deep(value)

    def _shallow(self, value: object, depth: int) -> Hashable:
        """Number an ordinary container by recursion, four times as fast as with a stack of our own.

        Gives up with ``_TooDeep`` on cycles and on deep nesting; what is numbered by then stays numbered.
        """
        kind = value.__class__
        shape: Shape | None = None
        parts: Iterable[object]
        if kind is dict:
            parts = value.values()  # type: ignore[attr-defined]
        elif kind is list:
            parts = value  # type: ignore[assignment]
        else:
            shape = shape_of(value)
            assert shape is not None
            parts = (*shape.keys, *shape.parts)
            self._alive.append(parts)
        known, path = self._known, self._path
        path.add(id(value))
        tokens: list[Hashable] = []
        for part in parts:
            if part.__class__ is str or part is None or part.__class__ is int:
                tokens.append(part)
                continue
            token = known.get(id(part))
            if token is None:
                token = self._quick(part)
                if token is _MISS:
                    if depth >= _SHALLOW or id(part) in path:
                        raise _TooDeep
                    token = self._shallow(part, depth + 1)
            tokens.append(token)
        path.discard(id(value))
        key: Hashable
        if kind is dict:
            key = frozenset(zip(value, tokens, strict=True))  # type: ignore[call-overload]
        elif shape is None:
            key = tuple(tokens)
        else:
            key = _key(shape, tokens)
        number = known[id(value)] = self._number(key)
        return number

    def _number(self, key: Hashable) -> object:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = object()
        return number

    def _deep(self, value: object) -> Hashable:
        """Number a container with a stack of our own: any depth, and cycles."""
        frames = [self._open(value, 0)]
        open_at = {id(value): 0}
        while True:
            frame = frames[-1]
            child = self._advance(frame, open_at, len(frames) - 1)
            if child is not _MISS:
                open_at[id(child)] = len(frames)
                frames.append(self._open(child, len(frames)))
                continue
            frames.pop()
            del open_at[id(frame.value)]
            token = self._close(frame, depth=len(frames))
            if not frames:
                return token
            parent = frames[-1]
            parent.tokens.append(token)
            parent.low = min(parent.low, frame.low)

    def _advance(self, frame: _Frame, open_at: dict[int, int], depth: int) -> object:
        """Take parts until one has to be opened; return that one, or the mark that there is none."""
        parts, tokens = frame.parts, frame.tokens
        for at in range(frame.at, len(parts)):
            part = parts[at]
            if type(part) is str or part is None:
                tokens.append(part)
                continue
            token = self._quick(part)
            if token is _MISS:
                ancestor = open_at.get(id(part))
                if ancestor is None:
                    frame.at = at + 1
                    return part
                frame.low = min(frame.low, ancestor)
                token = ("refers back", depth - ancestor)
            tokens.append(token)
        return _MISS

    def _quick(self, value: object) -> Hashable:
        """Return the token of a value without parts, or one already known."""
        kind = type(value)
        if kind is str or value is None:
            return value
        if kind is bool:
            return _TRUE if value else _FALSE
        if kind is int:
            return value
        if kind is float:
            assert isinstance(value, float)
            if math.isnan(value):
                return _NAN
            return _MINUS_ZERO if value == 0 and math.copysign(1, value) < 0 else value
        known = self._known.get(id(value), _MISS)
        if known is not _MISS:
            return known
        if kind is dict or kind is list:
            return _MISS
        return self._rare(value)

    def _rare(self, value: object) -> Hashable:
        if isinstance(value, Undecoded):
            # Two payloads that failed in the same way need not be the same.
            return self._keep(value, object())
        if isinstance(value, LEAVES):
            return self._keep(value, self._number((type(value).__name__, _content(value))))
        if shape_of(value) is None:
            return self._keep(value, ("single", type(value).__name__))
        return _MISS

    def _keep(self, value: object, token: Hashable) -> Hashable:
        self._known[id(value)] = token
        return token

    def _open(self, value: object, depth: int) -> _Frame:
        shape = shape_of(value)
        assert shape is not None
        self._visits += 1
        if self._visits > MAX_VISITS:
            shape.parts, shape.names, shape.keys = [], [], []
        frame = _Frame(value, shape, depth)
        self._alive.append(frame.parts)
        return frame

    def _close(self, frame: _Frame, *, depth: int) -> Hashable:
        if self._visits > MAX_VISITS:
            return self._keep(frame.value, object())
        token = self._number(_key(frame.shape, frame.tokens))
        # A part of a cycle looks different from other starting points: only whole cycles are remembered.
        return self._keep(frame.value, token) if frame.low >= depth else token


def _content(value: object) -> Hashable:
    """Return what identifies a value without parts, besides its class."""
    return tuple(getattr(value, name) for name in getattr(type(value), "__slots__", ()))
