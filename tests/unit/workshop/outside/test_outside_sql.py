"""Tables: unique constraints, transactions, the outbox worker."""

import pytest

from eve_replay.workshop.outside import BadRequest, UniqueViolation
from eve_replay.workshop.wire import ProcessDied
from tests.support.workshop import outside


def test_unique_columns_hold_for_all_later_inserts():
    world, wire = outside()
    world.sql.insert("payments", unique=("invoice",), invoice="INV-7", cents=1)
    with pytest.raises(UniqueViolation, match="invoice='INV-7' is in table payments already"):
        world.sql.insert("payments", invoice="INV-7", cents=2)
    world.sql.insert("payments", unique="invoice", invoice="INV-8", cents=2)
    assert len(world.sql.select("payments")) == 2
    assert wire.effects == ["row", "row"]
    assert wire.ledger[0][2] == {"table": "payments", "invoice": "INV-7", "cents": 1}
    assert wire.did == ["inserted", "violated", "inserted", "found"]


def test_several_columns_together():
    world, _ = outside()
    world.sql.insert("t", unique=("a", "b"), a=1, b=1)
    world.sql.insert("t", a=1, b=2)
    with pytest.raises(UniqueViolation):
        world.sql.insert("t", a=1, b=2)
    world.sql.insert("t", a=None, b=2)
    world.sql.insert("t", a=None, b=2)


def test_select_and_update():
    world, _ = outside()
    world.sql.insert("t", unique="a", a=1, state="new")
    world.sql.insert("t", a=2, state="new")
    world.sql.select("t")[0]["a"] = 99
    assert world.sql.update("t", {"a": 1}, state="done") == 1
    assert world.sql.select("t", state="done") == [{"a": 1, "state": "done"}]
    with pytest.raises(UniqueViolation):
        world.sql.update("t", {"state": "new"}, a=1)
    assert world.sql.select("t", a=2) == [{"a": 2, "state": "new"}]
    assert world.sql.select("none") == []


def test_a_transaction_is_one_commit():
    world, wire = outside()
    with world.sql.transaction() as t:
        t.insert("orders", unique="id", id="o1")
        t.insert("outbox", id="o1", to="a@b", subject="Hello")
        assert t.update("orders", {"id": "o1"}, state="paid") == 1
        assert t.select("orders") == [{"id": "o1", "state": "paid"}]
        assert world.sql.select("orders") == []
    assert [call.method for call in wire.calls] == ["select", "commit"]
    assert world.sql.select("orders") == [{"id": "o1", "state": "paid"}]
    assert wire.effects == ["row", "row"]


def test_a_failed_or_killed_transaction_writes_nothing():
    world, _ = outside(cut={0: "crash-before"})
    with pytest.raises(ProcessDied), world.sql.transaction() as t:
        t.insert("orders", id="o1")
    with pytest.raises(ZeroDivisionError), world.sql.transaction() as t:
        t.insert("orders", id="o1")
        1 / 0  # noqa: B018
    assert world.sql.select("orders") == []
    world.sql.insert("orders", unique="id", id="o1")
    with pytest.raises(UniqueViolation), world.sql.transaction() as t:
        t.insert("log", text="x")
        t.insert("orders", id="o1")
    assert world.sql.select("log") == []
    with pytest.raises(BadRequest, match="inside of its with block"):
        t.insert("log", text="x")


def test_a_commit_whose_answer_is_lost_is_there():
    world, _ = outside(cut={0: "crash-after"})
    with pytest.raises(ProcessDied), world.sql.transaction() as t:
        t.insert("orders", id="o1")
    assert world.sql.select("orders") == [{"id": "o1"}]


def test_a_transaction_that_writes_nothing_commits_nothing():
    world, wire = outside()
    with world.sql.transaction() as t:
        t.select("orders")
    assert wire.calls == []


def test_the_outbox_worker_sends_each_id_once():
    world, wire = outside({"sql": {"outbox": True}})
    world.sql.insert("outbox", id="INV-7", to="a@b", subject="Paid")
    world.settle()
    world.sql.insert("outbox", id="INV-7", to="a@b", subject="Paid")
    world.sql.insert("outbox", id="INV-8", effect="charge", order="INV-8", cents=3)
    world.settle()
    world.settle()
    assert wire.effects == ["row", "mail", "row", "row", "charge"]
    assert wire.ledger[1] == ("outbox", "mail", {"id": "INV-7", "to": "a@b", "subject": "Paid"}, "INV-7")


def test_without_the_setting_there_is_no_worker():
    world, wire = outside()
    world.sql.insert("outbox", id="INV-7")
    world.settle()
    assert wire.effects == ["row"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda sql: sql.insert(3, a=1), "table must be text"),
        (lambda sql: sql.insert("t"), "needs a column"),
        (lambda sql: sql.insert("t", unique=("b",), a=1), "unique column b is missing"),
        (lambda sql: sql.insert("t", unique=3, a=1), "must name columns"),
        (lambda sql: sql.insert("t", a={1}), "plain data"),
        (lambda sql: sql.update("t", "a=1", b=2), "must be a dict of columns"),
    ],
)
def test_wrong_arguments(call, words):
    world, _ = outside()
    with pytest.raises(BadRequest, match=words):
        call(world.sql)


def test_async_with():
    world, _ = outside()

    async def tool():
        async with world.sql.transaction() as t:
            await t.insert("t", a=1)
        return await world.sql.select("t")

    with pytest.raises(StopIteration) as done:
        tool().send(None)
    assert done.value.value == [{"a": 1}]
