"""Teaching idempotency: a small simulated runtime that crashes a learner's tool at every point, and lessons.

The public names are loaded on first use::

    from eve_replay.workshop import Ask, Case, Deed, Turn, check, explore

    print(check("04", charge))          # charge(input, ctx, outside): the answer to lesson 4

``check``, ``explore`` and the others are the functions, although modules of the same name lie in here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eve_replay.workshop.engine.explore import explore
    from eve_replay.workshop.engine.runtime import run
    from eve_replay.workshop.explain.story import story
    from eve_replay.workshop.grading.check import check
    from eve_replay.workshop.grading.progress import Progress
    from eve_replay.workshop.model import Ask, Case, Deed, Fault, Outcome, Text, Turn
    from eve_replay.workshop.outside import KeyReused, Timeout, UniqueViolation
    from eve_replay.workshop.task import Judgement, Prediction, Task
    from eve_replay.workshop.verdict import Verdict

__all__ = [
    "Ask",
    "Case",
    "Deed",
    "Fault",
    "Judgement",
    "KeyReused",
    "Outcome",
    "Prediction",
    "Progress",
    "Task",
    "Text",
    "Timeout",
    "Turn",
    "UniqueViolation",
    "Verdict",
    "check",
    "explore",
    "run",
    "story",
]

_HOMES = {
    **dict.fromkeys(("Ask", "Case", "Deed", "Fault", "Outcome", "Text", "Turn"), "model"),
    **dict.fromkeys(("Judgement", "Prediction", "Task"), "task"),
    **dict.fromkeys(("KeyReused", "Timeout", "UniqueViolation"), "outside"),
    "Progress": "grading.progress",
    "Verdict": "verdict",
    "check": "grading.check",
    "explore": "engine.explore",
    "run": "engine.runtime",
    "story": "explain.story",
}


# Not there for a type checker: with it every misspelt name would be valid.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
