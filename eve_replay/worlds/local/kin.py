"""What the names and raw bytes of a large folder tell of its runs: nothing is listed twice, nothing parsed.

A folder has no index of children: only a run's own record names its parent (docs/formats/local.md#files).
Reading the bytes of ten thousand small files takes a twentieth of a second, parsing them into records
twenty times that.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.names import is_noise, is_temporary, read_name, split_run
from eve_replay.worlds.local.tree import NotReadable, join

__all__ = ["Kin"]

_T = TypeVar("_T")
#: The attributes that join runs (``journal/sessions.py`` reads the same ones).
_JOINS = re.compile(rb'"\$(?:parentRunId|rootRunId|eve\.parent|eve\.session)"\s*:\s*"([^"\\]*)"')
_RUN = re.compile(rb'"runId"\s*:\s*"([^"\\]*)"')
#: A folder that was changed this shortly before a look may change again within the same tick of its clock.
_FRESH_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class _Joined:
    """What one pass over the run records told.

    Attributes:
        names: the runs that each run names.
        named_by: the same from the other side; also for runs that are not here.
        unclear: runs whose record is missing or cut short: whose they are, only their log can tell.
    """

    names: Mapping[str, frozenset[str]]
    named_by: Mapping[str, frozenset[str]]
    unclear: frozenset[str]


class Kin:
    """Finds the family of a run, and the files of others.

    Args:
        tree: the folder.
        base: the data folder's path inside the tree.
    """

    def __init__(self, tree: DiskTree, base: str) -> None:
        self._tree = tree
        self._base = base
        self._held: dict[str, tuple[object, Any]] = {}

    def names(self, folder: str) -> list[str]:
        """Return every name in a folder of the data folder, in no order; none where it cannot be listed."""

        def read() -> list[str]:
            try:
                return self._tree.names(join(self._base, folder))
            except (OSError, NotReadable):
                return []  # the world says so when it lists the folder itself

        return self._kept(f"names of {folder}", (folder,), read)

    def contents(self, folder: str, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield names and bytes of files of a folder; None for what takes a closer look."""
        try:
            yield from self._tree.peek(join(self._base, folder), names)
        except (OSError, NotReadable):
            return

    def files(self) -> Mapping[str, list[str]]:
        """Return the names of the run records' files by run id."""

        def read() -> dict[str, list[str]]:
            found: dict[str, list[str]] = {}
            for name in self.names("runs"):
                parsed = None if ".tmp" in name and is_temporary(name) else read_name(name)
                if parsed is not None:
                    found.setdefault(parsed.stem, []).append(name)
            return found

        return self._kept("files", ("runs",), read)

    def ids(self) -> frozenset[str]:
        """Return every run id that a name in the folder proves."""
        folders = ("runs", "events", "steps", "waits", "streams/runs")

        def read() -> frozenset[str]:
            found = set(self.files())
            for folder in folders[1:]:
                found.update(_owner(name, folder) for name in self.names(folder))
            found.discard("")
            return frozenset(found)

        return self._kept("ids", folders, read)

    def owners(self, folder: str) -> Mapping[str, frozenset[str]]:
        """Return the runs that the files of a folder name inside; nothing of those that name none."""

        def read() -> dict[str, frozenset[str]]:
            found = {}
            for name, data in self.contents(folder, self.names(folder)):
                if data is not None and (named := _RUN.findall(data)):
                    found[name] = frozenset(each.decode("utf-8", "replace") for each in named)
            return found

        return self._kept(f"owners in {folder}", (folder,), read)

    def word(self) -> str:
        """Return what ``Layout.word`` returns, from the names alone."""
        folders = flat = False
        for folder in ("events", "steps"):
            for name in self.names(folder):
                if name.endswith(".json"):
                    flat = True
                elif not (name.startswith(".") or is_temporary(name) or is_noise(name)):
                    folders = True
        return "mixed" if folders and flat else "per-run" if folders else "flat" if flat else "empty"

    def family(self, run_id: str) -> frozenset[str]:
        """Return the run and all runs joined to it, those that nobody can tell without reading included."""
        found = self._joined()
        known = {run_id}
        queue = [run_id]
        while queue:
            each = queue.pop()
            for other in found.names.get(each, frozenset()) | found.named_by.get(each, frozenset()):
                if other not in known:
                    known.add(other)
                    queue.append(other)
        return frozenset(known) | found.unclear

    def naming(self, run_id: str) -> frozenset[str]:
        """Return the runs that name this one, and those that nobody can tell without reading."""
        found = self._joined()
        return found.named_by.get(run_id, frozenset()) | found.unclear

    def roots(self) -> frozenset[str]:
        """Return the runs that name no other run, and those that nobody can tell without reading."""
        found = self._joined()
        below = {run_id for run_id, named in found.names.items() if named != {run_id}}
        return frozenset(self.ids() - below) | found.unclear

    def _joined(self) -> _Joined:
        def read() -> _Joined:
            files = self.files()
            owners = {name: run_id for run_id, names in files.items() for name in names}
            names: dict[str, set[str]] = defaultdict(set)
            named_by: dict[str, set[str]] = defaultdict(set)
            unclear = set(self.ids() - files.keys())
            for name, data in self.contents("runs", owners):
                run_id = owners[name]
                if data is None or b"\\u" in data or not data.rstrip().endswith(b"}"):
                    unclear.add(run_id)
                    continue
                for value in _JOINS.findall(data):
                    other = value.decode("utf-8", "replace")
                    names[run_id].add(other)
                    named_by[other].add(run_id)
            return _Joined(
                {key: frozenset(value) for key, value in names.items()},
                {key: frozenset(value) for key, value in named_by.items()},
                frozenset(unclear),
            )

        return self._kept("joined", ("runs", "events", "steps"), read)

    def _kept(self, key: str, folders: tuple[str, ...], make: Callable[[], _T]) -> _T:
        """Return what ``make`` makes of some folders; made again when one of them has changed."""
        stamp = tuple(self._stamp(folder) for folder in folders)
        held = self._held.get(key)
        if held is not None and held[0] == stamp:
            value: _T = held[1]
            return value
        value = make()
        self._held[key] = (stamp, value)
        return value

    def _stamp(self, folder: str) -> object:
        """Return what changes when names in the folder change; a new object while that is not sure."""
        try:
            found = self._tree.stat(join(self._base, folder))
        except OSError:
            found = None
        mtime_ns = found.mtime_ns if found is not None else -1
        return mtime_ns if time.time_ns() - mtime_ns > _FRESH_NS else object()


def _owner(name: str, folder: str) -> str:
    """Return the run that a name belongs to: a folder's own name, a record's, or how a flat file begins."""
    if name.startswith("."):
        return ""
    if "." not in name:
        return name if folder in ("events", "steps") else ""
    if ".tmp" in name and is_temporary(name):
        return ""
    parsed = read_name(name)
    if parsed is None:
        return ""
    return parsed.stem if folder == "streams/runs" else split_run(parsed.stem)[0]
