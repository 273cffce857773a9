"""What a person asks of a thing in hand: ``session.why()``, ``turn.crash()``, ``step.diff()``.

The model knows nothing of what stands above it. A part asks the package's face (``eve_replay/__init__.py``),
which loads each front end when it is wanted and finds the part's own session: the answer is the same as that
of ``er.why(part)`` and its kin.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import datetime

    import pandas as pd

    from eve_replay.guidance.why import Report
    from eve_replay.journal.effects.policy import EffectsLike
    from eve_replay.journal.ledger.model import LedgerLike
    from eve_replay.notebook.explorer_widget import ExplorerWidget
    from eve_replay.notebook.widgets import JournalWidget
    from eve_replay.recovery.question import Question

__all__ = ["Asked"]

FrameName = Literal["runs", "steps", "attempts", "tool_calls", "events", "effects"]


class Asked:
    """The questions that every part of a journal answers. Each is the function of the same name in ``er``."""

    __slots__ = ()

    def explore(
        self,
        *,
        at: str | None = None,
        effects: EffectsLike = None,
        ledger: LedgerLike | None = None,
        now: datetime | None = None,
        reveal: bool = False,
    ) -> ExplorerWidget:
        """Return the explorer, open at this: ``er.explore``."""
        answer: ExplorerWidget = _face().explore(
            self, at=at, effects=effects, ledger=ledger, now=now, reveal=reveal
        )
        return answer

    def why(
        self,
        *,
        question: Question | None = None,
        effects: EffectsLike = None,
        ledger: LedgerLike | None = None,
        now: datetime | None = None,
    ) -> Report:
        """Return the post-mortem of the session it belongs to: ``er.why``."""
        answer: Report = _face().why(self, question=question, effects=effects, ledger=ledger, now=now)
        return answer

    def diff(
        self,
        first: int = 1,
        second: int | None = None,
        *,
        effects: EffectsLike = None,
        ledger: LedgerLike | None = None,
    ) -> JournalWidget:
        """Return two attempts side by side, of the first step in it that ran again: ``er.attempt_diff``."""
        answer: JournalWidget = _face().attempt_diff(self, first, second, effects=effects, ledger=ledger)
        return answer

    def crash(
        self, *, question: Question | None = None, effects: EffectsLike = None, predict: bool = False
    ) -> JournalWidget:
        """Return the crash lab of its turn: ``er.crash_lab``."""
        answer: JournalWidget = _face().crash_lab(self, question=question, effects=effects, predict=predict)
        return answer

    def frame(
        self,
        name: FrameName | None = None,
        *,
        ids: Literal["whole", "short"] = "whole",
        effects: EffectsLike = None,
    ) -> pd.DataFrame:
        """Return a table of what lies in it: ``er.frames``.

        Args:
            name: ``runs``, ``steps``, ``attempts``, ``tool_calls``, ``events`` or ``effects``; without it the
                one that lies below: runs of a journal, steps of a session, run or turn, attempts of a step,
                tool calls of an attempt or call.
            ids: ``short`` for ids to read, which are not for joining.
            effects: what the user knows of their tools, for ``effects``.
        """
        answer: pd.DataFrame = _face().frames.frame(
            name or _BELOW[type(self).__name__], self, ids=ids, effects=effects
        )
        return answer


_BELOW: dict[str, FrameName] = {
    "Journal": "runs",
    "Session": "steps",
    "Run": "steps",
    "Turn": "steps",
    "Step": "attempts",
    "Attempt": "tool_calls",
    "ToolCall": "tool_calls",
}


def _face() -> Any:
    return import_module(__name__.partition(".")[0])
