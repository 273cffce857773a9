"""A list that fills while run records are read: newest first, and right at the end."""

from __future__ import annotations

import threading

import pytest

from eve_replay.journal import Journal
from eve_replay.journal import gather as gathering
from eve_replay.worlds.base import NewestFirst
from eve_replay.worlds.memory import MemoryWorld
from eve_replay.worlds.registry import open_world
from tests.support import corpus
from tests.support.synthetic import run
from tests.unit.journal.test_large_worlds import Paged
from tests.unit.journal.test_sessions import LATER, SUB, S, family

NAMES = ("workflow-tool", "subagent", "compact-and-clear", "older-0.50.0", "older-0.20.0", "stranded")


class Backwards(MemoryWorld):
    """A world in memory that is read newest first; it counts how often."""

    def __init__(self, **records) -> None:
        super().__init__(**records)
        self.times = 0

    def newest(self):
        self.times += 1
        yield from reversed(list(super().runs()))


def told_of(world, monkeypatch, first=1):
    """Gather and return the journal, what was told, and what came at the end."""
    monkeypatch.setattr(gathering, "_FIRST", first)
    journal, parts = Journal(world), []
    heads = journal.gather(parts.append)
    return journal, parts, heads


def sessions(count, below=0):
    """``count`` sessions, each with ``below`` runs that hang below it and are younger."""
    runs = []
    for n in range(count):
        top = f"wrun_01M8NVET2Q9XT7ZZ{n * 100:010d}"
        attributes = {"$eve.type": "session", "$eve.title": f"number {n}"}
        runs.append(run(top, workflowName="workflow//eve//workflowEntry", attributes=attributes))
        for m in range(1, below + 1):
            inner = f"wrun_01M8NVET2Q9XT7ZZ{n * 100 + m:010d}"
            attributes = {"$parentRunId": top, "$rootRunId": top}
            name = "workflow//eve//sessionTimeoutWorkflow"
            runs.append(run(inner, workflowName=name, attributes=attributes))
    return runs


@pytest.mark.parametrize("kind", [MemoryWorld, Backwards, Paged])
@pytest.mark.parametrize("first", [1, 3, 1000])
def test_the_end_is_what_reading_at_once_gives(kind, first, monkeypatch):
    runs = sessions(40, below=2)
    _, parts, heads = told_of(kind(runs=runs), monkeypatch, first)
    assert heads == Journal(MemoryWorld(runs=runs)).heads
    known = [head.id for part in parts for head in part]
    assert len(known) == len(set(known)) and set(known) <= {head.id for head in heads}
    assert bool(known) == (first < 1000)


def test_newest_first_and_whole_from_the_beginning(monkeypatch):
    _, parts, heads = told_of(Backwards(runs=sessions(40, below=2)), monkeypatch)
    known = [head for part in parts for head in part]
    assert [head.id for head in known] == sorted((head.id for head in known), reverse=True)
    assert all(head in heads and len(head.child_ids) == 2 for head in known)


def test_a_run_below_another_is_no_session_meanwhile(monkeypatch):
    log = family()
    records = list(log.world().runs())
    _, parts, heads = told_of(Backwards(runs=records), monkeypatch)
    known = {head.id for part in parts for head in part}
    assert known <= {S, SUB} and LATER not in known
    assert heads == log.journal().heads


@pytest.mark.parametrize("gone", ["$parentRunId", "$eve.session"])
def test_whoever_waits_in_vain_is_there_at_the_end(gone, monkeypatch):
    youngest = "wrun_01N" + "A" * 23
    lost = run(youngest, workflowName="workflow//eve//workflowEntry", attributes={gone: "wrun_01NOTHERE"})
    _, parts, heads = told_of(Backwards(runs=[lost, *sessions(9)]), monkeypatch)
    assert len([head for part in parts for head in part]) >= 7
    assert youngest not in {head.id for part in parts for head in part}
    assert youngest in {head.id for head in heads}


@pytest.mark.parametrize("name", NAMES)
def test_recordings(name, monkeypatch):
    _, parts, heads = told_of(open_world(str(corpus.data(name))), monkeypatch)
    assert heads == Journal(open_world(str(corpus.data(name)))).heads
    assert {head.id for part in parts for head in part} <= {head.id for head in heads}


@pytest.mark.parametrize("name", NAMES)
def test_a_local_folder_reads_both_ways(name):
    world = open_world(str(corpus.data(name)))
    assert isinstance(world, NewestFirst)
    there = [record.run_id for record in world.runs()]
    assert [record.run_id for record in world.newest()] == there[::-1]


def test_who_comes_meanwhile_waits_and_nothing_is_read_twice():
    world = Backwards(runs=sessions(300))
    journal, seen = Journal(world), []

    def ask():
        seen.append(len(journal.heads))

    other = threading.Thread(target=ask)

    def told(heads):
        if not other.is_alive() and not seen:
            other.start()

    heads = journal.gather(told)
    other.join(10)
    assert seen == [300] and len(heads) == 300 and world.times == 1
    assert journal.gather(told) == heads and world.times == 1
