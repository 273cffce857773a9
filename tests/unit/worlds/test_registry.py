"""``open_world``: guesses, explains, combines, asks plugins."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource, WrongUse
from eve_replay.worlds import registry
from eve_replay.worlds.combined import CombinedWorld
from eve_replay.worlds.local.opener import LocalWorld
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import guesses, kinds, open_world
from tests.support import corpus


class FakeOpener:
    def __init__(self, kind, sure, fails=None):
        self.kind, self.sure, self.fails = kind, sure, fails

    def recognises(self, source):
        if isinstance(self.sure, Exception):
            raise self.sure
        return self.sure

    def open(self, source, **options):
        if self.fails:
            raise self.fails
        return MemoryWorld(label=self.kind)


@pytest.fixture
def fakes(monkeypatch):
    """Replace the built-in table by fakes."""

    def install(*openers):
        module = types.ModuleType("fake_worlds")
        table = {}
        for opener in openers:
            setattr(module, opener.kind, opener)
            table[opener.kind] = f"fake_worlds:{opener.kind}"
        monkeypatch.setitem(sys.modules, "fake_worlds", module)
        monkeypatch.setattr(registry, "BUILTIN", table)

    monkeypatch.setattr(registry, "_plugins", lambda: iter(()))
    return install


def test_a_world_goes_through():
    world = MemoryWorld()
    assert open_world(world) is world


def test_paths_may_be_path_objects():
    assert isinstance(open_world(corpus.data("crash-in-tool")), LocalWorld)


@pytest.mark.parametrize("source", ["", "  ", 7, None, b"x", []])
def test_what_is_no_source(source):
    with pytest.raises(WrongUse):
        open_world(source)


def test_options_without_value_are_not_passed_on():
    assert open_world("sample:simple", keys=None, limit=None, anything=None).kind == "local"


def test_several_sources():
    both = open_world(["sample:crash", "sample:approval"])
    assert isinstance(both, CombinedWorld) and len(list(both.runs())) == 4
    assert len(list(open_world("sample:crash + sample:approval").runs())) == 4
    assert isinstance(open_world(["sample:crash"]), LocalWorld)


def test_a_folder_with_a_plus_in_its_name(tmp_path):
    (tmp_path / "a + b").symlink_to(corpus.data("crash-in-tool"))
    assert isinstance(open_world(str(tmp_path / "a + b")), LocalWorld)


def test_the_surest_wins(fakes):
    fakes(FakeOpener("one", 0.6), FakeOpener("two", 0.8), FakeOpener("three", 0.0))
    assert open_world("x").label == "two"
    assert [g.kind for g in guesses("x")] == ["two", "one"]


def test_a_certain_one_ends_the_search(fakes):
    fakes(FakeOpener("one", 0.95), FakeOpener("two", 1.0))
    assert [g.kind for g in guesses("x")] == ["one"]


def test_one_that_raises_does_not_stop_the_others(fakes):
    fakes(FakeOpener("bad", ValueError("no")), FakeOpener("good", 0.7))
    assert open_world("x").label == "good"


def test_the_unsure_are_tried_in_turn(fakes):
    fakes(FakeOpener("one", 0.3, UnknownSource("no one")), FakeOpener("two", 0.2))
    assert open_world("x").label == "two"


def test_when_all_refuse_each_is_quoted(fakes):
    fakes(
        FakeOpener("one", 0.3, UnknownSource("It is no one.", hint="Give a one.")),
        FakeOpener("two", 0.2, UnknownSource("It is no two.")),
    )
    with pytest.raises(UnknownSource) as found:
        open_world("x")
    assert found.value.message == "It is no one."
    assert found.value.hint == "Give a one. Also asked: two: It is no two."


def test_what_cannot_be_read_is_said_as_such(fakes):
    fakes(
        FakeOpener("one", 0.3, SourceUnreadable("It is locked.")), FakeOpener("two", 0.2, UnknownSource("no"))
    )
    with pytest.raises(SourceUnreadable, match="locked"):
        open_world("x")


def test_nobody_knows(fakes):
    fakes(FakeOpener("one", 0.0))
    with pytest.raises(UnknownSource, match="no source that is known"):
        open_world("gopher://x")


def test_a_kind_can_be_named(fakes):
    fakes(FakeOpener("one", 0.0), FakeOpener("two", 1.0))
    assert open_world("x", kind="one").label == "one"
    with pytest.raises(WrongUse, match="no kind of world 'three'"):
        open_world("x", kind="three")


def test_a_kind_whose_library_is_missing(monkeypatch):
    monkeypatch.setitem(registry.BUILTIN, "gone", "eve_replay.worlds.not_there:opener")
    assert "gone" not in kinds()
    with pytest.raises(WrongUse, match="not installed"):
        open_world("x", kind="gone")


class Point:
    def __init__(self, name, loads):
        self.name, self._loads = name, loads

    def load(self):
        if isinstance(self._loads, Exception):
            raise self._loads
        return self._loads


@pytest.fixture
def plugins(monkeypatch):
    def install(*points):
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: list(points))

    return install


def test_plugins_are_asked_when_nobody_else_knows(plugins):
    plugins(Point("mine", FakeOpener("mine", 0.9)))
    assert open_world("mine://x").label == "mine"
    assert "mine" in kinds()
    assert open_world("sample:crash", kind="mine").label == "mine"


def test_plugins_are_not_loaded_when_a_builtin_knows(plugins):
    plugins(Point("mine", RuntimeError("must not be loaded")))
    assert open_world("sample:crash").kind == "local"


def test_a_plugin_that_does_not_load_says_why(plugins):
    plugins(Point("mine", ImportError("no module named x")))
    with pytest.raises(EveReplayError):
        open_world("mine://x")
    with pytest.raises(SourceUnreadable, match="no module named x"):
        open_world("mine://x", kind="mine")


def test_every_builtin_that_is_here_has_an_opener():
    for kind in kinds():
        opener = registry._opener(kind)
        assert opener.kind == kind
        assert 0 <= opener.recognises("nothing like this") < 0.5
        assert opener.recognises(str(Path(__file__))) < 0.5
