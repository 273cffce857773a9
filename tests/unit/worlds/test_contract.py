"""Every world of this package keeps the contract; the contract notices who does not."""

from __future__ import annotations

import pytest

from eve_replay.records import RunRecord
from eve_replay.worlds.combined import CombinedWorld
from eve_replay.worlds.contract import WorldContract, check_world
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support import corpus

SMALL = [n for n in corpus.names() if n not in ("long-session", "big-payload")]


@pytest.mark.parametrize("name", [*SMALL, *(f"local-sdk/{n}" for n in corpus.names("local-sdk"))])
def test_local(name):
    assert len(check_world(lambda: open_world(str(corpus.data(name))))) > 9


@pytest.mark.parametrize("name", ["journal-killed", "journal-killed-resumed", "journal-retry"])
def test_python_sdk(name):
    check_world(lambda: open_world(str(corpus.scenario("python-sdk") / name)))


class TestMemory(WorldContract):
    def open(self):
        return MemoryWorld.copy_of(open_world("sample:approval-hold"))


class TestCombined(WorldContract):
    def open(self):
        world = open_world("sample:approval-hold + sample:crash-in-tool")
        assert isinstance(world, CombinedWorld)
        return world


class TestArchive(WorldContract):
    def open(self):
        return open_world(str(corpus.archive("older-0.50.0")))


def test_it_must_be_overridden():
    with pytest.raises(NotImplementedError):
        WorldContract().test_it_is_a_world()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("runs", "by run id"),
        ("run", "agrees with the listing"),
        ("events", "NotFound"),
    ],
)
def test_a_broken_world_is_noticed(change, rule):
    class Broken(MemoryWorld):
        pass

    def open_broken():
        world = Broken.copy_of(open_world("sample:crash"))
        if change == "runs":
            found = list(world.runs())
            world.runs = lambda: iter(reversed(found))
        elif change == "run":
            world.run = lambda run_id: RunRecord({"runId": run_id})
        else:
            world.events = lambda run_id: iter(())
            world.events.__name__ = "events"
        return world

    with pytest.raises(AssertionError, match=rule):
        check_world(open_broken)
