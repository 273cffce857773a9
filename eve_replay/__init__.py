"""Open the run journals of eve and the Workflow SDK.

The public names are loaded on first use, so that importing the package costs next to nothing::

    from eve_replay import open_journal

    journal = open_journal("sample:crash-in-tool")
    for run in journal.runs:
        print(run.record.run_id, run.record.status)

``diff`` and ``samples`` are modules; everything else is a function or a class. Less common names
(``Payload``, ``preview``, ``to_tagged`` and the errors) can be imported from here too.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from eve_replay._version import __version__

if TYPE_CHECKING:
    from eve_replay import diff
    from eve_replay.codec import KeyRing
    from eve_replay.codec import Payload as Payload
    from eve_replay.errors import EveReplayError
    from eve_replay.errors import NotFound as NotFound
    from eve_replay.errors import SourceUnreadable as SourceUnreadable
    from eve_replay.errors import UnknownSource as UnknownSource
    from eve_replay.errors import WrongUse as WrongUse
    from eve_replay.journal import Journal, open_journal
    from eve_replay.journal.effects.policy import EffectsPolicy
    from eve_replay.journal.ledger.model import Ledger
    from eve_replay.notebook import explore
    from eve_replay.problems import Problem as Problem
    from eve_replay.problems import Receipt as Receipt
    from eve_replay.recovery import Question, crash_points, forecast, matrix, simulate
    from eve_replay.values import from_tagged as from_tagged
    from eve_replay.values import preview as preview
    from eve_replay.values import to_tagged as to_tagged
    from eve_replay.worlds.base import World
    from eve_replay.worlds.registry import open_world

__all__ = [
    "EffectsPolicy",
    "EveReplayError",
    "Journal",
    "KeyRing",
    "Ledger",
    "Question",
    "World",
    "__version__",
    "crash_points",
    "diff",
    "explore",
    "forecast",
    "matrix",
    "open_journal",
    "open_world",
    "simulate",
]

_HOMES = {
    "EveReplayError": "errors",
    "NotFound": "errors",
    "SourceUnreadable": "errors",
    "UnknownSource": "errors",
    "WrongUse": "errors",
    "Problem": "problems",
    "Receipt": "problems",
    "from_tagged": "values",
    "preview": "values",
    "to_tagged": "values",
    "KeyRing": "codec",
    "Payload": "codec",
    "World": "worlds.base",
    "open_world": "worlds.registry",
    "EffectsPolicy": "journal.effects.policy",
    "Journal": "journal",
    "Ledger": "journal.ledger.model",
    "open_journal": "journal",
    "Question": "recovery",
    "crash_points": "recovery",
    "forecast": "recovery",
    "matrix": "recovery",
    "simulate": "recovery",
    "explore": "notebook",
}
_MODULES = frozenset({"diff", "samples"})


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_HOMES, *_MODULES})


if "IPython" in sys.modules:  # a notebook shows sessions and steps as themselves, not as a dataclass repr
    from eve_replay._ipython import register

    register()
