"""A Flue store as a world: a run per conversation, its records as events, submissions as step records.

Nothing is interpreted here. A conversation that a tool started (``task``, ``action``) lies in the stream of
its parent's instance and is a run of its own, below the parent's. Times of columns are epoch milliseconds,
those of records ISO 8601.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from eve_replay.codec import Payload, loads_json
from eve_replay.errors import NotFound
from eve_replay.problems import Receipt
from eve_replay.records import EventRecord, Other, RunRecord, StepRecord, StreamChunk
from eve_replay.times import iso
from eve_replay.worlds.flue.tables import Batch, FlueTables, number, string
from eve_replay.worlds.layouts.tables import Row

__all__ = ["FlueWorld"]

_KEY = re.compile(r"agent-session:(\[.*\])\Z", re.DOTALL)
_OPEN = frozenset({"queued", "running", "terminalizing", "joining", "joined"})
#: Columns of a submission that hold JSON, and the payload they become.
_JSON = {"payload": "input", "settlement_record": "output"}
_TIMES = {
    "accepted_at": "createdAt",
    "started_at": "startedAt",
    "settled_at": "completedAt",
    "canonical_ready_at": "canonicalReadyAt",
    "input_applied_at": "inputAppliedAt",
    "abort_requested_at": "abortRequestedAt",
    "timeout_at": "timeoutAt",
    "lease_expires_at": "leaseExpiresAt",
}
#: Fields of a record that lie beside ``eventData``.
_ENVELOPE = frozenset({"id", "type", "timestamp", "conversationId", "submissionId", "attemptId"})
_KEPT = 8


@dataclass(slots=True, kw_only=True)
class _Conversation:
    run_id: str
    path: str
    created: Mapping[str, object] = field(default_factory=dict)
    parent: str | None = None


class FlueWorld:
    """One Flue database (or what stands for it).

    Args:
        tables: its tables.
        kind: ``flue``, or the kind of database it lies in.
        receipt: what was seen.
        about: what else is to be told of the store.
    """

    def __init__(
        self,
        tables: FlueTables,
        *,
        receipt: Receipt,
        kind: str = "flue",
        about: Mapping[str, object] | None = None,
    ) -> None:
        self.kind = kind
        self.label = tables.label
        self.receipt = receipt
        self._about = dict(about or {})
        self._tables = tables
        self._conversations: dict[str, _Conversation] | None = None
        self._streams: dict[str, Row] = {}
        self._rows: dict[str, list[Row]] = {}
        self._batches: dict[str, list[Batch]] = {}
        self._counted: set[str] = set()

    @property
    def about(self) -> Mapping[str, object]:
        """Format version and how many instances there are."""
        self._index()
        version = self._tables.version or "unknown"
        return {"format": f"flue/{version}", "instances": len(self._streams), **self._about}

    def runs(self) -> Iterator[RunRecord]:
        """Yield a run per conversation, by its id."""
        known = self._index()
        for run_id in sorted(known):
            yield self._run(known[run_id])

    def run(self, run_id: str) -> RunRecord:
        """Return one conversation. Raises NotFound."""
        return self._run(self._found(run_id))

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the conversation's records in the order in which they were appended."""
        found = self._found(run_id)
        return self._events(found)

    def _events(self, found: _Conversation) -> Iterator[EventRecord]:
        for batch in self._read(found.path):
            for index, record in enumerate(batch.records):
                owner = string(record.get("conversationId"))
                if owner == found.run_id or (owner not in self._index() and found.parent is None):
                    yield _event(found.run_id, found.path, batch, index, record)

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the submissions of a conversation, by their id; those of a child are its parent's."""
        found = self._found(run_id)
        rows = self._rows.get(found.path, []) if found.parent is None else []
        return iter(sorted((_submission(run_id, row) for row in rows), key=lambda step: step.step_id))

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield nothing: there are no hooks, waits or side streams."""
        self._found(run_id)
        return iter(())

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Raise NotFound: what a conversation says is its records."""
        self._found(run_id)
        raise NotFound(f"There is no stream {name[:80]!a} in {self.label}.")

    def close(self) -> None:
        """Release the store."""
        self._tables.close()

    def _found(self, run_id: str) -> _Conversation:
        found = self._index().get(run_id)
        if found is None:
            raise NotFound(
                f"There is no conversation {run_id[:80]!a} in {self.label}.",
                hint="List the runs to see their ids.",
            )
        return found

    def _index(self) -> dict[str, _Conversation]:
        """Find every conversation: of each stream the batches that create one, and instances without any."""
        if self._conversations is not None:
            return self._conversations
        self._streams = {str(row.get("path")): row for row in self._tables.streams()}
        for row in self._tables.submissions():
            self._rows.setdefault(_path_of(row), []).append(row)
        found: dict[str, _Conversation] = {}
        for path in sorted({*self._streams, *self._rows}):
            mine: list[_Conversation] = []
            for _, _, text in self._tables.raw(path):
                if '"conversation_created"' in text:
                    mine += _created(path, text)
            if not any(each.parent is None for each in mine):
                mine.append(_Conversation(run_id=path, path=path))
            found |= {each.run_id: each for each in mine}
        self.receipt.seen += len(found)
        self.receipt.parsed += len(found)
        self._conversations = found
        return found

    def _read(self, path: str) -> list[Batch]:
        known = self._batches.get(path)
        if known is None:
            seen, parsed = self.receipt.seen, self.receipt.parsed
            known = self._tables.batches(path)
            if path in self._counted:
                self.receipt.seen, self.receipt.parsed = seen, parsed
            self._counted.add(path)
            while len(self._batches) >= _KEPT:
                self._batches.pop(next(iter(self._batches)))
            self._batches[path] = known
        return known

    def _run(self, found: _Conversation) -> RunRecord:
        rows = self._rows.get(found.path, []) if found.parent is None else []
        stream = self._streams.get(found.path, {})
        open_ = any(str(row.get("status")) in _OPEN for row in rows)
        agent, instance = _identity(found.path, stream)
        created = found.created
        attributes: dict[str, object] = {
            "$flue.agent": string(created.get("agent")) or agent,
            "$flue.instance": instance,
            "$flue.kind": string(created.get("kind")) or "root",
        }
        if found.parent is not None:
            attributes["$parentRunId"] = found.parent
        if rows:
            attributes["$flue.first"] = _said(rows[0])
        times = [
            value
            for row in rows
            for name in ("settled_at", "started_at", "accepted_at")
            if (value := number(row.get(name))) is not None
        ]
        newest = max(times, default=None)
        fields: dict[str, object] = {
            "runId": found.run_id,
            "format": f"flue/{self._tables.version or 'unknown'}",
            "status": "running" if open_ else "idle",
            "workflowName": attributes["$flue.agent"],
            "createdAt": string(created.get("timestamp")) or _time(min(times, default=None)),
            "updatedAt": _time(newest),
            "attributes": attributes,
            "path": found.path,
            "taskId": created.get("taskId"),
            "view": self._about.get("view"),
            "uid": created.get("uid"),
            "incarnation": stream.get("incarnation"),
            "producerEpoch": number(stream.get("producer_epoch")),
            "nextOffset": number(stream.get("next_offset")),
        }
        kept = {name: value for name, value in fields.items() if value is not None}
        return RunRecord(kept, f"flue_conversation_streams/{found.path}", synthesised=not found.created)


