"""Where a crash point of a Flue submission lies, in Flue's words."""

from __future__ import annotations

from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.sentences import joined
from eve_replay.recovery.situation import EffectState, RunState, Situation, StepState

__all__ = ["classify"]

Found = tuple[str, str, StepState | None, RunState | None]


def classify(plan: Plan, place: int, situation: Situation) -> Found:
    """Return class, words, step and run of a place."""
    root = situation.root
    if place >= plan.closed:
        return "after-turn", "after the submission is settled", None, root
    if place <= plan.first:
        return "before-turn", "accepted, nothing of it is written", None, root
    steps = [s for s in situation.steps if s.code != "unborn"]
    if not steps:
        if situation.hooks:
            return "start-hooks", "in the start hooks: their marker is not written", None, root
        word = "before the model is asked"
        return "before-model", word, None, root
    open_ = next((s for s in reversed(steps) if s.code != "done"), None)
    if open_ is None:
        if situation.final:
            return "settling", "the last answer is whole, the submission is not settled", steps[-1], root
        return "committed", "results are committed, the model is not asked again yet", steps[-1], root
    run = situation.runs[open_.run]
    if not open_.answered:
        word = "in the model's answer" + (", some of it is durable" if situation.partial else "")
        return "in-model", word, open_, run
    mine = [e for e in situation.effects if e.step is open_ and e.kind != "step"]
    at_work = [e for e in mine if e.stage == "open"]
    back = [e.tool for e in mine if e.stage == "settled"]
    if not at_work:
        return "results-open", "all outcomes are there, not committed", open_, run
    if any(e.delegate == "bare" for e in at_work):
        return "child-creating", "a delegate's conversation is created, its input is not written", open_, run
    siblings = f" ({joined(back)} {'has' if len(back) == 1 else 'have'} an outcome)" if back else ""
    return "in-tool", f"inside {joined([_name(e, situation) for e in at_work])}{siblings}", open_, run


def _name(effect: EffectState, situation: Situation) -> str:
    done = [e.tool for e in situation.effects if e.within == effect.call_id and e.stage == "settled"]
    return f"{effect.tool} (recorded: {joined(done)})" if done else effect.tool
