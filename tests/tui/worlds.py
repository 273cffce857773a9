"""Worlds in memory for the terminal UI: many sessions, hostile texts, slow reading."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from eve_replay.records import RunRecord
from eve_replay.worlds.memory import MemoryWorld

_STATUS = ("running", "completed", "failed", "pending")


def many(count, title="refund order {n}"):
    """``count`` sessions of which only the run record is known."""
    runs = []
    for n in range(count):
        at = (datetime(2026, 11, 1, tzinfo=UTC) + timedelta(minutes=n)).isoformat(timespec="milliseconds")
        runs.append(
            RunRecord(
                {
                    "runId": f"wrun_01M8NVET2Q{n:016d}",
                    "status": _STATUS[n % 4],
                    "workflowName": "workflow//eve@0.80.1//sessionWorkflow",
                    "createdAt": at.replace("+00:00", "Z"),
                    "updatedAt": at.replace("+00:00", "Z"),
                    "attributes": {
                        "$eve.version": "0.80.1",
                        "$eve.title": title.format(n=n),
                        "$eve.type": "session",
                    },
                }
            )
        )
    return MemoryWorld(runs=runs)


class Slow(MemoryWorld):
    """A world whose runs are read newest first, as many as were let through."""

    def __init__(self, **records):
        super().__init__(**records)
        self.gate = threading.Semaphore(0)

    @classmethod
    def of(cls, count):
        """The world of ``many``, slowly."""
        return cls(runs=many(count).runs())

    def let(self, count):
        """Let some records through."""
        for _ in range(count):
            self.gate.release()

    def newest(self):
        for record in reversed(list(super().runs())):
            assert self.gate.acquire(timeout=30)
            yield record
