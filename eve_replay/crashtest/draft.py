"""The first draft of ``crashtest.toml``, from what a recorded session shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["draft"]

_HEAD = """# The crash test of {project}: eve-replay crashtest PROJECT
# What to say to the agent and what its model answers; how the outside answers; what must hold at every point.
"""
_STUBS = """
# How the outside answers. does: plain (acts each time), key (acts once per key), claim (acts once per value
# of `by`, then 409), list (shows what `of` did), read (acts never), error (`status` for the first `times`
# requests). A request without a stub gets 501, and the report names it.
"""


def draft(data: Mapping[str, Any], project: str) -> str:
    """Return the text: the turns as they were recorded, a stub and a promise per tool to be filled in.

    Args:
        data: ``turn`` as :func:`~eve_replay.crashtest.recorded.turns_of` gives it.
        project: the project's name.
    """
    out = [_HEAD.format(project=" ".join(project.split()))]
    tools: dict[str, Mapping[str, Any]] = {}
    for turn in data.get("turn", ()):
        out.append(f"\n[[turn]]\nmessage = {_text(turn['message'])}\n")
        for reply in turn.get("reply", ()):
            out.append("[[turn.reply]]\n")
            if reply.get("text"):
                out.append(f"text = {_text(reply['text'])}\n")
            if reply.get("calls"):
                calls = ",\n  ".join(_inline(call) for call in reply["calls"])
                out.append(f"calls = [\n  {calls},\n]\n")
            for call in reply.get("calls", ()):
                given = call.get("input")
                tools.setdefault(str(call["name"]), given if isinstance(given, Mapping) else {})
    out.append(_STUBS)
    for tool in tools:
        by = next((name for name, value in tools[tool].items() if isinstance(value, str)), "")
        out.append(
            f'\n[[stub]]\nname = "{tool}"\nrequest = "POST api.example.com/{tool}"  # where {tool} goes\n'
        )
        out.append('does = "key"\n' + (f"by = {_text(by)}\n" if by else ""))
    out.append("\n[promises]\n")
    for tool, given in tools.items():
        by = next((name for name, value in given.items() if isinstance(value, str)), "")
        promise = f"{{ once_by = {_text(by)} }}" if by else '"once"'
        out.append(f"{_key(tool)} = {promise}\n")
    return "".join(out)


def _text(value: object) -> str:
    """A TOML string: JSON's, whose escapes are the same."""
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _text(name)


def _inline(value: Any) -> str:
    """A TOML value; null, which TOML does not have, is left out. Bounded: what JSON could write at all."""
    out: list[str] = []
    stack: list[Any] = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, _Raw):
            out.append(each.text)
        elif isinstance(each, Mapping):
            parts: list[Any] = [_Raw("{ ")]
            for number, (name, inner) in enumerate((n, v) for n, v in each.items() if v is not None):
                parts += [_Raw((", " if number else "") + _key(str(name)) + " = "), inner]
            stack += reversed([*parts, _Raw(" }")])
        elif isinstance(each, list | tuple):
            parts = [_Raw("[")]
            for number, inner in enumerate(v for v in each if v is not None):
                parts += [_Raw(", " if number else ""), inner]
            stack += reversed([*parts, _Raw("]")])
        elif isinstance(each, bool):
            out.append("true" if each else "false")
        elif isinstance(each, int | float):
            out.append(repr(each))
        else:
            out.append(_text(each))
    return "".join(out)


class _Raw:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
