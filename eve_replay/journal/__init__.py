"""Records to sessions, turns, steps and attempts: what happened, how we know, and how sure that is.

Use::

    with open_journal("path/to/.workflow-data") as journal:
        for head in journal.heads:            # nothing decoded
            session = journal.session(head.id)  # joined on demand
            for turn in session.turns: ...
"""

from __future__ import annotations

from eve_replay.journal.documents import attempts_document, step_document
from eve_replay.journal.facade import Journal, open_journal
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
from eve_replay.journal.state import (
    CHECKPOINT,
    REBUILT,
    State,
    StepState,
    messages_added,
    state_after,
    state_before,
    walk_states,
)
from eve_replay.journal.transcript import TranscriptEntry, transcript

__all__ = [
    "CHECKPOINT",
    "REBUILT",
    "Attempt",
    "Certainty",
    "Coordinate",
    "Evidence",
    "Journal",
    "Message",
    "ModelCall",
    "Park",
    "Run",
    "Session",
    "SessionHead",
    "State",
    "Step",
    "StepState",
    "StreamEvent",
    "Tokens",
    "ToolCall",
    "TranscriptEntry",
    "Turn",
    "attempts_document",
    "messages_added",
    "open_journal",
    "state_after",
    "state_before",
    "step_document",
    "transcript",
    "walk_states",
]
