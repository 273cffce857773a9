"""The key tester: candidate keys tried on recorded executions."""

from eve_replay import open_journal
from eve_replay.guidance.keys import advised, key_advice, try_keys
from eve_replay.journal.effects.build import effects_of
from tests.support.corpus import data


def effects(name):
    with open_journal(str(data(name))) as journal:
        return [e for head in journal.heads for e in effects_of(journal.session(head.id))]


def tried_on(name, tool):
    return {test.key: test for test in try_keys(effects(name), tool)}


def test_a_run_id_merges_what_was_meant_to_happen_three_times():
    found = tried_on("batch-crash", "charge_card")
    assert found["run id"].merged == 3 and not found["run id"].works
    place = found["turn, step and position"]
    assert place.works and place.deeds == 4 and place.repeats == 2
    assert found["call id"].unseen == 1 and not found["call id"].works


def test_advice_rests_on_recorded_repeats_and_says_on_how_many():
    text = key_advice(effects("batch-crash"), "charge_card")
    assert "turn, step and position" in text and "6 recorded executions" in text
    assert "merged no two deeds" in text
    # One deed only: nothing could be merged, so nothing is said of it.
    assert "merged" not in key_advice(effects("crash-before-commit"), "charge_card")


def test_a_field_that_names_the_deed_is_advised_before_places():
    assert advised(try_keys(effects("pay-without-key"), "pay_without_key")).key == "field order"


def test_without_a_repeat_no_key_was_put_to_the_test():
    tests = try_keys(effects("simple-turn"), "charge_card")
    assert tests and advised(tests) is None
    assert "no repeat is on record" in tests[0].sentence
    assert key_advice(effects("simple-turn"), "charge_card") == ""


def test_readers_are_left_out():
    assert not try_keys(effects("simple-turn"), "get_weather")
