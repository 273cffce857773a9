"""Idempotency keys of one service, remembered for a while, and what is carried out at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Keys", "Once"]


@dataclass(slots=True)
class _Known:
    """What is remembered of a key: the request it came with, its answer, or how to get it."""

    body: Mapping[str, object]
    since: float
    act: Callable[[], dict[str, Any]]
    answer: dict[str, Any] | None = None


class Keys:
    """Idempotency keys of one service: remembered for ``hours`` of simulated time, None for ever."""

    __slots__ = ("_hours", "_known")

    def __init__(self, hours: float | None) -> None:
        self._hours = hours
        self._known: dict[str, _Known] = {}

    @property
    def hours(self) -> float | None:
        """How long a key is remembered."""
        return self._hours

    def find(self, key: str, now: float) -> tuple[_Known | None, float | None]:
        """Return what is known of a key, and how many seconds ago it came when it is too long ago."""
        known = self._known.get(key)
        if known is None:
            return None, None
        if self._hours is not None and known.answer is not None and now - known.since >= self._hours * 3600:
            del self._known[key]
            return None, now - known.since
        return known, None

    def arrived(self, key: str, body: Mapping[str, object], now: float, act: Callable[[], Any]) -> None:
        """Take down a request that will be carried out later; the first one with a key counts."""
        self._known.setdefault(key, _Known(body, now, act))

    def done(self, key: str, body: Mapping[str, object], now: float, answer: dict[str, Any]) -> None:
        """Remember the answer of a request."""
        known = self._known.get(key)
        if known is None:
            self._known[key] = _Known(body, now, lambda: answer, answer)
        else:
            known.answer = answer


class Once:
    """Something that is carried out at most once, however often it is asked for."""

    __slots__ = ("_act", "_answer")

    def __init__(self, act: Callable[[], dict[str, Any]]) -> None:
        self._act = act
        self._answer: dict[str, Any] | None = None

    @property
    def answer(self) -> dict[str, Any] | None:
        """Its answer, None while it has not been carried out."""
        return self._answer

    def __call__(self) -> dict[str, Any]:
        """Carry it out, or return what came of it before."""
        if self._answer is None:
            self._answer = self._act()
        return self._answer
