"""How eve and the Workflow SDK recover, as observed (docs/evidence/sweep.md, observed.md).

The simple rule (completed steps are replayed, the interrupted one runs again whole) is right for every point
that is not inside a commit. The rest is what the real runtime did at the other points: how far each run
gets (``policy_eve_flow``), what becomes of steps and effects (``policy_eve_fates``), how it ends
(``policy_eve_end``).
"""

from __future__ import annotations

from eve_replay.recovery.atomic import whole_commits
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.runtimes.base import Course, Fate, Future, Futures
from eve_replay.recovery.runtimes.counts import count_events, count_model
from eve_replay.recovery.runtimes.eve.end import conclude
from eve_replay.recovery.runtimes.eve.fates import exactly, fates, futures
from eve_replay.recovery.runtimes.eve.flow import flow_of
from eve_replay.recovery.situation import Situation
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["EveRuntime", "WorkflowSdkRuntime"]


class EveRuntime:
    """eve 0.80 and the Workflow SDK below it."""

    name = "eve"
    words = "eve / Workflow SDK, as observed"
    source = "docs/evidence/sweep.md, docs/evidence/observed.md"
    environment = "eve-start"

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what becomes of every step and effect."""
        if environment.recovers == "no":
            return _left_alone(situation, environment)
        asked = situation
        if environment.transactional:
            situation = whole_commits(situation)
        flow = flow_of(situation)
        course = Course(outcome="recovers")
        fates(situation, flow, course, environment)
        futures(situation, flow, course, environment, model)
        count_model(situation, course, flow.goes)
        count_events(situation, course)
        conclude(situation, flow, course, environment, model)
        if situation is not asked:  # what was said of a copy is said of the effect that was asked about
            pairs = zip(asked.effects, situation.effects, strict=True)
            course.futures = Futures((own, course.futures[copy]) for own, copy in pairs)
        return course


class WorkflowSdkRuntime(EveRuntime):
    """The Workflow SDK on its own: the same rules, in an app that starts its world."""

    name = "workflow-sdk"
    words = "Workflow SDK, as observed"
    environment = "sdk-started"


def _left_alone(situation: Situation, environment: Environment) -> Course:
    """Nothing comes back: what has happened has happened."""
    open_ = situation.open_turn
    course = Course(
        outcome="needs-person" if open_ else "nothing-open",
        by="person" if open_ else "nobody",
        person=environment.person if open_ else "",
        ends="never" if open_ else (situation.ends or "nothing is open"),
    )
    for step in situation.steps:
        done = step.code == "done"
        course.fates.append(
            Fate(
                step=step,
                verdict="replayed" if done else "stuck" if step.open else "never-reached",
                attempts=exactly(step.starts),
                completes=done,
                rule="replayed" if done else "environment",
            )
        )
    course.futures = Futures((effect, Future(rule="environment")) for effect in situation.effects)
    if open_:
        course.use("environment", environment.words)
    count_model(situation, course, ["left" for _ in situation.runs])
    return course
