"""Which file belongs to which run, in every layout the local world has had.

Source: docs/formats/local.md#older-layouts.

Two layouts of ``events/`` and ``steps/``: a folder per run (eve 0.79 on, the Python SDK) and flat files named
after their run (eve 0.20 and 0.50, Workflow SDK 4 and 5 beta). Both are read wherever they are met, also
side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from eve_replay.ids import event_slot
from eve_replay.worlds.local.files import Files
from eve_replay.worlds.local.names import lock_name, read_name, split_run
from eve_replay.worlds.local.tree import join

__all__ = ["FileRef", "Layout", "LockRef"]

_T = TypeVar("_T")
#: Far more than clocks of two machines that share a folder differ.
_LONG_AGO_NS = 600 * 10**9
_Read = Callable[[str, str], "tuple[str, FileRef | LockRef | None]"]


@dataclass(frozen=True, slots=True)
class FileRef:
    """A record's file: where it lies, the id its name gives, the world tag if any."""

    path: str
    id: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class LockRef:
    """A lock: where it lies, what it is about, ``created`` / ``terminal`` / ..., the world tag if any."""

    path: str
    subject: str
    phase: str
    tag: str = ""
    folder: bool = False


@dataclass(frozen=True, slots=True)
class _Grouped:
    """A folder's files by run, and its sub-folders."""

    groups: Mapping[str, tuple[object, ...]]
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Cached:
    """What was made of a folder, with the folder's time when it was made.

    A folder that was changed within the clock tick of our look has the same time as before, so the cached
    value is trusted only after two looks gave the same time, or when that time is long ago.
    Writers rename files into place, which changes the folder's time also when a file is replaced.
    """

    mtime_ns: int
    trusted: bool
    value: Any


