"""The lessons that are there: each is a module of ``eve_replay.workshop.tasks`` with a ``TASK``."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from eve_replay.errors import NotFound
from eve_replay.workshop.task import Task

__all__ = ["number_of", "task", "tasks"]

_PACKAGE = "eve_replay.workshop.tasks"
_NUMBER = re.compile(r"[0-9]{1,2}")


@cache
def tasks() -> Mapping[str, Task]:
    """Return every lesson with an exercise, by its two digits, in order."""
    found = [each for name in _modules() if (each := _load(name)) is not None]
    return MappingProxyType({each.lesson: each for each in sorted(found, key=lambda each: each.lesson)})


def task(lesson: str | int | Task) -> Task:
    """Return one lesson's exercise.

    Args:
        lesson: ``"04"``, ``"4"``, ``4``, ``"which-key"``, ``"04-which-key"``, or the task itself.

    Raises:
        NotFound: there is no such lesson; the message lists those there are.
    """
    if isinstance(lesson, Task):
        return lesson
    number, slug = number_of(lesson), re.sub(r"^[0-9]{1,2}-", "", str(lesson).strip().lower())
    if number and f"lesson_{number}" in _modules():  # the other lessons need not be loaded for it
        found = _load(f"lesson_{number}")
        if found is not None:
            return found
    for each in tasks().values():
        if (number and each.lesson == number) or (not number and each.slug == slug):
            return each
    known = ", ".join(f"{each.lesson} {each.slug}" for each in tasks().values())
    raise NotFound(f"There is no exercise {str(lesson)!r}.", hint=f"There are: {known or 'none here'}.")


def number_of(lesson: str | int) -> str:
    """Return the two digits of ``4``, ``"4"``, ``"04"`` or ``"04-which-key"``; empty for a name."""
    text = str(lesson).strip()
    head = text.partition("-")[0]
    return head.zfill(2) if _NUMBER.fullmatch(head) else ""


@cache
def _modules() -> tuple[str, ...]:
    try:
        package = importlib.import_module(_PACKAGE)
    except ModuleNotFoundError:
        return ()
    return tuple(
        sorted(each.name for each in pkgutil.iter_modules(package.__path__) if not each.name.startswith("_"))
    )


@cache
def _load(name: str) -> Task | None:
    """Return the task of a module, None for a module that only helps others."""
    found = getattr(importlib.import_module(f"{_PACKAGE}.{name}"), "TASK", None)
    return found if isinstance(found, Task) else None
