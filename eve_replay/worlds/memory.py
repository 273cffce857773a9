"""A world of records that are already in memory: for tests, for other worlds, for what no file holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from eve_replay.errors import NotFound
from eve_replay.ids import event_slot
from eve_replay.problems import Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    MarkRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.base import World

__all__ = ["MemoryWorld"]


class MemoryWorld:
    """Holds plain lists of records.

    Args:
        runs, events, steps, others: the records, in any order; they name their run themselves.
        chunks: stream chunks in any order.
        label: what a person calls it.
        about: facts of the world as a whole.
        receipt: the receipt of where the records came from, a new one when None.

    Example::

        MemoryWorld(runs=[RunRecord({"runId": "wrun_1", "status": "running"})])
    """

    kind = "memory"

    def __init__(
        self,
        *,
        runs: Iterable[RunRecord] = (),
        events: Iterable[EventRecord] = (),
        steps: Iterable[StepRecord] = (),
        others: Iterable[Other] = (),
        chunks: Iterable[StreamChunk] = (),
        label: str = "memory",
        about: Mapping[str, object] | None = None,
        receipt: Receipt | None = None,
    ) -> None:
        self.label = label
        self.receipt = receipt or Receipt()
        self._runs = {run.run_id: run for run in sorted(runs, key=lambda run: run.run_id)}
        self._events: dict[str, list[EventRecord]] = {}
        self._steps: dict[str, list[StepRecord]] = {}
        self._others: dict[str, list[Other]] = {}
        self._chunks: dict[str, list[StreamChunk]] = {}
        for event in events:
            self._events.setdefault(event.run_id, []).append(event)
        for step in steps:
            self._steps.setdefault(step.run_id, []).append(step)
        for other in others:
            self._others.setdefault(_owner(other), []).append(other)
        for chunk in chunks:
            self._chunks.setdefault(chunk.stream, []).append(chunk)
        for log in self._events.values():
            log.sort(key=_log_order)
        for found in self._steps.values():
            found.sort(key=lambda step: step.step_id)
        for rest in self._others.values():
            rest.sort(key=_other_order)
        for stored in self._chunks.values():
            stored.sort(key=lambda chunk: chunk.chunk_id)
        if receipt is None:
            held = (self._events, self._steps, self._others, self._chunks)
            count = len(self._runs) + sum(len(found) for table in held for found in table.values())
            self.receipt.seen = self.receipt.parsed = count
        versions = [
            version
            for record in (*self._runs.values(), *(e for log in self._events.values() for e in log))
            if (version := record.spec_version) is not None
        ]
        self.about: Mapping[str, object] = {"specVersion": max(versions, default=None), **(about or {})}

    @classmethod
    def copy_of(cls, world: World) -> MemoryWorld:
        """Read a whole world into memory (payloads stay packed)."""
        runs = list(world.runs())
        others = {run.run_id: list(world.others(run.run_id)) for run in runs}
        names = {
            (run_id, other.name)
            for run_id, found in others.items()
            for other in found
            if isinstance(other, StreamRecord)
        }
        return cls(
            runs=runs,
            events=[event for run in runs for event in world.events(run.run_id)],
            steps=[step for run in runs for step in world.steps(run.run_id)],
            others=[other for found in others.values() for other in found],
            chunks=[chunk for run_id, name in sorted(names) for chunk in world.stream(run_id, name)],
            label=world.label,
            about=world.about,
            receipt=world.receipt,
        )

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run by run id."""
        yield from self._runs.values()

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises NotFound."""
        self._check(run_id)
        return self._runs[run_id]

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events by slot, or by id where ids are ULIDs."""
        self._check(run_id)
        return iter(self._events.get(run_id, ()))

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's steps by step id."""
        self._check(run_id)
        return iter(self._steps.get(run_id, ()))

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield the run's hooks, waits, streams and marks."""
        self._check(run_id)
        return iter(self._others.get(run_id, ()))

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield all chunks of a stream in order. Raises NotFound."""
        listed = any(
            isinstance(other, StreamRecord) and other.name == name for other in self._others.get(run_id, ())
        )
        if name not in self._chunks and not listed:
            raise NotFound(f"There is no stream {name[:80]!a} in {self.label}.")
        return iter(self._chunks.get(name, ()))

    def close(self) -> None:
        """Do nothing."""

    def _check(self, run_id: str) -> None:
        if run_id not in self._runs:
            raise NotFound(
                f"There is no run {run_id[:80]!a} in {self.label}.", hint="List the runs to see their ids."
            )


def _log_order(event: EventRecord) -> tuple[bool, int, str]:
    slot = event_slot(event.event_id)
    return (slot is None, slot or 0, event.event_id)


def _owner(other: Other) -> str:
    return other.of_run or other.run_id if isinstance(other, MarkRecord) else other.run_id


def _other_order(other: Other) -> tuple[int, str, str, str]:
    if isinstance(other, HookRecord):
        return (0, other.hook_id, "", "")
    if isinstance(other, WaitRecord):
        return (1, other.wait_id, "", "")
    if isinstance(other, StreamRecord):
        return (2, other.name, "", "")
    return (3, other.kind, other.subject, other.phase)
