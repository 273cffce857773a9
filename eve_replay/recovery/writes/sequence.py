"""Collects the writes of one run, with times that never run backwards."""

from __future__ import annotations

from datetime import datetime

from eve_replay.journal.model import Run
from eve_replay.records import EventRecord
from eve_replay.recovery.writes.model import Key, Write, millis

__all__ = ["Sequence"]


class Sequence:
    """Collects the writes of one run with times that never run backwards."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.items: list[Write] = []
        self.now = 0.0
        self.repeats: dict[str, int] = {}

    def advance(self, at: datetime | None, least: float = 0.0) -> None:
        """Go on to a time, never back."""
        self.now = max(self.now, millis(at) or 0.0, least)

    def add(self, address: str, kind: str, subject: str, words: str, key: Key, *, seen: bool = False) -> None:
        """Add a write; one that repeats is numbered."""
        count = self.repeats[address] = self.repeats.get(address, 0) + 1
        full = address if count == 1 or kind == "event" else f"{address}#{count}"
        self.items.append(
            Write(
                address=full,
                kind=kind,
                run=self.run.run_id,
                subject=subject,
                words=words,
                time=self.now,
                key=key,
                seen=seen,
            )
        )

    def event(self, event: EventRecord, words: str) -> None:
        """Add an event of the log."""
        self.add(
            event.event_id, "event", event.correlation_id or "", words, ("event", self.run.run_id,
            event.event_id), seen=True,
        )  # fmt: skip
