"""The payload envelope: 4-byte prefixes around devalue text (docs/formats/payload.md#encryption)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from eve_replay.codec.crypto import open_encp, open_encr
from eve_replay.codec.failure import LayerError
from eve_replay.codec.gzip import ungzip
from eve_replay.codec.zstd import unzstd
from eve_replay.limits import DEFAULT
from eve_replay.problems import Problem
from eve_replay.values import Undecoded

__all__ = ["COMPRESSED", "DEFAULT_LIMIT", "PREFIXES", "Opened", "open_envelope", "unwrap"]

#: Most bytes any layer may have once decompressed; more is refused as ``too-big``.
DEFAULT_LIMIT = DEFAULT.payload
COMPRESSED = ("zstd", "gzip")
PREFIXES = (b"devl", b"zstd", b"gzip", b"encr", b"encp")

_PREFIX = re.compile(rb"[a-z0-9]{4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An opened envelope.

    Attributes:
        layers: prefixes met, outside to inside; the last one is ``devl`` when all went well.
        text: the devalue bytes, None when a layer could not be opened.
        failure: why not, None when it could.
        problems: what was odd on the way although the payload could be opened.
    """

    layers: tuple[str, ...]
    text: bytes | None = field(default=None, repr=False)
    failure: Undecoded | None = None
    problems: tuple[Problem, ...] = ()


def open_envelope(
    raw: bytes,
    *,
    key: bytes | None = None,
    key_for: Callable[[], bytes | None] | None = None,
    limit: int = DEFAULT_LIMIT,
    where: str = "",
) -> Opened:
    """Open at most one encryption layer, then at most one compression layer, then need ``devl``.

    Any other nesting is what the vendor refuses too. Never raises.

    Args:
        raw: the payload's bytes.
        key: the run key, if known.
        key_for: asked for the run key only when an encrypted layer is met.
        limit: most bytes a layer may decompress to.
        where: what to call this payload in problems.
    """
    layers: list[str] = []
    problems: list[Problem] = []
    at = 0
    try:
        prefix, data, at = unwrap(raw, layers, key=key, key_for=key_for)
        if prefix in COMPRESSED:
            if prefix == "zstd":
                data, trailing = unzstd(data, limit)
                if trailing:
                    problems.append(_trailing(trailing, where))
            else:
                data = ungzip(data, limit)
            at = 0
            prefix, data = _split(data)
            layers.append(prefix)
        if prefix != "devl":
            raise LayerError("unsupported-prefix", f"A payload of format {prefix!r} cannot stand here.", 0)
        if len(data) > limit:
            raise LayerError("too-big", f"It has {len(data)} bytes; the limit is {limit}.", 0)
    except LayerError as error:
        return Opened(layers=tuple(layers), failure=error.undecoded(at), problems=tuple(problems))
    return Opened(layers=tuple(layers), text=data, problems=tuple(problems))


def unwrap(
    raw: bytes,
    layers: list[str],
    *,
    key: bytes | None = None,
    key_for: Callable[[], bytes | None] | None = None,
) -> tuple[str, bytes, int]:
    """Open the encryption layer, if there is one, and say what is inside.

    Returns ``(prefix, bytes after it, offset of those in their layer)`` and appends to ``layers`` the
    prefixes met. Raises LayerError.
    """
    prefix, data = _split(raw)
    layers.append(prefix)
    if prefix in ("encr", "encp"):
        if key is None and key_for is not None:
            key = key_for()
        data = (open_encr if prefix == "encr" else open_encp)(data, key)
        prefix, data = _split(data)
        layers.append(prefix)
    return prefix, data, 4


def _split(data: bytes) -> tuple[str, bytes]:
    head = bytes(data[:4])
    if len(head) < 4:
        message = f"A payload starts with a 4-byte prefix; here are {len(head)} bytes."
        raise LayerError("truncated", message, len(head))
    if not _PREFIX.match(head):
        raise LayerError("bad-prefix", f"The bytes {head.hex(' ')} are no payload prefix.", 0)
    return head.decode("ascii"), data[4:]


def _trailing(count: int, where: str) -> Problem:
    return Problem(
        severity="warning",
        code="trailing",
        where=where,
        message=f"{count} bytes follow the zstd frame; the vendor's reader ignores them, and so do we.",
    )
