"""No durability: the plain loop that opens the tutorial. For comparison only.

A crash loses the loop's memory. Nothing is recovered; a person starts the turn again from its message, and
everything in it is done again.
"""

from __future__ import annotations

from eve_replay.journal.effects.executions import Executions
from eve_replay.recovery.environment import Environment
from eve_replay.recovery.result import Paid
from eve_replay.recovery.runtimes.base import Course, Fate, Future
from eve_replay.recovery.situation import NEVER, ONCE, Situation
from eve_replay.recovery.strategies import ModelAnswer

__all__ = ["NoRuntime"]


class NoRuntime:
    """A while loop around model and tools, without any record."""

    name = "none"
    words = "no durability (a plain loop)"
    source = "the tutorial's opening"
    environment = "not-restarted"

    def recover(self, situation: Situation, environment: Environment, model: ModelAnswer) -> Course:
        """Return what happens when a person sends the message again: the whole turn, from its start."""
        open_ = situation.open_turn or situation.message_lost
        course = Course(
            outcome="needs-person" if open_ else "nothing-open",
            by="person" if open_ else "nobody",
            person="send the message again; everything in the turn is done again" if open_ else "",
            ends=(situation.ends or "completed") if open_ else "nothing is open",
        )
        began = 0
        again = 0
        for step in situation.steps:
            ran = step.starts > 0 or step.code == "done"
            count = step.starts + (1 if open_ else 0)
            course.fates.append(
                Fate(
                    step=step,
                    verdict="re-executed" if ran and open_ else "replayed" if ran else "never-reached",
                    attempts=Executions(min=count, max=count),
                    rule="plain-loop",
                )
            )
            if step.model is not None:
                began += step.model.maybe
                again += step.model.total
        for effect in situation.effects:
            after = ONCE if open_ else NEVER
            if model == "other" and after is ONCE:
                after = Executions(min=0, max=1)
            # An effect that is known was asked for: the model is asked again for it.
            asked = effect.before.max != 0 or (effect.step is not None and effect.step.starts > 0)
            course.futures[effect] = Future(after=after, again=asked, rule="plain-loop")
        course.calls = Paid(paid=began + (again if open_ else 0), again=began if open_ else 0)
        course.use("plain-loop")
        del environment
        return course
