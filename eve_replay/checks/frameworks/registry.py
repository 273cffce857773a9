"""The checks of a framework, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import cast

from eve_replay.checks.finding import Finding
from eve_replay.journal.model import Session

__all__ = ["checks_of"]

_ROOMS: Mapping[str, str] = {"flue": "eve_replay.checks.frameworks.flue:check"}


@cache
def checks_of(framework: str) -> Callable[[Session], Iterator[Finding]] | None:
    """Return a framework's own checks; None where those of the Workflow SDK's log hold."""
    place = _ROOMS.get(framework)
    if place is None:
        return None
    module, _, name = place.partition(":")
    return cast("Callable[[Session], Iterator[Finding]]", getattr(importlib.import_module(module), name))
