"""One line for an object of ours: words and numbers first, ids last and short, no more than fits a line.

A generated ``repr`` prints a step with everything below it; in a list, a debugger or a failed assertion
nobody can read that. The whole object is one attribute away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, ClassVar

from eve_replay.ids import short_id

__all__ = ["Brief"]

_LINE = 118
_TEXT = 40


class Brief:
    """Base of the public dataclasses (declared with ``repr=False``): gives them a ``repr`` of one line."""

    __slots__ = ()

    #: Attributes to name, where the fields themselves are not what a person asks for first.
    _told: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        words, ids = _parts(self)
        kept: list[str] = []
        room = _LINE - len(type(self).__name__) - sum(len(part) + 2 for part in ids)
        for part in words:
            if len(part) + 2 <= room:
                room -= len(part) + 2
                kept.append(part)
        more = ["..."] if len(kept) < len(words) else []
        return f"{type(self).__name__}({', '.join((*kept, *more, *ids))})"


def _parts(thing: Any) -> tuple[list[str], list[str]]:
    """Return what is said in words and numbers, and of ids the two that name the thing itself."""
    words: list[str] = []
    ids: list[str] = []
    for name in thing._told or (field.name for field in fields(thing) if field.repr):
        value = getattr(thing, name)
        if value is None or value is False or (isinstance(value, str | tuple | list) and not value):
            continue
        if name == "id" or name.endswith("_id"):
            ids.append(f"{name}={_plain(_id(str(value)))!r}")
        elif text := _said(value):
            words.append(f"{name}={text}")
    return words, ids[:2]


def _id(text: str) -> str:
    return text if len(text) <= _TEXT // 2 else short_id(text)


def _said(value: object) -> str:
    if isinstance(value, str):
        return repr(_plain(value if len(value) <= _TEXT else f"{value[: _TEXT - 3]}..."))
    if isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if is_dataclass(value):
        name = str(getattr(value, "function", "") or getattr(value, "name", ""))
        return repr(_plain(name[:_TEXT])) if name else ""
    if isinstance(value, Sized) and not isinstance(value, bytes):
        return f"{{{len(value)}}}" if isinstance(value, Mapping) else f"[{len(value)}]"
    return ""


def _plain(text: str) -> str:
    """Text of a journal may hold escapes of a terminal and marks that turn a line round."""
    return "".join(char if char.isprintable() else "�" for char in text)
