"""Keys of a store that nobody knows: their patterns, told by the ids in them, and what lies under them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from eve_replay.codec import loads_json
from eve_replay.worlds.layouts.forms import revive_bytes
from eve_replay.worlds.layouts.model import IDS
from eve_replay.worlds.layouts.tables import Row
from eve_replay.worlds.redis.store import KeyStore

__all__ = ["Shape", "draft_rows", "shapes_of"]

#: An id in a key, and what it names; any other long token is an id of somebody's own.
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<kind>wrun|step|evnt|wevt|hook|wait|chnk|strm)_[0-9A-HJKMNP-TV-Z]{26}(?:_[a-z]+)?"
    r"|(?P<own>[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d{6,}))"
)
_FIELD = {
    "wrun": "runId", "step": "stepId", "evnt": "eventId", "wevt": "eventId", "hook": "hookId",
    "wait": "waitId", "chnk": "chunkId", "strm": "name",
}  # fmt: skip
#: Keys that are looked at, and keys of one pattern whose values are.
_KEYS = 20_000
_EACH = 8
_ELEMENTS = 40


@dataclass(slots=True)
class Shape:
    """Keys of one pattern.

    Attributes:
        pattern: the key with ``{runId}`` and its like in place of ids, ``*`` for ids nobody knows.
        count: keys seen.
        value: what lies there: ``json``, ``hash``, ``list``, ``set``, ``zset``, ``stream``, ``text``, empty.
        rows: some records of it.
        members: some members of a set or sorted set that are ids.
    """

    pattern: str
    count: int = 0
    value: str = ""
    rows: list[Row] = field(default_factory=list)
    members: list[str] = field(default_factory=list)


def shapes_of(store: KeyStore) -> list[Shape]:
    """Return the patterns of the keys of a store, the most frequent first, with some of what they hold."""
    found: dict[str, Shape] = {}
    for key in islice(store.find("*"), _KEYS):
        names: dict[str, str] = {}
        pattern = _ID.sub(partial(_named, names=names), key)
        shape = found.setdefault(pattern, Shape(pattern))
        shape.count += 1
        if shape.count <= _EACH:
            _look(store, key, shape, names)
    return sorted(found.values(), key=lambda shape: -shape.count)


def _named(match: re.Match[str], names: dict[str, str]) -> str:
    name = _FIELD.get(match["kind"] or "", "")
    if not name or name in names:
        return "*"
    names[name] = match[0]
    return f"{{{name}}}"


def _look(store: KeyStore, key: str, shape: Shape, names: Mapping[str, str]) -> None:
    [text] = store.strings([key])
    if text is not None:
        value = _object(text)
        shape.value = "json" if value is not None else shape.value or "text"
        if value is not None:
            shape.rows.append({**names, **value})
        return
    [stored] = store.hashes([key])
    if stored:
        shape.value = "hash"
        shape.rows.append({**names, **{name.decode("utf-8", "replace"): v for name, v in stored.items()}})
        return
    for kind, items in (
        ("zset", islice(store.sorted_members(key), _ELEMENTS)),
        ("set", iter(store.members(key)[:_ELEMENTS])),
        ("list", iter(store.items(key)[:_ELEMENTS])),
    ):
        held = list(items)
        if held:
            shape.value = kind
            for number, item in enumerate(held, 1):
                value = _object(item)
                if value is not None:
                    shape.rows.append({"place": number, **names, **value})
                elif _ID.fullmatch(item.decode("utf-8", "replace")):
                    shape.members.append(item.decode())
                else:
                    shape.rows.append({"place": number, "data": item, **names})
            return
    for entry, fields in islice(store.entries(key), _ELEMENTS):
        shape.value = "stream"
        row: dict[str, object] = {name.decode("utf-8", "replace"): value for name, value in fields.items()}
        shape.rows.append({"entry": entry, **names, **row})


def _object(text: bytes) -> dict[str, object] | None:
    if text[:1] != b"{":
        return None
    try:
        value = revive_bytes(loads_json(text))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def draft_rows(shapes: Sequence[Shape]) -> tuple[str, dict[str, list[Row]], dict[str, Shape]]:
    """Return the prefix of the keys, pattern to rows, and part to the shape of its list of ids."""
    holding = [shape for shape in shapes if shape.rows]
    prefix = _prefix([shape.pattern for shape in shapes if shape.rows or shape.members])
    lists: dict[str, Shape] = {}
    for shape in shapes:
        if not shape.members:
            continue
        match = _ID.fullmatch(shape.members[0])
        name = _FIELD.get((match["kind"] if match else "") or "", "")
        part = next((part for part, field in IDS.items() if field == name), "")
        # A list of runs is one key; the other lists belong to a run.
        fits = "{" not in shape.pattern if part == "runs" else "{runId}" in shape.pattern
        if part and fits and "*" not in shape.pattern:
            lists.setdefault(part, shape)
    return prefix, {shape.pattern: shape.rows for shape in holding}, lists


def _prefix(patterns: Iterable[str]) -> str:
    """Return what all patterns begin with, up to a separator, empty when that is nothing."""
    kept = list(patterns)
    if not kept:
        return ""
    first = min(kept, key=len)
    size = next(
        (i for i, sign in enumerate(first) if any(each[i : i + 1] != sign for each in kept)), len(first)
    )
    head = first[:size].partition("{")[0].partition("*")[0]
    end = max((head.rfind(sign) for sign in ":/|.-"), default=-1)
    return head[: end + 1]
