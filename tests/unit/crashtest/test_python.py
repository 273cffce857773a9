"""Functions right and wrong, each crashed in every way: the verdict must be what is true of them."""

from __future__ import annotations

import socket
import sqlite3
import uuid

import pytest

from eve_replay.crashtest.python import (
    Broken,
    Inconclusive,
    at_least_once,
    at_most_once,
    call_id,
    crash_test,
    once,
    outside,
    read_only,
    survives,
)


@outside("charge")
def plain(order: str) -> None:
    raise RuntimeError("the real provider was reached")


@outside("charge", key="key", answer={"id": "ch_1"})
def keyed(order: str, key: str) -> dict[str, str]:
    raise RuntimeError("the real provider was reached")


@outside("charge")
async def plain_async(order: str) -> None: ...


@outside("charge", key="key")
async def keyed_async(order: str, key: str) -> None: ...


@outside("find", reads=True, answer=lambda did, _: bool(did.get("charge")))
def find(order: str) -> bool: ...


@outside("charge", slow=False)
def quick(order: str) -> None: ...


@outside("claim", slow=False, answer=lambda did, _: len(did["claim"]) == 1)
def claim(order: str) -> bool: ...


CHARGED = (once("charge", by="order"),)


def check_then_act(act):
    if not find("o-1"):
        act("o-1")


def claimed():
    if claim("o-1"):
        plain("o-1")


async def right_async():
    await keyed_async("o-1", "o-1")


async def wrong_async():
    await plain_async("o-1")


RIGHT = {
    "order key": lambda: keyed("o-1", "o-1"),
    "async": right_async,
    "check, nothing lands late": lambda: check_then_act(quick),
    "two orders": lambda: [keyed(each, each) for each in ("o-1", "o-2")],
}
WRONG = {
    "no key": (lambda: plain("o-1"), "2 instead of 1"),
    "async": (wrong_async, "2 instead of 1"),
    "minted id": (lambda: keyed("o-1", call_id()), "2 instead of 1"),
    "dice": (lambda: keyed("o-1", str(uuid.uuid4())), "2 instead of 1"),
    "check, late effect": (lambda: check_then_act(plain), "2 instead of 1"),
    "claim loses it": (claimed, "0 instead of 1"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name):
    found = crash_test(RIGHT[name], CHARGED)
    assert found.schedules > 5 and found.effects >= 1
    assert any("No effect carried a key" in each for each in found.notes) == name.startswith("check")


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    function, words = WRONG[name]
    with pytest.raises(Broken, match=words) as told:
        crash_test(function, CHARGED)
    assert "process 2: starts again" in str(told.value) and "ledger" in str(told.value)


def test_fixed_ids_are_keys():
    assert crash_test(lambda: keyed("o-1", call_id()), CHARGED, model="same").schedules


def test_weaker_promises():
    crash_test(lambda: plain("o-1"), [at_least_once("charge")])
    crash_test(claimed, [at_most_once("charge")])
    assert "nothing" in crash_test(lambda: find("o-1"), [read_only()]).notes[-1]
    with pytest.raises(Broken, match="changed something"):
        crash_test(lambda: plain("o-1"), [read_only()])


def test_flue_does_not_run_a_call_again_and_may_lose_it():
    with pytest.raises(Broken, match="0 instead of 1"):
        crash_test(lambda: keyed("o-1", "o-1"), CHARGED, runtime="flue")
    crash_test(lambda: plain("o-1"), [at_most_once("charge")], runtime="flue")


def test_without_a_runtime_all_of_it_starts_again():
    crash_test(lambda: keyed("o-1", "o-1"), CHARGED, runtime="none")
    with pytest.raises(Broken, match="2 instead of 1"):
        crash_test(lambda: plain("o-1"), CHARGED, runtime="none")


def test_inconclusive_is_no_pass():
    with pytest.raises(Inconclusive, match="no effect 'charge'"):
        crash_test(lambda: None, CHARGED)
    with pytest.raises(Inconclusive, match=r"fails without a crash.*boom"):
        crash_test(lambda: (_ for _ in ()).throw(ValueError("boom")).__next__(), CHARGED)
    with pytest.raises(Inconclusive, match="there are more"):
        crash_test(lambda: keyed("o-1", "o-1"), CHARGED, budget=3)


@pytest.mark.parametrize("order", ["o-1", "o-2"])
@survives(promises=CHARGED)
def test_as_a_decorator(order):
    keyed(order, order)


@survives(promises=CHARGED, crashes=1)
async def test_as_a_decorator_of_async():
    await keyed_async("o-1", "o-1")


def test_outside_a_crash_test_the_real_one_is_called():
    with pytest.raises(RuntimeError, match="real provider"):
        plain("o-1")


def test_a_client_that_nobody_declared_reaches_nobody():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(Inconclusive, match="declare it with @outside"):
            crash_test(lambda: socket.create_connection(server.getsockname()), CHARGED)
        socket.create_connection(server.getsockname()).close()


def test_state_that_nobody_declared_is_inconclusive_and_no_broken_promise():
    store = sqlite3.connect(":memory:")
    store.execute("create table done (x)")

    def remembers():
        if not store.execute("select 1 from done").fetchone():
            store.execute("insert into done values (1)")
            keyed("o-1", "o-1")

    with pytest.raises(Inconclusive, match="not declared"):
        crash_test(remembers, CHARGED)
