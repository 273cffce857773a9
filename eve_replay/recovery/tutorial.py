"""What the tutorial says and the recorded runtime contradicts: both sides, where they matter."""

from __future__ import annotations

from eve_replay.recovery.runtimes.base import Course
from eve_replay.recovery.situation import Situation
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["CLAIMS", "contradictions"]

#: Claim, what was seen, where.
CLAIMS = {
    "four-attempts": (
        "The tutorial says a step makes at most four attempts. Seen: a kill is never counted against the "
        "budget "
        "(9 starts, 9 charges, still running); only a recorded throw starts the counting "
        "(docs/evidence/observed.md#budget, #throw-then-kill)."
    ),
    "call-ids": (
        "The tutorial calls call ids stable over a replay. Seen: that holds for completed steps; a step "
        "that runs "
        "again asks the model again, and with ids minted per answer sessionId:callId did not protect: two "
        "payments "
        "(docs/evidence/observed.md#call-ids)."
    ),
    "completed-steps": (
        "The tutorial says completed steps are replayed and the interrupted one runs again. Seen: a "
        "commit is "
        "several writes; killed between them the run hangs or repeats its effects without end "
        "(docs/evidence/sweep.md#writes)."
    ),
    "step-completed-event": (
        "A step.completed on the stream looks like a commit. Seen: crash-before-commit has two for one "
        "step; only "
        "the log's step_completed counts (docs/evidence/observed.md#no-commit-on-the-stream)."
    ),
}


def contradictions(situation: Situation, course: Course, model: ModelAnswer) -> tuple[str, ...]:
    """Return the claims that this very answer contradicts."""
    out = []
    steps = situation.steps
    if any(s.runs_again and (s.starts >= 2 or s.code == "F1") and not s.threw for s in steps):
        out.append(CLAIMS["four-attempts"])
    if model != "same" and any(f.again and f.after.max != 0 for f in course.futures):
        out.append(CLAIMS["call-ids"])
    if course.outcome == "hangs" and any(s.wedged for s in steps):
        out.append(CLAIMS["completed-steps"])
    return tuple(out)
