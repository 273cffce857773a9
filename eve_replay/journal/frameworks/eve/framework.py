"""eve as a framework: its sessions own the conversation, turns lie in them, tools and subagents below."""

from __future__ import annotations

from eve_replay.journal.frameworks.base import Nouns
from eve_replay.journal.frameworks.workflow.language import WorkflowFramework
from eve_replay.journal.frameworks.workflow.sessions import role_of
from eve_replay.records import RunRecord

__all__ = ["framework"]


def _mine(record: RunRecord) -> bool:
    return role_of(record) != "workflow"


framework = WorkflowFramework(
    name="eve",
    nouns=Nouns(
        product="eve",
        session="session",
        turn="turn",
        step="step",
        start="Start the server on the same version",
    ),
    sign=_mine,
)
