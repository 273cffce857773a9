"""Words of Flue's records, read in one place: which marker is which, and what a fate is called.

Source: docs/formats/flue.md#records, docs/evidence/flue.md#after-a-crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from eve_replay.codec import loads_json
from eve_replay.records import EventRecord

__all__ = [
    "NEVER_RAN",
    "CallFate",
    "child_of_outcome",
    "attempt_of",
    "fate_of_outcome",
    "is_recovery",
    "message_of",
    "mine",
    "mapping",
    "submission_of",
    "text",
    "text_of",
]

#: What became of a call: ``ok`` / ``error`` its own outcome; ``interrupted`` marked by recovery, unknown;
#: ``delegate_gone`` its subagent is no longer declared; ``truncated`` cut by the output limit; ``abandoned``
#: and ``timed_out`` cut off while it ran; ``aborted`` asked for in a message that recovery closed;
#: ``unfinished`` asked for in a message that is not complete; ``unresolved`` nothing is recorded.
CallFate = Literal[
    "ok",
    "error",
    "interrupted",
    "delegate_gone",
    "truncated",
    "abandoned",
    "timed_out",
    "aborted",
    "unfinished",
    "unresolved",
]
#: Fates of calls whose tool certainly never began.
NEVER_RAN: frozenset[str] = frozenset({"truncated", "aborted", "unfinished"})

_CUT = "could not be confirmed cancelled"
_TIMED = "timed out"
_NOT_EXECUTED = "was not executed"


def text(event: EventRecord, name: str) -> str:
    """Return a field of the record as text, empty when it has none."""
    value = event.data.get(name)
    return value if isinstance(value, str) else ""


def mapping(value: object) -> Mapping[str, object]:
    """Return a value as a mapping, an empty one when it is none."""
    return value if isinstance(value, Mapping) else {}


def submission_of(event: EventRecord) -> str | None:
    """Return the submission the record (or its batch) names."""
    return event.text("submissionId")


def attempt_of(event: EventRecord) -> str | None:
    """Return the attempt the record (or its batch) names."""
    return event.text("attemptId")


def message_of(event: EventRecord) -> str | None:
    """Return the model message a record is about."""
    return text(event, "assistantMessageId") or text(event, "messageId") or None


def mine(event: EventRecord, beginning: str) -> bool:
    """Return whether the record's own id begins so: deterministic ids tell what a record is."""
    return (event.text("recordId") or "").startswith(beginning)


def is_recovery(event: EventRecord) -> bool:
    """Return whether recovery wrote it: a repair, or the end of a stream that its writer left."""
    return mine(event, "record_recovery_") or mine(event, "record_tool_repair_")


def text_of(content: object) -> str:
    """Return the text of a message's or an outcome's content blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    parts = [each.get("text") for each in blocks if isinstance(each, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))


def fate_of_outcome(event: EventRecord) -> CallFate:
    """Return what an outcome says: by its id, and for what has no id of its own by its words."""
    if mine(event, "record_tool_repair_outcome_"):
        return "interrupted"
    if mine(event, "record_tool_resume_failed_"):
        return "delegate_gone"
    if mine(event, "record_tool_truncated_outcome_"):
        return "truncated"
    if event.data.get("isError") is not True:
        return "ok"
    said = text_of(event.data.get("content"))
    if _CUT in said:
        return "timed_out" if _TIMED in said else "abandoned"
    if said.startswith("Tool call ") and _NOT_EXECUTED in said:
        return "truncated"
    if said.startswith('{"type":"interrupted"'):
        return "interrupted"
    return "error"


def child_of_outcome(event: EventRecord) -> str | None:
    """Return the child conversation that a marker names."""
    try:
        found = loads_json(text_of(event.data.get("content")))
    except ValueError:
        return None
    child = found.get("childConversationId") if isinstance(found, Mapping) else None
    return child if isinstance(child, str) else None
