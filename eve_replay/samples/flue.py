"""Two crashes of Flue, each as it lay at the kill and at the end: ``open_world("sample:flue-durable")``.

Recorded with ``@flue/runtime`` 2.1.0 and a scripted model (docs/evidence/flue.md, letters b1 and d).
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from eve_replay.codec import loads_json
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World

__all__ = ["FLUE", "flue_ledger", "open_flue"]

FLUE: Mapping[str, str] = MappingProxyType(
    {
        "flue-ordinary": "Flue, killed while charge_card ran: the call has no outcome and never runs again",
        "flue-ordinary-end": "the same after the restart: the model was told that the outcome is unknown",
        "flue-durable": "Flue, killed when a step of a durable call had run and its record had not landed",
        "flue-durable-end": "the same after the restart: that step ran twice, the recorded one once",
    }
)


def open_flue(name: str) -> World:
    """Return one of the recordings as a world."""
    from eve_replay.worlds.flue.opener import flue_world
    from eve_replay.worlds.layouts.tables import MemoryTables

    return flue_world(MemoryTables(f"sample:{name}", _read()[name]["tables"]), Receipt())


def flue_ledger(name: str) -> list[dict[str, Any]]:
    """Return what the tools really did, in order."""
    return list(_read()[name]["ledger"])


@cache
def _read() -> dict[str, Any]:
    data = resources.files("eve_replay.samples").joinpath("flue.json.xz").read_bytes()
    found: dict[str, Any] = loads_json(lzma.decompress(data).decode())
    return found
