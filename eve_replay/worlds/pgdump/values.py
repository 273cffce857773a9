"""Values of a dump's rows: COPY lines and INSERT tuples, escapes and quotes resolved."""

from __future__ import annotations

import re

__all__ = ["copy_values", "next_value", "tuple_values"]

_CAST = rb"(?:::[\w.\" ]++(?:\(\d++\))?+(?:\[\])?+)?+\s*+([,)])"
#: A bare word ends before its cast; spaces at its end are stripped later.
_BARE = rb"((?:[^,()':]++|:(?!:)|\([^()]*+\))++)"
#: Possessive quantifiers: a damaged row must fail at once, not after trying every way to split it.
#: E'...' knows backslashes, a plain string may end in one.
_ESCAPED = re.compile(rb"\s*+(?:[Ee]'((?:[^'\\]++|''|\\.)*+)'|" + _BARE + rb")" + _CAST, re.DOTALL)
_PLAIN = re.compile(rb"\s*+(?:'((?:[^']++|'')*+)'|" + _BARE + rb")" + _CAST, re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def copy_values(line: bytes) -> list[bytes | None]:
    """Return the values of a COPY line, escapes resolved, NULL as None."""
    return [None if part == b"\\N" else _unescape(part) for part in line.split(b"\t")]


def next_value(text: bytes, at: int) -> re.Match[bytes] | None:
    """Match one value of an INSERT row: groups are quoted text, bare word, and the sign after it."""
    escaped = text[at : at + 12].lstrip()[:2] in (b"E'", b"e'")
    return (_ESCAPED if escaped else _PLAIN).match(text, at)


def tuple_values(text: bytes) -> list[bytes | None]:
    """Return the values of an INSERT row ``(...)``, NULL as None. Raises ValueError when it is none."""
    values: list[bytes | None] = []
    at = 1
    while True:
        match = next_value(text, at)
        if match is None:
            raise ValueError("this is no row of values")
        at = match.end()
        quoted, bare, after = match.groups()
        if bare is not None:
            word = bare.strip()
            values.append(None if word.upper() in (b"NULL", b"DEFAULT") else word)
        else:
            value = quoted.replace(b"''", b"'")
            values.append(_unescape(value) if match.re is _ESCAPED else value)
        if after == b")":
            return values


def _unescape(text: bytes) -> bytes:
    if b"\\" not in text:
        return text

    def one(match: re.Match[bytes]) -> bytes:
        octal, hexed, letter = match.groups()
        if octal:
            return bytes([int(octal, 8) & 255])
        if hexed:
            return bytes([int(hexed, 16)])
        return _LETTERS.get(letter, bytes(letter))

    return _ESCAPE.sub(one, text)
