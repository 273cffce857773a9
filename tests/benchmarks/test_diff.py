"""How long differences take on long sessions and long texts. What is linear is counted in the unit tests."""

from __future__ import annotations

import random

import pytest

from eve_replay.diff.sequence import align
from eve_replay.diff.text import text_pieces
from eve_replay.diff.values import diff_values


def history(messages):
    """A history of about 280 bytes a message."""
    return [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "text",
                    "text": f"answer {n}, with words that make it as long as answers are" * 2,
                },
                {"type": "tool-call", "toolCallId": f"call_{n}", "toolName": "charge", "input": {"cents": n}},
            ],
        }
        for n in range(messages)
    ]


@pytest.mark.benchmark(group="difference of histories")
@pytest.mark.parametrize("messages", [5_500, 11_000])
def test_two_histories(benchmark, messages):
    """3 MB of history in half a second; half of it in half the time."""
    before, after = history(messages), history(messages)
    after.insert(0, {"role": "system", "content": "new"})
    after[500]["content"][0]["text"] += " indeed"
    tree = benchmark.pedantic(lambda: diff_values(before, after), rounds=3)
    assert len(list(tree.changes())) == 2


@pytest.mark.benchmark(group="alignment")
@pytest.mark.parametrize("items", [25_000, 50_000])
def test_repeated_items(benchmark, items):
    rng = random.Random(2)
    one, two = ([rng.randrange(3) for _ in range(items)] for _ in range(2))
    assert benchmark.pedantic(lambda: align(one, two), rounds=3)


@pytest.mark.benchmark(group="difference of texts")
@pytest.mark.parametrize("changes", ["one word", "many words"])
def test_three_megabytes_of_text(benchmark, changes):
    before = "\n".join(f"line {n} of the log, all as before" for n in range(80_000))
    middle = len(before) // 2
    after = before[:middle] + "CHANGED " + before[middle:] if changes == "one word" else None
    after = after or before.replace("line 7", "row 7")
    assert len(benchmark.pedantic(lambda: text_pieces(before, after), rounds=3)) >= 3
