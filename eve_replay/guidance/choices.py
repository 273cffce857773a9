"""What a person can do now, side by side: what each choice repeats, loses or leaves open; the safest marked.

Restart, another version, cancel, reset, wait. What cancel and reset do to an open step was tried with the
real eve (docs/evidence/environments.md#stopping-an-open-step): neither takes it back, it runs again first.
Under another version nothing runs, and a reset there ends the session. What follows for a session from what
was seen of others is implied, never observed; where it cannot be told what acted, it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eve_replay.checks.phrases import Voice, listed
from eve_replay.guidance.plan.coming import ahead_of, soon_of
from eve_replay.guidance.plan.model import Place
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.effects.policy import EffectsPolicy
from eve_replay.journal.model import Certainty, Session
from eve_replay.recovery.fate import situation_of

__all__ = ["Choice", "choices_of"]

ChoiceName = Literal["restart", "other-version", "reset-under-other-version", "cancel", "reset", "wait"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing a person can do.

    Attributes:
        name: for scripts; ``words`` for people.
        repeats: calls that run again, unprotected first, ``protected`` of them behind a key or harmless.
        unprotected: how many of them the outside may see again.
        outcome: how the session ends up, as ``forecast`` says it.
        leaves: what is lost or stays open, one sentence.
        certainty: implied or unknown: nothing of it has happened yet.
        safest: whether it repeats least and is the first of those in that order.
    """

    name: ChoiceName
    words: str
    repeats: tuple[str, ...]
    unprotected: int
    outcome: str
    leaves: str
    certainty: Certainty
    safest: bool = False

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "do": self.name,
            "repeats": list(self.repeats),
            "unprotected": self.unprotected,
            "outcome": self.outcome,
            "leaves": self.leaves,
            "certainty": self.certainty,
            "safest": self.safest,
        }


#: How the process comes back, by who wrote the journal.
_START = {
    "eve": "start the same version",
    "workflow-sdk": "start the app (its world too)",
    "python-sdk": "start the worker, and the queue that delivers to it",
}


def choices_of(
    session: Session, *, environment: str, voice: Voice, effects: EffectsPolicy | None = None
) -> tuple[Choice, ...]:
    """Return the choices for a session, the safest first named in ``safest``.

    Args:
        session: the session as it lies there.
        environment: how its process comes back, as ``forecast --environment`` takes it.
        voice: now and the assumed lease.
        effects: what the user knows of their tools.
    """
    situation = situation_of(session, effects)
    ahead = ahead_of(session, situation, environment, voice)
    soon = soon_of(session, ahead, effects_of(session, effects), voice, Place())
    repeats = tuple(f"{each.tool}" for each, _ in soon)
    bare = sum(each.unprotected for each, _ in soon)
    told: Certainty = "unknown" if any(each.certainty == "unknown" for each, _ in soon) else "implied"
    again = f"{listed(repeats)} again" if repeats else "nothing again"
    outcome = ahead.sim.outcome
    open_ = outcome != "nothing-open"
    run_on = {"recovers": "the work goes on to its end", "nothing-open": "nothing is open"}
    found = [
        Choice(
            name="restart",
            words=_START.get(session.framework, "start the same build"),
            repeats=repeats,
            unprotected=bare,
            outcome=outcome,
            leaves=run_on.get(outcome, f"afterwards: {outcome.replace('-', ' ')}"),
            certainty=told,
        )
    ]
    if session.framework == "eve":
        found += _eve_choices(repeats, bare, again, outcome, told, open_=open_)
    found.append(
        Choice(
            name="wait",
            words="keep everything down that works on it"
            if session.framework != "eve"
            else "keep every server down",
            repeats=(),
            unprotected=0,
            outcome="as it lies",
            leaves="everything stays open, and who waits for it waits on" if open_ else "nothing is open",
            certainty="implied",
        )
    )
    return _marked(found)


def _eve_choices(
    repeats: tuple[str, ...], bare: int, again: str, outcome: str, told: Certainty, *, open_: bool
) -> list[Choice]:
    first = f"an open step runs first: {again}, then " if repeats else ""
    return [
        Choice(
            name="cancel",
            words="start the same version and cancel the turn",
            repeats=repeats,
            unprotected=bare,
            outcome="turn cancelled" if open_ else outcome,
            leaves=f"{first}the turn ends as cancelled; what acted stays done",
            certainty=told,
        ),
        Choice(
            name="reset",
            words="start the same version and reset the session",
            repeats=repeats,
            unprotected=bare,
            outcome="session ended",
            leaves=f"{first}the session ends; its conversation is over, what acted stays done",
            certainty=told,
        ),
        Choice(
            name="other-version",
            words="start another eve version",
            repeats=(),
            unprotected=0,
            outcome="stranded",
            leaves="nothing of it runs; messages get 409, it stays open for its own version (a subagent or a "
            "tool run is cancelled)",
            certainty="implied",
        ),
        Choice(
            name="reset-under-other-version",
            words="start another eve version and reset there",
            repeats=(),
            unprotected=0,
            outcome="session ended",
            leaves="nothing of it runs, the session is over; back under its own version it stays over",
            certainty="implied",
        ),
    ]


def _marked(found: list[Choice]) -> tuple[Choice, ...]:
    """Mark the safest: nothing unprotected, then what gets the work done, then what leaves least open."""
    order = ("restart", "reset-under-other-version", "wait", "other-version", "cancel", "reset")
    best = min(found, key=lambda each: (each.unprotected, order.index(each.name)))
    return tuple(
        Choice(
            name=each.name,
            words=each.words,
            repeats=each.repeats,
            unprotected=each.unprotected,
            outcome=each.outcome,
            leaves=each.leaves,
            certainty=each.certainty,
            safest=each is best,
        )
        for each in found
    )
