"""From whatever a person has in hand to what a figure is made of."""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.journal import Journal, Session, Turn
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.targets import Target, locate, turn_of
from eve_replay.views.crashlab.crash import CrashLab
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.focus import worst_turn

__all__ = ["Aim", "TurnLike", "aim", "turn_words"]

TurnLike = str | int | Turn | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What a figure is about: the session's views, and the turn that was named (None: the whole session)."""

    view: Explorer
    turn: Turn | None

    @property
    def session(self) -> Session:
        """The session."""
        return self.view.session

    def lab(self) -> CrashLab:
        """Return the crash lab of the turn; where none was named of the one to look at first."""
        turn = self.turn.id if self.turn else worst_turn(self.session, self.view.effects, self.view.counts)
        return CrashLab(self.session, turn, self.view.policy)


def aim(
    target: Target,
    turn: TurnLike,
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
) -> Aim:
    """Return what a target means for a figure; of several sessions the last conversation.

    Raises:
        NotFound, WrongUse: as ``eve_replay.explore``.
    """
    located = locate(target, session=session, several="last")
    if turn is None and located.turn is None:
        found = None  # a step beside the turns, or the whole session
    else:
        found = turn_of(located, turn)
    return Aim(view=Explorer(located.session, effects), turn=found)


def turn_words(turn_id: str | None) -> str:
    """Return ``turn 1``; ``this run`` for a session without turns."""
    return f"turn {turn_id.removeprefix('turn_')}" if turn_id else "this run"
