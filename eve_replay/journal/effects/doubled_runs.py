"""Plain SDK: runs that a step started again when it was run again.

``start(flow, args)`` inside a step is an effect like any other: a step that is interrupted after it and run
again starts a second run. Nothing in the records connects the three. What does: the step's output names a
run; another one is of the same workflow, got equal input, and was created inside another attempt of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from eve_replay.journal.model import Attempt, Evidence, Session, Step
from eve_replay.records import RunRecord
from eve_replay.values import same

__all__ = ["DoubledRun", "RunsSeen"]

#: Between the call and the record of the run it starts, and between two clocks.
_SLACK = timedelta(milliseconds=250)
#: Payloads bigger than this are not read to be compared; their sizes are.
_READ = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubledRun:
    """Runs that one step started, one per attempt.

    Attributes:
        starter_id: the run whose step it was; ``step`` the step.
        runs: the records of the runs it started, oldest first, at least two.
        kept: id of the one that the step's output names.
    """

    starter_id: str
    step: Step
    runs: tuple[RunRecord, ...]
    kept: str

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The attempts and the run records."""
        records = tuple(Evidence(kind="record", id=run.run_id, run_id=run.run_id) for run in self.runs)
        return tuple(item for a in self.step.attempts for item in a.evidence) + records


@dataclass(slots=True)
class RunsSeen:
    """Plain runs as they are read one after the other: of each only its record is kept, and re-run steps."""

    _runs: dict[str, RunRecord] = field(default_factory=dict)
    _again: list[tuple[str, Step]] = field(default_factory=list)

    def see(self, session: Session) -> None:
        """Take one session; only plain runs matter."""
        if session.kind != "workflow":
            return
        for run in session.runs:
            self._runs[run.run_id] = run.record
            self._again += [
                (session.id, step)
                for step in run.steps
                if step.kind == "function" and len(step.attempts) > 1 and step.output is not None
            ]

    def doubled(self) -> tuple[DoubledRun, ...]:
        """Return where a re-run step started a run again."""
        found = []
        for starter_id, step in self._again:
            kept = self._named(step)
            if kept is None or self._inside(kept, step) is None:
                continue
            mine = self._inside(kept, step)
            others: dict[int, RunRecord] = {}
            for run in self._runs.values():
                attempt = self._inside(run, step)
                if run is kept or attempt is None or attempt is mine or attempt.n in others:
                    continue
                if run.run_id != starter_id and _alike(run, kept):
                    others[attempt.n] = run
            if others:
                runs = sorted((*others.values(), kept), key=lambda run: run.run_id)
                found.append(DoubledRun(starter_id=starter_id, step=step, runs=tuple(runs), kept=kept.run_id))
        return tuple(found)

    def _named(self, step: Step) -> RunRecord | None:
        """Return the run that a step's output names: the id itself, or a field of an object."""
        output = step.output
        if output is None or output.size > _READ:
            return None
        value = output.shared
        fields: Sequence[object] = list(value.values()) if isinstance(value, dict) else [value]
        return next((self._runs[f] for f in fields if isinstance(f, str) and f in self._runs), None)

    def _inside(self, run: RunRecord, step: Step) -> Attempt | None:
        """Return the attempt in whose window a run was created."""
        at = run.created_at
        if at is None:
            return None
        for attempt in reversed(step.attempts):
            if attempt.started_at is None or attempt.started_at - _SLACK > at:
                continue
            return attempt if attempt.window_end is None or at <= attempt.window_end else None
        return None


def _alike(one: RunRecord, two: RunRecord) -> bool:
    if one.workflow.full != two.workflow.full:
        return False
    left, right = one.payload("input"), two.payload("input")
    if left is None or right is None:
        return left is right
    if left.size > _READ or right.size > _READ:
        return left.size == right.size
    return same(left.shared, right.shared)
