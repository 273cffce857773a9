"""A value's way: where it was first seen, what lost it, what it was handed on to, and what cannot be said."""

import pytest

import eve_replay as er
from eve_replay.views.search.way import Tracing
from eve_replay.views.session.explorer import Explorer

LEDGER = er.samples.ledger("crash-in-tool")


def told(value, source="sample:crash-in-tool", **more):
    way = er.follow(source, value, **more)
    assert way.complete
    return way, " ".join(text for text, _ in way.said)


def test_a_result_goes_into_the_commit_and_the_next_state():
    way, said = told("ch_gsvar356", ledger=LEDGER)
    assert [each.role for each in way.sightings] == ["outside", "result", "committed", "checkpoint"]
    assert "result of charge_card, attempt 2" in said and "Committed" in said and "line 3" in said
    kinds = {key.partition(":")[0] for key in way.lit}
    assert {"call", "attempt", "step", "turn", "act"} <= kinds
    assert "ch_gsvar356" in repr(way) and "result of charge_card" in repr(way)


def test_what_only_the_ledger_holds_was_lost_with_its_attempt():
    _, said = told("ch_p36nyrea", ledger=LEDGER)
    assert "only the ledger does" in said and "Lost with attempt 1 of turnStep" in said
    way, said = told("ch_p36nyrea")
    assert way.sightings == () and said == "It stands nowhere in what was looked into."


def test_both_attempts_and_what_it_was_handed_on_to():
    way, said = told(9900)
    assert "Both attempts of turnStep hold it." in said and "charge_card, attempt 2" in said
    moments = [each.moment for each in way.sightings if each.moment is not None]
    assert moments == sorted(moments)


def test_a_part_of_a_longer_id_is_another_value():
    way, _ = told("cus_4")
    assert not way.sightings
    assert told("cus_42")[0].sightings


@pytest.mark.parametrize("value", ["", "ab", None, True, {"a": 1}, [1]])
def test_what_cannot_be_followed(value):
    with pytest.raises(er.WrongUse, match="too short"):
        er.follow("sample:crash-in-tool", value)


def test_it_is_made_record_by_record():
    tracing = Tracing(Explorer(er.open_journal("sample:crash-in-tool").session()), "ch_gsvar356")
    assert not tracing.way().complete and tracing.way().said == (("So far in 1 place.", "muted"),)
    looked = []
    while tracing.step():
        looked.append(tracing.looked)
    assert looked == list(range(1, tracing.total + 1)) and tracing.way().complete


def test_flue():
    _, said = told("ten_cus_42", "sample:flue-durable-end")
    assert said.startswith("First seen")
