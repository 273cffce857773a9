"""A read-only tree of files: the one thing the local world knows about storage.

A folder on disk, an archive and files in memory are all read through :class:`FileTree`, by the same code.
Paths are relative, with ``/``; the root is ``""``. Nothing here can write.
"""

from __future__ import annotations

import stat as stat_module
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Entry", "FileTree", "Kind", "MemoryTree", "NotReadable", "Stat", "join", "kind_of_mode", "parent"]

#: ``outside``, ``loop`` and ``broken`` are links we do not follow; ``special`` is a FIFO, socket or device.
Kind = Literal["file", "dir", "outside", "loop", "broken", "special"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Stat:
    """What is known of a path without reading it. ``mtime_ns`` is 0 where the tree keeps no times."""

    kind: Kind
    size: int = 0
    mtime_ns: int = 0


class NotReadable(Exception):
    """A path that is deliberately not read.

    Attributes:
        why: ``outside``, ``loop``, ``broken``, ``special``, ``too-big`` or ``damaged``.
        message: one phrase for the receipt.
    """

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why
        self.message = message


class FileTree(Protocol):
    """What can be listed and read.

    Attributes:
        live: whether somebody may write while we read, so that a second look can help.
        label: what a person calls the root.
        rejected: names that were refused when the tree was made (``..`` in an archive) and why.
    """

    live: bool
    label: str
    rejected: Mapping[str, str]

    def entries(self, path: str) -> list[Entry]:
        """Return a folder's entries by name. Raises OSError or NotReadable."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes; more than ``limit`` raises NotReadable. Raises OSError or NotReadable."""
        ...

    def stat(self, path: str) -> Stat | None:
        """Return what the path is, None when there is nothing. Raises OSError (permissions)."""
        ...

    def close(self) -> None:
        """Release what is held. Calling it twice is fine."""
        ...


class MemoryTree:
    """A tree of bytes in memory; also what archives become. A value may be a function that reads it late.

    Args:
        files: relative path to bytes, or to a function of the size limit that returns them.
        folders: empty folders (a hook token's lock is one, docs/evidence/sweep.md#writes).
        label: what a person calls it.
        rejected: names that were left out, and why.
        mtimes: modification times in nanoseconds, where known.
    """

    live = False

    def __init__(
        self,
        files: Mapping[str, bytes | Callable[[int], bytes]],
        *,
        folders: Iterable[str] = (),
        label: str = "memory",
        rejected: Mapping[str, str] | None = None,
        mtimes: Mapping[str, int] | None = None,
    ) -> None:
        self.label = label
        self.rejected: Mapping[str, str] = rejected or {}
        self._files = files
        self._mtimes = mtimes or {}
        self._folders: dict[str, dict[str, Kind]] = {"": {}}
        for folder in folders:
            self._folder(folder)
        for path in files:
            self._folder(parent(path))[path.rpartition("/")[2]] = "file"

    def _folder(self, path: str) -> dict[str, Kind]:
        found = self._folders.get(path)
        if found is not None:
            return found
        found = self._folders[path] = {}
        while path:  # up to the first folder that is there already
            above, name = parent(path), path.rpartition("/")[2]
            known = above in self._folders
            self._folders.setdefault(above, {})[name] = "dir"
            path = "" if known else above
        return found

    def entries(self, path: str) -> list[Entry]:
        """Return a folder's entries by name."""
        found = self._folders.get(path)
        if found is None:
            if path in self._files:
                raise NotADirectoryError(20, "Not a directory", path)
            raise FileNotFoundError(2, "No such file or directory", path)
        return [Entry(name, kind) for name, kind in sorted(found.items())]

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes."""
        held = self._files.get(path)
        if held is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        data = held if isinstance(held, bytes) else held(limit)
        if len(data) > limit:
            raise NotReadable("too-big", f"{len(data):,} bytes is more than the limit of {limit:,}")
        return data

    def stat(self, path: str) -> Stat | None:
        """Return what the path is."""
        if path in self._folders:
            return Stat("dir")
        held = self._files.get(path)
        if held is None:
            return None
        return Stat("file", len(held) if isinstance(held, bytes) else 0, self._mtimes.get(path, 0))

    def close(self) -> None:
        """Do nothing."""


def parent(path: str) -> str:
    """Return the folder of a relative path."""
    return path.rpartition("/")[0]


def join(*parts: str) -> str:
    """Join relative paths, leaving empty ones out."""
    return "/".join(part for part in parts if part)


def kind_of_mode(mode: int) -> Kind:
    """Return the kind of a stat mode that is no link."""
    if stat_module.S_ISREG(mode):
        return "file"
    return "dir" if stat_module.S_ISDIR(mode) else "special"
