"""Rows of lists as plain JSON data, in the shapes that docs/json.md fixes (more: ``journal.documents``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eve_replay.times import iso

if TYPE_CHECKING:
    from eve_replay.views.inspect.records import RunRow, StepRow
    from eve_replay.views.verdicts.landing import LandingRow

__all__ = ["landing_document", "run_document", "step_row_document"]


def run_document(row: RunRow) -> dict[str, object]:
    """Return one run as JSON; ``depth`` is a matter of the list, not of the run."""
    document = row.to_json()
    del document["depth"]
    return document


def step_row_document(step: StepRow) -> dict[str, object]:
    """Return one step as JSON: the name whole, the function beside it."""
    document = step.to_json()
    document["name"] = step.name.full
    document["function"] = step.name.function
    return document


def landing_document(row: LandingRow) -> dict[str, object]:
    """Return one entry of the ``sessions`` document."""
    out: dict[str, object] = {
        "sessionId": row.id,
        "framework": row.framework,
        "title": row.title,
        "state": row.state,
        "since": iso(row.since) if row.since is not None else None,
        "worst": {"code": row.code, "severity": row.severity, "certainty": row.certainty},
        "twice": {"sure": row.twice.sure, "possible": row.twice.possible},
        "lastActivity": iso(row.last_activity) if row.last_activity is not None else None,
        "runs": row.runs,
        "turns": row.turns,
        "tools": list(row.tools),
        "eveVersion": row.version or None,
    }
    if row.deadline is not None:
        out["deadline"] = iso(row.deadline)
    return out
