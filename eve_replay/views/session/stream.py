"""Events of the session stream as rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from eve_replay.journal import StreamEvent
from eve_replay.redaction.veil import glimpse
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import View, plain_json
from eve_replay.views.kit.safe import safe_text

__all__ = ["StreamRow", "stream_rows"]

_PREVIEW = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRow(View):
    """One event of the stream.

    Attributes:
        key: ``chunk:ID``; ``chunk_id`` the whole id.
        position: place in the stream.
        type: as recorded; ``text`` its data in one line.
        place: turn and model step, empty when it has none.
        meta_id: ``meta.id``, new for every emission; empty when not recorded.
        at, stored_at: when it was made, and about when it was stored.
        data: the whole data as a tree, for the row that is opened.
    """

    key: str
    chunk_id: str
    position: int
    type: str
    text: str
    place: str
    meta_id: str
    at: datetime | None
    stored_at: datetime | None
    data: ValueTree = field(repr=False, compare=False)

    def to_json(self) -> dict[str, object]:
        """Return everything but the tree."""
        names = ("key", "chunk_id", "position", "type", "text", "place", "meta_id", "at", "stored_at")
        camel = ("key", "chunkId", "position", "type", "text", "place", "metaId", "at", "storedAt")
        return {c: plain_json(getattr(self, n)) for n, c in zip(names, camel, strict=True)}


def stream_rows(events: Iterable[StreamEvent]) -> tuple[StreamRow, ...]:
    """Return a row per event."""
    return tuple(_row(event) for event in events)


def _row(event: StreamEvent) -> StreamRow:
    place = ""
    if event.turn_id is not None:
        place = f"turn {event.turn_id.removeprefix('turn_')}"
        place += f", model step {event.step_index}" if event.step_index is not None else ""
    data = dict(event.data)
    shown = {k: v for k, v in data.items() if k not in ("turnId", "stepIndex", "sequence")}
    return StreamRow(
        key=f"chunk:{event.chunk_id}",
        chunk_id=event.chunk_id,
        position=event.position,
        type=safe_text(event.type),
        text=safe_text(glimpse(shown, _PREVIEW)) if shown else "",
        place=safe_text(place),
        meta_id=event.meta_id or "",
        at=event.at,
        stored_at=event.stored_at,
        data=ValueTree(data),
    )
