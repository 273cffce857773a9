"""The zstd library there is: zstandard, else the standard library's of Python 3.14, behind one face.

``zstandard`` is preferred: it is what the package installs. Where it cannot be had (Python in a browser), the
``compression.zstd`` of Python 3.14 does the same, and ``backports.zstd`` is that module for older versions.
Nothing here is bounded by itself: feed slices (``codec/zstd.py``).
"""

from __future__ import annotations

import importlib
import threading
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

__all__ = [
    "Deflater",
    "Inflater",
    "declared_size",
    "deflate",
    "deflater",
    "failure",
    "inflate",
    "inflater",
    "library",
]

_NAMES = ("zstandard", "compression.zstd", "backports.zstd")
_local = threading.local()


class Inflater(Protocol):
    """One frame, decompressed as its bytes come. ``eof`` is True once the frame has ended."""

    @property
    def eof(self) -> bool:
        """Whether the frame has ended."""

    @property
    def unused_data(self) -> bytes:
        """What was fed beyond the end of the frame."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return what these further bytes give."""


class Deflater(Protocol):
    """One frame, compressed as its content comes."""

    def compress(self, data: bytes) -> bytes:
        """Return what is ready after these further bytes."""

    def block(self) -> bytes:
        """Return the rest of the current block: what was given so far can be read from what was returned."""

    def finish(self) -> bytes:
        """Return the end of the frame."""


@cache
def library() -> ModuleType:
    """Return the library, looked for once. Raises ImportError that names zstandard when there is none."""
    for name in _NAMES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError("no module named zstandard, and Python is older than 3.14", name="zstandard")


def _preferred(lib: ModuleType) -> bool:
    return lib.__name__ == "zstandard"


def failure() -> type[Exception]:
    """Return the class of the errors that the library raises. Raises ImportError without a library."""
    return cast("type[Exception]", library().ZstdError)


def declared_size(data: bytes) -> int | None:
    """Return the content size that a frame's header declares, None when it declares none.

    Raises ``failure()`` when the header is cut or the bytes are no frame.
    """
    lib = library()
    if not _preferred(lib):
        return cast("int | None", lib.get_frame_info(data).decompressed_size)
    size: int = lib.get_frame_parameters(data).content_size
    return None if size in (lib.CONTENTSIZE_UNKNOWN, lib.CONTENTSIZE_ERROR) else size


def inflater(*, brief: bool = False) -> Inflater:
    """Return a decompressor of one frame.

    Args:
        brief: it is done with before this thread opens another frame. Reusing the thread's context is twice
            as fast, and what was begun with it before ends there.
    """
    lib = library()
    if not _preferred(lib):
        return cast(Inflater, lib.ZstdDecompressor())
    made = _reused(lib) if brief else lib.ZstdDecompressor()
    return cast(Inflater, made.decompressobj())


def inflate(data: bytes, size: int) -> bytes:
    """Return the content of a frame that declares ``size`` bytes and is all of ``data``.

    Raises ``failure()`` when it is cut, damaged, followed by other bytes, or lies about its size.
    """
    lib = library()
    if _preferred(lib):
        return cast(bytes, _reused(lib).decompress(data, allow_extra_data=False))
    stream = lib.ZstdDecompressor()
    content: bytes = stream.decompress(data, size + 1)
    if not stream.eof:  # What is left is the end of the frame, or something is wrong.
        content += stream.decompress(b"", 1)
    if not stream.eof or stream.unused_data or len(content) != size:
        raise failure()("the frame is not what it declares")
    return content


def deflate(data: bytes, level: int) -> bytes:
    """Return ``data`` as one frame that declares its size."""
    lib = library()
    if not _preferred(lib):
        return cast(bytes, lib.compress(data, level))
    return cast(bytes, lib.ZstdCompressor(level=level).compress(data))


def deflater(level: int) -> Deflater:
    """Return a compressor of one frame with a checksum, its size undeclared."""
    lib = library()
    if _preferred(lib):
        return _Preferred(lib, lib.ZstdCompressor(level=level, write_checksum=True).compressobj())
    parameter = lib.CompressionParameter
    options = {parameter.compression_level: level, parameter.checksum_flag: 1}
    return _Standard(lib.ZstdCompressor(options=options))


def _reused(lib: ModuleType) -> Any:
    """Return this thread's decompressor; sharing one between threads is not safe."""
    found = getattr(_local, "decompressor", None)
    if found is None:
        found = _local.decompressor = lib.ZstdDecompressor()
    return found


class _Preferred:
    def __init__(self, lib: ModuleType, stream: Any) -> None:
        self._stream = stream
        self._block = lib.COMPRESSOBJ_FLUSH_BLOCK

    def compress(self, data: bytes) -> bytes:
        return cast(bytes, self._stream.compress(data))

    def block(self) -> bytes:
        return cast(bytes, self._stream.flush(self._block))

    def finish(self) -> bytes:
        return cast(bytes, self._stream.flush())


class _Standard:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def compress(self, data: bytes) -> bytes:
        return cast(bytes, self._stream.compress(data))

    def block(self) -> bytes:
        return cast(bytes, self._stream.flush(self._stream.FLUSH_BLOCK))

    def finish(self) -> bytes:
        return cast(bytes, self._stream.flush())
