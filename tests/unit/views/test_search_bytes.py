"""A search that looks into the bytes first finds what one finds that decodes everything."""

from __future__ import annotations

import pytest

from eve_replay.codec import Payload
from eve_replay.values import walk
from eve_replay.views.search import search as room
from eve_replay.views.search.search import Pattern, search
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.devalue import payload_bytes

WORDS = (
    "zebra", "Charge", "charge_card", "sisko", "K", "ok", "stream", "AbortSignal", "name", "2026-11", "42",
    "ÄÖ", "mock-tool", '"', "weather", "type", "aborted", "T09",
)  # fmt: skip


@pytest.mark.parametrize("scenario", ["crash-in-tool", "approval-hold", "subagent", "older-0.20.0"])
def test_the_same_hits_with_and_without(scenario, monkeypatch) -> None:
    world = open_world(str(corpus.data(scenario)))
    quick = {word: list(search(world, Pattern(word), every=True)) for word in WORDS}
    monkeypatch.setattr(room._Needle, "of", classmethod(lambda *_: None))
    assert quick == {word: list(search(world, Pattern(word), every=True)) for word in WORDS}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ('say "yes"', 'say "'),
        ("two\nlines", "two\nlines"),
        ("Straße", "STRASSE"),
        ("ÄPFEL", "äpfel"),
        ("Kelvin", "kelvin"),
        ("ſee", "see"),
        ("İstanbul", "istanbul"),
        ({"Größe": 1}, "größe"),
        (1e21, "1e+21"),
        (0.1, "0.1"),
        ("中文", "中文"),
        ("a/b", "a/b"),
        ("\ud83d", "\ud83d"),
    ],
)
def test_what_the_value_holds_is_never_called_absent(value, word) -> None:
    payload = Payload(payload_bytes(value))
    for case in (None, True, False):
        pattern = Pattern(word, case=case)
        texts = [room.text_of(each) for _, each in walk(payload.value)]
        texts += [t.segment for t, _ in walk(payload.value) if isinstance(t.segment, str)]
        if any(pattern.find(text) for text in texts if text):
            assert not pattern.absent(payload.text or b"")


def test_other_ways_to_write_the_same_text() -> None:
    for text in (b'["\\u0063harge"]', b'["a\\/charge"]', b'[["Uint8Array","Y2hhcmdl"]]', b'["cut'):
        assert not Pattern("charge").absent(text)
    assert Pattern("charge").absent(b'["nothing here",["Date","2026-11-30T09:00:00.000Z"]]')
    assert not Pattern("ch.*", regex=True).absent(b'["x"]')
