"""The commit states of a joined run."""

from __future__ import annotations

from eve_replay.journal.commits.rules import run_commits
from eve_replay.journal.commits.states import RunCommits
from eve_replay.journal.model import Run
from eve_replay.journal.once import once

__all__ = ["commits_of"]


@once
def commits_of(run: Run) -> RunCommits:
    """Return the commit states of a run of the model."""
    records = [step.record for step in run.steps if step.record is not None]
    return run_commits(
        run.record, run.events, records, (*run.hooks, *run.waits, *run.marks), run_id=run.run_id
    )
