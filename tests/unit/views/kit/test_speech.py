"""The catalog of sentences: English and Chinese side by side, the same here as in the browser."""

import json
import re
from pathlib import Path

import pytest

from eve_replay.errors import WrongUse
from eve_replay.notebook.language import spoken
from eve_replay.views.kit.speech import catalog, said

CASES = json.loads((Path(__file__).parents[3] / "js" / "speech.json").read_text("utf-8"))


@pytest.mark.parametrize(("english", "chinese"), CASES)
def test_sentences_in_chinese(english, chinese):
    assert said(english, "zh") == chinese
    assert said(english, "en") == english


def test_every_pair_has_the_same_holes_and_says_something():
    seen = set()
    for english, chinese in catalog("zh"):
        holes = [re.findall(r"\{[nxy]\}", each) for each in (english, chinese)]
        assert sorted(holes[0]) == sorted(holes[1]), english
        assert english not in seen and english.strip() and chinese.strip()
        seen.add(english)
    assert catalog("en") == ()


def test_a_language_that_nobody_speaks_here():
    with pytest.raises(WrongUse):
        spoken("fr")
    assert spoken("zh") == "zh"
