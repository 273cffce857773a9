"""Devalue texts rewritten entry by entry: indexes, sizes and types stay (docs/formats/payload.md#devalue).

The text is a flat array whose entries point at each other by index, so the names above a text are found by
walking from the root. One entry may be pointed at from several places: the strictest of them decides.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from eve_replay.redaction.rules import is_secret_name, is_structural
from eve_replay.redaction.text import PLAIN, TOKEN, Context, TextRedactor, decoded, recoded

__all__ = ["redact_devalue"]

_BYTES = re.compile(
    r"(?:Big)?(?:Ui|I)nt(?:8|16|32|64)(?:Clamped)?Array|Float(?:16|32|64)Array|ArrayBuffer|DataView\w*\Z"
)
#: Entries whose text is no prose: changing it would make the value undecodable.
_EXACT = frozenset(("Date", "BigInt"))
_PORT = re.compile(r":\d+")


@dataclass(slots=True)
class _Entry:
    """One entry: where its text stands, and what it points at as ``(name or None, index)``."""

    kind: str
    start: int
    end: int
    tag: str = ""
    names: list[tuple[int, int, str]] = field(default_factory=list)
    refs: list[tuple[str | None, int]] = field(default_factory=list)
    #: Where each reference is written.
    spots: list[tuple[int, int]] = field(default_factory=list)
    #: Texts written inside a typed entry, such as ``["Date", "2026..."]``.
    inline: list[tuple[int, int]] = field(default_factory=list)


class _NotFlat(Exception):
    """The text is JSON, but no flat array of entries."""


def redact_devalue(text: str, redactor: TextRedactor, context: Context = PLAIN) -> str | None:
    """Return a devalue text with its texts rewritten, None when it is no devalue text."""
    if not text.lstrip().startswith("["):
        return text if text.strip().lstrip("-").isdigit() else None
    try:
        entries = _read(text)
    except _NotFlat:
        return redactor.json(text, context)
    return _Rewrite(text, entries, redactor).run(context)


class _Rewrite:
    def __init__(self, text: str, entries: list[_Entry], redactor: TextRedactor) -> None:
        self._text = text
        self._entries = entries
        self._redactor = redactor
        self._seen: list[set[tuple[str, bool, bool, str]]] = [set() for _ in entries]
        self._patches: list[tuple[int, int, str]] = []
        self._added: list[str] = []

    def run(self, context: Context) -> str:
        self._walk(0, context, "")
        for index, seen in enumerate(self._seen):
            if not seen:  # nothing points at it, and yet it is in the file
                self._walk(index, replace(context, user=True), "")
        for entry, seen in zip(self._entries, self._seen, strict=True):
            if entry.kind == "s":
                self._string(entry, seen)
            elif entry.kind == "n":
                self._number(entry, seen)
            else:
                self._container(entry, seen)
        out, at = [], 0
        for start, end, new in sorted(self._patches):
            out += [self._text[at:start], new]
            at = end
        rest = self._text[at:]
        if self._added:
            rest = rest.rstrip()[:-1] + "".join(f",{entry}" for entry in self._added) + "]"
        return "".join((*out, rest))

    def _walk(self, index: int, context: Context, tag: str) -> None:
        work = [(index, context, tag)]
        while work:
            index, context, tag = work.pop()
            state = (context.name, context.secret, context.user, tag)
            if state in self._seen[index]:
                continue
            self._seen[index].add(state)
            work += [(i, c, t) for i, c, t in self._below(self._entries[index], context, tag) if i >= 0]

    def _below(self, entry: _Entry, context: Context, tag: str) -> Iterator[tuple[int, Context, str]]:
        entries = self._entries
        if entry.kind == "o":
            names = [name for *_, name in entry.names]
            about = ""
            for name, index in entry.refs:
                inner = context.under(name or "", names)
                if name in ("name", "key", "header"):
                    about = self._plain(index)
                elif name in ("value", "values") and about and is_secret_name(about):
                    inner = replace(inner, secret=True)
                # ``{source, flags}`` of a pattern is no prose.
                yield index, inner, f"RegExp.{name}" if tag == "RegExp" else ""
        elif entry.kind == "a":
            first = self._plain(entry.refs[0][1]) if len(entry.refs) == 2 and not entry.tag else ""
            for place, (_, index) in enumerate(entry.refs):
                inner = context
                if place == 1 and first and is_secret_name(first):
                    inner = replace(context, secret=True)
                elif place == 1 and first:
                    inner = context.under(first) if entries[index].kind != "a" else context
                yield index, inner, entry.tag

    def _plain(self, index: int) -> str:
        """Return an entry's text when it is a short string."""
        if not 0 <= index < len(self._entries):
            return ""
        entry = self._entries[index]
        short = entry.kind == "s" and entry.end - entry.start < 80
        return decoded(self._text[entry.start : entry.end]) if short else ""

    # -- rewriting ----------------------------------------------------------------------------------

    def _string(self, entry: _Entry, seen: set[tuple[str, bool, bool, str]]) -> None:
        token = self._text[entry.start : entry.end]
        value = decoded(token)
        states = sorted(seen)
        machinery = [s for s in states if not s[1] and not s[2] and is_structural(s[0], value)]
        if machinery and len(machinery) < len(states) and any(state[1] for state in states):
            self._split(entry, value, token, states)
            return
        if machinery and self._redactor.mask_all:
            states = machinery
        state = max(states, key=lambda each: (each[1], each[2]))
        self._patch(entry.start, entry.end, recoded(token, self._typed(value, state)))

    def _typed(self, value: str, state: tuple[str, bool, bool, str]) -> str:
        name, secret, user, tag = state
        context = Context(name=name, secret=secret, user=user)
        mask = self._redactor.mask_all
        if _BYTES.match(tag):
            return self._bytes(value, context)
        if tag in _EXACT:
            return self._redactor.number(value, context) if secret else value
        if tag == "RegExp.flags":
            return value
        if tag == "RegExp.source" and (mask or secret):
            return "x" * len(value)
        if tag == "URL":
            ports = [value[m.start() : m.end()] for m in _PORT.finditer(value)]
            changed = self._redactor.text(value, context)
            if mask or secret:
                colon = value.find(":") + 1
                changed = value[:colon] + changed[colon:]
                ports.reverse()
                changed = _PORT.sub(lambda m: ports.pop() if ports else m.group(), changed)
            return (
                changed if len(changed) == len(value) else value[: value.find(":") + 1].ljust(len(value), "x")
            )
        return self._redactor.text(value, context)

    def _bytes(self, value: str, context: Context) -> str:
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return self._redactor.text(value, replace(context, secret=True))
        if context.secret:
            self._redactor.counts["secret field"] += 1
            changed = bytes(len(data))
        else:
            changed = self._redactor.data(data, context)
        return base64.b64encode(changed).decode("ascii")

    def _split(
        self, entry: _Entry, value: str, token: str, states: list[tuple[str, bool, bool, str]]
    ) -> None:
        """A word of the machinery is also somebody's secret: the secret gets an entry of its own."""
        index = self._entries.index(entry)
        fresh = str(len(self._entries) + len(self._added))
        secret = next(state for state in states if state[1])
        self._added.append(recoded(token, self._typed(value, secret)))
        for other, seen in zip(self._entries, self._seen, strict=True):
            above = any(state[1] for state in seen)
            for (name, ref), (start, end) in zip(other.refs, other.spots, strict=True):
                if ref == index and (above or (name is not None and is_secret_name(name))):
                    self._patch(start, end, fresh)

    def _number(self, entry: _Entry, seen: set[tuple[str, bool, bool, str]]) -> None:
        for name, secret, user, _ in sorted(seen):
            digits = self._text[entry.start : entry.end]
            changed = self._redactor.number(digits, Context(name=name, secret=secret, user=user))
            if changed != digits:
                self._patch(entry.start, entry.end, changed)
                return

    def _container(self, entry: _Entry, seen: set[tuple[str, bool, bool, str]]) -> None:
        user = any(state[2] for state in seen)
        for start, end, name in entry.names:
            changed = self._redactor.name(name, Context(user=user))
            if changed != name:
                self._patch(start, end, recoded(self._text[start:end], changed))
        state = max(seen, key=lambda each: (each[1], each[2])) if seen else ("", False, True, "")
        for start, end in entry.inline:
            token = self._text[start:end]
            tag = entry.tag if entry.tag != "RegExp" else "RegExp.source"
            self._patch(start, end, recoded(token, self._typed(decoded(token), (*state[:3], tag))))

    def _patch(self, start: int, end: int, new: str) -> None:
        if self._text[start:end] != new:
            self._patches.append((start, end, new))