class Layout:
    """Finds files by run, with one listing per folder as long as that folder does not change.

    Args:
        files: reads the tree.
        base: the data folder's path inside the tree.
        elsewhere: whether a run is in the folder, though the tree shows nothing of it.
    """

    def __init__(
        self, files: Files, base: str = "", *, elsewhere: Callable[[str], bool] = lambda _: False
    ) -> None:
        self.elsewhere = elsewhere
        self._files = files
        self._base = base
        self._cache: dict[str, _Cached] = {}
        self._python: bool | None = None

    def forget(self) -> None:
        """Forget what was made of the folders: the tree shows more of them now."""
        self._cache.clear()

    def path(self, *parts: str) -> str:
        """Return the path inside the tree of a path inside the data folder."""
        return join(self._base, *parts)

    def origin(self, path: str) -> str:
        """Return a tree path relative to the data folder: what records carry as their origin."""
        return path[len(self._base) + 1 :] if self._base and path.startswith(self._base + "/") else path

    def run_files(self) -> Mapping[str, tuple[FileRef, ...]]:
        """Return the run records' files by run id; more than one when tags make copies."""
        return self.named("runs")

    def named(self, folder: str) -> Mapping[str, tuple[FileRef, ...]]:
        """Return the ``<id>[.<tag>].json`` files right in a folder, by id."""

        def read() -> dict[str, tuple[FileRef, ...]]:
            found: dict[str, list[FileRef]] = {}
            for name in self._files.listing(self.path(folder)).files:
                parsed = read_name(name)
                if parsed is not None:
                    ref = FileRef(self.path(folder, name), parsed.stem, parsed.tag)
                    found.setdefault(ref.id, []).append(ref)
                elif not name.startswith("."):
                    self._strange(join(folder, name))
            return {id_: tuple(sorted(refs, key=lambda ref: ref.tag)) for id_, refs in found.items()}

        return self.cached(folder, "named", read)

    def records(self, folder: str) -> Iterator[FileRef]:
        """Yield the ``<id>[.<tag>].json`` files right in a folder, sorted by name."""
        for refs in self.named(folder).values():
            yield from refs

    def owned(self, folder: str, run_id: str) -> list[FileRef]:
        """Return the files of one run in ``events`` or ``steps`` or ``waits``, sorted by id, then tag."""
        grouped = self._grouped(folder, _file_ref)
        refs = [ref for ref in grouped.groups.get(run_id, ()) if isinstance(ref, FileRef)]
        if run_id in grouped.folders:
            inner = join(folder, run_id)
            for name in self._files.listing(self.path(inner)).files:
                owner, ref = _file_ref(self.path(inner), name)
                if ref is None or owner != run_id:
                    self._strange(join(inner, name))
                else:
                    refs.append(ref)
            refs.sort(key=lambda ref: (ref.id, ref.tag))
        return refs

    def locks(self, folder: str, run_id: str) -> list[LockRef]:
        """Return a run's locks in one of the folders ``steps``, ``waits``, ``runs``, ``attributes``.

        The locks of ``.locks/runs`` are about the run itself: their subject is empty.
        """
        groups = self._grouped(join(".locks", folder), _lock_ref).groups
        return [ref for ref in groups.get(run_id, ()) if isinstance(ref, LockRef)]

    def hook_locks(self) -> list[LockRef]:
        """Return the ``.locks/hooks`` files; their names do not tell the run."""
        groups = self._grouped(".locks/hooks", _lock_ref).groups
        return [ref for group in groups.values() for ref in group if isinstance(ref, LockRef)]

    def run_ids(self) -> set[str]:
        """Return every run id that a file or folder name proves, run records aside."""
        found: set[str] = set()
        for folder in ("events", "steps"):
            grouped = self._grouped(folder, _file_ref)
            found.update(grouped.groups)
            found.update(grouped.folders)
        found.update(self._grouped("waits", _file_ref).groups)
        found.update(self.named("streams/runs"))
        found.discard("")
        return found

    def word(self) -> str:
        """Return ``per-run``, ``flat``, ``mixed``, or ``empty`` when there is neither event nor step."""
        folders = flat = False
        for folder in ("events", "steps"):
            grouped = self._grouped(folder, _file_ref)
            folders = folders or bool(grouped.folders)
            flat = flat or bool(grouped.groups)
        if folders and flat:
            return "mixed"
        return "per-run" if folders else "flat" if flat else "empty"

    def by_python_sdk(self) -> bool:
        """Return whether the Python SDK wrote this folder: a folder of events per run, named by ULIDs.

        No TypeScript world does both: with a folder per run its events are numbered by slots. Looked at
        once, at the first event there is.
        """
        if self._python is None:
            folders = self._grouped("events", _file_ref).folders
            refs = next((refs for run_id in folders if (refs := self.owned("events", run_id))), [])
            if not refs:
                return False
            self._python = event_slot(refs[0].id.rpartition("-")[2]) is None
        return self._python

    def cached(self, folder: str, what: str, make: Callable[[], _T]) -> _T:
        """Return what ``make`` makes of a folder (``what`` names it); made again when the folder changes."""
        try:
            found = self._files.tree.stat(self.path(folder))
        except OSError:
            found = None
        mtime_ns = found.mtime_ns if found is not None else -1
        key = f"{folder}:{what}"
        held = self._cache.get(key)
        if held is not None and held.trusted and held.mtime_ns == mtime_ns:
            value: _T = held.value
            return value
        trusted = not self._files.tree.live or (held is not None and held.mtime_ns == mtime_ns)
        trusted = trusted or 0 < mtime_ns < time.time_ns() - _LONG_AGO_NS
        value = make()
        self._cache[key] = _Cached(mtime_ns, trusted, value)
        return value

    def _grouped(self, folder: str, read: _Read) -> _Grouped:
        def group() -> _Grouped:
            path = self.path(folder)
            listing = self._files.listing(path)
            groups: dict[str, list[object]] = {}
            for name in listing.files:
                owner, ref = read(path, name)
                if ref is None:
                    self._strange(join(folder, name))
                else:
                    groups.setdefault(owner, []).append(ref)
            if read is _lock_ref:
                for name in listing.folders:
                    owner, lock = _lock_ref(path, name)
                    if lock is not None:
                        groups.setdefault(owner, []).append(replace(lock, folder=True))
            inner = tuple(name for name in listing.folders if not name.startswith("."))
            return _Grouped({run: tuple(refs) for run, refs in groups.items()}, inner)

        return self.cached(folder, "groups", group)

    def _strange(self, path: str) -> None:
        self._files.receipt.skip(
            where=path, what="file", why="its name is not one the local world gives to its files"
        )


def _file_ref(folder: str, name: str) -> tuple[str, FileRef | None]:
    parsed = read_name(name)
    if parsed is None:
        return "", None
    owner, rest = split_run(parsed.stem)
    return (owner, FileRef(join(folder, name), rest, parsed.tag)) if owner else ("", None)


def _lock_ref(folder: str, name: str) -> tuple[str, LockRef | None]:
    parsed = lock_name(name)
    if parsed is None:
        return "", None
    stem, phase, tag = parsed
    path = join(folder, name)
    if folder.endswith("/hooks"):
        return stem, LockRef(path, stem, phase, tag)
    if folder.endswith("/runs"):
        return stem, LockRef(path, "", phase, tag)
    owner, rest = split_run(stem)
    return owner, LockRef(path, rest, phase, tag)
