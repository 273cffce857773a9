import random
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from eve_replay.views.kit.words import (
    WORDS,
    ago,
    clock,
    day_and_clock,
    duration,
    executions,
    joined,
    plural,
    short_ids,
    size,
    word_for,
    zone_name,
)

NOON = datetime(2026, 11, 30, 12, 0, 5, 335000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.012, "12 ms"),
        (0.9999, "1.0 s"),
        (1.24, "1.2 s"),
        (99.94, "99.9 s"),
        (99.96, "1 min 40 s"),
        (120, "2 min"),
        (860, "14 min"),
        (3569, "59 min"),
        (3600, "1 h"),
        (12000, "3 h 20 min"),
        (3 * 86400, "3 days"),
        (-2, "2.0 s backwards"),
        (timedelta(seconds=1.5), "1.5 s"),
        (None, ""),
    ],
)
def test_duration(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (2306867, "2.2 MB"), (1 << 50, "1024.0 TB")],
)
def test_size(count, words):
    assert size(count) == words


def test_times():
    assert clock(NOON, UTC) == "12:00:05"
    assert clock(NOON, UTC, millis=True) == "12:00:05.335"
    assert day_and_clock(NOON, timezone(timedelta(hours=8), "CST")) == "2026-11-30 20:00:05"
    assert zone_name(NOON, UTC) == "UTC"
    assert zone_name(NOON, timezone(timedelta(hours=8), "CST")) == "CST (UTC+08:00)"
    assert zone_name(NOON, timezone(timedelta(hours=-3, minutes=-30))) == "UTC-03:30"
    assert clock(None) == day_and_clock(None) == ""
    assert ago(NOON, NOON + timedelta(days=3)) == "3 days ago"
    assert ago(NOON, NOON) == "just now"
    assert ago(NOON, NOON - timedelta(minutes=14)) == "in 14 min"
    assert ago(None, NOON) == ""


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (2, 2, "ran twice"),
        (2, None, "ran twice or more"),
        (3, 3, "ran three times"),
        (9, 9, "ran 9 times"),
        (1, 1, "ran once"),
        (1, 2, "may have run twice"),
        (0, None, "may have run twice"),
        (0, 1, "may have run"),
        (0, 0, "did not run"),
    ],
)
def test_executions(least, most, words):
    assert executions(least, most).word == words


def test_words():
    assert word_for("completed").tone == "committed"
    assert word_for("canceled").word == "cancelled"
    assert word_for("new\x1b").word == "new\\x1b"
    assert word_for("").word == "unknown"
    assert all(word.meaning for word in WORDS.values())
    assert plural(1, "run") == "1 run"
    assert plural(2, "entry", "entries") == "2 entries"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert joined(["a"]) == "a"
    assert joined([]) == ""


def test_short_ids_grow_until_they_differ():
    a, b, c = (
        "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S",
        "wrun_01M8NVET2Q9XT7ZZ1AMCABJ64S",
        "step_01M8NVET2Q9XT7ZZ1AMCXXXXXX",
    )
    assert short_ids([a, c]) == {a: "wrun_…J64S", c: "step_…XXXX"}
    assert short_ids([a, b]) == {a: "wrun_…AJ64S", b: "wrun_…BJ64S"}
    assert short_ids(["short", "evnt_00000000000000000000000001"]) == {
        "short": "short",
        "evnt_00000000000000000000000001": "evnt_…0001",
    }
    assert short_ids([a, a]) == {a: "wrun_…J64S"}
    assert short_ids([]) == {}


def test_short_ids_of_many_ids_are_found_without_comparing_each_with_each():
    """Twice the ids are about twice the work; it was four times."""

    def work(count):
        looked = 0

        def trace(frame, event, _):
            nonlocal looked
            looked += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            short_ids([f"wrun_01M8NVET2Q9XT7ZZ{number:06d}" for number in range(count)])
        finally:
            sys.settrace(before)
        return looked

    assert work(800) < 2.6 * work(400)


@pytest.mark.parametrize("seed", range(20))
def test_a_short_id_names_one_id_only(seed):
    dice = random.Random(seed)
    ids = list({"wrun_" + "".join(dice.choices("AB", k=dice.choice([8, 14, 26]))) for _ in range(60)})
    for whole, short in short_ids(ids).items():
        tail = short.partition("…")[2]
        assert short == whole or [each for each in ids if each.endswith(tail)] == [whole]
