"""Teaching idempotency: a small simulated runtime that crashes a learner's tool at every point, and lessons.

The public names are loaded on first use::

    from eve_replay.workshop import Ask, Case, Deed, Turn, check, explore

    print(check("04", charge))          # charge(input, ctx, outside): the answer to lesson 4

``check``, ``explore`` and the others are the functions, although modules of the same name lie in here.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eve_replay.workshop.check import check
    from eve_replay.workshop.explore import explore
    from eve_replay.workshop.lesson import task, tasks
    from eve_replay.workshop.model import Ask, Case, Deed, Fault, Outcome, Text, Turn
    from eve_replay.workshop.outside import KeyReused, Timeout, UniqueViolation
    from eve_replay.workshop.progress import Progress
    from eve_replay.workshop.runtime import run
    from eve_replay.workshop.story import story
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
    "task",
    "tasks",
]

_HOMES = {
    **dict.fromkeys(("Ask", "Case", "Deed", "Fault", "Outcome", "Text", "Turn"), "model"),
    **dict.fromkeys(("Judgement", "Prediction", "Task"), "task"),
    **dict.fromkeys(("KeyReused", "Timeout", "UniqueViolation"), "outside"),
    "Progress": "progress",
    "Verdict": "verdict",
    "check": "check",
    "explore": "explore",
    "run": "runtime",
    "story": "story",
    "task": "lesson",
    "tasks": "lesson",
}


class _Package(ModuleType):
    """This package: importing the module ``check`` must not put the module where the function is."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _HOMES.get(name) == name:
            value = getattr(value, name, value)
        elif isinstance(value, ModuleType) and name in _HOMES:  # `task` and `tasks` are functions of `lesson`
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
