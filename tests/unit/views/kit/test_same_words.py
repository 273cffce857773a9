"""The words of the browser are these: both read ``tests/js/words.json``."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eve_replay.views.kit.words import clock, duration, short_ids

CASES = json.loads((Path(__file__).parents[3] / "js" / "words.json").read_text("utf-8"))

WRITE = {
    "duration": lambda ms: duration(None if ms is None else ms / 1000),
    "clock": lambda iso: clock(None if iso is None else datetime.fromisoformat(iso), UTC, millis=True),
    "shortId": lambda whole: short_ids([whole])[whole],
}


@pytest.mark.parametrize("name", WRITE)
def test_words(name):
    assert [[value, WRITE[name](value)] for value, _ in CASES[name]] == CASES[name]
