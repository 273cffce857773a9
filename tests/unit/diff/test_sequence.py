"""Alignment: always valid, optimal where it promises to be, fast where others are quadratic."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from eve_replay.diff.sequence import MAX_EDITS, align


def longest(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def check(a, b):
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(pairs))
    return pairs


@given(st.lists(st.integers(0, 4), max_size=25), st.lists(st.integers(0, 4), max_size=25))
def test_pairs_are_equal_items_in_order(a, b):
    assert len(check(a, b)) <= longest(a, b)


@given(st.permutations(list(range(12))), st.permutations(list(range(12))))
def test_without_repeats_the_alignment_is_a_longest_one(a, b):
    assert len(check(a, b)) == longest(a, b)


def test_one_insert_at_the_front_keeps_everything():
    assert align("abc", "Xabc") == [(0, 1), (1, 2), (2, 3)]
    assert align([], [1]) == align([1], []) == []


def test_repeated_items_beyond_the_edit_limit_still_align():
    rng = random.Random(1)
    a = [rng.randrange(3) for _ in range(8 * MAX_EDITS)]
    b = [rng.randrange(3) for _ in range(8 * MAX_EDITS)]
    assert len(check(a, b)) > len(a) // 4


class Counted:
    """A word that counts how often it was compared."""

    compared = 0

    def __init__(self, word):
        self.word = word

    def __eq__(self, other):
        Counted.compared += 1
        return self.word == other.word

    def __hash__(self):
        return hash(self.word)


def test_repeated_items_are_compared_a_linear_number_of_times():
    rng = random.Random(2)

    def comparisons(count):
        one, two = ([Counted(rng.randrange(3)) for _ in range(count)] for _ in range(2))
        Counted.compared = 0
        assert len(align(one, two)) > count // 4
        return Counted.compared

    assert comparisons(50_000) < 3 * comparisons(25_000) < 50 * 25_000
