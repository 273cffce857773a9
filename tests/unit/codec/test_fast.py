"""orjson reads what the standard library reads; what it would read otherwise it does not get."""

from __future__ import annotations

import json
import random

import pytest

from eve_replay.codec.devalue import document, fast
from eve_replay.codec.devalue.document import decode_devalue
from eve_replay.values import to_tagged
from tests.support.devalue import payload_bytes

pytest.importorskip("orjson")

ODD = [
    b"[-0]",
    b'["-0"]',
    b'[[1],-0.0,"-0,"]',
    b"[12345678901234567890]",
    b"[18446744073709551616]",
    b"[123456789012345678901234567890]",
    b"[1e400]",
    b"[NaN]",
    b'["\\ud83d"]',
    b'["\\ud83d\\ude00"]',
    b'["\xff"]',
    b'\xef\xbb\xbf["bom"]',
    b'[{"a":1,"a":2},1,2]',
    b'[{"__proto__":1},1]',
    b"[[1,5]]",
    b"[[1.0],1]",
    b"[[12345678901234567890123],1]",
    b'[["Map",1,2],"a","b"]',
    b"[" * 3000 + b"]" * 3000,
    b'["cut',
    b"[1,]",
    b"[]",
    b"-1",
    b"",
    b'["\x01"]',
    b'["a\\u0000b"]',
    b"[0.1,1e21,1E-7,123456789012345680]",
]


def both(text, monkeypatch):
    """Return what the two readers make of a text."""
    found = []
    for reader in (fast.read_flat, lambda _: None):
        monkeypatch.setattr(document, "read_flat", reader)
        value, notes = decode_devalue(text)
        found.append((json.dumps(to_tagged(value)), list(notes), notes.failed))
    return found


@pytest.mark.parametrize("text", ODD)
def test_odd_texts(text, monkeypatch) -> None:
    first, second = both(text, monkeypatch)
    assert first == second


def test_random_documents_and_damaged_ones(monkeypatch) -> None:
    dice = random.Random(21)
    read = 0
    for _ in range(400):
        text = bytearray(payload_bytes(value(dice, 4)).removeprefix(b"devl"))
        if dice.random() < 0.5:
            for _ in range(dice.randint(1, 3)):
                text[dice.randrange(len(text))] = dice.choice(b'0123456789-,:[]{}"\\eE. \xff')
        first, second = both(bytes(text), monkeypatch)
        assert first == second, bytes(text)
        read += fast.read_flat(bytes(text)) is not None
    assert read > 150


def value(dice, depth):
    """Return a random value."""
    kind = dice.randrange(9 if depth else 6)
    if kind == 0:
        return dice.choice([0, -1, 1.5, 2**53, -(2**53), 1e21, 1e-7])
    if kind in (1, 2):
        return "".join(
            chr(dice.choice([65, 0x20, 0x22, 0x5C, 0xE9, 0x4E2D, 0x1F600, 0x2D])) for _ in range(6)
        )
    if kind == 3:
        return dice.choice([True, False, None])
    if kind in (4, 5):
        return dice.randrange(-1000, 1000)
    if kind == 6:
        return {f"k{i}": value(dice, depth - 1) for i in range(dice.randrange(4))}
    return [value(dice, depth - 1) for _ in range(dice.randrange(4))]
