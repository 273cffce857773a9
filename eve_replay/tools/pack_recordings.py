"""Pack recordings for the package: payloads opened, names in order, one time for all files.

::

    pack(Path("FOLDER"), Path("eve_replay/samples/NAME.parts.tar.xz"))
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path

from eve_replay.worlds.local.parts import apart, whole

__all__ = ["pack"]

#: Text with few numbers in it: three bits of the byte before help, alignment does not.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]


def pack(source: Path, target: Path) -> None:
    """Write what a folder or an archive holds as ``*.parts.tar.xz``; every file comes back to the byte.

    Raises:
        ValueError: a file would not come back.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in sorted(_members(source)):
            info = tarfile.TarInfo(name)
            if data is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
                continue
            packed = apart(data)
            if whole(packed) != data:
                raise ValueError(f"{name} would not come back")
            info.size = len(packed)
            tar.addfile(info, io.BytesIO(packed))
    target.write_bytes(lzma.compress(buffer.getvalue(), format=lzma.FORMAT_XZ, filters=_FILTERS))


def _members(source: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield names with their bytes, None for a folder."""
    if source.is_dir():
        for path in source.rglob("*"):
            yield path.relative_to(source).as_posix(), None if path.is_dir() else path.read_bytes()
        return
    with tarfile.open(source) as tar:
        for member in tar:
            handle = tar.extractfile(member) if member.isreg() else None
            if handle is not None:
                yield member.name, whole(handle.read())
            elif member.isdir():
                yield member.name, None
