"""JSON text out, for data of any depth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["dumps_tagged"]


def dumps_tagged(value: Any, *, indent: int | None = None, ensure_ascii: bool = True) -> str:
    """Return the JSON text of tagged JSON, or of any document made of dicts, lists and scalars.

    The text is what ``json.dumps`` gives, but nesting has no limit: the standard encoder recurses and
    fails at about a thousand levels, recorded values have 20,000.

    Args:
        value: the data. Numbers JSON cannot hold (NaN, Infinity; canonical tagged JSON has none) become
            null, as in JSON.stringify.
        indent: spaces per level, None for one line.
        ensure_ascii: keep it True where lone surrogates may occur: UTF-8 cannot hold them.
    """
    try:
        return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii, allow_nan=False)
    except (RecursionError, ValueError) as error:
        if "ircular" in str(error):
            raise
        return "".join(_pieces(value, indent, ensure_ascii))


def _pieces(value: Any, indent: int | None, ensure_ascii: bool) -> Iterator[str]:
    def scalar(item: Any) -> str:
        if item.__class__ is float and item - item != 0:
            return "null"
        return json.dumps(item, ensure_ascii=ensure_ascii, allow_nan=False)

    comma = ", " if indent is None else ","
    stack: list[tuple[Iterator[tuple[Any, Any]], str]] = []
    first = True
    if not isinstance(value, (dict, list, tuple)):
        yield scalar(value)
        return
    yield _push(value, stack)
    while stack:
        members, closing = stack[-1]
        member = next(members, None)
        if member is None:
            stack.pop()
            if indent is not None and not first:
                yield "\n" + " " * (indent * len(stack))
            yield closing
            first = False
            continue
        if not first:
            yield comma
        if indent is not None:
            yield "\n" + " " * (indent * len(stack))
        first = False
        key, item = member
        if closing == "}":
            yield scalar(key if isinstance(key, str) else str(key)) + ": "
        if isinstance(item, (dict, list, tuple)):
            yield _push(item, stack)
            first = True
        else:
            yield scalar(item)


def _push(value: Any, stack: list[tuple[Iterator[tuple[Any, Any]], str]]) -> str:
    if isinstance(value, dict):
        stack.append((iter(value.items()), "}"))
        return "{"
    stack.append((enumerate(value), "]"))
    return "["
