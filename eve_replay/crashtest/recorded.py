"""Turns of a recorded session as the script of a crash test: messages, answers of the model, ids."""

from __future__ import annotations

from typing import Any

from eve_replay.errors import WrongUse
from eve_replay.journal.facade import Journal
from eve_replay.journal.model import Session, Turn

__all__ = ["session_turns", "turns_of"]


def turns_of(journal: Journal) -> list[dict[str, Any]]:
    """Return the turns of the only (or the first) session of a journal as ``[[turn]]`` of crashtest.toml.

    Raises:
        WrongUse: no session of it has a turn.
    """
    for head in journal.heads:
        if head.kind == "workflow" or head.parent is not None:
            continue
        found = session_turns(journal.session(head.id))
        if found:
            return found
    raise WrongUse("No session there has a turn that could be said again.")


def session_turns(session: Session) -> list[dict[str, Any]]:
    """Return the turns of one session; one without a message is left out."""
    found = []
    for turn in session.turns:
        if turn.message is not None:
            found.append({"message": turn.message, "reply": _replies(turn)})
    return found


def _replies(turn: Turn) -> list[dict[str, Any]]:
    """Return one reply per model call of the turn; of a call that ran again, the last answer counts."""
    replies: dict[int, dict[str, Any]] = {}
    for step in turn.steps:
        for attempt in step.attempts:
            for answer in attempt.model_calls:
                if answer.status != "completed":
                    continue
                calls = [
                    {"name": call.name, "id": call.call_id, "input": call.input}
                    for call in attempt.tool_calls
                    if call.coordinate == answer.coordinate and not call.history_only
                ]
                reply: dict[str, Any] = {"text": answer.text} if answer.text else {}
                replies[answer.coordinate.step_index] = reply | ({"calls": calls} if calls else {})
    return [replies[index] for index in sorted(replies)]
