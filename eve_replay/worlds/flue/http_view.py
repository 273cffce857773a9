"""What Flue's HTTP endpoint says of a conversation, turned back into the tables it was projected from.

A file with an answer of ``?view=history`` (a snapshot), of ``?view=updates`` (a list, or one per line) or of
the event stream (``data:`` lines). The view folds attempts together and leaves out what only the store has:
attempts and leases, step memos, state, children, why an answer ended (docs/formats/flue.md#http-view).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.codec.jsontext import JsonFault, parse_json
from eve_replay.worlds.layouts.tables import MemoryTables, Row

__all__ = ["Unread", "is_view", "view_tables"]

#: What every update and snapshot names; a file without it is something else.
_SIGN = "conversationId"
_UPDATES = frozenset(
    {
        "conversation-reset", "data-part", "message-appended", "message-completed", "message-delta",
        "message-metadata", "message-started", "stream-checkpoint", "submission-settled", "tool-input",
        "tool-output", "tool-output-error",
    }
)  # fmt: skip
_HEAD = 4096
#: How recovery ends a task whose delegate is no longer declared: in the store the record's id says it.
_GONE = "subagent_unavailable"
_AGENT = "conversation"

Record = dict[str, object]
Unread = tuple[int, str]


def is_view(head: bytes) -> bool:
    """Return whether a file begins like such an answer."""
    text = head[:_HEAD].decode("utf-8", "replace")
    if '"messages"' in text and _SIGN in text and '"offset"' in text:
        return True
    return '"type"' in text and any(f'"{name}"' in text for name in _UPDATES)


def view_tables(text: str, label: str) -> tuple[MemoryTables, list[Unread]]:
    """Return the tables that a view was projected from, and what could not be read of it.

    Args:
        text: the file: JSON, lines of JSON, or an event stream.
        label: what a person calls it.
    """
    faults: list[Unread] = []
    view = _View()
    for number, found in _values(text):
        if isinstance(found, JsonFault):
            faults.append((number, f"it is no JSON: {found.message}"))
        elif not view.add(found):
            faults.append((number, "it is no update of a conversation"))
    return view.tables(label), faults


def _values(text: str) -> Iterator[tuple[int, object]]:
    """Yield the objects of a file with the lines they stand on, however they are framed."""
    whole = parse_json(text)
    if not isinstance(whole, JsonFault):
        for each in whole if isinstance(whole, list) else [whole]:
            yield 1, each
        return
    for number, line in enumerate(text.split("\n"), 1):
        body = line.removeprefix("data:").strip()
        if not body or line.startswith(("event:", ":", "id:", "retry:")):
            continue
        found = parse_json(body)
        if isinstance(found, Mapping) and "streamNextOffset" in found:
            continue  # where the stream goes on: nothing of the conversation
        for each in found if isinstance(found, list) else [found]:
            yield number, each


@dataclass(slots=True)
class _Conversation:
    """One conversation as far as the updates went."""

    id: str
    records: list[Record] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    settled: dict[str, Record] = field(default_factory=dict)
    #: The model message that each message of the view is at: the view has one for all of a submission.
    at: dict[str, str] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    message_of_call: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, list[str]] = field(default_factory=dict)
    incarnation: object = None

    def put(self, type_: str, update: Mapping[str, object], **more: object) -> Record:
        record: Record = {
            "v": 1,
            "id": f"view_{len(self.records):06d}",
            "type": type_,
            "conversationId": self.id,
            "view": "http",
            "timestamp": update.get("timestamp"),
            **more,
        }
        self.records.append({name: value for name, value in record.items() if value is not None})
        return self.records[-1]


class _View:
    def __init__(self) -> None:
        self._conversations: dict[str, _Conversation] = {}

    def add(self, found: object) -> bool:
        """Take one update or snapshot; return whether it is one."""
        if not isinstance(found, Mapping):
            return False
        if found.get("type") == "stream-checkpoint":
            return True
        name = found.get(_SIGN)
        if not isinstance(name, str):
            return False
        at = self._conversations.get(name)
        if at is None:
            at = self._conversations[name] = _Conversation(name)
            at.put("conversation_created", found, kind="root")
        if isinstance(found.get("messages"), list):
            _snapshot(at, found)
            return True
        if found.get("type") == "conversation-reset":
            snapshot = found.get("snapshot")
            if isinstance(snapshot, Mapping) and len(at.records) == 1:
                _snapshot(at, snapshot)
            return True
        return _update(at, found)

    def tables(self, label: str) -> MemoryTables:
        """Return what was gathered as Flue's tables: every record a batch of its own."""
        streams: list[Row] = []
        batches: list[Row] = []
        rows: list[Row] = []
        for each in self._conversations.values():
            path = f"agents/{_AGENT}/{each.id}"
            streams.append(
                {
                    "path": path,
                    "identity_json": json.dumps({"agentName": _AGENT, "instanceId": each.id}),
                    "next_offset": len(each.records),
                }
            )
            for seq, record in enumerate(each.records):
                data = json.dumps([record], ensure_ascii=False)
                batches.append({"path": path, "seq": seq, "producer_epoch": 1, "data": data})
            key = f"agent-session:{json.dumps([_AGENT, each.id, 'default', 'default'])}"
            for submission, body in sorted(each.said.items()):  # their ids sort by time
                rows.append(_row(len(rows) + 1, submission, key, body, each.settled.get(submission)))
        return MemoryTables(
            label,
            {
                "flue_meta": [{"key": "format_version", "value": "1"}],
                "flue_conversation_streams": streams,
                "flue_conversation_stream_batches": batches,
                "flue_agent_submissions": rows,
            },
        )


