"""The recordings with ground truth that ``eve-replay proof`` is checked against (see the README here)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.tree import MemoryTree

__all__ = ["trees"]


def trees() -> Iterator[MemoryTree]:
    """Yield the archives one at a time: whole scenarios, then the crash sweep."""
    folder = resources.files(__name__)
    for name in ("scenarios.tar.xz", "sweep.tar.xz"):
        yield archive_tree(Path(name), label=f"proof/{name}", data=folder.joinpath(name).read_bytes())
