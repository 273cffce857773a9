"""The recordings with ground truth that ``eve-replay proof`` is checked against (see the README here).

They are in the repository and the source distribution, not in the wheel: they are half again as large as all
the rest, and a person who debugs a session does not need them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from eve_replay.errors import UnknownSource
from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.tree import MemoryTree

__all__ = ["trees"]


def trees() -> Iterator[MemoryTree]:
    """Yield the archives one at a time: whole scenarios, then the crash sweep.

    Raises:
        UnknownSource: this was installed from a wheel, which does not hold them.
    """
    folder = resources.files(__name__)
    for name in ("scenarios.tar.xz", "sweep.tar.xz"):
        place = folder.joinpath(name)
        if not place.is_file():
            raise UnknownSource(
                "The recordings of the proof are not part of the installed package.",
                hint="The repository and the source distribution have them: "
                "eve-replay proof --corpus eve_replay/samples/proof",
            )
        yield archive_tree(Path(name), label=f"proof/{name}", data=place.read_bytes())
