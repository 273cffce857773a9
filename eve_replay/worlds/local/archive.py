"""Archives (.zip, .tar and compressed tar) as read-only trees in memory.

Names that leave the archive (``..``, absolute ones), links and devices are refused and listed in
``rejected``. What the package's own recordings were taken apart into is put together again
(``worlds/local/parts.py``).
"""

from __future__ import annotations

import io
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from lzma import LZMAError
from pathlib import Path
from typing import IO

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.local.parts import SUFFIX, whole
from eve_replay.worlds.local.tree import MemoryTree, NotReadable

__all__ = ["ARCHIVE_LIMIT", "archive_tree"]

_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, LZMAError, zlib.error, EOFError, ValueError)

#: Bytes of all files of one archive together. A tar is read once into memory, so it has to end somewhere.
ARCHIVE_LIMIT = 1 << 30


def archive_tree(
    path: Path, *, label: str = "", limit: int = ARCHIVE_LIMIT, data: bytes | None = None
) -> MemoryTree:
    """Return an archive's content as a tree.

    Args:
        path: the archive; only its name matters when ``data`` is given.
        label: what to call it, the path by default.
        limit: most bytes of all files of a tar together.
        data: the archive's bytes when they are at hand.

    Raises:
        SourceUnreadable: it is no such archive, it is damaged, or it holds more than ``limit`` bytes.
    """
    label = label or str(path)
    try:
        if path.name.lower().endswith(".zip"):
            return _zip_tree(path if data is None else io.BytesIO(data), label)
        read = whole if path.name.endswith(SUFFIX) else bytes
        with tarfile.open(path) if data is None else tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return _tar_tree(tar, label, limit, read)
    except _DAMAGE as error:
        raise SourceUnreadable(
            f"{label} is not a readable archive: {str(error).partition(chr(10))[0]}.",
            hint="Copy it again, or unpack it and name the folder.",
        ) from None
    except OSError as error:
        raise SourceUnreadable(f"{label} cannot be read: {error.strerror or error}.") from None


def _clean(name: str) -> str | None:
    """Return a safe relative path, None for one that leaves the archive."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]:
        return None
    return "/".join(parts)


def _tar_tree(tar: tarfile.TarFile, label: str, limit: int, read: Callable[[bytes], bytes]) -> MemoryTree:
    files: dict[str, bytes | Callable[[int], bytes]] = {}
    folders: list[str] = []
    rejected: dict[str, str] = {}
    total = 0
    try:
        for member in tar:
            name = _clean(member.name)
            if name is None:
                if member.name.strip("./"):
                    rejected[member.name] = "its name leaves the archive"
            elif member.isdir():
                folders.append(name)
            elif member.isreg():
                total += member.size
                if total > limit:
                    raise SourceUnreadable(
                        f"{label} holds more than {limit:,} bytes.", hint="Unpack it and name the folder."
                    )
                handle = tar.extractfile(member)
                files[name] = read(handle.read()) if handle is not None else b""
            else:
                rejected[member.name] = "it is a link or a device"
    except _DAMAGE as error:
        if not files:
            raise
        # A cut archive still has its first files: show them, and say that there was more.
        rejected[f"after {next(reversed(files))}"] = f"the archive is cut or damaged from here on ({error})"
    return MemoryTree(files, folders=folders, label=label, rejected=rejected)


def _zip_tree(path: Path | IO[bytes], label: str) -> MemoryTree:
    source = zipfile.ZipFile(path)
    lock = threading.Lock()
    files: dict[str, bytes | Callable[[int], bytes]] = {}
    folders: list[str] = []
    rejected: dict[str, str] = {}
    for info in source.infolist():
        name = _clean(info.filename)
        if name is None:
            rejected[info.filename] = "its name leaves the archive"
        elif info.is_dir():
            folders.append(name)
        else:
            files[name] = partial(_zip_member, source, info, lock)
    return _ZipTree(source, files, folders=folders, label=label, rejected=rejected)


class _ZipTree(MemoryTree):
    """Members are unpacked when they are read."""

    def __init__(
        self,
        source: zipfile.ZipFile,
        files: dict[str, bytes | Callable[[int], bytes]],
        *,
        folders: list[str],
        label: str,
        rejected: dict[str, str],
    ) -> None:
        super().__init__(files, folders=folders, label=label, rejected=rejected)
        self._source = source

    def close(self) -> None:
        """Close the archive."""
        self._source.close()


def _zip_member(source: zipfile.ZipFile, info: zipfile.ZipInfo, lock: threading.Lock, limit: int) -> bytes:
    if info.flag_bits & 1:
        raise NotReadable("damaged", "it is encrypted in the archive")
    try:
        with lock, source.open(info) as handle:
            data = _bounded(handle, limit)
    except (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotReadable("damaged", f"the archive is damaged here: {error}") from None
    return data


def _bounded(handle: IO[bytes], limit: int) -> bytes:
    data = handle.read(limit + 1)
    if len(data) > limit:
        raise NotReadable("too-big", f"it is more than the limit of {limit:,} bytes for one file")
    return data
