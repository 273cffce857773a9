"""The recovery room of a session's framework; a framework of another package says its own, or has eve's."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import cast

from eve_replay.recovery.frameworks.base import RecoveryRoom

__all__ = ["room_of"]

_ROOMS: Mapping[str, str] = {"flue": "eve_replay.recovery.frameworks.flue.room:room"}


@cache
def room_of(framework: str) -> RecoveryRoom | None:
    """Return the room of a framework by name; None for those on the Workflow SDK's log: one path."""
    place = _ROOMS.get(framework)
    if place is None:
        return None
    module, _, name = place.partition(":")
    return cast("RecoveryRoom", getattr(importlib.import_module(module), name))
