"""The frame stream in which the hosted store sends a run's events.

``u32 meta length | CBOR meta | u32 body length | body``; the last frame's meta is ``{_end: 1, next,
hasMore}``, a failure after status 200 is ``{_error: 1, code, message}`` (docs/formats/hosted.md#frames;
checked against the recorded exchanges). What arrives is kept: a cut stream gives the frames before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eve_replay.values import Undecoded
from eve_replay.worlds.cborx import decode_cbor

__all__ = ["BODY_FIELD", "Frame", "FrameBatch", "read_frames"]

#: Where a frame's body belongs inside ``eventData`` (docs/formats/hosted.md).
BODY_FIELD: Mapping[str, str] = {
    "run_created": "input",
    "run_completed": "output",
    "run_failed": "error",
    "step_created": "input",
    "step_completed": "result",
    "step_failed": "error",
    "step_retrying": "error",
    "hook_created": "metadata",
    "hook_received": "payload",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One event: its meta map (the event without payload) and the payload bytes, empty when it has none."""

    meta: Mapping[str, object]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBatch:
    """What one answer held.

    Attributes:
        frames: the events, in the order sent.
        next_cursor: where to go on, None when the end frame names none.
        has_more: whether the end frame says that more follow.
        truncated: the stream stopped without an end frame, or inside a frame.
        failure: ``(code, message)`` of an ``_error`` frame, None when there was none.
        damage: why the rest could not be read, empty when it could.
    """

    frames: tuple[Frame, ...]
    next_cursor: str | None = None
    has_more: bool = False
    truncated: bool = False
    failure: tuple[str, str] | None = None
    damage: str = ""


def read_frames(data: bytes) -> FrameBatch:
    """Take an answer apart. Never raises: damage ends the reading and is named."""
    frames: list[Frame] = []
    at = 0
    while at < len(data):
        meta_bytes, at = _sized(data, at)
        body, at = _sized(data, at) if meta_bytes is not None else (None, at)
        if meta_bytes is None or body is None:
            return FrameBatch(
                frames=tuple(frames), truncated=True, damage=f"cut inside frame {len(frames) + 1}"
            )
        meta = decode_cbor(meta_bytes)
        if not isinstance(meta, Mapping):
            why = meta.message if isinstance(meta, Undecoded) else "it is no map"
            damage = f"the meta of frame {len(frames) + 1} cannot be used: {why}"
            return FrameBatch(frames=tuple(frames), truncated=True, damage=damage)
        if meta.get("_error"):
            return FrameBatch(
                frames=tuple(frames),
                failure=(str(meta.get("code") or "error"), str(meta.get("message") or "no message")),
            )
        if meta.get("_end"):
            cursor = meta.get("next")
            return FrameBatch(
                frames=tuple(frames),
                next_cursor=cursor if isinstance(cursor, str) else None,
                has_more=bool(meta.get("hasMore")),
            )
        frames.append(Frame(meta=meta, body=body))
    return FrameBatch(frames=tuple(frames), truncated=True, damage="no end frame")


def _sized(data: bytes, at: int) -> tuple[bytes | None, int]:
    """Return the length-prefixed block at ``at`` and where it ends, None when the data ends first."""
    if at + 4 > len(data):
        return None, len(data)
    size = int.from_bytes(data[at : at + 4], "big")
    end = at + 4 + size
    return (data[at + 4 : end], end) if end <= len(data) else (None, len(data))
