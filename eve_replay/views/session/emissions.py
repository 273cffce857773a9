"""The events a session sent to its clients, one row each: what they say, and which say it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from eve_replay.redaction.veil import glimpse
from eve_replay.times import parse_time
from eve_replay.views.kit.base import View
from eve_replay.views.kit.tone import Tone

__all__ = ["EmissionRow", "is_session_stream", "emission_rows"]

_GIST = 300
_COORDINATES = frozenset({"turnId", "stepIndex", "sequence"})
_TONES: dict[str, Tone] = {
    "step.failed": "error",
    "turn.failed": "error",
    "turn.cancelled": "muted",
    "turn.waiting": "parked",
    "input.requested": "parked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmissionRow(View):
    """One event of a session stream.

    Attributes:
        chunk_id: the stored chunk it lies in.
        type: for example ``action.result``.
        at: ``meta.at``, when it was made, which is not when it was stored.
        place: ``turn_0/1`` for turn and step index, ``turn_0``, or empty.
        gist: what it says, one line: text, tool and input, tool and output, tokens.
        repeat: the same thing was said before under another id: a body ran again
            (docs/evidence/observed.md#said-again).
        tone: ``again`` for repeats, ``error`` and ``parked`` by type.
    """

    chunk_id: str
    type: str
    at: datetime | None
    place: str
    gist: str
    repeat: bool
    tone: Tone


def is_session_stream(events: Iterable[tuple[str, Mapping[str, object]]]) -> bool:
    """Return whether these are eve's session events: every one has a type, and there is at least one."""
    types = [event.get("type") for _, event in events]
    return bool(types) and all(isinstance(each, str) for each in types)


def emission_rows(events: Iterable[tuple[str, Mapping[str, object]]]) -> tuple[EmissionRow, ...]:
    """Return the rows of ``(chunk id, event)`` pairs, repeats marked."""
    seen: set[tuple[str, ...]] = set()
    rows = []
    for chunk_id, event in events:
        kind = str(event.get("type", ""))
        data, meta = event.get("data"), event.get("meta")
        data = data if isinstance(data, Mapping) else {}
        keys = _said(kind, data)
        repeat = any(key in seen for key in keys)
        seen.update(keys)
        turn = data.get("turnId")
        place = "" if turn is None else f"{turn}/{data['stepIndex']}" if "stepIndex" in data else str(turn)
        rows.append(
            EmissionRow(
                chunk_id=chunk_id,
                type=kind,
                at=parse_time(meta.get("at")) if isinstance(meta, Mapping) else None,
                place=place,
                gist=_gist(kind, data),
                repeat=repeat,
                tone="again" if repeat else _TONES.get(kind, "plain"),
            )
        )
    return tuple(rows)


def _said(kind: str, data: Mapping[str, object]) -> list[tuple[str, ...]]:
    """What one body says only once: when it comes again, a body ran again."""
    if kind in ("turn.started", "step.started"):
        return [(kind, str(data.get("turnId")), str(data.get("stepIndex")))]
    if kind == "actions.requested":
        calls = data.get("actions")
        named = calls if isinstance(calls, list) else []
        return [(kind, str(call.get("callId"))) for call in named if isinstance(call, Mapping)]
    if kind == "action.result":
        result = data.get("result")
        return [(kind, str(result.get("callId")))] if isinstance(result, Mapping) else []
    return []


def _gist(kind: str, data: Mapping[str, object]) -> str:
    return ", ".join(part for part in _parts(kind, data) if part)


def _parts(kind: str, data: Mapping[str, object]) -> Iterator[str]:
    """What is worth reading, by kind; an unknown kind shows its fields."""
    if kind in ("message.received", "message.appended", "message.completed"):
        text = data.get("messageDelta", data.get("message"))
        yield glimpse(text, limit=_GIST) if text is not None else ""
        yield str(data.get("finishReason") or "")
    elif kind == "actions.requested":
        actions = data.get("actions")
        for action in actions if isinstance(actions, list) else []:
            if isinstance(action, Mapping):
                tool = action.get("toolName", action.get("kind"))
                yield f"{tool}({glimpse(action.get('input'), limit=_GIST)})"
    elif kind == "action.result":
        result = data.get("result")
        if isinstance(result, Mapping):
            failed = "failed: " if data.get("status") not in (None, "completed") else ""
            outcome = data.get("error", result.get("output"))
            yield f"{result.get('toolName', result.get('kind'))} gave {failed}{glimpse(outcome, limit=_GIST)}"
    elif kind == "step.completed":
        yield str(data.get("finishReason") or "")
        usage = data.get("usage")
        if isinstance(usage, Mapping):
            yield f"{usage.get('inputTokens')} tokens in, {usage.get('outputTokens')} out"
    else:
        for name, value in data.items():
            if name not in _COORDINATES:
                yield f"{name} {glimpse(value, limit=_GIST)}"
