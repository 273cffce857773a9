"""Open the run journals of eve and the Workflow SDK.

The public names are loaded on first use, so that importing the package costs next to nothing::

    from eve_replay import open_journal

    journal = open_journal("sample:crash")
    for run in journal.runs:
        print(run.record.run_id, run.record.status)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from eve_replay._version import __version__

if TYPE_CHECKING:
    from eve_replay.codec import KeyRing, Payload
    from eve_replay.errors import EveReplayError, NotFound, SourceUnreadable, UnknownSource
    from eve_replay.journal import Journal, open_journal
    from eve_replay.problems import Problem, Receipt
    from eve_replay.values import from_tagged, preview, to_tagged
    from eve_replay.worlds.registry import open_world

__all__ = [
    "EveReplayError",
    "Journal",
    "KeyRing",
    "NotFound",
    "Payload",
    "Problem",
    "Receipt",
    "SourceUnreadable",
    "UnknownSource",
    "__version__",
    "from_tagged",
    "open_journal",
    "open_world",
    "preview",
    "to_tagged",
]

_HOMES = {
    "EveReplayError": "errors",
    "NotFound": "errors",
    "SourceUnreadable": "errors",
    "UnknownSource": "errors",
    "Problem": "problems",
    "Receipt": "problems",
    "from_tagged": "values",
    "preview": "values",
    "to_tagged": "values",
    "KeyRing": "codec",
    "Payload": "codec",
    "open_world": "worlds.registry",
    "Journal": "journal",
    "open_journal": "journal",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
