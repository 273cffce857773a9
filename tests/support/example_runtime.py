"""A runtime of a third party in about eighty lines, with a small written journal (docs/guides/runtimes.md).

Like Temporal: an activity whose completion is recorded never runs again; one that was started and has no end
is retried, so it may have acted already; what was not started runs once.

A package that brings such a runtime names it in its pyproject.toml::

    [project.entry-points."eve_replay.runtimes"]
    temporal-like = "my_package.runtime:TemporalLike"
"""

from eve_replay import open_journal
from eve_replay.records import EventRecord, RunRecord, StepRecord
from eve_replay.recovery import Course, Fate, Future
from eve_replay.recovery.situation import NEVER, ONCE, Executions
from eve_replay.worlds.memory import MemoryWorld

RULES = {
    "activity-kept": "An activity whose completion is recorded never runs again.",
    "activity-retried": "An activity that was started and has no end is retried.",
}


class TemporalLike:
    name = "temporal-like"
    words = "activities: recorded ones are kept, an unfinished one is retried"
    source = "its own documentation"
    environment = "sdk-started"
    rules = RULES

    def recover(self, situation, environment, model):
        open_ = situation.open_turn
        course = Course(outcome="recovers" if open_ else "nothing-open", by="restart" if open_ else "nobody")
        course.ends = "completed" if open_ else "nothing is open"
        for step in situation.steps:
            course.fates.append(self._fate(step, open_))
        for effect in situation.effects:
            course.futures[effect] = self._future(effect, open_)
        for rule in dict.fromkeys(f.rule for f in course.futures if f.rule in self.rules):
            course.use(rule)
        return course

    def _fate(self, step, open_):
        count = step.starts + (1 if open_ and step.code != "done" else 0)
        attempts = Executions(min=count, max=count)
        if step.code == "done":
            return Fate(step=step, verdict="replayed", attempts=attempts, rule="activity-kept")
        verdict = "re-executed" if step.starts and open_ else "never-reached"
        return Fate(step=step, verdict=verdict, attempts=attempts, rule="activity-retried")

    def _future(self, effect, open_):
        done = effect.step is None or effect.step.code == "done"
        if done or not open_:
            return Future(after=NEVER, rule="activity-kept")
        return Future(after=ONCE, again=effect.before.max != 0, rule="activity-retried")


def written_journal():
    """An order: the charge is recorded, the mail was started when the worker died, shipping never began."""
    run = "wrun_01M8R0000000000000000000R1"
    events = [
        ("run_created", None, {"workflowName": "workflow//order//fulfil"}),
        ("run_started", None, {}),
        ("step_created", "step_01M8R0000000000000000000S1", {"stepName": "step//order//charge"}),
        ("step_started", "step_01M8R0000000000000000000S1", {}),
        ("step_completed", "step_01M8R0000000000000000000S1", {}),
        ("step_created", "step_01M8R0000000000000000000S2", {"stepName": "step//order//mail"}),
        ("step_started", "step_01M8R0000000000000000000S2", {}),
    ]
    base = {"runId": run, "specVersion": 4}
    at = "2026-12-01T09:00:0{}.000Z"
    records = [
        EventRecord(
            {**base, "eventId": f"evnt_{n:026d}", "eventType": kind, "createdAt": at.format(n)}
            | ({"correlationId": step} if step else {})
            | {"eventData": data}
        )
        for n, (kind, step, data) in enumerate(events, start=1)
    ]
    steps = [
        StepRecord(
            {**base, "stepId": events[2][1], "stepName": "step//order//charge", "status": "completed"}
        ),
        StepRecord({**base, "stepId": events[5][1], "stepName": "step//order//mail", "status": "running"}),
    ]
    head = RunRecord(
        {**base, "workflowName": "workflow//order//fulfil", "status": "running", "createdAt": at.format(0)}
    )
    return open_journal(MemoryWorld(runs=[head], events=records, steps=steps))
