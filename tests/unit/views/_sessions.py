"""Sessions for the view tests: recordings, opened once per process."""

import functools

from eve_replay.journal import Journal, open_journal
from eve_replay.views.session.explorer import Explorer
from tests.support.corpus import scenario


@functools.cache
def journal(name: str) -> Journal:
    """Return the journal of a recording of the group ``local``."""
    return open_journal(scenario(name) / "data")


@functools.cache
def explorer(name: str, number: int = 0) -> Explorer:
    """Return the views of a recording's session (0: the oldest that is one)."""
    there = journal(name)
    return Explorer(there.session(there.heads[number].id))


def turn_step(name: str, number: int = 0):
    """Return a turn step of the first turn."""
    return explorer(name).session.turns[0].turn_steps[number]