def _row(number: int, submission: str, key: str, body: str, settled: Record | None) -> Row:
    error = settled.get("error") if settled is not None else None
    return {
        "sequence": number,
        "submission_id": submission,
        "session_key": key,
        "kind": "direct",
        "payload": json.dumps({"message": {"kind": "user", "body": body}}, ensure_ascii=False),
        "status": "settled" if settled is not None else "running",
        "joined_into": _host(submission, settled),
        "settled_at": _millis(settled.get("timestamp")) if settled is not None else None,
        "error": error.get("message") if isinstance(error, Mapping) else None,
    }


def _host(submission: str, settled: Record | None) -> object:
    """Return the submission whose answer a delivery was taken into."""
    answered = settled.get("answeredBySubmissionId") if settled is not None else None
    return answered if answered != submission else None


def _update(at: _Conversation, found: Mapping[str, object]) -> bool:
    kind, name = found.get("type"), str(found.get("messageId") or "")
    here = at.at.get(name, name)
    owner = at.owner.get(name)
    match kind:
        case "message-appended" if isinstance(message := found.get("message"), Mapping):
            _appended(at, found, message)
        case "message-started":
            _started(at, found, name)
        case "message-delta":
            kinds = "reasoning" if found.get("kind") == "reasoning" else "text"
            at.put(
                f"assistant_{kinds}_delta",
                found,
                messageId=here,
                submissionId=owner,
                delta=found.get("delta"),
            )
        case "tool-input":
            _asked(at, found, here, owner)
        case "message-completed":
            called = here in at.message_of_call.values()
            stop = "toolUse" if called else "stop"
            at.put("assistant_message_completed", found, messageId=here, submissionId=owner, stopReason=stop)
        case "tool-output" | "tool-output-error":
            _outcome(at, found)
        case "submission-settled":
            _settled(at, found)
        case _:
            return kind in _UPDATES
    return True


def _appended(at: _Conversation, found: Mapping[str, object], message: Mapping[str, object]) -> None:
    body = _text(message.get("parts"))
    submission = message.get("submissionId")
    user = message.get("role") == "user"
    if isinstance(submission, str) and (user or message.get("purpose") == "dispatch"):
        at.said.setdefault(submission, body)
    at.put(
        "user_message" if user else "signal",
        found,
        messageId=message.get("id"),
        submissionId=submission,
        content=[{"type": "text", "text": body}] if user else body,
        signalType=None if user else message.get("purpose"),
    )


def _started(at: _Conversation, found: Mapping[str, object], name: str) -> None:
    before = at.at.get(name)
    if before is not None:
        _committed(at, found, before)
    here = f"{name}/{found.get('turnId') or len(at.records)}"
    at.at[name] = here
    submission = found.get("submissionId")
    if isinstance(submission, str):
        at.owner[name] = submission
        at.said.setdefault(submission, "")
    at.put(
        "assistant_message_started",
        found,
        messageId=here,
        submissionId=submission,
        turnId=found.get("turnId"),
    )


