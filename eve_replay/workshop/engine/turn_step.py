"""One step of a turn while a case is run, and what is durable of it."""

from __future__ import annotations

from eve_replay.recovery.situation import Code
from eve_replay.workshop.engine.recovering import CallState
from eve_replay.workshop.model import Ask

__all__ = ["Mark", "Step", "StepMark"]

#: What is durable of a step: code, starts, whether leased, time of the newest start, model calls begun, model
#: calls of one execution, state of its calls.
StepMark = tuple[Code, int, bool, float, int, int, tuple[CallState, ...]]
#: What is durable of the current turn: its number (None when no turn is left) and its steps.
Mark = tuple[int | None, tuple[StepMark, ...]]


class Step:
    """One step of the current turn: model calls ``first`` to ``last - 1`` and their tools."""

    __slots__ = (
        "asked",
        "calls",
        "code",
        "first",
        "given",
        "inline",
        "last",
        "results",
        "started",
        "starts",
        "wakes",
    )

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.code: Code = "unborn"
        self.starts = self.asked = self.wakes = 0
        self.inline = True
        self.started = 0.0
        self.given: dict[int, tuple[tuple[Ask, str], ...]] = {}
        self.calls: dict[tuple[int, int], CallState] = {}
        self.results: dict[tuple[int, int], object] = {}

    def mark(self) -> StepMark:
        """Return what is durable of it."""
        return (
            self.code,
            self.starts,
            self.inline,
            self.started,
            self.asked,
            self.last - self.first,
            tuple(self.calls.values()),
        )
