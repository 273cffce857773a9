"""Spans as OTLP JSON (``ExportTraceServiceRequest`` of opentelemetry-proto 1), as collectors take it by HTTP.

Ids are made from the keys of the spans, so that the same journal sent twice is the same trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from eve_replay._version import __version__
from eve_replay.exports.spans import Attribute, Span

__all__ = ["otlp_trace"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTERNAL, _CLIENT = 1, 3  # SpanKind: a model call leaves the process, the rest does not
_STATUS = {"unset": 0, "ok": 1, "error": 2}


def otlp_trace(sessions: Iterable[tuple[str, Sequence[Span]]]) -> dict[str, object]:
    """Return the request of sessions, each a trace of its own.

    Args:
        sessions: id and spans of each.

    Returns:
        A JSON object with ``resourceSpans``; ids in hex, times in nanoseconds as text, as OTLP/JSON has them.
    """
    spans = [_span(session, span) for session, each in sessions for span in each]
    resource = {"attributes": _attributes({"service.name": "eve", "telemetry.sdk.name": "eve-replay"})}
    scope = {"name": "eve-replay", "version": __version__}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}


def _span(session: str, span: Span) -> dict[str, object]:
    attributes: dict[str, Attribute] = dict(span.attributes)
    if span.open:
        attributes["eve_replay.end"] = "last sign in the journal, no end is recorded"
    if span.message:
        attributes["eve_replay.outcome"] = span.message
    trace = _hex(session, 32)
    out: dict[str, object] = {
        "traceId": trace,
        "spanId": _hex(f"{session} {span.key}", 16),
        "name": span.name,
        "kind": _CLIENT if span.kind == "model" else _INTERNAL,
        "startTimeUnixNano": _nanos(span.start),
        "endTimeUnixNano": _nanos(span.end),
        "attributes": _attributes(attributes),
        "status": {"code": _STATUS[span.status]}
        | ({"message": span.message} if span.status == "error" else {}),
    }
    if span.parent:
        out["parentSpanId"] = _hex(f"{session} {span.parent}", 16)
    if span.link:
        why = _attributes({"eve_replay.link": "the attempt that this one repeats"})
        out["links"] = [{"traceId": trace, "spanId": _hex(f"{session} {span.link}", 16), "attributes": why}]
    return out


def _attributes(pairs: Mapping[str, Attribute]) -> list[dict[str, object]]:
    return [{"key": name, "value": _value(value)} for name, value in pairs.items()]


def _value(value: Attribute) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _hex(text: str, digits: int) -> str:
    """Never all zero: that would be no id at all."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def _nanos(when: datetime) -> str:
    delta = when - _EPOCH
    return str(((delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds) * 1_000)
