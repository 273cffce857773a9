"""JSON text out, for data of any depth."""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

__all__ = ["dumps_tagged"]

_DEEPEST_INDENT = 64


def dumps_tagged(value: Any, *, indent: int | None = None, ensure_ascii: bool = True) -> str:
    """Return the JSON text of tagged JSON, or of any document made of dicts, lists and scalars.

    The text is what ``json.dumps`` gives, but nesting has no limit: the standard encoder recurses and
    fails at about a thousand levels, recorded values have 20,000. Indentation stops growing at 64
    levels, as the text would otherwise grow with the square of the depth.

    Args:
        value: the data. Numbers JSON cannot hold (NaN, Infinity; canonical tagged JSON has none) become
            null, as in JSON.stringify.
        indent: spaces per level, None for one line.
        ensure_ascii: keep it True where lone surrogates may occur: UTF-8 cannot hold them.
    """
    if indent is None:
        try:
            return json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=False)
        except (RecursionError, ValueError) as error:
            if "ircular" in str(error):
                raise
    return _Writer(indent, ensure_ascii).write(value)


class _Writer:
    """An encoder without recursion."""

    def __init__(self, indent: int | None, ensure_ascii: bool) -> None:
        self.quote: Callable[[str], str] = encode_basestring_ascii if ensure_ascii else encode_basestring
        self.indent = indent
        self.lines: list[str] = []

    def line(self, depth: int) -> str:
        """Return what stands before a member at ``depth``: a line break and spaces, or nothing."""
        if self.indent is None:
            return ""
        depth = min(depth, _DEEPEST_INDENT)
        while len(self.lines) <= depth:
            self.lines.append("\n" + " " * (self.indent * len(self.lines)))
        return self.lines[depth]

    def scalar(self, value: Any) -> str:
        """Return the text of anything that is no container. Raises TypeError for what JSON lacks."""
        if isinstance(value, str):
            return self.quote(value)
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return float.__repr__(value) if value - value == 0 else "null"
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    def write(self, value: Any) -> str:
        """Return the text."""
        out: list[str] = []
        add, quote = out.append, self.quote
        comma = ", " if self.indent is None else ","
        # Open containers: members still to come, whether they have keys, what closes them, and what
        # stands between two members.
        stack: list[tuple[Any, bool, str, str]] = [(iter([(None, value)]), False, "", "")]
        open_ids: dict[int, None] = {}
        before = ""
        while stack:
            members, keyed, closing, between = stack[-1]
            for key, item in members:
                if keyed:
                    head = f"{before}{quote(key) if key.__class__ is str else self.key(key)}: "
                else:
                    head = before
                before = between
                kind = item.__class__
                if kind is str:
                    add(head + quote(item))
                elif kind is int:
                    add(f"{head}{item!r}")
                elif isinstance(item, (dict, list, tuple)):
                    brackets = "{}" if isinstance(item, dict) else "[]"
                    if not item:
                        add(head + brackets)
                        continue
                    if id(item) in open_ids:
                        raise ValueError("Circular reference detected")
                    open_ids[id(item)] = None
                    add(head + brackets[0])
                    end = self.line(len(stack) - 1) + brackets[1]
                    before = self.line(len(stack))
                    inside = iter(item.items()) if isinstance(item, dict) else enumerate(item)
                    stack.append((inside, brackets == "{}", end, comma + before))
                    break
                else:
                    add(head + self.scalar(item))
            else:
                stack.pop()
                if stack:
                    add(closing)
                    open_ids.popitem()
                    before = stack[-1][3]
        return "".join(out)

    def key(self, key: Any) -> str:
        """Return the text of a key that is no plain text, as the standard encoder does."""
        if isinstance(key, str):
            return self.quote(key)
        if key is None or isinstance(key, (bool, int, float)):
            return f'"{self.scalar(key)}"'
        raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")
