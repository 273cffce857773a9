"""Open the run journals of eve and the Workflow SDK.

The public names are loaded on first use, so that importing the package costs next to nothing::

    from eve_replay import open_journal

    journal = open_journal("sample:crash-in-tool")
    for run in journal.runs:
        print(run.record.run_id, run.record.status)

Everything in ``__all__`` is public; ``docs/api-style.md`` says what that means, and what is provisional.
``diff``, ``frames``, ``figures`` and ``samples`` are modules, everything else is a function or a class.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from eve_replay._version import __version__

if TYPE_CHECKING:
    from eve_replay import diff, frames, samples
    from eve_replay.codec import KeyRing, Payload
    from eve_replay.errors import EveReplayError, NotFound, SourceUnreadable, UnknownSource, WrongUse
    from eve_replay.journal import Attempt, Journal, Run, Session, Step, ToolCall, Turn, open_journal
    from eve_replay.journal.effects.policy import EffectsPolicy
    from eve_replay.journal.ledger.ask import ledger
    from eve_replay.journal.ledger.model import Ledger
    from eve_replay.notebook import attempt_diff, crash_lab, explore, figures, postmortem, run_until, why
    from eve_replay.problems import Problem, Receipt
    from eve_replay.recovery.forecast import forecast
    from eve_replay.recovery.question import Question
    from eve_replay.recovery.simulation import crash_points, matrix, simulate
    from eve_replay.values import from_tagged, preview, to_tagged
    from eve_replay.views.search.way import ValueWay, follow
    from eve_replay.views.stepping.moment import Moment, moments
    from eve_replay.worlds.base import World
    from eve_replay.worlds.registry import open_world

__all__ = [
    "Attempt",
    "EffectsPolicy",
    "EveReplayError",
    "Journal",
    "KeyRing",
    "Ledger",
    "Moment",
    "NotFound",
    "Payload",
    "Problem",
    "Question",
    "Receipt",
    "Run",
    "Session",
    "SourceUnreadable",
    "Step",
    "ToolCall",
    "Turn",
    "UnknownSource",
    "ValueWay",
    "World",
    "WrongUse",
    "__version__",
    "attempt_diff",
    "crash_lab",
    "crash_points",
    "diff",
    "explore",
    "figures",
    "follow",
    "forecast",
    "frames",
    "from_tagged",
    "ledger",
    "matrix",
    "moments",
    "open_journal",
    "open_world",
    "postmortem",
    "preview",
    "run_until",
    "samples",
    "simulate",
    "to_tagged",
    "why",
]

_HOMES = {
    **dict.fromkeys(
        ("EveReplayError", "NotFound", "SourceUnreadable", "UnknownSource", "WrongUse"), "errors"
    ),
    **dict.fromkeys(("Problem", "Receipt"), "problems"),
    **dict.fromkeys(("from_tagged", "preview", "to_tagged"), "values"),
    **dict.fromkeys(("KeyRing", "Payload"), "codec"),
    "World": "worlds.base",
    "open_world": "worlds.registry",
    **dict.fromkeys(
        ("Attempt", "Journal", "Run", "Session", "Step", "ToolCall", "Turn", "open_journal"), "journal"
    ),
    "EffectsPolicy": "journal.effects.policy",
    "Ledger": "journal.ledger.model",
    "ledger": "journal.ledger.ask",
    **dict.fromkeys(("Question", "crash_points", "forecast", "matrix", "simulate"), "recovery"),
    **dict.fromkeys(("ValueWay", "follow"), "views.search.way"),
    **dict.fromkeys(("Moment", "moments"), "views.stepping.moment"),
    **dict.fromkeys(("attempt_diff", "crash_lab", "explore", "postmortem", "run_until", "why"), "notebook"),
}
_MODULES = {
    "diff": "diff",
    "figures": "notebook.figures",
    "frames": "frames",
    "samples": "samples",
}

# For a type checker this function is not there: with it every misspelt name would be valid.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        home, module = _HOMES.get(name), _MODULES.get(name)
        if module is not None:
            value = importlib.import_module(f"{__name__}.{module}")
        elif home is not None:
            value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_nearest(name)}")
        globals()[name] = value
        return value


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, n=1)
    return f". Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    return sorted(__all__)


if "IPython" in sys.modules:  # a notebook shows sessions and steps as themselves, not as a dataclass repr
    from eve_replay.notebook.display import register

    register()
