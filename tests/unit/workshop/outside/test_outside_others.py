"""Mail, upstream and people."""

import pytest

from eve_replay.workshop.outside import BadRequest, KeyReused
from eve_replay.workshop.wire import ProcessDied, Timeout
from tests.support.workshop import outside


def test_mail_has_no_memory():
    world, wire = outside()
    world.mail.send("a@b", "Hello", "text", key="k")
    assert world.mail.send("a@b", "Hello", "text", key="k")["id"] == "mail_2"
    assert [entry[3] for entry in wire.ledger] == ["k", "k"]
    assert wire.ledger[0][2] == {"id": "mail_1", "to": "a@b", "subject": "Hello", "body": "text"}
    with pytest.raises(AttributeError, match="cannot be asked"):
        world.mail.sent("a@b")
    assert not wire.calls[0].slow


def test_a_mail_service_with_keys():
    world, wire = outside({"mail": {"keys": True}})
    world.mail.send("a@b", "Hello", key="k")
    assert world.mail.send("a@b", "Hello", key="k") == {
        "id": "mail_1",
        "to": "a@b",
        "subject": "Hello",
        "replayed": True,
    }
    with pytest.raises(KeyReused):
        world.mail.send("a@b", "Hello", "another body", key="k")
    wire.seconds = 24 * 3600
    assert not world.mail.send("a@b", "Hello", key="k")["replayed"]


@pytest.mark.parametrize("arguments", [(None, "s"), ("a@b", 3), ("a@b", "s", 4), (["a@b"], "s")])
def test_mail_wants_text(arguments):
    world, _ = outside()
    with pytest.raises(BadRequest, match="must be text"):
        world.mail.send(*arguments)


def test_a_reservation_whose_answer_is_lost():
    world, wire = outside(cut={0: "lost", 2: "refused"})
    with pytest.raises(Timeout):
        world.upstream.reserve("seat", 2, request_id="r1")
    assert wire.calls[0].may_time_out and wire.calls[0].slow
    assert world.upstream.lookup("r1") == {"id": "rs_1", "item": "seat", "count": 2, "request_id": "r1"}
    with pytest.raises(Timeout):
        world.upstream.reserve("seat", 2, request_id="r2")
    assert world.upstream.lookup("r2") is None
    assert world.upstream.reserve("seat", 2, request_id="r1")["replayed"]
    assert wire.effects == ["reservation"]
    with pytest.raises(KeyReused):
        world.upstream.reserve("seat", 3, request_id="r1")


def test_a_reservation_in_flight_is_not_looked_up():
    world, wire = outside(cut={0: "crash-in-flight"})
    with pytest.raises(ProcessDied):
        world.upstream.reserve("seat", 2, request_id="r1")
    assert world.upstream.lookup("r1") is None
    wire.land()
    assert world.upstream.lookup("r1")["id"] == "rs_1"


def test_without_request_id_or_memory_it_reserves_again():
    world, _ = outside()
    world.upstream.reserve("seat", 2)
    assert world.upstream.reserve("seat", 2)["id"] == "rs_2"
    world, _ = outside({"upstream": {"keys": False}})
    world.upstream.reserve("seat", 2, request_id="r1")
    assert world.upstream.reserve("seat", 2, request_id="r1")["id"] == "rs_2"


def test_other_facts_under_one_subject_are_another_matter():
    world, wire = outside()
    assert not world.people.tell("Look at this", invoice="INV-7", rows=[1])["known"]
    assert not world.people.tell("Look at this", invoice="INV-8")["known"]
    assert world.people.tell("Look at this", rows=[1])["known"]
    assert [fields["invoice"] for _, _, fields, _ in wire.ledger] == ["INV-7", "INV-8"]


def test_people_hear_of_a_subject_once():
    world, wire = outside()
    assert world.people.tell("INV-7 unclear", invoice="INV-7") == {"subject": "INV-7 unclear", "known": False}
    assert world.people.tell("INV-7 unclear")["known"]
    assert world.people.tell("INV-7 unclear", invoice="INV-7")["known"]
    assert wire.ledger == [
        ("people", "person", {"subject": "INV-7 unclear", "invoice": "INV-7"}, None),
    ]
    with pytest.raises(BadRequest, match="subject must be text"):
        world.people.tell(7)
