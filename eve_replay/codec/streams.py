"""What a stream holds: decoded objects, eve's session events, byte streams. Nothing raises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, TypeVar

from eve_replay.codec.base64text import decode_base64
from eve_replay.codec.devalue.document import decode_devalue
from eve_replay.codec.envelope import PREFIXES
from eve_replay.codec.frames import Chunk, Piece, chunk_parts, iter_frames, pieces
from eve_replay.codec.jsontext import JsonFault, loads_lines
from eve_replay.codec.keys import KeyRing
from eve_replay.codec.payload import Payload
from eve_replay.limits import LimitsLike
from eve_replay.problems import Problem
from eve_replay.values import JsBytes, Undecoded, to_tagged

__all__ = ["Found", "StreamItem", "byte_stream", "session_events", "stream_form", "stream_values"]

T = TypeVar("T")


class Found(list[T]):
    """A list with what went wrong beside it.

    Attributes:
        problems: what could not be read or was odd, in order.
        done: whether the stream has an end marker.
        chunks: how many chunks hold data.
    """

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[Problem] = []
        self.done = False
        self.chunks = 0

    def problem(
        self, severity: Literal["info", "warning", "error"], code: str, where: str, text: str
    ) -> None:
        """Record one problem."""
        self.problems.append(Problem(severity=severity, code=code, where=where, message=text))


@dataclass(frozen=True, slots=True)
class StreamItem:
    """One object of a stream.

    Attributes:
        chunk_id: the chunk it starts in.
        payload: the payload it was stored as; a plain one for text lines and raw bytes.
    """

    chunk_id: str
    payload: Payload = field(repr=False)

    @property
    def value(self) -> object:
        """The decoded object."""
        return self.payload.value


def stream_values(
    chunks: Iterable[Chunk | bytes],
    *,
    keys: KeyRing | None = None,
    run_id: str = "",
    limit: LimitsLike = None,
    where: str = "",
) -> Found[StreamItem]:
    """Return the objects of a stream, decoded on demand, with problems beside them.

    Reads frames (several in a chunk, or one over several chunks), bare payloads (abort streams), lines
    of devalue text without lengths (old streams), and raw bytes (webhook bodies), which come as one
    ``Uint8Array`` per chunk. Chunks after the end marker are ignored, as the vendor does
    (docs/evidence/reports.md#t20).

    Args:
        chunks: stored chunks in order, or just their bytes.
        keys: keys for encrypted frames.
        run_id: the run whose key opens them.
        limit: as in ``Payload``.
        where: the stream's name, for problems.
    """
    found: Found[StreamItem] = Found()
    options = _Options(keys=keys, run_id=run_id, limit=limit)
    for piece in pieces(_data_chunks(chunks, found, where)):
        _add(found, piece, f"{where} {piece.chunk_id}".strip(), options)
    return found


class _Options(TypedDict):
    keys: KeyRing | None
    run_id: str
    limit: LimitsLike


def _add(found: Found[StreamItem], piece: Piece, place: str, options: _Options) -> None:
    """Add the objects of one piece of a stream, and what is wrong with it."""
    if piece.kind == "text":
        _add_text(found, piece, place)
    elif piece.kind == "cut":
        message = f"A frame of the stream is cut: {len(piece.data)} bytes of it are there."
        found.problem("error", "truncated", place, message)
        cut = Undecoded("truncated", message)
        found.append(StreamItem(piece.chunk_id, Payload.plain(cut, where=place)))
    elif piece.kind == "junk" or (piece.data[:4] not in PREFIXES and len(piece.data) >= 4):
        message = "These bytes do not start as a payload does; they are shown as they are."
        found.problem("warning", "no-prefix", place, message)
        found.append(_as_bytes(piece.chunk_id, piece.data, place))
    else:
        found.append(StreamItem(piece.chunk_id, Payload(piece.data, where=place, **options)))


def _data_chunks(
    chunks: Iterable[Chunk | bytes], found: Found[Any], where: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the chunks that hold data, up to the end marker; count them in ``found``."""
    ignored = 0
    for chunk_id, data, end in chunk_parts(chunks):
        if found.done:
            ignored += not end
        elif end:
            found.done = True
        else:
            found.chunks += 1
            if data:
                yield chunk_id, data
            else:
                found.problem("info", "empty-chunk", f"{where} {chunk_id}".strip(), "A chunk without data.")
    if ignored:
        said = "1 chunk lies" if ignored == 1 else f"{ignored} chunks lie"
        message = f"{said} after the end marker; the vendor ignores what comes there."
        found.problem("warning", "after-end", where, message)


def _add_text(found: Found[StreamItem], piece: Piece, place: str) -> None:
    """Add the devalue lines of an old stream; if any line is none, the chunk is raw bytes."""
    try:
        lines = [line for line in piece.data.decode("utf-8").split("\n") if line]
    except UnicodeDecodeError:
        lines = []
    values = [decode_devalue(line)[0] for line in lines]
    if not values or any(isinstance(value, Undecoded) for value in values):
        found.append(_as_bytes(piece.chunk_id, piece.data, place))
        return
    found.extend(StreamItem(piece.chunk_id, Payload.plain(value, where=place)) for value in values)


def _as_bytes(chunk_id: str, data: bytes, place: str) -> StreamItem:
    return StreamItem(chunk_id, Payload.plain(JsBytes("Uint8Array", data), where=place))


def stream_form(value: object) -> Any:
    """Return the canonical form of a stream's object; bytes that are NDJSON are shown parsed.

    That is ``{"$type": "ndjson", "lines": [...]}`` (docs/formats/tagged-json.md), else ``to_tagged(value)``.
    """
    if isinstance(value, JsBytes) and value.kind == "Uint8Array":
        lines = [data for _, data in loads_lines(value.data)]
        if not any(isinstance(data, JsonFault) for data in lines):
            return {"$type": "ndjson", "lines": lines}
    return to_tagged(value)


# A frame of eve's session stream is one line of JSON in base64 inside devalue; so for exactly this
# shape, which is all of them in most sessions, the general decoder is not asked.
_LINE_HEAD = b'devl[["Uint8Array",1],"'
_LINE_TAIL = b'"]'


def session_events(
    chunks: Iterable[Chunk | bytes],
    *,
    keys: KeyRing | None = None,
    run_id: str = "",
    limit: LimitsLike = None,
    where: str = "",
) -> Found[tuple[str, dict[str, Any]]]:
    """Return ``(chunk id, event)`` for every event of eve's session stream, with problems beside them.

    Each frame is a Uint8Array of NDJSON (docs/formats/local.md#streams). A line that is no JSON object is
    left out and reported.
    """
    found: Found[tuple[str, dict[str, Any]]] = Found()
    options = _Options(keys=keys, run_id=run_id, limit=limit)
    for piece in pieces(_data_chunks(chunks, found, where)):
        place = f"{where} {piece.chunk_id}".strip()
        data = piece.data
        if piece.kind == "frame" and data.startswith(_LINE_HEAD) and data.endswith(_LINE_TAIL):
            text = data[len(_LINE_HEAD) : -len(_LINE_TAIL)].decode("latin-1")
            _add_events(found, piece.chunk_id, decode_base64(text)[0], place)
            continue
        items: Found[StreamItem] = Found()
        _add(items, piece, place, options)
        found.problems += items.problems
        for item in items:
            value = item.value
            if isinstance(value, dict):
                found.append((piece.chunk_id, value))
            elif isinstance(value, JsBytes):
                _add_events(found, piece.chunk_id, value.data, place)
            elif isinstance(value, str):
                _add_events(found, piece.chunk_id, value, place)
            elif not isinstance(value, Undecoded):
                found.problem("warning", "no-event", place, "An object of the stream is no event.")
            elif piece.kind != "cut":
                found.problem("error", value.reason, place, value.message)
    return found


def _add_events(
    found: Found[tuple[str, dict[str, Any]]], chunk_id: str, text: bytes | str, place: str
) -> None:
    """Add the events of one NDJSON text."""
    for _, event in loads_lines(text):
        if isinstance(event, dict):
            found.append((chunk_id, event))
        else:
            why = event.message if isinstance(event, JsonFault) else "not an object"
            found.problem("error", "bad-event", place, f"A line of the session stream is no event: {why}.")


def byte_stream(
    chunks: Iterable[Chunk | bytes], framing: str = "raw", *, where: str = ""
) -> Found[tuple[str, bytes]]:
    """Return ``(chunk id, bytes)`` of a byte stream, with problems beside them.

    Args:
        chunks: stored chunks in order.
        framing: ``raw``, or ``framed-v1`` for 4-byte lengths, as the stream's reference says.
        where: the stream's name, for problems.
    """
    found: Found[tuple[str, bytes]] = Found()
    parts = list(_data_chunks(chunks, found, where))
    if framing != "framed-v1":
        found.extend(parts)
        return found
    starts: list[tuple[int, str]] = []
    size = 0
    for chunk_id, data in parts:
        starts.append((size, chunk_id))
        size += len(data)
    at = 0
    for frame in iter_frames(b"".join(data for _, data in parts)):
        while at + 1 < len(starts) and starts[at + 1][0] <= frame.offset:
            at += 1
        chunk_id = starts[at][1]
        found.append((chunk_id, frame.data))
        if not frame.complete:
            place = f"{where} {chunk_id}".strip()
            found.problem(
                "error", "truncated", place, "The byte stream ends inside a frame, or was never framed."
            )
    return found
