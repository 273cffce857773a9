"""Small journals written by hand: ``RunLog`` collects records, events and stream chunks into a MemoryWorld.

Times are seconds after ``T0``; ids are made up, but of the right form.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from eve_replay.codec import Payload
from eve_replay.journal import Journal
from eve_replay.records import (
    EventRecord,
    HookRecord,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
    WaitRecord,
)
from eve_replay.worlds.memory import MemoryWorld

T0 = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
_PAYLOADS = ("input", "output", "result", "error", "payload", "metadata")
_B32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def stamp(seconds: float) -> str:
    """Return the ISO text of an instant."""
    return (T0 + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ulid(seconds: float, number: int) -> str:
    """Return a ULID of this instant; numbers keep ids apart and in order."""
    left = int((T0 + timedelta(seconds=seconds)).timestamp() * 1000)
    head = ""
    for _ in range(10):
        head = _B32[left % 32] + head
        left //= 32
    tail = ""
    for _ in range(16):
        tail = _B32[number % 32] + tail
        number //= 32
    return head + tail


def _payloads(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {k: Payload.plain(v) if k in _PAYLOADS else v for k, v in fields.items()}


class RunLog:
    """One world under construction. ``run`` starts a run; later calls are about the last one started."""

    def __init__(self) -> None:
        self.runs: list[RunRecord] = []
        self.events: list[EventRecord] = []
        self.steps: list[StepRecord] = []
        self.others: list[Any] = []
        self.chunks: list[StreamChunk] = []
        self._slots: dict[str, int] = {}
        self.run_id = ""
        self.stream_name = ""

    def run(
        self,
        run_id: str,
        workflow: str = "workflow//eve//workflowEntry",
        at: float = 0,
        status: str = "running",
        attributes: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> RunLog:
        """Start a run (``fields``: input, output, completedAt in seconds ...)."""
        self.run_id = run_id
        if "completedAt" in fields:
            fields["completedAt"] = stamp(fields["completedAt"])
        record = {
            "runId": run_id,
            "workflowName": workflow,
            "status": status,
            "attributes": dict(attributes or {}),
            "createdAt": stamp(at),
            "startedAt": stamp(at),
            "updatedAt": stamp(at),
            **_payloads(fields),
        }
        self.runs.append(RunRecord(record))
        self._slots.setdefault(run_id, 0)
        return self

    def event(self, kind: str, at: float, subject: str | None = None, **data: Any) -> RunLog:
        """Append an event to the run's log."""
        self._slots[self.run_id] += 1
        fields: dict[str, Any] = {
            "runId": self.run_id,
            "eventId": f"evnt_{self._slots[self.run_id]:026d}",
            "eventType": kind,
            "createdAt": stamp(at),
        }
        if subject is not None:
            fields["correlationId"] = subject
        if data:
            fields["eventData"] = _payloads(data)
        self.events.append(EventRecord(fields))
        return self

    def step(
        self,
        step_id: str,
        name: str = "step//eve@0.80.1//turnStep",
        *,
        starts: tuple[float, ...] = (),
        end: float | None = None,
        failed: bool = False,
        output: Any = None,
        error: Any = None,
        input: Any = None,
        inline: bool = True,
        **end_data: Any,
    ) -> RunLog:
        """Append a whole step: created with its first start, started at each of ``starts``, ended."""
        first = starts[0] if starts else 0
        self.event("step_created", first, step_id, stepName=name, input=input)
        for n, start in enumerate(starts):
            owner = {"ownerMessageId": "msg_1"} if inline and n == 0 else {}
            self.event("step_started", start, step_id, stepName=name, **owner)
        if end is not None and failed:
            self.event("step_failed", end, step_id, stepName=name, error=error, **end_data)
        elif end is not None:
            self.event("step_completed", end, step_id, stepName=name, result=output, **end_data)
        return self.record(step_id, name, input=input, output=output, error=error, attempt=len(starts))

    def record(self, step_id: str, name: str = "step//eve@0.80.1//turnStep", **fields: Any) -> RunLog:
        """Write or overwrite a step record."""
        self.steps = [s for s in self.steps if s.step_id != step_id or s.run_id != self.run_id]
        for key in ("startedAt", "completedAt"):
            if key in fields:
                fields[key] = stamp(fields[key])
        kept = {
            k: v for k, v in _payloads(fields).items() if not (isinstance(v, Payload) and v.value is None)
        }
        self.steps.append(StepRecord({"runId": self.run_id, "stepId": step_id, "stepName": name, **kept}))
        return self

    def stream(self, session_id: str) -> RunLog:
        """Begin the session stream: later ``say`` calls go there."""
        self.stream_name = f"strm_{session_id.removeprefix('wrun_')}_user"
        self.others.append(StreamRecord({"runId": session_id, "name": self.stream_name}))
        return self

    def say(
        self,
        kind: str,
        at: float,
        turn: str | None = None,
        index: int | None = None,
        /,
        deliveries: tuple[str, ...] = (),
        **data: Any,
    ) -> RunLog:
        """Append one event to the session stream, framed as eve frames it."""
        if turn is not None:
            data["turnId"] = turn
            data["sequence"] = int(turn.rpartition("_")[2])
        if index is not None:
            data["stepIndex"] = index
        number = len(self.chunks) + 1
        meta: dict[str, Any] = {"at": stamp(at), "id": f"evt_{ulid(at, number)}"}
        if deliveries:
            meta["deliveryIds"] = list(deliveries)
        line = json.dumps({"type": kind, "data": data, "meta": meta}) + "\n"
        coded = base64.b64encode(line.encode()).decode()
        body = b"devl" + json.dumps([["Uint8Array", 1], coded]).encode()
        frame = len(body).to_bytes(4, "big") + body
        chunk_id = f"chnk_{ulid(0, number)}"
        self.chunks.append(StreamChunk(self.stream_name, chunk_id, frame))
        return self

    def hook(self, hook_id: str, at: float, token: str, **data: Any) -> RunLog:
        """Create a hook."""
        self.others.append(HookRecord({"runId": self.run_id, "hookId": hook_id, "token": token}))
        return self.event("hook_created", at, hook_id, token=token, **data)

    def deliver(self, hook_id: str, at: float, token: str, payload: Any) -> RunLog:
        """Deliver something to a hook."""
        return self.event("hook_received", at, hook_id, token=token, payload=payload)

    def wait(self, wait_id: str, at: float, due: float, done: float | None = None) -> RunLog:
        """Sleep durably."""
        self.others.append(WaitRecord({"runId": self.run_id, "waitId": f"{self.run_id}-{wait_id}"}))
        self.event("wait_created", at, wait_id, resumeAt=stamp(due))
        return self if done is None else self.event("wait_completed", done, wait_id, resumeAt=stamp(due))

    def world(self) -> MemoryWorld:
        """Return the world."""
        return MemoryWorld(
            runs=self.runs, events=self.events, steps=self.steps, others=self.others, chunks=self.chunks
        )

    def journal(self) -> Journal:
        """Return the world as a journal."""
        return Journal(self.world())


def message(text: str, delivery: str, policy: str = "steer") -> dict[str, Any]:
    """Return the payload of a message delivery, as eve 0.80 writes it."""
    return {
        "kind": "send",
        "delivery": {"deliveryId": delivery},
        "payload": {"message": text},
        "turnPolicy": policy,
    }


def answer(request: str, option: str, delivery: str) -> dict[str, Any]:
    """Return the payload of an answer."""
    return {
        "kind": "send",
        "delivery": {"deliveryId": delivery},
        "payload": {"inputResponses": [{"requestId": request, "optionId": option}]},
    }
