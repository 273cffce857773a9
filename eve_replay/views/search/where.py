"""A small language for lists: ``twice >= 1 and tool = "charge_card"``, ``state ~ parked or last < 2 h``.

Fields are those of the list; a comparison with a list (``tool``) holds when one of its members fits. Nothing
of it is executed: it is read into conditions that compare plain values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eve_replay.errors import WrongUse

__all__ = ["Fields", "Value", "where"]

Value = str | int | float | bool | None
#: What a row offers by field name; a field with several values offers a tuple.
Fields = Mapping[str, Value | tuple[Value, ...]]
Condition = Callable[[Fields], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<op><=|>=|!=|=|<|>|~)|(?P<open>\()|(?P<close>\))|"(?P<text>(?:[^"\\]|\\.)*)"|"""
    r"""'(?P<single>[^']*)'|(?P<word>[^\s()<>=!~"']+))"""
)
_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86_400, "day": 86_400, "days": 86_400}
_MOST_WORDS = 400
#: Brackets and ``not`` inside each other.
_DEEPEST = 50


def where(text: str, fields: Sequence[str]) -> Condition:
    """Return the condition that a text means.

    Args:
        text: comparisons with ``and``, ``or``, ``not`` and brackets. Operators: ``= != < <= > >=`` and ``~``
            (contains, without regard to case). A field alone holds when it is neither empty nor zero.
        fields: names that may stand on the left.

    Raises:
        WrongUse: it cannot be read, or names a field that is not there; the message says what is possible.
    """
    reader = _Reader(_tokens(text), tuple(fields), text)
    condition = reader.any_of()
    if reader.at < len(reader.tokens):
        raise reader.wrong(f"{reader.tokens[reader.at].text!r} is not expected here")
    return condition


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None or len(found) > _MOST_WORDS:
            raise WrongUse(
                f"The condition cannot be read from {text[place : place + 20].strip()!r} on.",
                hint="Write it as 'twice >= 1 and tool = \"charge_card\"'.",
            )
        kind = match.lastgroup or ""
        value = match[kind]
        if kind in ("text", "single"):
            found.append(_Token("text", re.sub(r"\\(.)", r"\1", value) if kind == "text" else value))
        else:
            found.append(_Token(kind, value))
        place = match.end()
    return found


class _Reader:
    """Reads by precedence: or, and, not, comparison. Brackets may nest as deep as there are tokens."""

    def __init__(self, tokens: list[_Token], fields: tuple[str, ...], text: str) -> None:
        self.tokens, self.fields, self.text, self.at = tokens, fields, text, 0

    def wrong(self, what: str) -> WrongUse:
        return WrongUse(
            f"--where {self.text!r}: {what}.",
            hint=f"Fields are {', '.join(self.fields)}; operators = != < <= > >= ~, and, or, not.",
        )

    def peek(self, word: str) -> bool:
        here = self.tokens[self.at] if self.at < len(self.tokens) else None
        return here is not None and here.kind == "word" and here.text.lower() == word

    def take(self) -> _Token:
        if self.at >= len(self.tokens):
            raise self.wrong("something is missing at the end")
        self.at += 1
        return self.tokens[self.at - 1]

    def any_of(self, depth: int = 0) -> Condition:
        parts = [self.all_of(depth)]
        while self.peek("or"):
            self.at += 1
            parts.append(self.all_of(depth))
        return parts[0] if len(parts) == 1 else lambda row: any(part(row) for part in parts)

    def all_of(self, depth: int) -> Condition:
        parts = [self.one(depth)]
        while self.peek("and"):
            self.at += 1
            parts.append(self.one(depth))
        return parts[0] if len(parts) == 1 else lambda row: all(part(row) for part in parts)

    def one(self, depth: int) -> Condition:
        if depth > _DEEPEST:
            raise self.wrong("too many brackets")
        if self.peek("not"):
            self.at += 1
            inner = self.one(depth + 1)
            return lambda row: not inner(row)
        token = self.take()
        if token.kind == "open":
            condition = self.any_of(depth + 1)
            if self.take().kind != "close":
                raise self.wrong("a bracket is not closed")
            return condition
        name = token.text.lower()
        if token.kind != "word" or name not in self.fields:
            raise self.wrong(f"there is no field {token.text!r}")
        if self.at >= len(self.tokens) or self.tokens[self.at].kind != "op":
            return lambda row: any(bool(each) for each in _values(row, name))
        operator = self.take().text
        wanted = self.take()
        value = wanted.text
        if self.at < len(self.tokens) and self.tokens[self.at].text in _UNITS and wanted.kind == "word":
            value = f"{value} {self.take().text}"
        return _comparison(name, operator, value)


def _values(row: Fields, name: str) -> tuple[Value, ...]:
    value = row.get(name)
    return value if isinstance(value, tuple) else (value,)


def _comparison(name: str, operator: str, wanted: str) -> Condition:
    number = _number(wanted)

    def fits(value: Value) -> bool:
        if operator == "~":
            return value is not None and wanted.lower() in str(value).lower()
        if isinstance(value, bool) or value is None or number is None or isinstance(value, str):
            alike = str(value if value is not None else "").lower() == wanted.lower()
            return alike if operator == "=" else not alike if operator == "!=" else False
        return {
            "=": value == number,
            "!=": value != number,
            "<": value < number,
            "<=": value <= number,
            ">": value > number,
            ">=": value >= number,
        }[operator]

    if operator == "!=":  # of several values none is it
        return lambda row: all(fits(each) for each in _values(row, name))
    return lambda row: any(fits(each) for each in _values(row, name))


def _number(text: str) -> float | None:
    """A number, or a length of time in seconds: ``90``, ``2h``, ``3 days``."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*([a-z]*)", text.lower())
    if found is None or (found[2] and found[2] not in _UNITS):
        return None
    return float(found[1]) * _UNITS.get(found[2], 1)
