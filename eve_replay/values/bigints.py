"""Decimal digits of integers of any size. Python's own conversions stop at 4,300 digits."""

from __future__ import annotations

from eve_replay.limits import DEFAULT

__all__ = ["MAX_DIGITS", "decimal_text", "parse_decimal"]

#: Longer decimal texts are refused: converting them takes time that grows with the square of the length.
MAX_DIGITS = DEFAULT.digits
_PART = 4000
_SCALE = 10**_PART


def decimal_text(value: int) -> str:
    """Return the decimal digits of an integer, whatever its size."""
    if value.bit_length() < 13_000:
        return str(value)
    rest = abs(value)
    parts: list[str] = []
    while rest >= _SCALE:
        rest, low = divmod(rest, _SCALE)
        parts.append(f"{low:0{_PART}d}")
    parts.append(str(rest))
    return ("-" if value < 0 else "") + "".join(reversed(parts))


def parse_decimal(text: str) -> int:
    """Return the integer of decimal digits with an optional sign.

    Raises ValueError when it is none, or has more than ``MAX_DIGITS`` digits.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdigit():
        raise ValueError(f"{text[:40]!r} is no integer")
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"{len(digits)} digits are more than {MAX_DIGITS}")
    value = 0
    first = len(digits) % _PART
    for at in range(first - _PART if first else 0, len(digits), _PART):
        value = value * _SCALE + int(digits[max(at, 0) : at + _PART])
    return -value if text[0] == "-" else value
