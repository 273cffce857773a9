from datetime import UTC, datetime, timedelta

from eve_replay.diff.facts import compare, seconds, spread, time_text, token_text
from eve_replay.journal import Tokens

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_verdicts():
    assert compare("x", "a", "a").verdict == "same"
    assert compare("x", "a", "b").verdict == "changed"
    assert compare("x", "", "b").verdict == "only second"
    assert compare("x", "a", "").verdict == "only first"


def test_numbers_as_text():
    assert spread(seconds(NOW, NOW + timedelta(seconds=1.5))) == "1.500 s"
    assert spread(seconds(None, NOW)) == ""
    assert time_text(NOW) == "2026-01-01T00:00:00.000Z"
    assert time_text(None) == ""
    assert token_text(Tokens(input=1200, output=3)) == "1,200 in, 3 out"
    assert token_text(None) == ""
