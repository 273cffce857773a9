"""Records to sessions, turns, steps and attempts: what happened, how we know, and how sure that is.

Use::

    with open_journal("path/to/.workflow-data") as journal:
        for head in journal.heads:            # nothing decoded
            session = journal.session(head.id)  # joined on demand
            for turn in session.turns: ...
"""

from __future__ import annotations

from eve_replay.journal.model import (
    Attempt,
    Certainty,
    Coordinate,
    Evidence,
    Message,
    ModelCall,
    Park,
    Run,
    Session,
    SessionHead,
    Step,
    StreamEvent,
    Tokens,
    ToolCall,
    Turn,
)

__all__ = [
    "Attempt",
    "Certainty",
    "Coordinate",
    "Evidence",
    "Message",
    "ModelCall",
    "Park",
    "Run",
    "Session",
    "SessionHead",
    "Step",
    "StreamEvent",
    "Tokens",
    "ToolCall",
    "Turn",
]
