"""Keys of model calls and parks, and what became of a tool call, in words."""

from __future__ import annotations

from eve_replay.journal import ModelCall, Park, Step, ToolCall
from eve_replay.views.kit.tone import Tone

__all__ = ["call_status", "model_key", "park_key"]


def model_key(step: Step, attempt: int, call: ModelCall) -> str:
    """Return ``model:RUN/STEP/N/INDEX/TURN``."""
    place = call.coordinate
    return f"model:{step.run_id}/{step.step_id}/{attempt}/{place.step_index}/{place.turn_id}"


def park_key(park: Park, number: int) -> str:
    """Return ``park:TURN/N``; parks have no id of their own that always exists."""
    return f"park:{park.turn_id or park.run_id}/{number}"


def call_status(call: ToolCall) -> tuple[str, Tone]:
    """Return what became of a tool call, in words, with its tone."""
    if call.is_error:
        return ("failed", "error")
    if call.returned:
        return ("returned", "tool")
    if call.deferred:
        return ("held", "parked")
    if call.history_only:
        return ("did not run", "muted")
    return ("no result", "unknown")
