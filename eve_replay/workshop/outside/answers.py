"""What the outside answers with: plain data, copied both ways, that can be awaited.

The outside survives the death of a process. Nothing that a tool hands over or gets is shared with it, so that
memory of a dead process cannot live on in here.
"""

from __future__ import annotations

import dis
import inspect
import re
import sys
from collections.abc import Generator, Mapping
from typing import Any

__all__ = ["Answer", "Count", "Rows", "Value", "answered", "awaited", "copied", "plain", "shown"]

_DEPTH = 40
_CACHE, _GET_AWAITABLE = dis.opmap.get("CACHE", 0), dis.opmap["GET_AWAITABLE"]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class _Here:
    """Already there: ``await`` returns it at once, so that ``async def`` tools work too."""

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return self


class Answer(_Here, dict[str, Any]):
    """An answer with named fields: a dict."""


class Rows(_Here, list[Any]):
    """An answer with several rows: a list."""


class Count(_Here, int):
    """An answer that is a number."""


class Value(_Here, str):
    """An answer that is text."""


class _Later:
    """Awaited, it is its value: for what Python lets nobody make awaitable (None, True, 1.5)."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, object]:
        yield from ()
        return self._value


def awaited(value: Any) -> Any:
    """Return an answer so that the caller of the service may ``await`` it or not.

    None, True and numbers with a point cannot be made awaitable, and ``is None`` has to hold without
    ``await``. So for these the instruction after the call is looked at: only where it is an ``await``,
    something that can be awaited is returned.
    """
    if isinstance(value, _Here):
        return value
    frame = sys._getframe(2)
    if frame.f_code.co_flags & inspect.CO_COROUTINE:
        code = frame.f_code.co_code
        place = frame.f_lasti + 2
        while place < len(code) and code[place] == _CACHE:
            place += 2
        if place < len(code) and code[place] == _GET_AWAITABLE:
            return _Later(value)
    return value


def shown(value: object, limit: int = 60) -> str:
    """Return a short text of any value, the same in every process; never raises."""
    try:
        text = _ADDRESS.sub("", repr(value))
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(value: object, _depth: int = 0) -> object:
    """Return a copy as plain JSON data.

    Raises:
        TypeError: there is something in it that cannot be sent (named in the message).
    """
    kind = type(value)
    if value is None or kind is str or kind is int or kind is bool or kind is float:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if _depth < _DEPTH:
        if isinstance(value, Mapping):
            if all(isinstance(name, str) for name in value):
                return {str.__str__(name): plain(each, _depth + 1) for name, each in value.items()}
            raise TypeError(f"a dict with names that are not text: {shown(value)}")
        if isinstance(value, (list, tuple)):
            return [plain(each, _depth + 1) for each in value]
    raise TypeError(shown(value))


def copied(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a row that is plain data already, however deep."""
    return {name: plain(each) for name, each in value.items()}


def answered(value: object) -> object:
    """Return a copy of stored data as an answer that can be awaited where Python allows it."""
    value = plain(value)
    if isinstance(value, dict):
        return Answer(value)
    if isinstance(value, list):
        return Rows(value)
    if isinstance(value, str):
        return Value(value)
    if type(value) is int:
        return Count(value)
    return value
