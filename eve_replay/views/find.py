"""Finding text in one joined session: the search of ``views/search.py`` over what the session holds already.

::

    for hit in find(session, "refund", limit=20):
        hit.text, hit.key, hit_tab(hit)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import cast

from eve_replay.journal import Session
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord
from eve_replay.views.search import Hit, Pattern, search
from eve_replay.worlds.base import World

__all__ = ["find", "hit_tab"]

#: The inspector's tab that shows a payload, by the last word of where a hit lies.
_TABS = {"input": "input", "output": "output", "result": "output", "error": "output"}


class _Held:
    """The records of a session, with the methods of a world that the search uses."""

    def __init__(self, session: Session) -> None:
        self._runs = {run.run_id: run for run in session.all_runs}

    def runs(self) -> Iterator[RunRecord]:
        return (run.record for run in self._runs.values())

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        return (step.record for step in self._runs[run_id].steps if step.record is not None)

    def events(self, run_id: str) -> Iterable[EventRecord]:
        return self._runs[run_id].events

    def others(self, run_id: str) -> Iterable[Other]:
        run = self._runs[run_id]
        return (*run.hooks, *run.waits)


def find(session: Session, text: str, *, limit: int = 50) -> tuple[Hit, ...]:
    """Return the first places where a text stands, each text once per run. Decodes payload by payload.

    Args:
        session: the joined session, its child runs included.
        text: what to find; case counts when it has upper case letters.
        limit: how many hits at most.
    """
    if not text.strip():
        return ()
    hits = search(
        cast("World", _Held(session)),
        Pattern(text),
        events_of=lambda run_id: session.stream_events if run_id == session.id else (),
    )
    return tuple(islice(hits, limit))


def hit_tab(hit: Hit) -> str:
    """Return the inspector's tab that shows a hit, empty when the first one will do."""
    if hit.kind == "chunk":
        return "output"
    return _TABS.get(hit.where.rpartition(".")[2], "")
