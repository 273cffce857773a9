"""The journal as tables: runs, steps, attempts, calls, effects and events, for pandas and for CSV.

Every function takes any target::

    er.frames.attempts("sample:crash-in-tool", ids="short")
    er.frames.tool_calls(session.turns[0])
"""

from __future__ import annotations

from eve_replay.frames.tables import (
    FRAMES,
    attempts,
    columns_of,
    effects,
    events,
    frame,
    frame_rows,
    runs,
    steps,
    tool_calls,
)

__all__ = [
    "FRAMES",
    "attempts",
    "columns_of",
    "effects",
    "events",
    "frame",
    "frame_rows",
    "runs",
    "steps",
    "tool_calls",
]
