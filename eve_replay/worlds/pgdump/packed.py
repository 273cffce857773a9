"""A dump file opened as text, whatever it is packed in: what can be unpacked before a damage is kept."""

from __future__ import annotations

import bz2
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import Limits, Meter, OverLimit, begun
from eve_replay.worlds.pgdump.archive import archive_text, is_archive

__all__ = ["open_dump_file", "unpacked_head"]

_CHUNK = 1 << 20
#: Bytes fed at once: a slice of n bytes of zstd gives at most n * 2**15.
_FIRST, _SLICE = 64, 2048
#: Nobody writes so many frames without content one after the other.
_EMPTY = 1000
#: In memory up to here, in a temporary file beyond.
_SPOOL = 64 << 20
#: xz files of today need 64 MiB at most; a header may ask for gigabytes.
_LZMA_MEMORY = 256 << 20
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Inflater(Protocol):
    """What the standard library's decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes | memoryview, /) -> bytes: ...


def open_dump_file(
    path: Path, wanted: Callable[[str], bool], limits: Limits | None = None
) -> tuple[BinaryIO, str]:
    """Return a dump as a file of SQL text, and why it ends early, empty when it does not.

    Plain text is opened in place; ``.gz``, ``.xz``, ``.bz2``, ``.zst``, ``.zip`` and pg_dump's own binary
    forms are unpacked into memory, or a temporary file when they are large.

    Args:
        path: the file or the folder of ``pg_dump -Fd``.
        wanted: of a binary form, whether the rows of a table are needed.
        limits: what unpacking may cost; what came out before it was over one is kept.

    Raises:
        OSError: it cannot be read.
        SourceUnreadable: it is packed in a way that is not known.
    """
    limits = begun(limits)
    if is_archive(path):
        spool = _spool()
        try:
            fault = archive_text(path, wanted, spool, limits)
        except BaseException:
            spool.close()
            raise
        spool.seek(0)
        return spool, fault
    with path.open("rb") as file:
        head = file.read(6)
    if head.startswith(b"PK\x03\x04"):
        return _from_zip(path, limits)
    start = _starter(head)
    if start is None:
        return path.open("rb"), ""
    spool = _spool()
    with path.open("rb") as file:
        fault = _inflate(file, start, spool, limits.meter(path.name, path.stat().st_size))
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
        if start is None:
            return raw
        out, frame = b"", start()
        for at in range(0, len(raw), _SLICE):
            for piece in _pieces(frame, memoryview(raw)[at : at + _SLICE]):
                out += piece
                if len(out) >= size:
                    return out[:size]
            if frame.eof:
                break
        return out
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ImportError):
        return b""


def _starter(head: bytes) -> Callable[[], _Inflater] | None:
    if head.startswith(b"\x1f\x8b"):
        return lambda: cast(_Inflater, zlib.decompressobj(wbits=31))
    if head.startswith(b"\xfd7zXZ"):
        return lambda: cast(_Inflater, lzma.LZMADecompressor(memlimit=_LZMA_MEMORY))
    if head.startswith(b"BZh"):
        return bz2.BZ2Decompressor
    if head.startswith(_ZSTD):
        from eve_replay.codec.zstdlib import inflater

        return lambda: cast(_Inflater, inflater())
    return None


def _inflate(file: BinaryIO, start: Callable[[], _Inflater], into: BinaryIO, meter: Meter) -> str:
    """Unpack all frames of a file; return why it ended early.

    A frame is fed in slices that grow from few bytes: of a file of many tiny frames the rest would otherwise
    be copied for each of them, and a slice gives only so much at once.
    """
    from eve_replay.codec.zstdlib import failure

    frame, begun, step = start(), False, _FIRST
    data = memoryview(b"")
    empty = 0
    try:
        while True:
            data = data or memoryview(file.read(_CHUNK))
            if not data:
                return "the compressed file ends early" if begun else ""
            piece = data[:step]
            if not begun and not bytes(piece).strip(b"\0"):
                data = data[len(piece) :]  # padding between frames
                continue
            for out in _pieces(frame, piece):
                empty = 0 if out else empty
                meter.spend(len(out))
                into.write(out)
            begun = not frame.eof
            if begun:
                data, step = data[len(piece) :], min(step * 2, _SLICE)
            else:
                data = data[len(piece) - len(frame.unused_data) :]
                frame, step = start(), _FIRST
                empty += 1
                if empty > _EMPTY:
                    return f"the compressed file holds {_EMPTY:,} empty parts in a row"
    except OverLimit as error:
        return f"{error.phrase}. {error.hint}"
    except (zlib.error, lzma.LZMAError, EOFError, OSError, failure()) as error:
        return f"the compressed file is damaged ({error})"


def _pieces(frame: _Inflater, piece: memoryview) -> Iterator[bytes]:
    """Yield what comes out of a slice: bz2 and lzma make gigabytes of few bytes, so they give it in parts."""
    if not isinstance(frame, (bz2.BZ2Decompressor, lzma.LZMADecompressor)):
        yield frame.decompress(piece)
        return
    yield frame.decompress(piece, max_length=_CHUNK)
    while not frame.eof and not frame.needs_input:
        yield frame.decompress(b"", max_length=_CHUNK)


def _from_zip(path: Path, limits: Limits) -> tuple[BinaryIO, str]:
    spool = _spool()
    try:
        with zipfile.ZipFile(path) as archive:
            name = _sql_member(archive)
            if not name:
                raise SourceUnreadable(f"{path} holds no .sql file.", hint="Unpack it and name the dump.")
            meter = limits.meter(path.name, archive.getinfo(name).compress_size)
            with archive.open(name) as member:
                while chunk := member.read(_CHUNK):
                    meter.spend(len(chunk))
                    spool.write(chunk)
        fault = ""
    except OverLimit as error:
        fault = f"{error.phrase}. {error.hint}"
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
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
