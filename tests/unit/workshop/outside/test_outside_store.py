"""The store: atomic per call, nothing across two calls."""

import pytest

from eve_replay.workshop.outside import BadRequest
from eve_replay.workshop.wire import ProcessDied
from tests.support.workshop import outside


def test_set_nx_is_won_once():
    world, wire = outside()
    assert world.store.set_nx("mail:1", "pending")
    second = world.store.set_nx("mail:1", "other")
    assert not second and second == False and repr(second) == "False"  # noqa: E712
    assert world.store.get("mail:1") == "pending"
    assert wire.did == ["claimed", "taken", "got"]
    assert not any(call.slow for call in wire.calls) and wire.ledger == []


def test_values_run_out():
    world, wire = outside()
    world.store.set_nx("k", "a", seconds=60)
    wire.seconds = 59.9
    assert world.store.get("k") == "a"
    wire.seconds = 60
    assert world.store.set_nx("k", "b")
    assert wire.told[-1][1]["ran_out"] is True
    world.store.set("k", "c", seconds=1)
    wire.seconds = 61
    assert world.store.get("k") is None


def test_set_delete_incr():
    world, _ = outside()
    world.store.set("k", {"a": [1]})
    world.store.get("k")["a"].append(2)
    assert world.store.get("k") == {"a": [1]}
    assert world.store.delete("k") and not world.store.delete("k")
    assert [world.store.incr("n"), world.store.incr("n")] == [1, 2]
    world.store.set("t", "text")
    with pytest.raises(BadRequest, match="holds 'text'"):
        world.store.incr("t")


def test_what_is_kept_is_a_copy():
    world, _ = outside()
    mine = {"seen": []}
    world.store.set("k", mine)
    mine["seen"].append(1)
    assert world.store.get("k") == {"seen": []}


def test_a_crash_falls_between_two_calls():
    world, _ = outside(cut={1: "crash-before"})
    world.store.set_nx("k", "pending")
    with pytest.raises(ProcessDied):
        world.mail.send("a@b", "Hello")
    assert world.store.get("k") == "pending"


def test_after_a_crash_in_the_answer_the_claim_is_there():
    world, _ = outside(cut={0: "crash-after"})
    with pytest.raises(ProcessDied):
        world.store.set_nx("k", "pending")
    assert world.store.get("k") == "pending"


@pytest.mark.parametrize("key", [None, 3, "", ["k"], ("a", "b")])
def test_keys_are_text(key):
    world, _ = outside()
    with pytest.raises(BadRequest, match="key must be text"):
        world.store.get(key)
    with pytest.raises(BadRequest):
        world.store.set_nx(key, 1)


@pytest.mark.parametrize("seconds", [0, -1, "60", True, float("inf"), float("nan")])
def test_seconds_are_a_number(seconds):
    world, _ = outside()
    with pytest.raises(BadRequest, match="number of seconds"):
        world.store.set_nx("k", 1, seconds=seconds)


def test_what_is_not_there_can_be_awaited_too():
    world, _ = outside()
    world.store.set("yes", True)

    async def tool():
        assert world.store.get("none") is None
        assert (await world.store.get("none")) is None
        assert (await world.upstream.lookup("none")) is None
        assert await world.store.get("yes") is True
        if (value := await world.store.get("none")) is None:
            return value, [await world.store.get(key) for key in ("none", "yes")]
        return None

    with pytest.raises(StopIteration) as done:
        tool().send(None)
    assert done.value.value == (None, [None, True])

    def plain():
        return world.store.get("none")

    assert plain() is None


def test_answers_can_be_awaited():
    world, _ = outside()

    async def tool():
        won = await world.store.set_nx("k", "v")
        text = await world.store.get("k")
        number = await world.store.incr("n")
        sent = await world.mail.send("a@b", "Hello")
        rows = await world.sql.select("t")
        await world.people.tell("INV-7")
        return won, text, number, sent["id"], rows

    body = tool()
    with pytest.raises(StopIteration) as done:
        body.send(None)
    assert done.value.value == (True, "v", 1, "mail_1", [])
