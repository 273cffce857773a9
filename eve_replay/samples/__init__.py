"""Small real recordings inside the package: what there is to look at without eve and without a network.

``open("crash-in-tool")`` or ``open_world("sample:crash-in-tool")``; any unambiguous beginning of a name will
do. Each sample also holds what really happened outside (``ledger``, ``marks``), which no journal tells.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from eve_replay.codec import loads_json, loads_lines
from eve_replay.codec.jsontext import JsonFault
from eve_replay.errors import UnknownSource
from eve_replay.worlds.local_archive import archive_tree
from eve_replay.worlds.local_tree import MemoryTree
from eve_replay.worlds.local_world import LocalWorld

__all__ = ["describe", "extract", "facts", "ledger", "marks", "names", "open", "opener", "read"]

_SUFFIX = ".tar.xz"
_LIMIT = 64 << 20
_SCHEME = "sample:"

_ABOUT = {
    "simple-turn": "two turns that went well: parallel tool calls, a second call, a text answer",
    "crash-in-tool": "the process was killed while charge_card ran: the card was charged twice",
    "approval-hold": "a tool waits for a person, the server is killed and restarted, then it is approved",
}


def names() -> tuple[str, ...]:
    """Return the samples' names, in the order in which they are worth looking at."""
    return tuple(_ABOUT)


def describe(name: str) -> str:
    """Return one phrase on what happened in a sample."""
    return _ABOUT[_full_name(name)]


def open(name: str, **options: Any) -> LocalWorld:
    """Return a sample as a world.

    Args:
        name: one of ``names()`` or an unambiguous beginning.
        **options: as for the local world (``keys``, ``limit``, ``only``).

    Raises:
        UnknownSource: there is no such sample.
    """
    full = _full_name(name)
    return LocalWorld(_tree(full), "data", label=f"{_SCHEME}{full}", **options)


def read(name: str, file: str) -> bytes:
    """Return one file of a sample, for example ``ledger.ndjson``.

    Raises:
        FileNotFoundError: the sample has no such file.
    """
    return _tree(_full_name(name)).read(file, _LIMIT)


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
    _write(_tree(full), "", folder)
    return folder


def _write(tree: MemoryTree, path: str, folder: Path) -> None:
    for entry in tree.entries(path):
        inner = f"{path}/{entry.name}" if path else entry.name
        if entry.kind == "dir":
            (folder / entry.name).mkdir()
            _write(tree, inner, folder / entry.name)
        else:
            (folder / entry.name).write_bytes(tree.read(inner, _LIMIT))


def _lines(name: str, file: str) -> list[dict[str, Any]]:
    lines = (line for _, line in loads_lines(read(name, file)))
    return [line for line in lines if not isinstance(line, JsonFault)]


def _full_name(name: str) -> str:
    wanted = name.removeprefix(_SCHEME).strip().lower()
    found = [full for full in _ABOUT if full == wanted] or [
        full for full in _ABOUT if full.startswith(wanted)
    ]
    if len(found) == 1:
        return found[0]
    raise UnknownSource(
        f"There is no sample {wanted[:60]!a}." if not found else f"{wanted!a} fits several samples.",
        hint=f"Samples: {', '.join(_ABOUT)}.",
    )


def _tree(full: str) -> MemoryTree:
    data = resources.files(__name__).joinpath(full + _SUFFIX).read_bytes()
    return archive_tree(Path(full + _SUFFIX), label=f"{_SCHEME}{full}", data=data)


class _SampleOpener:
    """What the registry asks."""

    kind = "sample"

    def recognises(self, source: str) -> float:
        """Return 1 for ``sample:...``."""
        return 1.0 if source.startswith(_SCHEME) else 0.0

    def open(self, source: str, **options: Any) -> LocalWorld:
        """Open it."""
        return open(source, **options)


opener = _SampleOpener()
