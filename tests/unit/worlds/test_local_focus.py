"""A large folder narrowed to a few runs shows of them what the whole folder shows."""

from __future__ import annotations

import shutil

import pytest

from eve_replay.journal import Journal
from eve_replay.worlds.local import large as local
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.multiply import multiply

#: Crashes that leave hooks, locks, tokens and deliveries in every state the corpus has, and child runs.
SCENARIOS = ("crash-in-tool", "pay-with-key", "approval-hold", "subagent", "simple-turn", "older-0.50.0")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """One folder with all the scenarios in it."""
    folder = tmp_path_factory.mktemp("many") / "data"
    for name in SCENARIOS:
        shutil.copytree(corpus.data(name), folder, dirs_exist_ok=True)
    return folder


def seen(world, run_id):
    """Return all that a world shows of a run."""
    return (
        world.run(run_id).fields["runId"],
        [event.origin for event in world.events(run_id)],
        [step.origin for step in world.steps(run_id)],
        [(type(other).__name__, other.origin) for other in world.others(run_id)],
    )


def test_a_narrowed_folder_shows_of_a_run_what_the_whole_one_shows(many, monkeypatch) -> None:
    whole = open_world(str(many))
    expected = {run.run_id: seen(whole, run.run_id) for run in whole.runs()}
    sessions = {head.id: head for head in Journal(whole).heads}
    assert len(expected) > 10 and not whole.large
    for run_id in expected:
        monkeypatch.setattr(local, "FEW", 0)
        world = open_world(str(many))
        monkeypatch.setattr(local, "FEW", 64)
        assert world.large
        assert seen(world, run_id) == expected[run_id]
        session = Journal(world).session(run_id)
        assert session.head.run_ids == sessions[session.id].run_ids
        assert session.head.child_ids == sessions[session.id].child_ids
        assert session.head.subagents == sessions[session.id].subagents
        assert world.large


def test_who_reads_every_run_sees_every_run(many, monkeypatch) -> None:
    monkeypatch.setattr(local, "FEW", 5)
    world = open_world(str(many))
    ids = [run.run_id for run in open_world(str(many)).runs()]
    first = seen(world, ids[0])
    assert world.large and world.run_ids() == ids
    assert [run.run_id for run in world.runs()] == ids
    assert not world.large and seen(world, ids[0]) == first


def counting(asked, read):
    """Return ``read``, writing down what it was asked for."""

    def counted(path, limit):
        asked.append(path)
        return read(path, limit)

    return counted


def test_one_session_lists_nothing_of_its_neighbours(tmp_path, monkeypatch) -> None:
    """The work is counted: files read and folders listed are the same beside 10 and beside 40 sessions."""
    folder = multiply(corpus.data("simple-turn"), tmp_path / "data", 10, without="streams/chunks")
    counts = []
    monkeypatch.setattr(local, "FEW", 5)
    for more in (0, 30):
        if more:
            multiply(corpus.data("crash-in-tool"), folder, more, without="streams/chunks")
        world = open_world(str(folder))
        assert world.large
        asked: list[str] = []
        monkeypatch.setattr(world._tree, "read", counting(asked, world._tree.read))
        journal = Journal(world)
        journal.session(min(world.run_ids()))
        counts.append(len(asked))
    assert counts[0] == counts[1] < 200
