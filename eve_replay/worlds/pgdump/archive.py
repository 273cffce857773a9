"""pg_dump's own binary forms, custom (``-Fc``), directory (``-Fd``) and tar (``-Ft``), as the text inside.

Read here and not by a library: the one there is reads custom dumps that were written to a file only, not
those that went through a pipe, and no directories. Source of the form: PostgreSQL, ``pg_backup_archiver.c``,
versions 1.10 (9.0) to 1.16 (17 and 18); checked against the pg_dump of this machine.
"""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from eve_replay.errors import SourceUnreadable
from eve_replay.limits import Limits, Meter, OverLimit, begun

__all__ = ["MAGIC", "archive_text", "is_archive"]

MAGIC = b"PGDMP"
_TAR, _DIRECTORY, _CUSTOM = 3, 5, 1
_KEPT = ("TABLE", "TABLE ATTACH", "ENCODING")
_CHUNK = 1 << 20
_SLICE = 2048
#: More than any schema has: a damaged number must not be believed.
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the table of contents: what it is, its SQL, and the file of its data."""

    number: int
    tag: str
    kind: str
    schema: str
    sql: str
    copy: str
    file: str


class _Toc:
    """Reads the table of contents of an archive. Raises ValueError when it is none."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        if self._take(5) != MAGIC:
            raise ValueError("it does not begin with PGDMP")
        self.version = (self._byte(), self._byte(), self._byte())
        if not (1, 10, 0) <= self.version < (2, 0, 0):
            raise ValueError(f"its form {'.'.join(map(str, self.version))} is not known")
        self._int_size, self._offset_size, self.form = self._byte(), self._byte(), self._byte()
        if self.version >= (1, 15, 0):
            self.packing = self._byte()
        else:
            self.packing = 1 if self.number() != 0 else 0
        for _ in range(7):
            self.number()
        self.database = self.text()
        self.server = self.text()
        self.program = self.text()

    def _take(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:  # in pieces: a length that lies asks for no more memory than the file holds
            piece = self._file.read(min(size - len(found), _CHUNK))
            if not piece:
                raise EOFError("the dump ends early")
            found += piece
        return bytes(found)

    def _byte(self) -> int:
        return self._take(1)[0]

    def number(self) -> int:
        """Return an integer: a sign, then the digits from the lowest."""
        negative = self._byte()
        value = int.from_bytes(self._take(self._int_size), "little")
        return -value if negative else value

    def text(self) -> str:
        """Return a text, empty for none."""
        return self._text() or ""

    def _text(self) -> str | None:
        size = self.number()
        if size < 0:
            return None
        if size > 1 << 30:
            raise ValueError("a text of its table of contents has an impossible length")
        return self._take(size).decode("utf-8", "surrogateescape")

    def entries(self) -> Iterator[_Entry]:
        """Yield the entries in the order in which they are restored."""
        count = self.number()
        if not 0 <= count < _MOST:
            raise ValueError("its table of contents has an impossible length")
        for _ in range(count):
            yield self._entry()

    def _entry(self) -> _Entry:
        number = self.number()
        self.number()
        self.text()
        self.text()
        tag, kind = self.text(), self.text()
        if self.version >= (1, 11, 0):
            self.number()
        sql, _, copy, schema = self.text(), self.text(), self.text(), self.text()
        self.text()
        if self.version >= (1, 14, 0):
            self.text()
        if self.version >= (1, 16, 0):
            self.number()
        self.text()
        self.text()
        while self._text() is not None:
            pass  # what it depends on
        file = ""
        if self.form == _CUSTOM:
            self._take(1 + self._offset_size)
        else:
            file = self.text()
        return _Entry(number, tag, kind, schema, sql, copy, file)

    def block(self) -> tuple[int, int] | None:
        """Return the kind and the entry of the next data block of a custom archive, None at the end."""
        kind = self._file.read(1)
        return (kind[0], self.number()) if kind else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the pieces of a data block."""
        while (size := self.number()) != 0:
            if size < 0:
                raise ValueError("a block of data has an impossible length")
            yield self._take(size)


def is_archive(path: Path) -> bool:
    """Return whether a file or folder is a dump in one of pg_dump's own forms."""
    try:
        if path.is_dir():
            return (path / "toc.dat").is_file()
        with path.open("rb") as file:
            head = file.read(512)
    except OSError:
        return False
    return head.startswith(MAGIC) or (head.startswith(b"toc.dat\0") and head[257:262] == b"ustar")


def archive_text(
    path: Path, wanted: Callable[[str], bool], into: BinaryIO, limits: Limits | None = None
) -> str:
    """Write what an archive restores to into ``into``, as plain pg_dump would; return why it ended early.

    Args:
        path: the file, the folder, or the ``.tar``.
        wanted: whether the rows of a table are needed.
        into: gets SQL text: encoding, tables, partitions, rows.
        limits: what unpacking may cost.

    Raises:
        SourceUnreadable: it is no archive, or packed with something that is not installed.
    """
    limits = begun(limits)
    size = (
        sum(each.stat().st_size for each in path.iterdir() if each.is_file())
        if path.is_dir()
        else path.stat().st_size
    )
    meter = limits.meter(path.name, size)
    try:
        if path.is_dir():
            with (path / "toc.dat").open("rb") as file:
                toc = _Toc(file)
                entries = list(toc.entries())
            return _files(toc, entries, wanted, into, lambda name: _in_folder(path, name, meter), meter)
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return _from_tar(path, wanted, into, meter)
            file.seek(0)
            toc = _Toc(file)
            entries = list(toc.entries())
            _head(toc, entries, into)
            return _ended(_blocks(toc, {entry.number: entry for entry in entries}, wanted, into, meter), into)
    except (ValueError, EOFError, tarfile.TarError) as error:
        raise SourceUnreadable(
            f"{path} cannot be read as a dump of pg_dump: {error}.",
            hint=f"Turn it into text: pg_restore -f dump.sql {path.name}",
        ) from error


def _head(toc: _Toc, entries: list[_Entry], into: BinaryIO) -> None:
    into.write(b"-- PostgreSQL database dump\n")
    into.write(f"-- Dumped from database version {toc.server}\n".encode())
    into.write(f"-- Dumped by pg_dump version {toc.program}\n".encode())
    for entry in entries:
        if entry.kind in _KEPT:
            into.write(entry.sql.encode("utf-8", "surrogateescape"))


def _begin(entry: _Entry, into: BinaryIO) -> None:
    into.write(b"\n" + entry.copy.encode("utf-8", "surrogateescape"))


def _blocks(
    toc: _Toc, entries: dict[int, _Entry], wanted: Callable[[str], bool], into: BinaryIO, meter: Meter
) -> str:
    """Go through the data of a custom archive in file order: no offsets are needed, a pipe leaves none."""
    try:
        while (block := toc.block()) is not None:
            kind, number = block
            entry = entries.get(number)
            if kind == 1 and entry is not None and entry.kind == "TABLE DATA" and wanted(entry.tag):
                _begin(entry, into)
                unpack = _unpacker(toc.packing)
                for chunk in toc.chunks():
                    for part in _pieces(unpack, chunk, meter):
                        into.write(part)
            elif kind == 3:
                while toc.number() != 0:
                    for _ in toc.chunks():
                        pass
            else:
                for _ in toc.chunks():
                    pass
    except OverLimit as error:
        into.write(b"\n\\.\n")
        return f"{error.phrase}. {error.hint}"
    except (EOFError, zlib.error, ValueError, _zstd_failure()) as error:
        return str(error)
    return ""


def _pieces(unpack: Callable[[bytes], bytes], chunk: bytes, meter: Meter) -> Iterator[bytes]:
    """Yield what a chunk unpacks to, slice by slice: what a chunk gives is not known before."""
    for at in range(0, len(chunk), _SLICE):
        part = unpack(chunk[at : at + _SLICE])
        meter.spend(len(part))
        yield part


def _zstd_failure() -> type[Exception]:
    try:
        from eve_replay.codec.zstdlib import failure

        return failure()
    except ImportError:
        return EOFError


def _files(
    toc: _Toc,
    entries: list[_Entry],
    wanted: Callable[[str], bool],
    into: BinaryIO,
    opened: Callable[[str], BinaryIO | None],
    meter: Meter,
) -> str:
    _head(toc, entries, into)
    fault = ""
    for entry in entries:
        if entry.kind != "TABLE DATA" or not entry.file or not wanted(entry.tag):
            continue
        try:
            source = opened(entry.file)
        except (OSError, ValueError, OverLimit, _zstd_failure()) as error:
            fault = f"{entry.file}: {error}"
            continue
        if source is None:
            fault = f"the file {entry.file} with the rows of {entry.schema}.{entry.tag} is missing"
            into.write(f"-- missing {entry.schema}.{entry.tag}\n".encode())
            continue
        _begin(entry, into)
        try:
            with source:
                while chunk := source.read(_CHUNK):
                    meter.spend(len(chunk))
                    into.write(chunk)
        except (OSError, EOFError, zlib.error, OverLimit) as error:
            fault = f"{entry.file}: {error}"
            into.write(b"\n\\.\n")
    return _ended(fault, into)


def _ended(fault: str, into: BinaryIO) -> str:
    """Write the end of a dump that is whole, as pg_dump does in its text form."""
    if not fault:
        into.write(b"\n-- PostgreSQL database dump complete\n")
    return fault


def _in_folder(folder: Path, name: str, meter: Meter) -> BinaryIO | None:
    """Return the data of a directory archive: the table of contents names it without ``.gz``."""
    import gzip

    place = folder / Path(name).name
    if place.is_file():
        return place.open("rb")
    packed = place.with_name(f"{place.name}.gz")
    if packed.is_file():
        return gzip.open(packed, "rb")  # type: ignore[return-value]
    packed = place.with_name(f"{place.name}.zst")
    if packed.is_file():
        return io.BytesIO(b"".join(_pieces(_unpacker(3), packed.read_bytes(), meter)))
    packed = place.with_name(f"{place.name}.lz4")
    if not packed.is_file():
        return None
    return io.BytesIO(b"".join(_pieces(_unpacker(2), packed.read_bytes(), meter)))


def _from_tar(path: Path, wanted: Callable[[str], bool], into: BinaryIO, meter: Meter) -> str:
    with tarfile.open(path) as tar:
        toc_file = tar.extractfile("toc.dat")
        if toc_file is None:
            raise ValueError("it has no toc.dat")
        toc = _Toc(io.BytesIO(toc_file.read()))
        entries = list(toc.entries())

        def opened(name: str) -> BinaryIO | None:
            try:
                return tar.extractfile(name)  # type: ignore[return-value]
            except KeyError:
                return None

        return _files(toc, entries, wanted, into, opened, meter)


def _unpacker(packing: int) -> Callable[[bytes], bytes]:
    """Return what unpacks the pieces of one block. Raises SourceUnreadable."""
    if packing == 0:
        return lambda chunk: chunk
    if packing == 1:
        return zlib.decompressobj().decompress
    if packing == 3:
        from eve_replay.codec.zstdlib import inflater

        return inflater().decompress
    try:
        import lz4.frame  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise SourceUnreadable(
            "This dump is packed with lz4, and the package lz4 is not installed here.",
            hint="pip install lz4, or turn it into text: pg_restore -f dump.sql.",
        ) from None
    return lz4.frame.LZ4FrameDecompressor().decompress  # type: ignore[no-any-return,unused-ignore]
