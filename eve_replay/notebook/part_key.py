"""The key by which all views name the part of a session that a person has in hand."""

from __future__ import annotations

from eve_replay.journal.targets import Located
from eve_replay.views.kit.base import attempt_key, call_key, step_key

__all__ = ["key_of"]


def key_of(located: Located) -> str | None:
    """Return the key of the part that was given, as all views name it; None for a whole session."""
    step = located.step
    if step is None:
        return None if located.turn is None else f"turn:{located.session.id}/{located.turn.id}"
    if located.attempt is None:
        return step_key(step.run_id, step.step_id)
    if located.call is None:
        return attempt_key(step.run_id, step.step_id, located.attempt.n)
    return call_key(step.run_id, step.step_id, located.attempt.n, located.call.call_id)
