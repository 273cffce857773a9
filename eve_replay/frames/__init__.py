"""The journal as tables: runs, steps, attempts, calls, effects and events, for pandas and for CSV."""

from __future__ import annotations

from eve_replay.frames.tables import (
    FRAMES,
    attempts_frame,
    columns_of,
    effects_frame,
    events_frame,
    frame_rows,
    runs_frame,
    steps_frame,
    tool_calls_frame,
)

__all__ = [
    "FRAMES",
    "attempts_frame",
    "columns_of",
    "effects_frame",
    "events_frame",
    "frame_rows",
    "runs_frame",
    "steps_frame",
    "tool_calls_frame",
]
