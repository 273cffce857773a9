"""Records exactly as a world stores them: every field kept, payloads still bytes.

A record is a thin, frozen view over ``fields`` (camelCase names as stored, unknown ones included).
Payload fields hold :class:`~eve_replay.codec.Payload`, which decodes on first use and not before.
Worlds with other column names (Postgres) map them to these names, so that everything above sees one
shape. Sources: docs/formats/local.md#files, #streams, #events, docs/formats/postgres.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal

from eve_replay.brief import Brief
from eve_replay.codec import Payload
from eve_replay.ids import FunctionName, event_slot, parse_function_name
from eve_replay.times import parse_time

__all__ = [
    "EVENT_PAYLOADS",
    "HOOK_PAYLOADS",
    "RUN_PAYLOADS",
    "STEP_PAYLOADS",
    "EventRecord",
    "HookRecord",
    "MarkRecord",
    "Other",
    "Record",
    "RunRecord",
    "StepRecord",
    "StreamChunk",
    "StreamRecord",
    "WaitRecord",
]

#: Fields that hold payloads, by record kind. In events they live inside ``eventData``.
RUN_PAYLOADS = ("input", "output", "error", "dynamicWorkflowCode")
STEP_PAYLOADS = ("input", "output", "error")
HOOK_PAYLOADS = ("metadata",)
EVENT_PAYLOADS = ("input", "output", "result", "error", "payload", "metadata", "dynamicWorkflowCode")


@dataclass(frozen=True, slots=True, repr=False)
class Record(Brief):
    """Base of the records.

    Attributes:
        fields: what is stored, in stored order, camelCase; payload fields are ``Payload`` objects.
        origin: file path relative to the world, or ``table/key``: where a person finds it.
    """

    fields: Mapping[str, object]
    origin: str = ""

    def text(self, name: str) -> str | None:
        """Return a field when it is a string, else None."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def time(self, name: str) -> datetime | None:
        """Return a field as an instant in UTC, None when absent or not a time."""
        return parse_time(self.fields.get(name))

    def payload(self, name: str) -> Payload | None:
        """Return a payload field, None when the record has none."""
        value = self.fields.get(name)
        return value if isinstance(value, Payload) else None

    @property
    def run_id(self) -> str:
        """The run this record belongs to (empty when the record does not say)."""
        return self.text("runId") or ""

    @property
    def status(self) -> str:
        """The stored status, empty when there is none."""
        return self.text("status") or ""

    @property
    def created_at(self) -> datetime | None:
        """When the record says it was created."""
        return self.time("createdAt")

    @property
    def spec_version(self) -> int | None:
        """The stored spec version (Postgres keeps it as text in one table), None when absent."""
        value = self.fields.get("specVersion")
        if isinstance(value, bool):
            return None
        if isinstance(value, int):
            return value
        return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


@dataclass(frozen=True, slots=True, repr=False)
class RunRecord(Record):
    """One run: a workflow execution."""

    _told: ClassVar[tuple[str, ...]] = (
        "status",
        "workflow",
        "created_at",
        "run_id",
    )

    #: True when the world had no run record and this one was put together from the run's events.
    synthesised: bool = False

    @property
    def workflow(self) -> FunctionName:
        """The workflow's name, taken apart."""
        return parse_function_name(self.text("workflowName") or "")

    @property
    def attributes(self) -> Mapping[str, object]:
        """Run attributes (``$eve.version``, ``$parentRunId`` ...), empty when the world has none."""
        value = self.fields.get("attributes")
        return value if isinstance(value, Mapping) else {}

    def attribute(self, name: str) -> str | None:
        """Return one attribute when it is a string."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else None

    @property
    def purged(self) -> bool:
        """Whether retention deleted the payloads (``expiredAt`` is set, docs/formats/local.md#files)."""
        return self.fields.get("expiredAt") is not None


@dataclass(frozen=True, slots=True, repr=False)
class StepRecord(Record):
    """One step as its record stands now: only the last attempt is in it.

    Source: docs/evidence/observed.md#one-record.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "status",
        "name",
        "attempt",
        "step_id",
        "run_id",
    )

    @property
    def step_id(self) -> str:
        """The step's id, also its events' ``correlationId``."""
        return self.text("stepId") or ""

    @property
    def name(self) -> FunctionName:
        """The step's name, taken apart."""
        return parse_function_name(self.text("stepName") or "")

    @property
    def attempt(self) -> int | None:
        """The attempt number the record holds, None when it holds none."""
        value = self.fields.get("attempt")
        return value if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True, repr=False)