def _created(path: str, text: str) -> Iterator[_Conversation]:
    try:
        records = loads_json(text)
    except ValueError:
        return
    for record in records if isinstance(records, list) else ():
        if not isinstance(record, Mapping) or record.get("type") != "conversation_created":
            continue
        run_id = string(record.get("conversationId"))
        if run_id is not None:
            parent = string(record.get("parentConversationId"))
            yield _Conversation(run_id=run_id, path=path, created=record, parent=parent)


def _event(run_id: str, path: str, batch: Batch, index: int, record: Mapping[str, object]) -> EventRecord:
    kind = string(record.get("type")) or "unknown"
    about = next(
        (
            record[name]
            for name in ("toolCallId", "assistantMessageId", "messageId", "submissionId")
            if isinstance(record.get(name), str)
        ),
        None,
    )
    fields: dict[str, object] = {
        "runId": run_id,
        "eventId": f"batch_{batch.seq:08d}.{index:03d}",
        "eventType": kind,
        "createdAt": record.get("timestamp"),
        "correlationId": about,
        "recordId": record.get("id"),
        "batch": batch.seq,
        "index": index,
        "epoch": batch.epoch,
        "submissionId": record.get("submissionId") or batch.submission,
        "attemptId": record.get("attemptId") or batch.attempt,
        "eventData": {name: value for name, value in record.items() if name not in _ENVELOPE},
    }
    kept = {name: value for name, value in fields.items() if value is not None}
    return EventRecord(kept, f"flue_conversation_stream_batches/{path}/{batch.seq}")


def _submission(run_id: str, row: Row) -> StepRecord:
    fields: dict[str, object] = {
        "runId": run_id,
        "stepId": string(row.get("submission_id")) or "",
        "stepName": "submission",
        "format": "flue",
        "status": string(row.get("status")),
        "attempt": number(row.get("attempt_count")),
    }
    for name, value in row.items():
        if name in _JSON:
            text = string(value)
            if text is not None:
                fields[_JSON[name]] = Payload.plain(_json(text), where=f"submission {name}", run_id=run_id)
        elif name in _TIMES:
            fields[_TIMES[name]] = _time(number(value))
        elif name not in ("status", "submission_id"):
            fields[_camel(name)] = number(value) if number(value) is not None else string(value)
    fields["errorText"] = fields.pop("error", None)
    kept = {name: value for name, value in fields.items() if value is not None}
    return StepRecord(kept, f"flue_agent_submissions/{fields['stepId']}")


def _json(text: str) -> object:
    try:
        return loads_json(text)
    except ValueError:
        return text


def _said(row: Row) -> str:
    """Return the first words of a submission's message: what a list calls the conversation."""
    found = _json(string(row.get("payload")) or "")
    message = found.get("message") if isinstance(found, Mapping) else None
    if not isinstance(message, Mapping):
        return ""
    body = message.get("body")
    if isinstance(body, str):
        return body[:200]
    return str(message.get("type") or "")[:200]


def _path_of(row: Row) -> str:
    """Return the stream of a submission: its session key names agent and instance."""
    match = _KEY.match(string(row.get("session_key")) or "")
    names = _json(match.group(1)) if match else None
    if isinstance(names, list) and len(names) >= 2 and all(isinstance(each, str) for each in names[:2]):
        return f"agents/{names[0]}/{names[1]}"
    return string(row.get("session_key")) or "unknown"


def _identity(path: str, stream: Row) -> tuple[str, str]:
    found = _json(string(stream.get("identity_json")) or "")
    if isinstance(found, Mapping):
        agent, instance = found.get("agentName"), found.get("instanceId")
        if isinstance(agent, str) and isinstance(instance, str):
            return agent, instance
    _, _, rest = path.partition("/")
    agent, _, instance = rest.partition("/")
    return agent, instance


def _time(millis: int | None) -> str | None:
    if millis is None:
        return None
    try:
        return iso(datetime.fromtimestamp(millis / 1000, tz=UTC))
    except (OverflowError, ValueError, OSError):
        return None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
