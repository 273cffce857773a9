"""The deduplication lesson on real crashes: both wrong directions."""

import functools

import pytest

from eve_replay.errors import WrongUse
from eve_replay.recovery.dedup import dedup_effects, dedup_events
from tests.support.recovery import scenario


@functools.cache
def the_session():
    return scenario("crash-before-commit").session()


def test_effects_by_what_survives_a_rerun():
    found = dedup_effects(the_session(), "coordinates")
    assert (len(found.rows), len(found.kept), found.repeats, found.lost) == (4, 2, 0, 0)
    assert "works here" in found.verdict


def test_effects_by_meta_id_protect_nothing():
    found = dedup_effects(the_session(), "meta-id")
    assert found.repeats == 2
    assert "protects nothing" in found.verdict


def test_effects_by_call_id_work_only_while_the_model_repeats_its_ids():
    assert dedup_effects(the_session(), "call-id").repeats == 0


def test_events_by_coordinates_lose_the_attempt_that_completed():
    found = dedup_events(the_session(), "coordinates")
    assert found.lost > 0
    assert "loses" in found.verdict


def test_events_by_meta_id_lose_nothing():
    found = dedup_events(the_session(), "meta-id")
    assert found.lost == 0
    assert len(found.kept) == len(found.rows)


def test_one_turn_and_json():
    found = dedup_effects(the_session(), "business", "turn_0")
    document = found.to_json()
    assert document["kept"] == len(found.kept) and document["rows"][0]["what"]
    assert dedup_effects(the_session(), "business", "turn_9").rows == ()


def test_unknown_keys():
    with pytest.raises(WrongUse, match="no key"):
        dedup_effects(the_session(), "colour")
    with pytest.raises(WrongUse, match="no key"):
        dedup_events(the_session(), "colour")
