"""A world as it was at an earlier moment: what had been written by then, and nothing later.

A journal keeps only the last state of its records, but its events and chunks carry their times. Cutting
the log and the streams at a moment and working the records out again gives the journal as a crash at that
moment would have left it (apart from half-written commits, which times cannot show).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from eve_replay.errors import NotFound
from eve_replay.ids import ulid_time
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

__all__ = ["AsOfWorld", "as_of"]

_END = {"step_completed": "completed", "step_failed": "failed"}
_RUN_END = {"run_completed": "completed", "run_failed": "failed", "run_cancelled": "cancelled"}


def as_of(world: World, at: datetime) -> AsOfWorld:
    """Return ``world`` as it was at ``at``; nothing is written, and the original stays usable.

    Args:
        world: any world.
        at: the moment, in UTC.
    """
    return AsOfWorld(world, at)


class AsOfWorld:
    """A read-only view of another world, cut at a moment."""

    def __init__(self, world: World, at: datetime) -> None:
        self._world = world
        self.at = at
        self.kind = world.kind
        self.label = f"{world.label} as of {at.isoformat()}"
        self.about: Mapping[str, object] = world.about
        self.receipt: Receipt = world.receipt

    def runs(self) -> Iterator[RunRecord]:
        """Yield the runs that existed."""
        for record in self._world.runs():
            if record.created_at is not None and record.created_at <= self.at:
                yield self._run(record)

    def run(self, run_id: str) -> RunRecord:
        """Return one run. Raises NotFound also for a run that did not exist yet."""
        record = self._world.run(run_id)
        if record.created_at is None or record.created_at > self.at:
            raise NotFound(f"The run {run_id} did not exist at {self.at.isoformat()}.")
        return self._run(record)

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the events written by then: the log up to the last slot that is not later."""
        yield from self._log(run_id)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield step records as the log says they were."""
        events = self._by_subject(run_id, "step_")
        for record in self._world.steps(run_id):
            own = events.get(record.step_id)
            if own:
                yield StepRecord(_step_fields(record.fields, own), record.origin)

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield hooks, waits, streams and the locks that the log implies."""
        events = self._by_subject(run_id, "step_")
        for step_id, own in events.items():
            for phase, there in (("created", True), ("terminal", any(e.event_type in _END for e in own))):
                if there:
                    yield MarkRecord(
                        {},
                        f"(implied) {step_id}.{phase}",
                        kind="step",
                        phase=phase,
                        subject=step_id,
                        of_run=run_id,
                    )
        yield from self._waits(run_id)
        yield from self._hooks(run_id)
        for other in self._world.others(run_id):
            if isinstance(other, StreamRecord):
                yield other

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield the chunks stored by then."""
        for chunk in self._world.stream(run_id, name):
            stored = ulid_time(chunk.chunk_id)
            if stored is None or stored <= self.at:
                yield chunk

    def close(self) -> None:
        """Close the world below."""
        self._world.close()

    # -- inside -------------------------------------------------------------------------------------------

    def _log(self, run_id: str) -> Sequence[EventRecord]:
        events = list(self._world.events(run_id))
        last = -1
        for place, event in enumerate(events):
            if event.created_at is not None and event.created_at <= self.at:
                last = place
        # The slot is the order: an event whose time runs a little backwards still lies before its successors.
        slack = self.at + timedelta(milliseconds=80)
        return [e for e in events[: last + 1] if e.created_at is None or e.created_at <= slack]

    def _by_subject(self, run_id: str, family: str) -> dict[str, list[EventRecord]]:
        found: dict[str, list[EventRecord]] = {}
        for event in self._log(run_id):
            if event.event_type.startswith(family) and event.correlation_id:
                found.setdefault(event.correlation_id, []).append(event)
        return found

    def _run(self, record: RunRecord) -> RunRecord:
        types = {event.event_type: event for event in self._log(record.run_id)}
        fields = dict(record.fields)
        end = next((types[name] for name in _RUN_END if name in types), None)
        if end is None:
            for name in ("output", "error", "errorCode", "completedAt", "expiredAt"):
                fields.pop(name, None)
            fields["status"] = "running" if "run_started" in types else "pending"
        return RunRecord(fields, record.origin)

    def _waits(self, run_id: str) -> Iterator[WaitRecord]:
        for wait_id, events in self._by_subject(run_id, "wait_").items():
            types = {event.event_type: event for event in events}
            created = types.get("wait_created")
            if created is None:
                continue
            yield WaitRecord(
                {
                    "waitId": f"{run_id}-{wait_id}",
                    "runId": run_id,
                    "status": "completed" if "wait_completed" in types else "waiting",
                    "resumeAt": created.data.get("resumeAt"),
                    "createdAt": created.fields.get("createdAt"),
                },
                "(from the log)",
            )

    def _hooks(self, run_id: str) -> Iterator[HookRecord]:
        for hook_id, events in self._by_subject(run_id, "hook_").items():
            types = {event.event_type: event for event in events}
            created = types.get("hook_created")
            if created is None or "hook_disposed" in types:
                continue
            yield HookRecord(
                {
                    "hookId": hook_id,
                    "runId": run_id,
                    "token": created.data.get("token"),
                    "metadata": created.data.get("metadata"),
                    "isWebhook": created.data.get("isWebhook"),
                    "isSystem": created.data.get("isSystem"),
                    "createdAt": created.fields.get("createdAt"),
                },
                "(from the log)",
            )


def _step_fields(fields: Mapping[str, object], events: Sequence[EventRecord]) -> dict[str, object]:
    out = dict(fields)
    starts = [event for event in events if event.event_type == "step_started"]
    end = next((event for event in events if event.event_type in _END), None)
    if end is not None:
        return out
    for name in ("output", "error", "completedAt", "retryAfter"):
        out.pop(name, None)
    retrying = events[-1].event_type == "step_retrying"
    out["status"] = "pending" if retrying or not starts else "running"
    out["attempt"] = len(starts)
    threw = [event for event in events if event.event_type == "step_retrying"]
    if threw and "error" in threw[-1].data:
        out["error"] = threw[-1].data["error"]
    if not starts:
        out.pop("startedAt", None)
    return out
