"""The stored bytes of a payload: layers, sizes, and a page of them as hexadecimal or text."""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.codec import Payload
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.words import size

__all__ = ["RawRow", "RawView", "raw_view"]

_LINE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRow(View):
    """One line of a dump: offset, bytes as hexadecimal pairs, the same as printable ASCII."""

    offset: int
    hexa: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawView(View):
    """A payload as stored.

    Attributes:
        name: ``input``, ``output``, ``error`` or the field's name in its event.
        where: where it lies, as the world says.
        size: stored bytes; ``text_size`` bytes of devalue text inside, None when it cannot be opened.
        layers: prefixes outside to inside, for example ``("zstd", "devl")``.
        summary: all that in one line.
        problems: what is odd about it, one sentence each.
        rows: a page of the dump from ``offset``; ``more`` bytes after it.
    """

    name: str
    where: str
    size: int
    layers: tuple[str, ...]
    summary: str
    text_size: int | None = None
    problems: tuple[str, ...] = ()
    offset: int = 0
    rows: tuple[RawRow, ...] = ()
    more: int = 0


def raw_view(payload: Payload, name: str, *, offset: int = 0, limit: int = 512) -> RawView:
    """Return a payload's layers and a page of its bytes. Opens the layers; hydrates nothing.

    Args:
        payload: the payload.
        name: what to call it.
        offset: first byte of the page, rounded down to a line of 16.
        limit: how many bytes.
    """
    raw = payload.raw
    data = raw if isinstance(raw, bytes) else b""
    offset = max(0, offset - offset % _LINE)
    page = data[offset : offset + limit]
    layers = payload.layers
    text_size = payload.text_size
    parts = [" > ".join(layers), f"{size(payload.size)} stored"]
    if text_size is not None and text_size + 4 != payload.size:
        parts.append(f"{size(text_size)} of text inside")
    if not isinstance(raw, bytes):
        parts = [f"{layers[0]}: stored as JSON, not as bytes" if layers else "stored as JSON"]
    return RawView(
        name=name,
        where=safe_text(payload.where),
        size=payload.size,
        layers=layers,
        summary=", ".join(parts),
        text_size=text_size,
        problems=() if text_size is not None or not payload.is_bytes else _failure(payload),
        offset=offset,
        rows=tuple(_row(page[at : at + _LINE], offset + at) for at in range(0, len(page), _LINE)),
        more=max(len(data) - offset - len(page), 0),
    )


def _failure(payload: Payload) -> tuple[str, ...]:
    undecoded = payload.undecoded
    return (safe_text(f"undecoded: {undecoded.reason}. {undecoded.message}"),) if undecoded else ()


def _row(chunk: bytes, offset: int) -> RawRow:
    pairs = [chunk[at : at + 1].hex() for at in range(len(chunk))]
    hexa = " ".join(pairs[:8]) + ("  " + " ".join(pairs[8:]) if len(pairs) > 8 else "")
    return RawRow(
        offset=offset,
        hexa=hexa,
        text="".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in chunk),
    )
