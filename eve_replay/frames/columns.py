"""The columns of the frames and their dtypes: fixed, also in an empty frame.

Words come first, then numbers and times; ids come last. One thing has one name in all of them: ``tool``,
``attempt`` (a number) and ``attempts`` (how many), ``turn_id``, ``step_id``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["EARLIER", "FRAMES", "TIME"]

#: Python storage, whatever else is installed: Arrow cannot hold a lone surrogate, journals can.
_WORD: Final = "string[python]"
_ID: Final = _WORD
_COUNT: Final = "Int64"
_FLAG: Final = "boolean"
_SECONDS: Final = "Float64"
TIME: Final = "datetime64[ms, UTC]"

#: Frame name -> column -> dtype. What each column means is said by the function of that frame.
FRAMES: Mapping[str, Mapping[str, str]] = {
    "runs": {
        "role": _WORD,
        "workflow": _WORD,
        "status": _WORD,
        "eve_version": _WORD,
        "seconds": _SECONDS,
        "steps": _COUNT,
        "starts": _COUNT,
        "events": _COUNT,
        "purged": _FLAG,
        "problems": _COUNT,
        "created_at": TIME,
        "started_at": TIME,
        "ended_at": TIME,
        "run_id": _ID,
        "parent_run_id": _ID,
        "session_id": _ID,
    },
    "steps": {
        "turn_id": _ID,
        "function": _WORD,
        "kind": _WORD,
        "status": _WORD,
        "action": _WORD,
        "attempts": _COUNT,
        "queued_seconds": _SECONDS,
        "seconds": _SECONDS,
        "tool_calls": _COUNT,
        "model_calls": _COUNT,
        "tokens_input": _COUNT,
        "tokens_output": _COUNT,
        "input_bytes": _COUNT,
        "output_bytes": _COUNT,
        "created_at": TIME,
        "started_at": TIME,
        "ended_at": TIME,
        "version": _WORD,
        "step_name": _ID,
        "step_id": _ID,
        "run_id": _ID,
        "session_id": _ID,
    },
    "attempts": {
        "turn_id": _ID,
        "function": _WORD,
        "attempt": _COUNT,
        "outcome": _WORD,
        "certainty": _WORD,
        "body": _WORD,
        "seconds": _SECONDS,
        "dead_seconds": _SECONDS,
        "inline": _FLAG,
        "tool_calls": _COUNT,
        "model_calls": _COUNT,
        "tokens_input": _COUNT,
        "tokens_output": _COUNT,
        "stream_events": _COUNT,
        "started_at": TIME,
        "ended_at": TIME,
        "window_end": TIME,
        "last_sign_at": TIME,
        "step_id": _ID,
        "run_id": _ID,
        "session_id": _ID,
    },
    "tool_calls": {
        "turn_id": _ID,
        "step_index": _COUNT,
        "position": _COUNT,
        "tool": _WORD,
        "attempt": _COUNT,
        "status": _WORD,
        "is_error": _FLAG,
        "input": _WORD,
        "output": _WORD,
        "seconds": _SECONDS,
        "requested": _FLAG,
        "returned": _FLAG,
        "deferred": _FLAG,
        "history_only": _FLAG,
        "certainty": _WORD,
        "requested_at": TIME,
        "returned_at": TIME,
        "call_id": _ID,
        "step_id": _ID,
        "run_id": _ID,
        "session_id": _ID,
    },
    "events": {
        "position": _COUNT,
        "type": _WORD,
        "at": TIME,
        "back_seconds": _SECONDS,
        "payload_bytes": _COUNT,
        "slot": _COUNT,
        "spec_version": _COUNT,
        "event_id": _ID,
        "correlation_id": _ID,
        "run_id": _ID,
        "session_id": _ID,
    },
    "effects": {
        "turn_id": _ID,
        "step_index": _COUNT,
        "position": _COUNT,
        "tool": _WORD,
        "kind": _WORD,
        "executions_min": _COUNT,
        "executions_max": _COUNT,
        "outside_min": _COUNT,
        "outside_max": _COUNT,
        "unbounded": _FLAG,
        "ran_twice": _FLAG,
        "may_have_run_twice": _FLAG,
        "certainty": _WORD,
        "attempts": _COUNT,
        "protection": _WORD,
        "protection_source": _WORD,
        "same_key": _FLAG,
        "left_behind": _FLAG,
        "call_ids": _COUNT,
        "key": _ID,
        "call_id": _ID,
        "step_id": _ID,
        "run_id": _ID,
        "session_id": _ID,
    },
}

#: Frame -> a column's earlier name -> its name now. JSON documents of the command line hold both.
EARLIER: Mapping[str, Mapping[str, str]] = {
    "attempts": {"n": "attempt"},
    "tool_calls": {"name": "tool"},
}
