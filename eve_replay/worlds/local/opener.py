"""The local world: what eve and the Workflow SDK leave in a folder (docs/formats/local.md).

``opener`` is what the registry asks; ``open_local`` opens a path; ``open_tree`` reads any file tree.
"""

from __future__ import annotations

from typing import Any

from eve_replay.limits import begun
from eve_replay.worlds.local.find import Found, find, recognise
from eve_replay.worlds.local.tree import FileTree, MemoryTree
from eve_replay.worlds.local.world import LocalWorld

__all__ = ["LocalWorld", "MemoryTree", "open_local", "open_tree", "opener"]


def open_local(source: str, **options: Any) -> LocalWorld:
    """Open the data folder that a path means.

    Args:
        source: project, ``.eve``, ``.workflow-data``, data folder, a run's file, or an archive of these.
        **options: ``keys``, ``limit``, ``only`` as in :class:`LocalWorld`.

    Raises:
        UnknownSource: there is no data folder; the message says what is there instead.
        SourceUnreadable: permissions, a damaged archive.
    """
    limits = options["limit"] = begun(options.get("limit"))
    return _open(find(source, limits), options)


def open_tree(tree: FileTree, base: str = "", *, label: str = "", **options: Any) -> LocalWorld:
    """Open the data folder at ``base`` of a tree (files in memory, an archive, a remote file system)."""
    return LocalWorld(tree, base, label=label, **options)


def _open(found: Found, options: dict[str, Any]) -> LocalWorld:
    options.setdefault("only", found.only)
    world = LocalWorld(found.tree, found.base, label=found.label, **options)
    for place in found.beside:
        world.receipt.problem(
            "warning",
            "another-data-folder",
            place,
            f"This project has a second data folder, {place}; it was not opened.",
            "Name it to see its runs.",
        )
    return world


class _LocalOpener:
    """What the registry asks."""

    kind = "local"

    def recognises(self, source: str) -> float:
        """Return how sure the local world is that it can open ``source``."""
        return recognise(source)

    def open(self, source: str, **options: Any) -> LocalWorld:
        """Open it."""
        return open_local(source, **options)


opener = _LocalOpener()
