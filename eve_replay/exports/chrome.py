"""Spans as a Chrome trace (the JSON that Perfetto, chrome://tracing and speedscope open).

Format: the Trace Event Format, JSON object form. Complete events (``X``) nest on a track only when they do
not overlap partly: calls and steps that ran at the same time lie on tracks of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from eve_replay.exports.spans import Span

__all__ = ["chrome_trace"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def chrome_trace(sessions: Iterable[tuple[str, Sequence[Span]]]) -> dict[str, object]:
    """Return the trace of sessions, each a process of its own.

    Args:
        sessions: name and spans of each.

    Returns:
        A JSON object: ``traceEvents`` with times in microseconds since 1970, ``displayTimeUnit``.
    """
    events: list[dict[str, object]] = []
    for process, (name, spans) in enumerate(sessions, 1):
        events.append(_named("process_name", process, 0, name))
        events.extend(_process(process, spans))
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _process(process: int, spans: Sequence[Span]) -> Iterable[dict[str, object]]:
    places: dict[str, tuple[int, Span]] = {}
    inside, beside = _parted(spans)
    lanes = [("session", lane) for lane in _tracks(inside)] + [
        ("beside the turns", lane) for lane in _tracks(beside)
    ]
    for track, (title, lane) in enumerate(lanes, 1):
        first = track == 1 or lanes[track - 2][0] != title
        yield _named("thread_name", process, track, title if first else f"{title}, at the same time")
        for span in lane:
            places[span.key] = (track, span)
            yield _complete(span, process, track)
    for number, span in enumerate(spans, 1):
        if span.link in places:
            yield from _arrow(number, process, places[span.link], places[span.key])


def _parted(spans: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """Return the session with its turns, and the steps that belong to no turn with what is in them."""
    roots = {span.key for span in spans if span.kind == "session"}
    turns = any(span.kind == "turn" for span in spans)
    beside: set[str] = set()
    for span in spans:
        if span.parent in beside or (turns and span.kind == "step" and span.parent in roots):
            beside.add(span.key)
    return [s for s in spans if s.key not in beside], [s for s in spans if s.key in beside]


def _tracks(spans: Sequence[Span]) -> list[list[Span]]:
    """Share spans out: one lies on a track inside its parent, or where nothing is at work."""
    depth: dict[str, int] = {"": 0}
    for span in spans:
        depth[span.key] = depth.get(span.parent, 0) + 1
    tracks: list[list[Span]] = []
    open_: list[list[Span]] = []
    for span in sorted(spans, key=lambda each: (each.start, depth[each.key], each.start - each.end)):
        fits = [number for number, stack in enumerate(open_) if _fits(stack, span)]
        number = max(fits, key=lambda each: len(open_[each]), default=len(tracks))
        if number == len(tracks):
            tracks.append([])
            open_.append([])
        tracks[number].append(span)
        open_[number].append(span)
    return tracks


def _fits(stack: list[Span], span: Span) -> bool:
    """Whether a track is free for a span, or its parent is at work there; what has ended is taken off."""
    while stack and stack[-1].end <= span.start and stack[-1].key != span.parent:
        stack.pop()
    return not stack or (stack[-1].key == span.parent and stack[-1].end >= span.end)


def _complete(span: Span, process: int, track: int) -> dict[str, object]:
    args: dict[str, object] = dict(span.attributes)
    if span.message:
        args["outcome"] = span.message
    if span.open:
        args["end"] = "the last sign in the journal: no end is recorded"
    return {
        "name": f"{span.name} (no end)" if span.open and span.kind == "attempt" else span.name,
        "cat": f"{span.kind},again" if args.get("eve_replay.again") else span.kind,
        "ph": "X",
        "ts": _micros(span.start),
        "dur": max(_micros(span.end) - _micros(span.start), 1),
        "pid": process,
        "tid": track,
        "args": args,
    }


def _arrow(
    number: int, process: int, before: tuple[int, Span], after: tuple[int, Span]
) -> Iterable[dict[str, object]]:
    """An arrow from the attempt before to the one that repeats it."""
    common = {"name": "runs again", "cat": "again", "id": f"{process}.{number}", "pid": process}
    yield common | {"ph": "s", "tid": before[0], "ts": _micros(before[1].start)}
    yield common | {"ph": "f", "bp": "e", "tid": after[0], "ts": _micros(after[1].start)}


def _named(what: str, process: int, track: int, name: str) -> dict[str, object]:
    return {"name": what, "ph": "M", "pid": process, "tid": track, "args": {"name": name}}


def _micros(when: datetime) -> int:
    return round((when - _EPOCH).total_seconds() * 1_000_000)
