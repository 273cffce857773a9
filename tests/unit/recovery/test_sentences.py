"""Sentences: counts in words, and paragraphs that a person can read."""

import pytest

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.engine import simulate
from eve_replay.recovery.matrix import matrix_of
from eve_replay.recovery.sentences import joined, seconds, times
from eve_replay.recovery.words import RULES
from tests.support.recovery import TURNS, turn_plan


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 0, "not at all"),
        (1, 1, "once"),
        (2, 2, "twice"),
        (5, 5, "5 times"),
        (0, 1, "once or not at all"),
        (1, 2, "once or twice"),
        (2, 5, "2 to 5 times"),
        (2, None, "at least twice, without end"),
    ],
)
def test_counts(low, high, words):
    assert times(Executions(min=low, max=high)) == words


def test_lists_and_seconds():
    assert [joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert [seconds(860.0), seconds(2.5)] == ["860 s", "2.5 s"]


@pytest.mark.parametrize("turn", TURNS)
def test_every_point_has_a_paragraph(turn):
    for sim in matrix_of(turn_plan(turn)).points:
        text = sim.sentence
        assert text.endswith(".") and "  " not in text and "!" not in text
        assert "None" not in text


def test_the_paragraph_says_what_to_do():
    sim = simulate(turn_plan("T1"), 74)
    assert "Next:" in simulate(turn_plan("T1"), 0).sentence
    assert "turnStep" in sim.sentence


def test_every_rule_has_a_text_and_a_source():
    for name, rule in RULES.items():
        assert rule.text.endswith(".") and rule.source, name
