"""Texts and JSON texts with what the rules name replaced: every character keeps its place and its size.

JSON is rewritten string by string inside its own text, so that numbers, spaces, escapes and sizes stay; a
string that holds JSON, or base64 of text, is opened, rewritten inside and closed again.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from eve_replay.codec import loads_json
from eve_replay.redaction.leaks import entropy, random_runs
from eve_replay.redaction.rules import (
    Stand,
    find_secrets,
    is_id,
    is_secret_name,
    is_structural,
    looks_base64,
)

__all__ = ["PLAIN", "TOKEN", "Context", "TextRedactor", "decoded", "recoded"]

#: The tokens of a JSON text.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_IDENTIFIER = re.compile(r"[\w$@./:*-]{1,80}\Z")
#: Under these names, beside a call's id or name, lies what the user's own tool took and gave.
_USER_PARTS = frozenset(("input", "output", "args", "arguments", "inputText", "error"))
_ASIDE = _USER_PARTS | {"name"}
_CALL_NAMES = frozenset(("callId", "toolCallId", "toolName"))
#: How a model's tool results are typed; needed to tell errors from answers.
_RESULT_TYPES = frozenset(
    ("text", "json", "error-text", "error-json", "execution-denied", "content", "media", "file-data")
)
_USER_KEPT = frozenset(
    ("idempotencyKey", "idempotency_key", "idempotency-key", "key", "toolName", "subagentName", "toolCallId")
)
#: What the runtime writes when a step has used up its attempts; the analysis reads it.
_VERDICT = re.compile(r'(?:\w+: )?Step "[^"]*" exceeded max retries \(\d+ retr\w+\)')
_MOST_LITERALS = 2000
_MOST_NESTED = 6
_CACHED, _CACHED_LENGTH = 8192, 4096


#: A run of letters and digits this long and random is replaced though no rule knows it; others are listed.
_RANDOM_FROM, _RANDOM_BITS = 32, 4.2
_MOST_LEFT = 1000
#: A shorter piece says nothing, and may stand elsewhere for itself.
_SHORTEST_PIECE = 3
_HEX = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")


@dataclass(frozen=True, slots=True)
class Context:
    """Where a text stands.

    Attributes:
        name: the nearest field name above it.
        secret: a field above it holds secrets.
        user: it is data of the user's own code, where no name belongs to the machinery.
        depth: how many texts in texts it is in.
    """

    name: str = ""
    secret: bool = False
    user: bool = False
    depth: int = 0

    def under(self, name: str, beside: Iterable[str] = ()) -> Context:
        """Return the context of the value of a field; ``beside`` are the other names of the object."""
        return _under(self, name, name in _ASIDE and not _CALL_NAMES.isdisjoint(beside))


@lru_cache(maxsize=8192)
def _under(context: Context, name: str, call: bool) -> Context:
    user = context.user or (call and name in _USER_PARTS)
    if name == "name" and call:
        name = "toolName"  # what a call names so is its tool
    return replace(context, name=name, secret=context.secret or is_secret_name(name), user=user)


PLAIN = Context()


class TextRedactor:
    """Rewrites texts.

    Args:
        stand: makes the stand-ins.
        mask_all: replace all text but the words and ids of the machinery.
        literals: secrets known from elsewhere, replaced wherever they stand.
    """

    def __init__(self, stand: Stand, *, mask_all: bool = False, literals: Iterable[str] = ()) -> None:
        self.stand = stand
        self.mask_all = mask_all
        self.counts: Counter[str] = Counter()
        #: Secrets met so far that are long and odd enough to be recognised elsewhere.
        self.found: set[str] = set()
        #: What still looks like a secret, shortened, and how often: for a person to look at.
        self.left: Counter[str] = Counter()
        #: Pieces of a stream's text that hold a part of a secret, and what takes their place.
        self.deltas: dict[str, str] = {}
        self._plain_names: set[str] = set()
        self._cache: dict[tuple[str, Context, bool], tuple[str, tuple[tuple[str, int], ...]]] = {}
        known = sorted((text for text in literals if text), key=lambda text: (-len(text), text))
        self._known = re.compile("|".join(map(re.escape, known[:_MOST_LITERALS]))) if known else None

    # -- texts --------------------------------------------------------------------------------------

    def text(self, value: str, context: Context = PLAIN) -> str:
        """Return a text without what the rules name; as long as before."""
        if not 8 < len(value) <= _CACHED_LENGTH:
            return self._text(value, context)
        # A session's history is repeated in every step: most texts have been seen before.
        key = (value, context, self.mask_all)
        known = self._cache.get(key)
        if known is None:
            counts, self.counts = self.counts, Counter()
            try:
                known = (self._text(value, context), tuple(self.counts.items()))
            finally:
                self.counts = counts
            if len(self._cache) >= _CACHED:
                self._cache.clear()
            self._cache[key] = known
        for rule, count in known[1]:
            self.counts[rule] += count
        return known[0]

    def _text(self, value: str, context: Context) -> str:
        if not value:
            return value
        if value in self.deltas:
            self.counts["part of a secret"] += 1
            return self.deltas[value]
        if context.secret and not self._kept_in_secret(value, context):
            return self._secret(value, context)
        if is_id(value):
            return value
        nested = self._nested(value, context)
        if nested is not None:
            return nested
        value = self._in_base64(self._ranges(value), context)
        if self.mask_all and not self._machinery(value, context):
            self.counts["text"] += 1
            said = _VERDICT.match(value)
            kept = said.end() if said else 0
            return value[:kept] + self.stand(value[kept:])
        return value

    def _kept_in_secret(self, value: str, context: Context) -> bool:
        # ``{"token": {"type": "string"}}`` is a schema, and ids stay wherever they are.
        return is_id(value) or (not is_secret_name(context.name) and is_structural(context.name, value))

    def _secret(self, value: str, context: Context) -> str:
        if value.startswith(("eve:", "abrt_")):
            stand = self.stand.token(value)
            if stand != value:
                self.counts["hook token"] += 1
            return stand
        self.counts["secret field"] += 1
        self._remember(value)
        return self.stand(value)

    def token(self, value: str) -> str:
        """Return a hook token's stand-in."""
        stand = self.stand.token(value)
        if stand != value:
            self.counts["hook token"] += 1
            self._remember(value)
        return stand

    def join(self, pieces: list[str]) -> None:
        """Look at the pieces of one text together: a streamed secret stands in no piece as a whole."""
        whole = "".join(pieces)
        spans = [(start, end) for _, start, end in find_secrets(whole)]
        at = 0
        for piece in pieces:
            begin, at = at, at + len(piece)
            hit = [(max(start, begin), min(end, at)) for start, end in spans if start < at and end > begin]
            cut = [(start, end) for start, end in hit if (start, end) not in spans]
            if cut and len(piece) >= _SHORTEST_PIECE:
                signs = list(piece)
                for start, end in hit:
                    signs[start - begin : end - begin] = self.stand(whole[start:end])
                self.deltas[piece] = "".join(signs)

    def _remember(self, value: str) -> None:
        odd = any(not char.isalpha() or char.isupper() for char in value)
        if 8 <= len(value) <= 4096 and odd and not is_id(value):
            self.found.add(value)

    def _machinery(self, value: str, context: Context) -> bool:
        if context.user:
            return (context.name in _USER_KEPT and is_structural("key", value)) or (
                context.name == "type" and value in _RESULT_TYPES
            )
        return is_structural(context.name, value)

    def _nested(self, value: str, context: Context) -> str | None:
        head = value.lstrip()[:1]
        if head not in ("{", "[", '"') or context.depth >= _MOST_NESTED or len(value) < 4:
            return None
        return self.json(value, replace(context, depth=context.depth + 1))

    def _ranges(self, value: str) -> str:
        parts: list[tuple[str, int, int]] = list(find_secrets(value))
        for start, end in random_runs(value):
            run = value[start:end]
            if is_id(run) or _is_text(run):
                continue
            if end - start >= _RANDOM_FROM and entropy(run) >= _RANDOM_BITS and not _HEX.match(run):
                parts.append(("random text", start, end))
            elif len(self.left) < _MOST_LEFT and not any(a < end and start < b for _, a, b in parts):
                self.left[f"{run[:4]}… ({len(run)} characters)"] += 1
        if self._known is not None:
            parts += [("repeated secret", *match.span()) for match in self._known.finditer(value)]
        if not parts:
            return value
        out, at = [], 0
        for rule, start, end in sorted(parts, key=lambda part: (part[1], -part[2])):
            if end <= at:
                continue
            start = max(start, at)
            out += [value[at:start], self.stand(value[start:end])]
            self.counts[rule] += 1
            if rule != "card number":
                self._remember(value[start:end])
            at = end
        return "".join((*out, value[at:]))

    def _in_base64(self, value: str, context: Context) -> str:
        if len(value) < 16 or context.depth >= _MOST_NESTED:
            return value
        out, at = [], 0
        for start, end in looks_base64(value):
            inside = self._base64(value[start:end], replace(context, depth=context.depth + 1))
            if inside is not None:
                out += [value[at:start], inside]
                at = end
        return "".join((*out, value[at:])) if out else value

    def _base64(self, piece: str, context: Context) -> str | None:
        """Return base64 with its text rewritten, None when it is none or nothing in it is to be changed."""
        url = "-" in piece or "_" in piece
        standard = piece.replace("-", "+").replace("_", "/").rstrip("=")
        try:
            data = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
            text = data.decode("utf-8")
        except (binascii.Error, ValueError):
            return None
        if not all(char.isprintable() or char in "\r\n\t" for char in text):
            return None
        changed = self._nested(text, context) or self._in_base64(self._ranges(text), context)
        if changed == text:
            return None
        coded = base64.b64encode(changed.encode("utf-8", "surrogatepass")).decode("ascii")
        coded = coded.replace("+", "-").replace("/", "_") if url else coded
        return coded.rstrip("=") + "=" * (len(piece) - len(piece.rstrip("=")))

    def data(self, data: bytes, context: Context = PLAIN) -> bytes:
        """Return bytes of text (JSON, NDJSON, prose) rewritten; of other bytes what looks like a secret."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            if self.mask_all:
                self.counts["bytes"] += 1
                return bytes(len(data))
            return self._ranges(data.decode("latin-1")).encode("latin-1")
        if text.lstrip()[:1] not in ("{", "["):
            return self.text(text, context).encode()
        return "".join(self.text(line, context) for line in text.splitlines(keepends=True)).encode()

    # -- names and numbers --------------------------------------------------------------------------

    def name(self, name: str, context: Context = PLAIN) -> str:
        """Return a field name; one that is data itself (an address, a sentence) is replaced."""
        if name in self._plain_names:
            return name
        changed = self._ranges(name)
        if changed == name and len(self._plain_names) < _CACHED and _IDENTIFIER.match(name):
            self._plain_names.add(name)
        if changed == name and self.mask_all and not _IDENTIFIER.match(name):
            self.counts["field name"] += 1
            return self.stand(name)
        return changed

    def number(self, digits: str, context: Context) -> str:
        """Return a number's text; card numbers and numbers in secret fields become others."""
        whole = digits.isdigit()
        card = whole and any(rule == "card number" for rule, *_ in find_secrets(digits))
        if not (card or (digits[:1] in "-0123456789" and is_secret_name(context.name, number=True))):
            return digits
        self.counts["card number" if card else "secret field"] += 1
        stand = self.stand(digits) if whole else "0" * len(digits)
        return f"1{stand[1:]}" if whole and len(stand) > 1 and stand[0] == "0" else stand

    # -- JSON ---------------------------------------------------------------------------------------

    def json(self, text: str, context: Context = PLAIN) -> str | None:
        """Return a JSON text rewritten in place, None when it is no JSON."""
        try:
            loads_json(text)
        except (ValueError, RecursionError):
            return None
        out: list[str] = []
        at = 0
        for start, end, changed in self._strings(text, context):
            out += [text[at:start], changed]
            at = end
        return "".join((*out, text[at:]))

    def _strings(self, text: str, context: Context) -> Iterable[tuple[int, int, str]]:
        stack: list[_Level] = []
        top = _Level(context, names=None)
        for match in TOKEN.finditer(text):
            token = match.group()
            mark = token[0]
            if mark in "{[":
                stack.append(top)
                top = _Level(top.inner(), names=[] if mark == "{" else None)
            elif mark in "}]":
                top = stack.pop() if stack else top
                top.done(None)
            elif mark == ",":
                top.key = top.names is not None
            elif mark == '"':
                value = decoded(token)
                if top.names is not None and top.key:
                    yield match.start(), match.end(), recoded(token, self.name(value, top.context))
                    top.names.append(value)
                    top.key = False
                else:
                    yield match.start(), match.end(), recoded(token, self.text(value, top.inner()))
                    top.done(value)
            elif mark not in ":":
                inner = top.inner()
                if inner.name:
                    yield match.start(), match.end(), self.number(token, inner)
                top.done(None)


