"""The runtimes there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from eve_replay.errors import WrongUse
from eve_replay.recovery.runtimes.base import Runtime
from eve_replay.recovery.runtimes.eve.runtime import EveRuntime
from eve_replay.recovery.runtimes.flue import FlueRuntime
from eve_replay.recovery.runtimes.none import NoRuntime

__all__ = ["runtime_named", "runtimes"]


@cache
def runtimes() -> Mapping[str, Runtime]:
    """Return the runtimes by name."""
    return {each.name: each for each in (EveRuntime(), FlueRuntime(), NoRuntime())}


def runtime_named(name: str) -> Runtime:
    """Return a runtime by name. Raises WrongUse with the names there are."""
    known = runtimes()
    wanted = name.strip().lower()
    wanted = {"workflow": "eve", "sdk": "eve", "workflow-sdk": "eve", "plain": "none"}.get(wanted, wanted)
    if wanted not in known:
        raise WrongUse(f"There is no runtime {name!r}.", hint=f"Use one of {', '.join(known)}.")
    return known[wanted]