class EventRecord(Record):
    """One event of a run's log. ``eventData`` is a mapping whose payload fields are ``Payload``."""

    _told: ClassVar[tuple[str, ...]] = (
        "event_type",
        "created_at",
        "correlation_id",
        "event_id",
    )

    @property
    def event_id(self) -> str:
        """The event's id, unique within its run."""
        return self.text("eventId") or ""

    @property
    def event_type(self) -> str:
        """For example ``step_started``."""
        return self.text("eventType") or ""

    @property
    def correlation_id(self) -> str | None:
        """The step, hook or wait it is about."""
        return self.text("correlationId")

    @property
    def slot(self) -> int | None:
        """The 1-based slot, None in worlds that number events by ULID."""
        return event_slot(self.event_id)

    @property
    def occurred_at(self) -> datetime | None:
        """When it happened, where the writer knew that: ``created_at`` is when it was written."""
        return self.time("occurredAt")

    @property
    def data(self) -> Mapping[str, object]:
        """``eventData``, empty when the event has none."""
        value = self.fields.get("eventData")
        return value if isinstance(value, Mapping) else {}

    def data_payload(self, name: str) -> Payload | None:
        """Return a payload inside ``eventData``, None when absent."""
        value = self.data.get(name)
        return value if isinstance(value, Payload) else None

    def payloads(self) -> Iterator[tuple[str, Payload]]:
        """Yield ``(name, payload)`` for every payload inside ``eventData``."""
        for name, value in self.data.items():
            if isinstance(value, Payload):
                yield name, value


@dataclass(frozen=True, slots=True, repr=False)
class HookRecord(Record):
    """A hook that is open now, or one on disk whose run has ended (``hidden``)."""

    #: True when the run has ended: the vendor's listing hides such a hook
    #: (docs/formats/tagged-json.md#whole-worlds).
    hidden: bool = False

    @property
    def hook_id(self) -> str:
        """The hook's id, also its events' ``correlationId``."""
        return self.text("hookId") or ""


@dataclass(frozen=True, slots=True, repr=False)
class WaitRecord(Record):
    """A durable sleep. ``waitId`` is ``<runId>-wait_...``; events use the part after the run id."""

    @property
    def wait_id(self) -> str:
        """The id as stored."""
        return self.text("waitId") or ""

    @property
    def correlation_id(self) -> str:
        """The id as events use it, without the run id in front."""
        return self.wait_id.removeprefix(f"{self.run_id}-")


@dataclass(frozen=True, slots=True, repr=False)
class StreamRecord(Record):
    """That a run has a stream of this name; ``fields`` holds ``runId`` and ``name``."""

    @property
    def name(self) -> str:
        """The stream's name, for example ``strm_<ULID>_user``."""
        return self.text("name") or ""


@dataclass(frozen=True, slots=True, repr=False)
class MarkRecord(Record):
    """A durable trace that is no record and no event: a lock file, a token file, a staged delivery.

    Only worlds with separate commits have them (the local one); they decide whether a run is wedged
    (docs/evidence/sweep.md). ``fields`` holds what the file itself contains, if anything.

    Attributes:
        kind: what it guards: ``step``, ``wait``, ``hook``, ``run``, ``token``, ``resume``, ``index``.
        phase: ``created``, ``terminal``, ``completed``, ``disposed``, ``pending``, ``lock``, ``file``; for
            kind ``run`` also ``attribute`` (the lock of a workflow's attribute write); for kind ``index``
            ``by-run``, ``id-index`` or ``token-index``.
        subject: step id, wait id (without run id), hook id, token hash or resume hash; for a run's
            ``pending`` the staged file's name, for its ``attribute`` the write's correlation id.
        of_run: the run it belongs to, empty when the file name does not tell.
    """

    kind: Literal["step", "wait", "hook", "run", "token", "resume", "index"] = "step"
    phase: str = ""
    subject: str = ""
    of_run: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class StreamChunk(Brief):
    """One stored chunk of a stream.

    Attributes:
        stream: the stream's name.
        chunk_id: ``chnk_...``; sorting by it gives the order.
        data: the bytes after the end flag, as stored.
        end: whether this chunk ends the stream (later ones are ignored by the vendor,
            docs/evidence/reports.md#t20).
        origin: where it lies.
    """

    stream: str
    chunk_id: str
    data: bytes = field(repr=False)
    end: bool = False
    origin: str = ""


Other = HookRecord | WaitRecord | StreamRecord | MarkRecord
