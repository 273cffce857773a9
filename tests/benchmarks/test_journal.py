"""How long it takes to join a long session and to walk through the state of all its steps."""

from __future__ import annotations

from eve_replay.journal import open_journal, transcript, walk_states
from tests.support import corpus


def test_join_a_long_session(benchmark):
    folder = corpus.data("long-session")
    assert len(benchmark.pedantic(lambda: open_journal(folder).session().turns, rounds=3)) == 120


def test_walk_through_the_states_of_a_long_session(benchmark):
    """240 turn steps from a cold start; agreed: five seconds."""
    folder = corpus.data("long-session")

    def walk():
        session = open_journal(folder).session()
        return len(list(walk_states(session.steps))), len(list(transcript(session)))

    steps, entries = benchmark.pedantic(walk, rounds=2)
    assert steps >= 240 and entries > 240
