"""Large data folders for benchmarks: one recorded folder, many times, every copy with run ids of its own."""

from __future__ import annotations

import re
from pathlib import Path

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(rb"(wrun|step|hook|wait|strm|chnk|abrt|msg)_([0-9A-HJKMNP-TV-Z]{26})")


def multiply(source: Path, target: Path, count: int, *, without: str = "") -> Path:
    """Write ``count`` copies of the data folder ``source`` into ``target`` and return it.

    Ids change in names and in plain text, not inside payloads: that does not matter for listing,
    loading and decoding speed. Files below the folder ``without`` are left out.
    """
    paths = [path for path in source.rglob("*") if path.is_file()]
    files = [(path.relative_to(source).as_posix(), path.read_bytes()) for path in paths]
    files = [(name, data) for name, data in files if not (without and name.startswith(without))]
    for number in range(1, count + 1):
        for name, data in files:
            path = target / _renamed(name.encode(), number).decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if path.suffix == ".bin" else _renamed(data, number))
    return target


def _renamed(data: bytes, number: int) -> bytes:
    return _ULID.sub(lambda m: m[1] + b"_" + _fresh(m[2], number), data)


def _fresh(body: bytes, number: int) -> bytes:
    if body.isdigit():
        return body  # slot numbers stay
    digits = []
    for _ in range(5):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return body[:10] + "".join(reversed(digits)).encode() + body[15:]