def _asked(at: _Conversation, found: Mapping[str, object], here: str, owner: str | None) -> None:
    call = str(found.get("toolCallId") or "")
    at.message_of_call[call] = here
    at.put(
        "assistant_tool_call",
        found,
        messageId=here,
        submissionId=owner,
        toolCallId=call,
        name=found.get("toolName"),
        arguments=found.get("input"),
    )


def _outcome(at: _Conversation, found: Mapping[str, object]) -> None:
    call = str(found.get("toolCallId") or "")
    here = at.message_of_call.get(call)
    error = found.get("errorText")
    failed = found.get("type") == "tool-output-error"
    said = error if failed else json.dumps(found.get("output"), ensure_ascii=False)
    record = at.put(
        "tool_outcome",
        found,
        assistantMessageId=here,
        submissionId=at.owner.get((here or "").partition("/")[0]),
        toolCallId=call,
        isError=failed,
        content=[{"type": "text", "text": said}],
        output=None if failed else found.get("output"),
        durationMs=found.get("durationMs"),
    )
    if failed and _GONE in str(error):
        record["id"] = f"record_tool_resume_failed_{call}"
    if here is not None:
        at.outcomes.setdefault(here, []).append(str(record["id"]))


def _committed(at: _Conversation, found: Mapping[str, object], here: str) -> None:
    """The model was asked again, so the results of its last answer had been committed."""
    outcomes = at.outcomes.pop(here, None)
    if outcomes:
        owner = at.owner.get(here.partition("/")[0])
        at.put(
            "tool_results_committed", found, assistantMessageId=here, submissionId=owner, outcomeIds=outcomes
        )


def _settled(at: _Conversation, found: Mapping[str, object]) -> None:
    submission = found.get("submissionId")
    if not isinstance(submission, str):
        return
    for here in list(at.outcomes):
        _committed(at, found, here)
    at.said.setdefault(submission, "")
    record = at.put(
        "submission_settled",
        found,
        submissionId=submission,
        outcome=found.get("outcome"),
        error=found.get("error"),
    )
    record["id"] = f"record_direct-submission:{submission}:settled"
    at.settled[submission] = {**record, "answeredBySubmissionId": found.get("answeredBySubmissionId")}


def _snapshot(at: _Conversation, found: Mapping[str, object]) -> None:
    """Play a snapshot as the updates that would have led to it: it has no times."""
    for message in _mappings(found.get("messages")):
        if message.get("role") != "assistant":
            _appended(at, {}, message)
            continue
        name, turn = str(message.get("id") or ""), 0
        about = {"messageId": name, "submissionId": message.get("submissionId")}
        open_ = after = False
        for part in _mappings(message.get("parts")):
            call = part.get("toolCallId")
            if not open_ or (after and call is None):  # what is said after results is another answer
                if open_:
                    _update(at, {"type": "message-completed", **about})
                turn += 1
                _update(at, {"type": "message-started", "turnId": f"{name}.{turn}", **about})
                open_, after = True, False
            if call is None:
                text = {"kind": part.get("type"), "delta": part.get("text")}
                _update(at, {"type": "message-delta", **about, **text})
                continue
            after = True
            asked = {"toolCallId": call, "toolName": part.get("toolName"), "input": part.get("input")}
            _update(at, {"type": "tool-input", **about, **asked})
        if open_:
            _update(at, {"type": "message-completed", **about})
        for part in _mappings(message.get("parts")):
            state = part.get("state")
            if state in ("output-available", "output-error"):
                kind = "tool-output-error" if state == "output-error" else "tool-output"
                ended = {name: part.get(name) for name in ("toolCallId", "output", "errorText")}
                _update(at, {"type": kind, **ended})
    for settlement in _mappings(found.get("settlements")):
        _settled(at, settlement)


def _mappings(value: object) -> Sequence[Mapping[str, object]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _text(parts: object) -> str:
    return "\n".join(str(part["text"]) for part in _mappings(parts) if isinstance(part.get("text"), str))


def _millis(value: object) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
