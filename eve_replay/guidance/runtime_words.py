"""The right words for the right runtime, in one place: eve, plain Workflow SDK, Python SDK; folder, database.

The verdicts are written for eve on a folder, where most sessions are. A plain run has no session, no next
message and no server of eve; a database has no lock file to look at or to delete. Each phrase that says such
a thing has its counterpart here, so that a new verdict cannot mix them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from eve_replay.checks.finding import Verdict
from eve_replay.journal.model import Run, Session

__all__ = ["in_words_of", "is_python", "start_words"]

#: Stores whose half-written commits lie in files, with locks beside them.
_FILES = frozenset({"local", "sample", "archive", ""})

#: Phrases about eve, and what a plain run says in their place; ``{start}`` is how its world is started.
_PLAIN: Mapping[str, str] = {
    "Start the server on the same version: the step runs again whole, with its model calls and tools.": (
        "{start}: the step runs again whole."
    ),
    "Start the server; if it is up, look whether its queue still holds the retry.": (
        "{start}; if that was done, look whether its queue still holds the retry."
    ),
    "Start the server: the sleep ends at once.": "{start}: the sleep ends at once.",
    "Start the server on the same version.": "{start}.",
    "and it runs at once when a server is up": "and it runs when the run is taken up again",
    "and no server has been up since": "and nothing has taken the run up since",
    "The session goes on without it": "The run goes on without it",
    "Create the session again; this one cannot be continued.": (
        "Start the run again; this one cannot be continued."
    ),
    "Or reset the session.": "Or cancel the run and start it again.",
    "reset the session": "cancel the run and start it again",
    "start a new session": "start a new run",
    "the session does not rest": "the run does not rest",
}
_PYTHON: Mapping[str, str] = {
    "A plain SDK app recovers nothing until world.start() is called.": (
        "The Python SDK looks for nothing at a start: it runs when its queue delivers its message again."
    ),
    "a server is up that does not take it over (another version, a clock behind)": (
        "its message lay in the memory of the process that died"
    ),
    "nothing of it has run, and it runs when the run is taken up again": (
        "nothing of it has run. It runs when its own message is delivered; whether that was sent before the "
        "process died, the folder does not say"
    ),
}
#: Phrases about lock files, for stores that have none.
_NO_LOCKS: Mapping[str, str] = {
    "the sleep's completed lock is there, the wait_completed event is not": "its record says completed, the "
    "wait_completed event is not there",
    "the sleep's completed lock is there": "its record says completed",
}


def is_python(run: Run) -> bool:
    """Whether the Python SDK wrote it: it leaves the deployment id empty."""
    return run.record.fields.get("deploymentId") == ""


def start_words(session: Session, run: Run) -> str:
    """Return how a plain run is woken in its store, as an imperative without its full stop."""
    if is_python(run):
        return "Start a worker on the queue that holds its message, or send the message again (world.queue)"
    if session.store == "hosted":
        return "Look whether the platform's queue still holds its message, or start the run again"
    return "Start the app so that it calls world.start()"


def in_words_of(session: Session, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts in the words of the session's runtime and store."""
    table: dict[str, str] = {}
    last = session.runs[-1]
    if session.kind == "workflow" and last.role == "workflow":
        start = start_words(session, last)
        table |= {old: new.replace("{start}", start) for old, new in _PLAIN.items()}
        if is_python(last):
            table |= _PYTHON
    locks = any(mark.kind == "wait" for run in session.all_runs for mark in run.marks)
    if not locks:
        table |= _NO_LOCKS
    files = session.store in _FILES or session.store.startswith("local")
    return [_fitted(verdict, table, files=files) for verdict in verdicts]


def _fitted(verdict: Verdict, table: Mapping[str, str], *, files: bool) -> Verdict:
    sentence, next_ = verdict.sentence, verdict.next
    for old, new in table.items():
        sentence, next_ = sentence.replace(old, new), next_.replace(old, new)
    head, by_hand, rest = next_.partition("By hand, on a copy first: ")
    if by_hand and not files:
        # The repair is one of files; what it would be in a database was never tried.
        way = rest.rpartition(". Or ")[2]
        next_ = f"{head}No repair is known for this store: {way}" if way else f"{head}No repair is known."
    if (sentence, next_) == (verdict.sentence, verdict.next):
        return verdict
    return replace(verdict, sentence=sentence, next=next_)
