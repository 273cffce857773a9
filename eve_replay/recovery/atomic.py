"""The same situation where a commit is one write: half-written states cannot be there.

The hosted world writes entity and event of a commit in one transaction (constants of the runtime in
``@workflow/core``: "each fan-out event costs 2 transaction items", entity and event row). A point inside a
commit of a local recording then lies before that commit.
"""

from __future__ import annotations

from dataclasses import replace

from eve_replay.recovery.situation import Situation, StepState

__all__ = ["whole_commits"]

_BEFORE = {"C1a": "unborn", "C1b": "unborn", "C3": "B", "F1": "D", "F2": "D"}


def whole_commits(situation: Situation) -> Situation:
    """Return the situation with every half-written commit taken as not written at all."""
    moved: dict[int, StepState] = {}
    runs = []
    for run in situation.runs:
        steps = []
        for step in run.steps:
            code = _BEFORE.get(step.code)
            if code is None and not step.aborted:
                steps.append(step)
                continue
            plain = replace(step, code=code or step.code, aborted=False)  # type: ignore[arg-type]
            moved[id(step)] = plain
            steps.append(plain)
        waits = [
            replace(wait, code="waiting") if wait.code == "W2" else wait
            for wait in run.waits
            if wait.code != "W1"
        ]
        code = "unborn" if run.code == "R1" else run.code
        runs.append(replace(run, code=code, steps=steps, waits=waits, hooks=[], token_lock=False))
    effects = [
        replace(effect, step=moved[id(effect.step)]) if id(effect.step) in moved else effect
        for effect in situation.effects
    ]
    return replace(situation, runs=runs, effects=effects, near={})
