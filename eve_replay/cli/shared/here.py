"""``--here``: what this machine shows of the processes that work on a store."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from eve_replay.machine import Sighting, look
from eve_replay.worlds.base import World

__all__ = ["here_option", "sighting"]

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1", "0.0.0.0"})

here_option = click.option(
    "--here",
    is_flag=True,
    help="Look (read only) whether a process of this machine works on that folder or listens at --url.",
)


def sighting(world: World, url: str = "") -> Sighting:
    """Return what is seen of the processes that work on a world."""
    about = world.about
    folder = str(about.get("dataDir") or "") if world.kind == "local" else ""
    where = urlsplit(url)
    port = (where.port or (443 if where.scheme == "https" else 80)) if where.hostname in _LOCAL else None
    if not folder and port is None:
        return Sighting(
            alive=None,
            words=f"A {world.kind} store is no folder of this machine: who works on it cannot be seen here.",
        )
    return look(folder or None, port=port)
