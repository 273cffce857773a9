"""What is worked out once, and what is let go with the thing it was told of."""

import gc
from dataclasses import dataclass

from eve_replay.journal.once import once, once_with


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Thing:
    n: int


def test_a_thing_is_asked_once_with_each_word():
    asked = []

    @once_with
    def tell(thing, word):
        asked.append((thing.n, word))
        return f"{thing.n} {word}"

    one, other = Thing(1), Thing(1)
    assert [tell(one, "a"), tell(one, "a"), tell(one, "b"), tell(other, "a")] == ["1 a", "1 a", "1 b", "1 a"]
    assert asked == [(1, "a"), (1, "b"), (1, "a")]  # equal things are not the same thing


def test_what_was_told_goes_with_the_thing():
    count = 0

    @once
    def tell(thing):
        nonlocal count
        count += 1
        return thing.n

    for n in range(100):
        assert tell(Thing(n)) == n  # places in memory are taken again
    gc.collect()
    assert count == 100
