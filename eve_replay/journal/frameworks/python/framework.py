"""The vendor's Python SDK as a framework: plain runs, whose deployment id it leaves empty.

Source: docs/evidence/recordings.md#plain-sdk.
"""

from __future__ import annotations

from eve_replay.journal.frameworks.base import Nouns
from eve_replay.journal.frameworks.workflow.language import WorkflowFramework
from eve_replay.journal.frameworks.workflow.sessions import role_of
from eve_replay.records import RunRecord

__all__ = ["framework"]


def _mine(record: RunRecord) -> bool:
    return record.fields.get("deploymentId") == "" and role_of(record) == "workflow"


framework = WorkflowFramework(
    name="python-sdk",
    nouns=Nouns(
        product="the Python SDK",
        session="run",
        turn="",
        step="step",
        start="Start a worker on the queue that holds its message, or send the message again (world.queue)",
    ),
    sign=_mine,
)
