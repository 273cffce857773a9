"""A folder on disk as a read-only tree.

Files are opened for reading only, never blocking (a FIFO does not hang us), never through a link that leaves
the folder, and without touching their access time where the system allows that (Linux, own files).
"""

from __future__ import annotations

import errno
import os
import stat as stat_module
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path

from eve_replay.worlds.local.tree import Entry, Kind, NotReadable, Stat, join, kind_of_mode, parent

__all__ = ["DiskTree"]

_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
)
_NOATIME: int = getattr(os, "O_NOATIME", 0)
_RELATIVE = os.open in os.supports_dir_fd
_BY_DESCRIPTOR = os.scandir in os.supports_fd
_BLOCK = 1 << 20
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL})


class DiskTree:
    """A folder on disk.

    Args:
        root: the folder; a link to it is followed once, here.
    """

    live = True
    rejected: Mapping[str, str] = {}

    def __init__(self, root: Path | str) -> None:
        self.label = str(root)
        self._root = os.path.realpath(root)
        self._inside = self._root.rstrip(os.sep) + os.sep
        #: Folders whose real place was found to be inside the root.
        self._safe: set[str] = {""}

    @property
    def root(self) -> str:
        """The folder's real path."""
        return self._root

    def _full(self, path: str) -> str:
        return self._inside + path.replace("/", os.sep) if path else self._root

    def _follow(self, path: str) -> tuple[str, Kind]:
        """Return where a link leads and what is there; ``outside``, ``loop`` or ``broken`` when refused."""
        full = self._full(path)
        try:
            real = os.path.realpath(full, strict=True)
            mode = Path(real).stat().st_mode
        except FileNotFoundError:
            return full, "broken"
        except (OSError, RuntimeError) as error:
            if isinstance(error, PermissionError):
                raise
            return full, "loop"
        if real != self._root and not real.startswith(self._inside):
            return full, "outside"
        return real, kind_of_mode(mode)

    def _check_folder(self, path: str) -> None:
        """Refuse a folder that a link puts outside the root (cached: one look per folder)."""
        if path in self._safe:
            return
        kind = self._follow(path)[1]
        if kind in ("outside", "loop"):
            raise NotReadable(kind, _WHY[kind])
        if kind == "dir":
            self._safe.add(path)

    def entries(self, path: str, names: Iterable[str] | None = None) -> list[Entry]:
        """Return a folder's entries by name; links are resolved, those that leave the folder are named so.

        Args:
            path: the folder.
            names: the names that are wanted, all without it.
        """
        found = self._scan(path) if names is None else self._kinds(path, names)
        out: list[Entry] = []
        for name, kind in sorted(found, key=itemgetter(0)):
            if kind is None:
                kind = self._follow(join(path, name))[1]
                if kind == "dir" and self._circular(path, name):
                    kind = "loop"
            out.append(Entry(name, kind))
        return out

    def _circular(self, path: str, name: str) -> bool:
        """Whether a folder link leads to a folder it lies in: following it would never end."""
        real = os.path.realpath(self._full(join(path, name)))
        here = os.path.realpath(self._full(path))
        return here == real or here.startswith(real + os.sep)

    def names(self, path: str) -> list[str]:
        """Return every name in a folder, in no order, whatever it is: the cheapest look there is."""
        self._check_folder(path)
        return os.listdir(self._full(path))  # noqa: PTH208  (a path object for every name takes ten times as long)

    def _kinds(self, path: str, names: Iterable[str]) -> list[tuple[str, Kind | None]]:
        self._check_folder(path)
        found: list[tuple[str, Kind | None]] = []
        for name in names:
            try:
                mode = os.lstat(self._full(join(path, name))).st_mode
            except FileNotFoundError:
                continue  # removed since the folder was listed
            found.append((name, None if stat_module.S_ISLNK(mode) else kind_of_mode(mode)))
        return found

    def _scan(self, path: str) -> list[tuple[str, Kind | None]]:
        self._check_folder(path)
        full = self._full(path)
        handle: int | None = None
        if _BY_DESCRIPTOR and _NOATIME:
            handle = _open(full, getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY)
        try:
            with os.scandir(full if handle is None else handle) as entries:
                return [(_printable(entry.name), _kind(entry)) for entry in entries]
        finally:
            if handle is not None:
                os.close(handle)

    def peek(self, path: str, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the bytes of many small regular files of one folder, quicker than ``read`` one by one.

        Args:
            path: the folder.
            names: names of files in it.

        Yields:
            ``(name, bytes)``; None for one that cannot be read like this: a link, no access, over 1 MiB.
        """
        self._check_folder(path)
        folder: int | None = None
        prefix = "" if _RELATIVE else self._full(path) + os.sep
        if _RELATIVE:
            folder = _open(self._full(path), getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY)
        try:
            for name in names:
                yield name, _glance(prefix + name, folder)
        finally:
            if folder is not None:
                os.close(folder)

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes."""
        self._check_folder(parent(path))
        full = self._full(path)
        found = os.lstat(full)
        if stat_module.S_ISLNK(found.st_mode):
            full, kind = self._follow(path)
            if kind == "broken":
                raise FileNotFoundError(2, "No such file or directory", full)
            if kind != "file":
                raise NotReadable(kind, _WHY.get(kind, "it is a folder"))
        elif not stat_module.S_ISREG(found.st_mode):
            if stat_module.S_ISDIR(found.st_mode):
                raise IsADirectoryError(21, "Is a directory", full)
            raise NotReadable("special", _WHY["special"])
        handle = _open(full, _READ)
        try:
            found = os.fstat(handle)
            if not stat_module.S_ISREG(found.st_mode):
                raise NotReadable("special", _WHY["special"])
            if found.st_size > limit:
                raise NotReadable(
                    "too-big", f"{found.st_size:,} bytes is more than the limit of {limit:,} for one file"
                )
            return _read_all(handle, found.st_size, limit)
        finally:
            os.close(handle)

    def stat(self, path: str) -> Stat | None:
        """Return what the path is, links resolved."""
        try:
            self._check_folder(parent(path))
            full = self._full(path)
            found = os.lstat(full)
            if stat_module.S_ISLNK(found.st_mode):
                full, kind = self._follow(path)
                if kind in ("outside", "loop", "broken"):
                    return Stat(kind)
                found = Path(full).stat()
        except NotReadable:
            return None
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise
        return Stat(kind_of_mode(found.st_mode), found.st_size, found.st_mtime_ns)

    def close(self) -> None:
        """Do nothing: no file stays open between calls."""


def _open(full: str, flags: int, folder: int | None = None) -> int:
    if _NOATIME:
        try:
            return os.open(full, flags | _NOATIME, dir_fd=folder)
        except PermissionError:
            pass  # it needs ownership of the file: somebody else's is read the plain way
    return os.open(full, flags, dir_fd=folder)


def _glance(name: str, folder: int | None) -> bytes | None:
    """Return the bytes of a small file, None for what needs the long way: a link, no access, its size."""
    try:
        handle = _open(name, _READ, folder)
        try:
            data = os.read(handle, _BLOCK + 1)
        finally:
            os.close(handle)
    except OSError:
        return None
    return data if len(data) <= _BLOCK else None


def _kind(entry: os.DirEntry[str]) -> Kind | None:
    """Return the entry's kind without a system call where the folder tells it; None for a link."""
    if entry.is_symlink():
        return None
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "dir" if entry.is_dir(follow_symlinks=False) else "special"


def _printable(name: str | bytes) -> str:
    return name if isinstance(name, str) else os.fsdecode(name)


def _read_all(handle: int, expected: int, limit: int) -> bytes:
    """Read to the end: a file may grow between stat and read, and a read may return less than asked."""
    parts: list[bytes] = []
    size = 0
    while block := os.read(handle, max(expected - size, 0) + _BLOCK if parts else expected + 1):
        parts.append(block)
        size += len(block)
        if size > limit:
            raise NotReadable("too-big", f"it grew over the limit of {limit:,} bytes while it was read")
    return parts[0] if len(parts) == 1 else b"".join(parts)


_WHY: dict[str, str] = {
    "outside": "it is a link that leaves the folder; it was not followed",
    "loop": "it is a link that leads to itself",
    "special": "it is no regular file (a pipe, socket or device); it was not opened",
}
