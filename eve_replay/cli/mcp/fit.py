"""Making answers that fit a context: counted in bytes, folded with marks, secrets masked, lists in pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from eve_replay.redaction.rules import find_secrets, is_secret_name

__all__ = ["MASK", "fold", "masked", "page", "size_of", "text_of"]

MASK = "[masked: looks like a secret]"
#: Rules of redaction for what opens no door, and without which a case cannot be followed.
_PERSONAL = frozenset({"e-mail"})

#: Levels that are looked through for secrets.
_DEEPEST = 200
#: From generous to sparse: characters of a text, items of a list or object, levels.
_SCALES = (
    (4000, 400, 24),
    (1500, 120, 12),
    (500, 50, 9),
    (200, 25, 7),
    (100, 12, 6),
    (60, 8, 5),
    (40, 5, 4),
    (24, 3, 3),
    (8, 1, 2),
)


def text_of(value: object) -> str:
    """Return JSON as it is sent: short, in ASCII, so that nothing in it can hide or turn direction."""
    return json.dumps(value, separators=(",", ":"))


def size_of(value: object) -> int:
    """Return how many bytes a value takes in an answer."""
    return len(text_of(value))


def masked(value: Any, names: Sequence[str] = ()) -> Any:
    """Return JSON data without what its key or its shape says is a secret.

    Args:
        value: JSON data; what lies deeper than two hundred levels is left out rather than looked at.
        names: keys that lead to it. Under a key that names a secret every text is one.
    """
    secret = any(is_secret_name(name) for name in names)
    return _masked(value, names[-1] if names else "", secret, _DEEPEST)


def _masked(value: Any, name: str, secret: bool, left: int) -> Any:
    if left == 0:
        return {"$folded": "too deep to be looked through"}
    if isinstance(value, Mapping):
        return {
            key: _masked(item, str(key), secret or is_secret_name(str(key)), left - 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_masked(item, name, secret, left - 1) for item in value]
    if isinstance(value, str):
        return MASK if value and secret else _without_secrets(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and is_secret_name(name, number=True):
        return MASK
    return value


def _without_secrets(text: str) -> str:
    ranges = sorted((start, end) for rule, start, end in find_secrets(text) if rule not in _PERSONAL)
    out: list[str] = []
    at = 0
    for start, end in ranges:
        if start >= at:
            out += [text[at:start], MASK]
        at = max(at, end)
    return "".join(out) + text[at:]


def fold(value: Any, budget: int) -> Any:
    """Return JSON data in at most about ``budget`` bytes; what was cut says how much it was.

    Texts end in ``...[N more characters]``, lists in ``{"$more": N}``, deep objects become
    ``{"$folded": "object of N"}``.
    """
    if size_of(value) <= budget:
        return value
    for scale in _SCALES:
        out = _folded(value, *scale)
        if size_of(out) <= budget:
            return out
    return out


def _folded(value: Any, characters: int, items: int, levels: int) -> Any:
    if isinstance(value, str):
        more = len(value) - characters
        return value if more <= 0 else f"{value[:characters]}...[{more} more characters]"
    if isinstance(value, Mapping):
        if levels == 0:
            return {"$folded": f"object of {len(value)}"} if value else {}
        kept = {
            key: _folded(item, characters, items, levels - 1) for key, item in list(value.items())[:items]
        }
        return kept if len(value) <= items else kept | {"$more": len(value) - items}
    if isinstance(value, list | tuple):
        if levels == 0:
            return {"$folded": f"list of {len(value)}"} if value else []
        listed = [_folded(item, characters, items, levels - 1) for item in value[:items]]
        return listed if len(value) <= items else [*listed, {"$more": len(value) - items}]
    return value


def page(rows: Sequence[Any], *, cursor: int, budget: int) -> tuple[list[Any], int | None]:
    """Return the rows from ``cursor`` on that fit, at least one, and the next cursor (None at the end)."""
    out: list[Any] = []
    left = budget
    at = max(cursor, 0)
    while at < len(rows):
        row = fold(rows[at], max(budget // 2, 400))
        left -= size_of(row) + 1
        if out and left < 0:
            return out, at
        out.append(row)
        at += 1
    return out, None
