"""Small real recordings inside the package: what there is to look at without eve and without a network.

``open("crash-in-tool")`` or ``open_world("sample:crash-in-tool")``; any unambiguous beginning of a name will
do. Each sample also holds what really happened outside (``ledger``, ``marks``), which no journal tells.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from eve_replay.codec import loads_json, loads_lines
from eve_replay.codec.jsontext import JsonFault
from eve_replay.errors import UnknownSource
from eve_replay.samples._shelf import GROUPS, Group, Place, places
from eve_replay.samples.flue import FLUE, open_flue
from eve_replay.worlds.base import World
from eve_replay.worlds.local.world import LocalWorld

__all__ = ["describe", "extract", "facts", "ledger", "marks", "names", "open", "opener", "read"]

_LIMIT = 64 << 20
_SCHEME = "sample:"
#: Names in a sentence; there are thirty of them.
_MOST_SHOWN = 8


def names(group: Group = "tour") -> tuple[str, ...]:
    """Return the samples' names, in the order in which they are worth looking at.

    Args:
        group: ``tour``: the three to begin with. ``workshop``: those the lessons are about. ``incidents``:
            those of the last lesson, with several sessions each.
    """
    return tuple(GROUPS[group])


def describe(name: str) -> str:
    """Return one phrase on what happened in a sample."""
    full = _full_name(name)
    return next(about[full] for about in GROUPS.values() if full in about)


def open(name: str, **options: Any) -> LocalWorld:
    """Return a sample as a world.

    Args:
        name: one of ``names()`` of any group, or an unambiguous beginning; the tour goes first.
        **options: as for the local world (``keys``, ``limit``, ``only``).

    Raises:
        UnknownSource: there is no such sample.
    """
    full = _full_name(name)
    tree, root = places(full)[0]
    return LocalWorld(tree, _join(root, "data"), label=f"{_SCHEME}{full}", **options)


def read(name: str, file: str) -> bytes:
    """Return one file of a sample, for example ``ledger.ndjson``.

    Raises:
        FileNotFoundError: the sample has no such file.
    """
    for tree, root in places(_full_name(name)):
        try:
            return tree.read(_join(root, file), _LIMIT)
        except FileNotFoundError:
            continue
    raise FileNotFoundError(f"{_SCHEME}{_full_name(name)} has no {file!a}.")


def ledger(name: str) -> list[dict[str, Any]]:
    """Return the side effects that really happened, in order, as the tools themselves wrote them down."""
    return _lines(name, "ledger.ndjson")


def marks(name: str) -> list[dict[str, Any]]:
    """Return the markers of model calls and ends of tools, in order, with the process that made them."""
    return _lines(name, "marks.ndjson")


def facts(name: str) -> dict[str, Any]:
    """Return the recording's own account: timeline, attempts, effects per attempt, checks."""
    found: dict[str, Any] = loads_json(read(name, "facts.json"))
    return found


def extract(name: str, target: str | Path) -> Path:
    """Write a sample into a new folder of ``target`` and return that folder (its world lies in ``data``).

    Raises:
        FileExistsError: the folder is there already.
    """
    full = _full_name(name)
    folder = Path(target) / full
    folder.mkdir(parents=True)
    for place in places(full):
        _write(place, folder)
    return folder


def _write(place: Place, folder: Path) -> None:
    tree, path = place
    for entry in tree.entries(path):
        inner = _join(path, entry.name)
        if entry.kind == "dir":
            (folder / entry.name).mkdir(exist_ok=True)
            _write((tree, inner), folder / entry.name)
        else:
            (folder / entry.name).write_bytes(tree.read(inner, _LIMIT))


def _lines(name: str, file: str) -> list[dict[str, Any]]:
    lines = (line for _, line in loads_lines(read(name, file)))
    return [line for line in lines if not isinstance(line, JsonFault)]


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


def _full_name(name: str) -> str:
    wanted = name.removeprefix(_SCHEME).strip().lower()
    everything = [full for about in GROUPS.values() for full in about]
    if wanted in everything:
        return wanted
    found: list[str] = []
    for known in (names(), everything):
        found = [full for full in known if full.startswith(wanted)]
        if len(found) == 1:
            return found[0]
    shown = found[:_MOST_SHOWN] or [*names(), *get_close_matches(wanted, everything[len(names()) :], 3)]
    more = len(found or everything) - len(shown)
    raise UnknownSource(
        f"{wanted[:60]!a} fits several samples." if found else f"There is no sample {wanted[:60]!a}.",
        hint=f"Samples: {', '.join(shown)}" + (f", and {more} more for the workshop." if more else "."),
    )


class _SampleOpener:
    """What the registry asks."""

    kind = "sample"

    def recognises(self, source: str) -> float:
        """Return 1 for ``sample:...``."""
        return 1.0 if source.startswith(_SCHEME) else 0.0

    def open(self, source: str, **options: Any) -> World:
        """Open it."""
        name = source.removeprefix(_SCHEME).strip().lower()
        return open_flue(name) if name in FLUE else open(source, **options)


opener = _SampleOpener()
