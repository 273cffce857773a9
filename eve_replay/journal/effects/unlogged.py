"""Starts that the log does not show: a log known to be cut, or a step record that counts more starts.

Two sources tell how often a step was started, its log and its record. Where one of them is known to be short
the other one bounds the range; where neither does, the range has no upper end. "Ran once" is said only of a
log that is whole as far as anybody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eve_replay.journal.model import Evidence, Run, Session, Step

__all__ = ["Unlogged", "lacking_starts", "unlogged_of", "unlogged_starts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlogged:
    """Starts that may be missing from the log.

    Attributes:
        most: how many at most, None without bound.
        why: what says so, a clause.
        counted: the record counts them: there is a sign of further executions, not only a chance.
    """

    most: int | None
    why: str
    counted: bool
    evidence: tuple[Evidence, ...] = ()


def unlogged_starts(step: Step, run: Run) -> Unlogged | None:
    """Return what the log may lack of a step's starts, None when nothing says that it lacks any.

    The local world writes the record before the event, so a process that dies in between leaves a record
    that is one ahead, and nothing ran (docs/evidence/sweep.md#c3). Its lock files show that it is that world;
    other worlds were not seen to do so.
    """
    counted = step.record.attempt if step.record is not None else None
    logged = len(step.started_events)
    ahead = counted - logged if counted is not None else 0
    where = Evidence(kind="record", id=step.step_id, run_id=run.run_id, path="$.attempt")
    if run.log_gap:
        if counted is not None and ahead <= 0 and step.committed:
            return None  # two sources agree
        by = f", and its record counts {counted} starts" if ahead > 0 else ""
        why = f"the log is not whole: {run.log_gap}{by}"
        return Unlogged(most=None, why=why, counted=ahead > 0, evidence=(where,))
    if ahead <= 0 or not logged:
        return None
    if ahead == 1 and any(mark.subject == step.step_id for mark in run.marks):
        return None
    why = f"its record counts {counted} starts, the log shows {logged}"
    return Unlogged(most=ahead, why=why, counted=True, evidence=(where,))


def lacking_starts(session: Session) -> dict[str, list[Unlogged]]:
    """Return what the log may lack of the starts of each step, by step id; others are not in it."""
    found: dict[str, list[Unlogged]] = {}
    for run in session.all_runs:
        for step in run.steps:
            if (missing := unlogged_starts(step, run)) is not None:
                found.setdefault(step.step_id, []).append(missing)
    return found


def unlogged_of(step_ids: Iterable[str], lacking: Mapping[str, Sequence[Unlogged]]) -> Unlogged | None:
    """Return what is missing of the starts of several steps together, out of what the session lacks."""
    found = [missing for step_id in dict.fromkeys(step_ids) for missing in lacking.get(step_id, ())]
    if not found:
        return None
    bounds = [each.most for each in found]
    return Unlogged(
        most=None if None in bounds else sum(bound or 0 for bound in bounds),
        why=found[0].why,
        counted=any(each.counted for each in found),
        evidence=tuple(item for each in found for item in each.evidence),
    )
