"""The payment provider's manners."""

import json

import pytest

from eve_replay.workshop.outside import BadRequest, KeyReused
from eve_replay.workshop.wire import ProcessDied, Timeout
from tests.support.workshop import outside

HOUR = 3600.0


def test_a_charge_is_a_line_of_the_ledger():
    world, wire = outside()
    answer = world.payments.charge("INV-7", 4200, invoice="INV-7")
    assert answer == {"id": "ch_1", "order": "INV-7", "cents": 4200, "invoice": "INV-7", "replayed": False}
    fields = {"id": "ch_1", "order": "INV-7", "cents": 4200, "invoice": "INV-7"}
    assert wire.ledger == [("payments", "charge", fields, None)]
    assert wire.calls[0].slow and not wire.calls[0].reads and not wire.calls[0].may_time_out
    json.dumps([wire.calls[0].facts, wire.told])


def test_the_same_key_gets_the_first_answer():
    world, wire = outside()
    first = world.payments.charge("INV-7", 4200, key="a")
    again = world.payments.charge("INV-7", 4200, key="a")
    assert again == {**first, "replayed": True}
    assert world.payments.charge("INV-7", 4200, key="b")["id"] == "ch_2"
    assert wire.did == ["charged", "replayed", "charged"]


def test_the_same_key_with_another_request_is_refused():
    world, wire = outside()
    world.payments.charge("INV-7", 4200, key="a")
    with pytest.raises(KeyReused, match=r"4200.*999"):
        world.payments.charge("INV-7", 999, key="a")
    with pytest.raises(KeyReused):
        world.payments.refund("ch_1", key="a")
    assert wire.effects == ["charge"]


def test_a_key_is_forgotten_after_its_hours():
    world, wire = outside({"payments": {"key_hours": 2}})
    world.payments.charge("INV-7", 4200, key="a")
    wire.seconds = 2 * HOUR - 1
    assert world.payments.charge("INV-7", 4200, key="a")["replayed"]
    wire.seconds = 2 * HOUR
    assert world.payments.charge("INV-7", 4200, key="a")["id"] == "ch_2"
    assert wire.told[-2][1] == {
        "service": "payments",
        "method": "charge",
        "did": "forgot",
        "key": "a",
        "after": 7200.0,
        "hours": 2,
    }


def test_a_provider_can_ignore_keys_or_keep_them_for_ever():
    world, wire = outside({"payments": {"keys": False}})
    world.payments.charge("o", 1, key="a")
    assert world.payments.charge("o", 1, key="a")["id"] == "ch_2"
    assert wire.ledger[1][3] == "a"
    world, wire = outside({"payments": {"key_hours": None}})
    world.payments.charge("o", 1, key="a")
    wire.seconds = 1e9
    assert world.payments.charge("o", 1, key="a")["replayed"]


def test_a_request_in_flight_is_not_found_and_the_next_one_with_its_key_waits_for_it():
    world, wire = outside(cut={0: "crash-in-flight"})
    with pytest.raises(ProcessDied):
        world.payments.charge("INV-7", 4200, key="a")
    assert world.payments.find(order="INV-7") == [] and wire.effects == []
    answer = world.payments.charge("INV-7", 4200, key="a")
    assert answer["id"] == "ch_1" and answer["replayed"]
    wire.land()
    assert wire.effects == ["charge"]


def test_a_request_in_flight_lands_once_however_it_lands():
    world, wire = outside(cut={0: "crash-in-flight"})
    with pytest.raises(ProcessDied):
        world.payments.charge("INV-7", 4200, key="a")
    wire.land()
    assert world.payments.charge("INV-7", 4200, key="a") == {
        "id": "ch_1",
        "order": "INV-7",
        "cents": 4200,
        "replayed": True,
    }
    assert wire.effects == ["charge"]


def test_in_flight_without_key_both_are_carried_out():
    world, wire = outside(cut={0: "crash-in-flight"})
    with pytest.raises(ProcessDied):
        world.payments.charge("INV-7", 4200)
    world.payments.charge("INV-7", 4200)
    wire.land()
    assert wire.effects == ["charge", "charge"]


def test_a_key_in_flight_with_another_request_is_refused():
    world, _ = outside(cut={0: "crash-in-flight"})
    with pytest.raises(ProcessDied):
        world.payments.charge("INV-7", 4200, key="a")
    with pytest.raises(KeyReused):
        world.payments.charge("INV-7", 4300, key="a")


def test_lost_answers_only_where_the_setting_says_so():
    world, wire = outside({"payments": {"timeouts": True}}, cut={0: "lost"})
    with pytest.raises(Timeout):
        world.payments.charge("o", 1)
    assert wire.calls[0].may_time_out and wire.effects == ["charge"]


def test_find_returns_copies():
    world, _ = outside()
    world.payments.charge("a", 1, lines=[1, 2])
    world.payments.charge("b", 2)
    rows = world.payments.find(order="a")
    assert [row["id"] for row in rows] == ["ch_1"]
    rows[0]["cents"] = 99
    rows[0]["lines"].append(3)
    assert world.payments.find(order="a")[0]["cents"] == 1
    assert world.payments.find(order="a")[0]["lines"] == [1, 2]
    assert len(world.payments.find()) == 2 and world.payments.find(none=1) == []


def test_refunds():
    world, wire = outside()
    world.payments.charge("INV-7", 4200, invoice="INV-7")
    refund = world.payments.refund("ch_1", key="r")
    assert refund == {"id": "re_1", "charge": "ch_1", "cents": 4200, "replayed": False}
    assert world.payments.refund("ch_1", key="r")["replayed"]
    assert world.payments.find(refunded=True)[0]["id"] == "ch_1"
    assert wire.ledger[1][:2] == ("payments", "refund") and wire.ledger[1][2]["invoice"] == "INV-7"
    with pytest.raises(BadRequest, match="given back before"):
        world.payments.refund("ch_1")
    with pytest.raises(BadRequest, match="no charge 'ch_9'"):
        world.payments.refund("ch_9")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("INV-7", "4200"), "cents must be a whole number, 1 or more, it was '4200'"),
        (("INV-7", 42.0), "cents must be a whole number"),
        (("INV-7", True), "cents must be a whole number"),
        (("INV-7", 0), "cents must be a whole number"),
        ((None, 1), "order must be text"),
        (("", 1), "order must be text"),
        (("o", 1, ["a"]), "key must be text"),
        (("o", 1, ""), "key must be text"),
        (("o", 1, 7), "key must be text"),
        (("o", 1, "k" * 256), "255"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments, words):
    world, wire = outside()
    with pytest.raises(BadRequest, match=words):
        world.payments.charge(*arguments)
    assert wire.calls == [] and wire.told[0][0] == "bad-request"


def test_what_cannot_be_sent_is_refused():
    world, _ = outside()
    loop: list[object] = []
    loop.append(loop)

    class Rude:
        def __repr__(self):
            raise RuntimeError

    for value in (object(), loop, {1: 2}, {1, 2}, b"x", Rude()):
        with pytest.raises(BadRequest, match="plain data") as caught:
            world.payments.charge("o", 1, about=value)
        assert " at 0x" not in str(caught.value)
    with pytest.raises(BadRequest, match="cannot be called id"):
        world.payments.charge("o", 1, id=4)


def test_it_says_what_it_can():
    world, _ = outside()
    with pytest.raises(AttributeError, match=r"payments: it has no pay. It can: charge\(order, cents"):
        world.payments.pay()
    assert "set_nx" in repr(world)
    with pytest.raises(AttributeError, match="use store or sql"):
        world.seen = 1
