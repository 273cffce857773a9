"""The log of a workflow run: what is recorded of its steps, sleeps and questions."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.recovery.situation import Code
from eve_replay.workshop.engine.recovering import CallState

__all__ = ["FatalError", "Mark", "Record", "RecordMark", "StepFailed", "recorded"]


class FatalError(Exception):
    """A step raises it when trying again makes no sense."""


class StepFailed(Exception):
    """What a body gets when a step has failed for good."""


#: What is durable of a record: kind, name, code, starts, whether leased, time of the newest start, whether a
#: throw is recorded, when a sleep ends, how far the body of a step has come.
RecordMark = tuple[str, str, Code, int, bool, float, bool, float, CallState]
#: What is durable of a run: whether it is over, and its log.
Mark = tuple[bool, tuple[RecordMark, ...]]


class Record:
    """One line of the run's log: a step, a sleep or a question."""

    __slots__ = (
        "call",
        "code",
        "error",
        "inline",
        "kind",
        "name",
        "number",
        "result",
        "resume",
        "started",
        "starts",
        "threw",
        "wakes",
    )

    def __init__(self, kind: str, name: str, number: int) -> None:
        self.kind, self.name, self.number = kind, name, number
        self.code: Code = "D"
        self.starts = self.wakes = 0
        self.inline = True
        self.threw = False
        self.started = self.resume = 0.0
        self.call: CallState = "waits"
        self.result: object = None
        self.error: str | None = None

    @property
    def done(self) -> bool:
        """Whether its end is recorded."""
        return self.code == "done"

    def mark(self) -> RecordMark:
        """Return what is durable of it."""
        return (
            self.kind,
            self.name,
            self.code,
            self.starts,
            self.inline,
            self.started,
            self.threw,
            self.resume,
            self.call,
        )


def recorded(record: Record) -> Mapping[str, object]:
    """Return what a record answers a replayed step with, as the trace tells it."""
    if record.error is not None:
        return {"name": record.name, "error": record.error}
    return {"name": record.name, "result": record.result}
