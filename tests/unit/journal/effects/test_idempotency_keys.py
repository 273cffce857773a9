"""Idempotency keys seen in inputs and results."""

import pytest

from eve_replay.journal.effects.idempotency_keys import absorbed, key_at, keys_in, protection_from

KNOWN = {"call-id": "call_7", "step-id": "step_A", "run-id": "wrun_R", "session-id": "wrun_S"}


def first(input_, output):
    return next(keys_in(input_, output, KNOWN), None)


@pytest.mark.parametrize(
    ("output", "by"),
    [
        ({"idempotencyKey": "wrun_S:call_7"}, "call-id"),
        ({"idempotency_key": "step_A"}, "step-id"),
        ({"Idempotency-Key": "turn_0:2:0"}, "coordinates"),
        ({"dedupeKey": "order-ord_99"}, "business-id"),
        ({"idempotencyKey": "wrun_S"}, "session-id"),
        ({"idempotencyKey": "wrun_R"}, "run-id"),
        ({"idempotencyKey": "8f2c"}, "unknown"),
        ({"payment": {"key": "wrun_S:call_7"}}, "call-id"),
    ],
)
def test_what_a_key_is_made_of(output, by):
    seen = first({"order": "ord_99", "cents": 5}, output)
    assert seen.by == by and seen.where == "result"


def test_a_bare_key_counts_only_when_it_is_made_of_an_id():
    assert first({}, {"key": "colour"}) is None
    assert first({"key": "k1"}, None) is None


def test_the_input_is_searched_too():
    seen = first({"idempotencyKey": "abc"}, None)
    assert (seen.where, seen.value) == ("input", "abc")


def test_deep_and_wide_values_end():
    nested = {"a": {}}
    inner = nested["a"]
    for _ in range(100):
        inner["a"] = {}
        inner = inner["a"]
    inner["idempotencyKey"] = "x"
    assert first(nested, None) is None
    assert first({"items": [{"n": n} for n in range(10_000)]}, None) is None


def test_a_policy_path():
    assert key_at("$.input.order.id", {"order": {"id": 7}}, None, KNOWN).value == "7"
    assert key_at("$.result.ids[1]", {}, {"ids": ["a", "b"]}, KNOWN).value == "b"
    assert key_at("$.order", {"order": "o"}, None, KNOWN).value == "o"
    assert key_at("$.input.gone", {"order": "o"}, None, KNOWN) is None
    assert key_at("$.input", {"order": "o"}, None, KNOWN) is None


def test_receivers_that_say_they_knew_it():
    assert absorbed({"chargeId": "ch_1", "replayed": True})
    assert absorbed({"idempotent_replayed": True})
    assert not absorbed({"replayed": False})
    assert not absorbed({"replayed": "yes"})
    assert not absorbed("replayed")


def test_keys_that_change_between_attempts_are_random():
    one, two = first({}, {"idempotencyKey": "8f2c"}), first({}, {"idempotencyKey": "9a1b"})
    from dataclasses import replace

    made = protection_from([replace(one, attempt=1), replace(two, attempt=2)])
    assert (made.klass, made.by, made.survives) == ("keyed", "random", False)