def _read(text: str) -> list[_Entry]:
    """Return the entries of a flat array. Raises _NotFlat."""
    entries: list[_Entry] = []
    entry: _Entry | None = None
    name: tuple[int, int, str] | None = None
    wants_name = False
    depth = 0
    for match in TOKEN.finditer(text):
        token, start, end = match.group(), match.start(), match.end()
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth == 1:
                if mark == "{":
                    raise _NotFlat
                continue
            if depth > 2:
                raise _NotFlat
            entry = _Entry("o" if mark == "{" else "a", start, end)
            entries.append(entry)
            wants_name = mark == "{"
        elif mark in "]}":
            depth -= 1
            entry = None
        elif mark == ",":
            wants_name = entry is not None and entry.kind == "o"
        elif mark == ":":
            continue
        elif depth == 1:
            entries.append(_Entry("s" if mark == '"' else "n", start, end))
        elif entry is None:
            raise _NotFlat
        elif wants_name:
            name = (start, end, decoded(token))
            entry.names.append(name)
            wants_name = False
        else:
            _item(entry, token, start, end, name[2] if name and entry.kind == "o" else None)
    if depth or not entries:
        raise _NotFlat
    for each in entries:
        for place, (key, index) in enumerate(each.refs):
            if index >= len(entries):
                each.refs[place] = (key, -1)
    return entries


def _item(entry: _Entry, token: str, start: int, end: int, name: str | None) -> None:
    if token[0] != '"':
        if not token.lstrip("-").isdigit():
            raise _NotFlat
        if entry.tag == "null" and entry.inline:
            # ``["null", "key", 1]``: an object without prototype, its names written inside.
            key = entry.inline.pop()
            name = entry.names[-1][2] if entry.names and entry.names[-1][:2] == key else None
        entry.refs.append((name, int(token)))
        entry.spots.append((start, end))
    elif entry.kind == "o":
        raise _NotFlat
    elif not entry.tag and not entry.refs:
        entry.tag = decoded(token)
    else:
        entry.inline.append((start, end))
        if entry.tag == "null":
            entry.names.append((start, end, decoded(token)))
