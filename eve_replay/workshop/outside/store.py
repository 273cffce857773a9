"""A store of single values, as Redis is one: fast, atomic per call, nothing across two calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eve_replay.workshop.outside.answers import Count, answered, awaited, shown
from eve_replay.workshop.outside.base import Service
from eve_replay.workshop.wire import Wire

__all__ = ["Store"]


class Store(Service):
    """Keeps values by key, with an optional end.

    Every call is a call of its own: a process can die between ``set_nx`` and what should follow it.
    """

    __slots__ = ("_values",)

    name = "store"
    can = (
        "set_nx(key, value, seconds=None)",
        "get(key)",
        "set(key, value, seconds=None)",
        "delete(key)",
        "incr(key)",
    )

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._values: dict[str, tuple[object, float | None, float]] = {}

    def set_nx(self, key: str, value: object, seconds: float | None = None) -> bool:
        """Set a value only if the key has none; True when this call set it ("set if not exists").

        Args:
            key: text.
            value: plain data: text, numbers, lists, dicts.
            seconds: the value is gone after so many simulated seconds; None: it stays.
        """
        name, kept, until = self._checked("set_nx", key, value, seconds)

        def act() -> bool:
            known, ran_out = self._look(name)
            if known is not None:
                self._acted("set_nx", "taken", key=name, value=known[0], since=known[2])
                return False
            self._put(name, kept, until)
            self._acted("set_nx", "claimed", key=name, value=kept, ran_out=ran_out)
            return True

        done: bool = awaited(self._call("set_nx", {"key": name, "value": kept, "seconds": until}, act))
        return done

    def get(self, key: str) -> Any:
        """Return a copy of the value of a key, None when it has none."""
        name = self._text("get", "key", key)

        def act() -> object:
            known, ran_out = self._look(name)
            value = None if known is None else known[0]
            self._acted("get", "got", key=name, value=value, ran_out=ran_out)
            return answered(value)

        return awaited(self._call("get", {"key": name}, act, reads=True))

    def set(self, key: str, value: object, seconds: float | None = None) -> bool:
        """Set a value, whatever was there. Returns True."""
        name, kept, until = self._checked("set", key, value, seconds)

        def act() -> bool:
            self._put(name, kept, until)
            self._acted("set", "set", key=name, value=kept)
            return True

        done: bool = awaited(self._call("set", {"key": name, "value": kept, "seconds": until}, act))
        return done

    def delete(self, key: str) -> bool:
        """Remove a key; True when it was there."""
        name = self._text("delete", "key", key)

        def act() -> bool:
            known, _ = self._look(name)
            self._values.pop(name, None)
            self._acted("delete", "deleted", key=name, found=known is not None)
            return known is not None

        done: bool = awaited(self._call("delete", {"key": name}, act))
        return done

    def incr(self, key: str) -> Count:
        """Add 1 to a number (0 when the key has none) and return it."""
        name = self._text("incr", "key", key)

        def act() -> Count:
            known, _ = self._look(name)
            value = 0 if known is None else known[0]
            if not isinstance(value, int) or isinstance(value, bool):
                self._refuse("incr", "not-number", name=name, value=shown(value))
            self._values[name] = (value + 1, known[1] if known else None, self._wire.seconds)
            self._acted("incr", "counted", key=name, value=value + 1)
            return Count(value + 1)

        return self._call("incr", {"key": name}, act)

    def _checked(
        self, method: str, key: object, value: object, seconds: object
    ) -> tuple[str, object, float | None]:
        name = self._text(method, "key", key)
        return name, self._plain(method, "value", value), self._seconds(method, seconds)

    def _put(self, name: str, value: object, seconds: float | None) -> None:
        now = self._wire.seconds
        self._values[name] = (value, None if seconds is None else now + seconds, now)

    def _look(self, name: str) -> tuple[tuple[object, float | None, float] | None, bool]:
        """Return what a key holds now, and whether its value has run out since it was last looked at."""
        known = self._values.get(name)
        if known is not None and known[1] is not None and self._wire.seconds >= known[1]:
            del self._values[name]
            return None, True
        return known, False
