"""A dump file opened as text, whatever it is packed in: what can be unpacked before a damage is kept."""

from __future__ import annotations

import bz2
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from eve_replay.errors import SourceUnreadable
from eve_replay.worlds.pgdump.archive import archive_text, is_archive

__all__ = ["open_dump_file", "unpacked_head"]

_CHUNK = 1 << 20
#: In memory up to here, in a temporary file beyond.
_SPOOL = 64 << 20
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Inflater(Protocol):
    """What the standard library's decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def open_dump_file(path: Path, wanted: Callable[[str], bool]) -> tuple[BinaryIO, str]:
    """Return a dump as a file of SQL text, and why it ends early, empty when it does not.

    Plain text is opened in place; ``.gz``, ``.xz``, ``.bz2``, ``.zst``, ``.zip`` and pg_dump's own binary
    forms are unpacked into memory, or a temporary file when they are large.

    Args:
        path: the file or the folder of ``pg_dump -Fd``.
        wanted: of a binary form, whether the rows of a table are needed.

    Raises:
        OSError: it cannot be read.
        SourceUnreadable: it is packed in a way that is not known.
    """
    if is_archive(path):
        spool = _spool()
        try:
            fault = archive_text(path, wanted, spool)
        except BaseException:
            spool.close()
            raise
        spool.seek(0)
        return spool, fault
    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(b"PK\x03\x04"):
        return _from_zip(path)
    start = _starter(head)
    if start is None:
        return path.open("rb"), ""
    spool = _spool()
    with path.open("rb") as file:
        fault = _inflate(file, start, spool)
    spool.seek(0)
    return spool, fault


def unpacked_head(path: Path, size: int) -> bytes:
    """Return the first bytes of what is inside a packed file, empty when it cannot be unpacked."""
    try:
        with path.open("rb") as file:
            raw = file.read(size)
        if raw.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(path) as archive:
                name = _sql_member(archive)
                if not name:
                    return b""
                with archive.open(name) as member:
                    return member.read(size)
        start = _starter(raw[:6])
        return start().decompress(raw)[:size] if start is not None else raw
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ImportError):
        return b""


def _starter(head: bytes) -> Callable[[], _Inflater] | None:
    if head.startswith(b"\x1f\x8b"):
        return lambda: cast(_Inflater, zlib.decompressobj(wbits=31))
    if head.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor
    if head.startswith(b"BZh"):
        return bz2.BZ2Decompressor
    if head.startswith(_ZSTD):
        from eve_replay.codec.zstdlib import inflater

        return inflater
    return None


def _inflate(file: BinaryIO, start: Callable[[], _Inflater], into: BinaryIO) -> str:
    """Unpack all frames of a file; return why it ended early."""
    from eve_replay.codec.zstdlib import failure

    frame, data, begun = start(), b"", False
    try:
        while True:
            data = data or file.read(_CHUNK)
            if not data:
                return "the compressed file ends early" if begun and not frame.eof else ""
            begun = True
            into.write(frame.decompress(data))
            data = b""
            if frame.eof:
                data, frame, begun = frame.unused_data.lstrip(b"\0"), start(), False
    except (zlib.error, lzma.LZMAError, EOFError, OSError, failure()) as error:
        return f"the compressed file is damaged ({error})"


def _from_zip(path: Path) -> tuple[BinaryIO, str]:
    spool = _spool()
    try:
        with zipfile.ZipFile(path) as archive:
            name = _sql_member(archive)
            if not name:
                raise SourceUnreadable(f"{path} holds no .sql file.", hint="Unpack it and name the dump.")
            with archive.open(name) as member:
                while chunk := member.read(_CHUNK):
                    spool.write(chunk)
        fault = ""
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        fault = f"the zip archive is damaged ({error})"
        if not spool.tell():
            raise SourceUnreadable(f"{path} cannot be unpacked: {error}.") from error
    spool.seek(0)
    return spool, fault


def _sql_member(archive: zipfile.ZipFile) -> str:
    names = sorted(name for name in archive.namelist() if name.lower().endswith(".sql"))
    return names[0] if names else ""


def _spool() -> BinaryIO:
    return cast(BinaryIO, tempfile.SpooledTemporaryFile(_SPOOL))
