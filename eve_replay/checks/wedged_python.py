"""What stops a run of the Python SDK for good, in words, with the repairs that were tried.

Source: docs/evidence/python-sdk.md#half-written. The reasons are those of the one fate; nothing is decided
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from eve_replay.journal.model import Evidence, Run, Session
from eve_replay.recovery.fate import Because, SessionFate

__all__ = ["Half", "halves"]


class Half(NamedTuple):
    """One thing that stops the run: in the fields of a wedge."""

    code: str
    consequence: Literal["hangs", "unsent"]
    run: Run
    what: str
    subject: str
    missing: str
    then: str
    repair: str
    starts: int
    evidence: tuple[Evidence, ...]


class _Words(NamedTuple):
    code: str
    what: str
    missing: str
    then: str
    repair: str


_WAKE = "and send the run's message (world.queue)"
_WORDS = {
    "py-F2": _Words(
        "F2",
        "",
        "the step record says it ended, the end event is not in the log",
        "whatever the queue delivers, its body never runs again and the run never hears that it ended",
        f"with no worker up, write the missing end event from the record's output {_WAKE} (seen: it goes on, "
        "nothing is repeated)",
    ),
    "py-W2": _Words(
        "W2",
        "a durable sleep",
        "the lock of its end is there, the wait_completed event is not",
        "every pass finds the lock taken and waits another second, without end",
        f"with no worker up, delete the lock file {_WAKE} (seen: the sleep ends and the run goes on)",
    ),
    "py-attribute": _Words(
        "A1",
        "an attribute write",
        "its claim is there, the attr_set event is not",
        "every pass finds the claim taken and starts over at once: the run hangs and keeps its worker busy",
        f"with no worker up, delete the claim file {_WAKE} (seen: the attribute is written and the run goes "
        "on)",
    ),
    "py-hook": _Words(
        "H1",
        "a hook",
        "its token is claimed, its record is not there",
        "no pass creates it again, and nobody finds it by its token",
        f"with no worker up, delete the token file {_WAKE} (seen: the hook is created)",
    ),
    "py-B-lost": _Words(
        "B",
        "",
        "the step is created, and its message was never sent",
        "a later pass sees that it is created and does not send it: nothing starts it",
        "Send the step's own message: world.queue with run_id, step_id and step_name. It has not run yet.",
    ),
    "py-run-lost": _Words(
        "R1",
        "the run",
        "the run record is there, and start() died before it had sent the run's message",
        "nothing of it ever begins",
        "Start the run again: nothing of this one has run.",
    ),
}


def halves(session: Session, fate: SessionFate) -> Iterator[Half]:
    """Yield what stops the session's runs, as wedges are told."""
    runs = {run.run_id: run for run in session.all_runs}
    for because in fate.because:
        words = _WORDS.get(because.rule)
        run = runs.get(because.run_id)
        if words is not None and run is not None:
            yield _half(because, words, run)


def _half(because: Because, words: _Words, run: Run) -> Half:
    step = next((each for each in run.steps if each.step_id == because.step_id), None)
    return Half(
        code=words.code,
        consequence="unsent" if words.code in ("B", "R1") else "hangs",
        run=run,
        what=words.what or because.about,
        subject=because.step_id or run.run_id,
        missing=words.missing,
        then=words.then,
        repair=words.repair,
        starts=len(step.attempts) if step is not None else 0,
        evidence=tuple(_evidence(item, run) for item in because.evidence),
    )


def _evidence(item: str, run: Run) -> Evidence:
    mark = ".locks" in item or "tokens" in item
    kind: Literal["event", "mark", "record"] = (
        "event" if item.startswith("evnt_") else "mark" if mark else "record"
    )
    return Evidence(kind=kind, id=item, run_id=run.run_id, note="half of a commit")
