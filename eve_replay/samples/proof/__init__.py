"""The recordings with ground truth that ``eve-replay proof`` is checked against (see the README here).

The sweep is in the repository and the source distribution, not in the wheel: it is half again as large as all
the rest, and a person who debugs a session does not need it. The scenarios are samples too, so it has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from eve_replay.errors import UnknownSource
from eve_replay.worlds.local.archive import archive_tree
from eve_replay.worlds.local.tree import MemoryTree

__all__ = ["trees"]

_ARCHIVES = ("scenarios.parts.tar.xz", "sweep.parts.tar.xz", "flue.tar.xz")


def trees() -> Iterator[MemoryTree]:
    """Yield the archives one at a time: whole scenarios, then the crash sweep.

    Raises:
        UnknownSource: this was installed from a wheel, which does not hold them.
    """
    folder = resources.files(__name__)
    places = [folder.joinpath(name) for name in _ARCHIVES]
    if not all(place.is_file() for place in places):
        raise UnknownSource(
            "The recordings of the proof are not part of the installed package.",
            hint="The repository and the source distribution have them: "
            "eve-replay proof --corpus eve_replay/samples/proof",
        )
    for place in places:
        yield archive_tree(Path(place.name), label=f"proof/{place.name}", data=place.read_bytes())
