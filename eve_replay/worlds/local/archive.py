"""Archives (.zip, .tar and compressed tar) as read-only trees: members lie packed, or in a temporary file.

Names that leave the archive (``..``, absolute ones), links and devices are refused and listed in
``rejected``; so is a member that is over a limit. What is beyond a limit of the archive as a whole is told
in ``rejected`` too, and what came before it is shown. What the package's own recordings were taken apart into
is put together again (``worlds/local/parts.py``).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import Limits, OverLimit, begun
from eve_replay.worlds.local.parts import SUFFIX, whole
from eve_replay.worlds.local.tree import MemoryTree, NotReadable

__all__ = ["archive_tree"]

#: What the readers of the standard library raise on bytes that are no archive, or one they do not know.
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)
_PACKED: tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ", lzma.LZMAFile),
    (b"\x5d\x00\x00", lzma.LZMAFile),
    (b"\x28\xb5\x2f\xfd", lambda file: _Zstd(file)),
)
#: In memory up to here, in a temporary file beyond.
_SPOOL = 64 << 20
_CHUNK = 1 << 20
#: More names than folders on a real disk can have below each other.
_DEEPEST = 200


def archive_tree(
    path: Path, *, label: str = "", limits: Limits | None = None, data: bytes | None = None
) -> MemoryTree:
    """Return an archive's content as a tree.

    Args:
        path: the archive; only its name matters when ``data`` is given.
        label: what to call it, the path by default.
        limits: what reading it may cost.
        data: the archive's bytes when they are at hand.

    Raises:
        SourceUnreadable: it is no such archive, it is damaged, or (OverLimit) nothing of it is within the
            limits.
    """
    label = label or str(path)
    limits = begun(limits)
    try:
        if path.name.lower().endswith(".zip"):
            return _zip_tree(path if data is None else io.BytesIO(data), label, limits)
        with path.open("rb") if data is None else io.BytesIO(data) as file:
            return _tar_tree(file, label, limits, whole if path.name.endswith(SUFFIX) else bytes)
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


def _fault(name: str | None, size: int, limits: Limits) -> str:
    """Return why a member is left out, empty when it is not."""
    if name is None:
        return "its name leaves the archive"
    if name.count("/") > _DEEPEST:
        return f"it lies more than {_DEEPEST} folders deep"
    if size > limits.file:
        return f"it has {size:,} bytes, the limit for one file is {limits.file:,}. {limits.way_on('file')}"
    return ""


def _shown(name: str) -> str:
    return name if len(name) <= 300 else f"{name[:200]} ({len(name):,} characters)"


# -- tar -----------------------------------------------------------------------------------------------


class _Meter(io.RawIOBase):
    """Counts what comes out of a packed stream before anybody holds it."""

    def __init__(self, inner: IO[bytes], size: int, label: str, limits: Limits) -> None:
        self._inner, self._size, self._label, self._limits = inner, size, label, limits
        self._most = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read one piece."""
        part = self._inner.read(len(buffer))
        buffer[: len(part)] = part
        self._count()
        return len(part)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move; what is passed over on the way was unpacked too."""
        to = offset if whence == 0 else self._inner.tell() + offset
        while self._size and self._inner.tell() < to:
            if not self._inner.read(min(_CHUNK, to - self._inner.tell())):
                break
            self._count()
        return self._inner.seek(to)

    def tell(self) -> int:
        """Return the place in the unpacked stream."""
        return self._inner.tell()

    def _count(self) -> None:
        at = self._inner.tell()
        if at > self._most:
            if self._size:  # plain tar files cost what they are on the disk
                self._limits.unpack(at - self._most, self._label)
                self._limits.swell(at, self._size, self._label)
            self._most = at


class _Zstd:
    """A zstd file as the bytes inside it: read onwards, gone back in by starting again."""

    #: Four packed bytes may stand for a whole block of 128 kB: what one call gives has to end somewhere.
    _SLICE = 256

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._start()

    def _start(self) -> None:
        from eve_replay.codec.zstdlib import inflater

        self._file.seek(0)
        self._frame, self._left, self._ready, self._at = inflater(), b"", b"", 0

    def read(self, size: int) -> bytes:
        """Return up to so many bytes, fewer at the end only. Raises ValueError for bytes that are no zstd."""
        from eve_replay.codec.zstdlib import failure, inflater

        found = bytearray(self._ready)
        while len(found) < size:
            packed = self._left or self._file.read(self._SLICE)
            if not packed:
                break
            self._left = b""
            try:
                found += self._frame.decompress(packed)
            except failure() as error:
                if not found:
                    raise ValueError(f"damaged zstd: {error}") from None
                break
            if self._frame.eof:
                self._left, self._frame = self._frame.unused_data, inflater()
        self._ready = bytes(found[size:])
        self._at += min(size, len(found))
        return bytes(found[:size])

    def tell(self) -> int:
        """Return the place in the unpacked bytes."""
        return self._at

    def seek(self, to: int) -> int:
        """Go to a place in the unpacked bytes."""
        if to < self._at:
            self._start()
        while self._at < to and self.read(min(_CHUNK, to - self._at)):
            pass
        return self._at


class _Reader(io.BufferedReader):
    """Never holds more at once than one file may have: headers claim sizes too."""

    def __init__(self, meter: _Meter, limits: Limits) -> None:
        super().__init__(cast(Any, meter), buffer_size=1 << 16)
        self._limits = limits

    def read(self, size: int | None = -1, /) -> bytes:
        """Read; a claim of more than a file may have is over the limit."""
        if size is not None and size > self._limits.file + (1 << 20):
            raise self._limits.over("file", f"A header claims {size:,} bytes")
        return super().read(size)


def _tar_tree(file: BinaryIO, label: str, limits: Limits, made: Callable[[bytes], bytes]) -> MemoryTree:
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(6)
    file.seek(0)
    opener = next((opener for magic, opener in _PACKED if head.startswith(magic)), None)
    meter = _Meter(file if opener is None else opener(file), size if opener else 0, label, limits)
    spool = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_SPOOL))  # noqa: SIM115 - the tree closes it
    files: dict[str, bytes | Callable[[int], bytes]] = {}
    folders: list[str] = []
    rejected: dict[str, str] = {}
    lock = threading.Lock()
    try:
        with tarfile.open(fileobj=_Reader(meter, limits), mode="r:") as tar:
            for member in tar:
                limits.member(label)
                name = _clean(member.name)
                fault = _fault(name, member.size if member.isreg() else 0, limits)
                if fault:
                    if member.name.strip("./"):
                        rejected[_shown(member.name)] = fault
                elif member.isdir():
                    folders.append(str(name))
                elif member.isreg():
                    start, length = _copy(tar, member, spool)
                    files[str(name)] = partial(_piece, spool, lock, start, length)
                else:
                    rejected[_shown(member.name)] = "it is a link or a device"
    except OverLimit as error:
        if not files:
            spool.close()
            raise
        rejected[f"after {next(reversed(files))}"] = f"{error.phrase}. {error.hint}"
    except _DAMAGE as error:
        if not files:
            spool.close()
            raise
        # A cut archive still has its first files: show them, and say that there was more.
        rejected[f"after {next(reversed(files))}"] = f"the archive is cut or damaged from here on ({error})"
    if spool.seek(0, 2) > _SPOOL:
        return _HeldTree(spool, files, folders=folders, label=label, rejected=rejected)
    with spool:
        small: dict[str, bytes | Callable[[int], bytes]] = {
            name: made(read(limits.file)) for name, read in files.items() if callable(read)
        }
    return MemoryTree(small, folders=folders, label=label, rejected=rejected)


def _copy(tar: tarfile.TarFile, member: tarfile.TarInfo, spool: BinaryIO) -> tuple[int, int]:
    start = spool.seek(0, 2)
    handle = tar.extractfile(member)
    while handle is not None and (part := handle.read(_CHUNK)):
        spool.write(part)
    return start, spool.seek(0, 2) - start


def _piece(spool: BinaryIO, lock: threading.Lock, start: int, length: int, limit: int) -> bytes:
    if length > limit:
        raise NotReadable("too-big", f"it is more than the limit of {limit:,} bytes for one file")
    with lock:
        spool.seek(start)
        return spool.read(length)


class _HeldTree(MemoryTree):
    """Members are read, or unpacked, when they are asked for."""

    def __init__(
        self,
        source: zipfile.ZipFile | BinaryIO,
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


# -- zip -----------------------------------------------------------------------------------------------


def _zip_tree(path: Path | IO[bytes], label: str, limits: Limits) -> MemoryTree:
    source = zipfile.ZipFile(path)
    lock = threading.Lock()
    files: dict[str, bytes | Callable[[int], bytes]] = {}
    folders: list[str] = []
    rejected: dict[str, str] = {}
    counted: set[str] = set()
    for info in source.infolist():
        try:
            limits.member(label)
        except OverLimit as error:
            if not files:
                raise
            rejected[f"after {next(reversed(files))}"] = f"{error.phrase}. {error.hint}"
            break
        name = _clean(info.filename)
        fault = _fault(name, info.file_size, limits)
        if fault:
            rejected[_shown(info.filename)] = fault
        elif info.is_dir():
            folders.append(str(name))
        else:
            files[str(name)] = partial(_zip_member, source, info, lock, limits, counted)
    return _HeldTree(source, files, folders=folders, label=label, rejected=rejected)


def _zip_member(
    source: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    lock: threading.Lock,
    limits: Limits,
    counted: set[str],
    limit: int,
) -> bytes:
    if info.flag_bits & 1:
        raise NotReadable("damaged", "it is encrypted in the archive")
    try:
        if info.filename not in counted:  # each member is spent once, however often it is read
            limits.swell(info.file_size, info.compress_size, info.filename)
            limits.unpack(info.file_size, info.filename)
            counted.add(info.filename)
        with lock, source.open(info) as handle:
            data = _bounded(handle, limit)
    except OverLimit as error:
        raise NotReadable("too-big", f"{error.phrase}. {error.hint}") from None
    except (*_DAMAGE, OSError) as error:
        raise NotReadable("damaged", f"the archive is damaged here: {error}") from None
    return data


def _bounded(handle: IO[bytes], limit: int) -> bytes:
    data = handle.read(limit + 1)
    if len(data) > limit:
        raise NotReadable("too-big", f"it is more than the limit of {limit:,} bytes for one file")
    return data
