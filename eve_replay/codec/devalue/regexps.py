"""The syntax errors of a JS regular expression that can be told without an engine.

Only certain faults are named: a pattern this cannot judge passes, because hiding a good value is worse
than showing a bad one.
"""

from __future__ import annotations

__all__ = ["regexp_fault"]

_FLAGS = "dgimsuvy"


def regexp_fault(source: str, flags: str) -> str | None:
    """Return why ``new RegExp(source, flags)`` fails, None when it does not or cannot be told."""
    if any(flag not in _FLAGS for flag in flags) or len(set(flags)) != len(flags) or {"u", "v"} <= set(flags):
        return f"Invalid flags '{flags[:20]}'"
    groups = classes = 0
    at, end = 0, len(source)
    start = True  # Nothing stands before, so there is nothing to repeat.
    while at < end:
        char = source[at]
        at += 1
        if char == "\\":
            if at >= end:
                return "\\ at end of pattern"
            at += 1
            start = False
        elif classes:
            if char == "]":
                classes -= 1
                start = False
            elif char == "[" and "v" in flags:
                classes += 1
        elif char == "[":
            classes = 1
        elif char == "(":
            groups += 1
            start = True
            if source.startswith("?", at):
                at += 1  # (?: (?= (?<name> and so on; what follows is not a quantifier.
        elif char == ")":
            if not groups:
                return "Unmatched ')'"
            groups -= 1
            start = False
        elif char in "*+?":
            if start:
                return "Nothing to repeat"
            start = False
        else:
            start = char == "|"
    if classes:
        return "Unterminated character class"
    return "Unterminated group" if groups else None
