"""A plain Workflow SDK app as a framework: every run stands for itself, and has steps but no turns."""

from __future__ import annotations

from eve_replay.journal.frameworks.base import Nouns
from eve_replay.journal.frameworks.workflow.language import WorkflowFramework
from eve_replay.journal.frameworks.workflow.sessions import role_of
from eve_replay.records import RunRecord

__all__ = ["framework"]


def _mine(record: RunRecord) -> bool:
    return role_of(record) == "workflow"


framework = WorkflowFramework(
    name="workflow-sdk",
    nouns=Nouns(
        product="the Workflow SDK",
        session="run",
        turn="",
        step="step",
        start="Start the app so that it calls world.start()",
    ),
    sign=_mine,
)
