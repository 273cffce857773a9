"""From parsed files to records: payload fields wrapped, missing ids filled in from the file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from eve_replay.codec import KeyRing, Payload, payload_from_json
from eve_replay.limits import LimitsLike
from eve_replay.problems import Receipt
from eve_replay.records import (
    EVENT_PAYLOADS,
    HOOK_PAYLOADS,
    RUN_PAYLOADS,
    STEP_PAYLOADS,
    EventRecord,
    HookRecord,
    Record,
    RunRecord,
    StepRecord,
    WaitRecord,
)

__all__ = [
    "KNOWN_SPEC",
    "TERMINAL",
    "RecordMaker",
    "synthesise_run",
]

#: The newest spec version whose records were seen (docs/formats/payload.md#spec-versions).
KNOWN_SPEC = 8

_R = TypeVar("_R", bound=Record)

TERMINAL = frozenset({"completed", "failed", "cancelled"})
_ENDS = {"run_completed": "completed", "run_failed": "failed", "run_cancelled": "cancelled"}
_FROM_CREATED = (
    "deploymentId",
    "workflowName",
    "executionContext",
    "input",
    "attributes",
    "encryptionPublicKey",
    "dynamicWorkflowCode",
)


class RecordMaker:
    """Makes records of one world and notes what is odd about them.

    Args:
        receipt: where oddities go.
        keys: key ring or None, handed to every payload.
        limit: payload size limit in bytes, None for the codec's own.
        own_forms: whether the folder is one of the Python SDK, which writes devalue's own forms.
    """

    def __init__(
        self,
        receipt: Receipt,
        *,
        keys: KeyRing | None = None,
        limit: LimitsLike = None,
        own_forms: Callable[[], bool] = lambda: False,
    ) -> None:
        self._own_forms = own_forms
        self._receipt = receipt
        self._keys = keys
        self._limit = limit
        self.spec_version: int | None = None

    def run(self, fields: dict[str, object], origin: str, run_id: str) -> RunRecord:
        """Return the run of a file named after ``run_id``."""
        self._identify(fields, origin, "runId", run_id)
        self._wrap(fields, RUN_PAYLOADS, run_id, origin)
        return self._spec(RunRecord(fields, origin))

    def step(self, fields: dict[str, object], origin: str, run_id: str, step_id: str) -> StepRecord:
        """Return the step of a file ``<runId>-<stepId>.json``."""
        self._identify(fields, origin, "runId", run_id)
        self._identify(fields, origin, "stepId", step_id)
        self._wrap(fields, STEP_PAYLOADS, run_id, origin)
        return self._spec(StepRecord(fields, origin))

    def event(self, fields: dict[str, object], origin: str, run_id: str, event_id: str) -> EventRecord:
        """Return the event of a file ``<runId>-<eventId>.json``."""
        self._identify(fields, origin, "runId", run_id)
        self._identify(fields, origin, "eventId", event_id)
        self.wrap_event_data(fields, origin, run_id)
        return self._spec(EventRecord(fields, origin))

    def wrap_event_data(self, fields: Mapping[str, object], origin: str, run_id: str) -> None:
        """Wrap the payloads inside an event's ``eventData``, in place."""
        data = fields.get("eventData")
        if isinstance(data, dict):
            self._wrap(data, EVENT_PAYLOADS, run_id, origin)

    def hook(self, fields: dict[str, object], origin: str, hook_id: str, *, hidden: bool) -> HookRecord:
        """Return the hook of a file ``<hookId>.json``."""
        self._identify(fields, origin, "hookId", hook_id)
        run_id = fields.get("runId")
        self._wrap(fields, HOOK_PAYLOADS, run_id if isinstance(run_id, str) else "", origin)
        return self._spec(HookRecord(fields, origin, hidden=hidden))

    def wait(self, fields: dict[str, object], origin: str, run_id: str, wait_id: str) -> WaitRecord:
        """Return the wait of a file ``<runId>-<waitId>.json``; its id includes the run id."""
        self._identify(fields, origin, "runId", run_id)
        self._identify(fields, origin, "waitId", f"{run_id}-{wait_id}")
        return self._spec(WaitRecord(fields, origin))

    def _identify(self, fields: dict[str, object], origin: str, name: str, expected: str) -> None:
        """Fill in an id that the record lacks; report one that differs from the file's name."""
        found = fields.get(name)
        if found == expected:
            return
        if isinstance(found, str) and found:
            self._receipt.problem(
                "warning",
                "name-mismatch",
                origin,
                f"The file's name says {name} {expected}, the record says {found[:60]!a}; the name is used.",
            )
        else:
            message = f"The record has no {name}; it was taken from the file's name."
            self._receipt.problem("warning", "missing-id", origin, message)
        fields[name] = expected

    def _wrap(self, fields: dict[str, object], names: Iterable[str], run_id: str, origin: str) -> None:
        """Make the payload fields payloads; a second time does nothing."""
        for name in names:
            value = fields.get(name)
            if value is not None and not isinstance(value, Payload):
                fields[name] = payload_from_json(
                    value,
                    keys=self._keys,
                    limit=self._limit,
                    where=f"{origin} {name}",
                    run_id=run_id,
                    own=self._own_forms(),
                )

    def _spec(self, record: _R) -> _R:
        """Keep the highest spec version seen; warn about one that is newer than we know.

        Source: docs/evidence/reports.md#t4.
        """
        version = record.spec_version
        if version is not None and version > (self.spec_version or 0):
            self.spec_version = version
            if version > KNOWN_SPEC:
                self._receipt.problem(
                    "warning",
                    "newer-spec",
                    record.origin,
                    f"Written with spec version {version}; this reader knows up to {KNOWN_SPEC}. "
                    "What could be read is shown.",
                    "Look for a newer eve-replay.",
                )
        return record


def synthesise_run(run_id: str, events: Iterable[EventRecord], origin: str) -> RunRecord:
    """Return a run whose record is missing, put together from its events (docs/formats/local.md#events).

    The status is what the log proves: an end event's, else ``running`` once started, else ``pending``;
    without any event there is none.
    """
    fields: dict[str, object] = {"runId": run_id}
    for event in events:
        fields.setdefault("status", "pending")
        kind = event.event_type
        if kind == "run_created":
            data: Mapping[str, object] = event.data
            fields.update((name, data[name]) for name in _FROM_CREATED if name in data)
            _copy(event, fields, "createdAt", "createdAt")
            _copy(event, fields, "specVersion", "specVersion")
        elif kind == "run_started":
            fields["status"] = "running"
            _copy(event, fields, "createdAt", "startedAt")
        elif kind in _ENDS:
            fields["status"] = _ENDS[kind]
            _copy(event, fields, "createdAt", "completedAt")
            for name in ("output", "error", "errorCode"):
                if name in event.data:
                    fields[name] = event.data[name]
        elif fields["status"] == "pending":
            fields["status"] = "running"
        _copy(event, fields, "createdAt", "updatedAt")
    return RunRecord(fields, origin, synthesised=True)


def _copy(event: EventRecord, fields: dict[str, object], source: str, target: str) -> None:
    value = event.fields.get(source)
    if value is not None:
        fields[target] = value
