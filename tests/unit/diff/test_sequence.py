"""Alignment: always valid, optimal where it promises to be, fast where others are quadratic."""

import random
import time
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


def test_fifty_thousand_repeated_items_take_no_quadratic_time():
    rng = random.Random(2)
    a = [rng.randrange(3) for _ in range(50_000)]
    b = [rng.randrange(3) for _ in range(50_000)]
    start = time.perf_counter()
    check(a, b)
    assert time.perf_counter() - start < 5