class _Level:
    """One open object or array of a JSON text."""

    __slots__ = ("context", "first", "header", "key", "names")

    def __init__(self, context: Context, names: list[str] | None) -> None:
        self.context = context
        self.names = names
        self.key = names is not None
        #: The first text of an array: ``["authorization", "Bearer ..."]`` names its second.
        self.first: str | None = None
        #: What ``{"name": "authorization", "value": ...}`` is about.
        self.header: str | None = None

    def inner(self) -> Context:
        if self.names:
            context = self.context.under(self.names[-1], self.names)
            about = self.names[-1] in ("value", "values") and self.header
            return replace(context, secret=context.secret or is_secret_name(about)) if about else context
        if self.names is None and self.first is not None:
            return replace(self.context, secret=self.context.secret or is_secret_name(self.first))
        return self.context

    def done(self, text: str | None) -> None:
        if self.names is None:
            self.first = text if self.first is None and text is not None and len(text) < 60 else None
        elif text is not None and self.names and self.names[-1] in ("name", "key", "header"):
            self.header = text


def _is_text(run: str) -> bool:
    """Return whether a run is base64 of text, which is looked into and not replaced as a whole."""
    standard = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        text = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return False
    return all(char.isprintable() or char in "\r\n\t" for char in text)


def decoded(token: str) -> str:
    """Return the text of a JSON string token, half surrogate pairs kept apart as they are written."""
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    return "".join(map(_character, _UNIT.findall(inner)))


def _character(unit: str) -> str:
    if len(unit) == 6 and unit[0] == "\\":
        return chr(int(unit[2:], 16))
    return _SHORT.get(unit[1], unit[1]) if unit[0] == "\\" else unit


def recoded(token: str, text: str) -> str:
    """Return the token with another text of the same length, each character written as before."""
    inner = token[1:-1]
    if "\\" not in inner:
        return token if text == inner else f'"{text}"'
    units = [
        unit if _character(unit) == char else (f"\\u{ord(char):04x}" if unit[0] == "\\" else char)
        for unit, char in zip(_UNIT.findall(inner), text, strict=True)
    ]
    return f'"{"".join(units)}"'
