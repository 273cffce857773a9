"""Times, spans and lists as sentences say them."""

from datetime import timedelta, timezone

import pytest

from eve_replay.checks.phrases import Voice, count, listed, numbered, span, times
from tests.support.synthetic import at


def test_clock_times_have_a_day_only_when_it_is_another():
    voice = Voice(now=at(60))
    assert voice.at(at(5)) == "at 09:00:05"
    assert voice.at(at(-86400)) == "at 2026-11-29 09:00:00"
    assert voice.at(None) == "at an unrecorded time"
    assert voice.since(at(0)) == "since 09:00:00 (60 s)"
    assert voice.since(None) == "since an unrecorded time"
    assert Voice(now=at(60), zone=timezone(timedelta(hours=2))).clock(at(5)) == "11:00:05"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.012, "12 ms"), (1.2, "1.2 s"), (45, "45 s"), (860, "14 min"), (7200, "2 h"), (3 * 86400, "3 days")],
)
def test_spans(seconds, words):
    assert span(timedelta(seconds=seconds)) == words


def test_lists_and_numbers():
    assert listed([]) == "" and listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"
    assert numbered([1]) == "attempt 1"
    assert numbered([1, 3]) == "attempts 1 and 3"
    assert numbered([1, 2, 3, 4]) == "attempts 1 to 4"
    assert count(1, "event") == "1 event" and count(2, "event") == "2 events"
    assert [times(n) for n in (0, 1, 2, 9)] == ["not at all", "once", "twice", "9 times"]
