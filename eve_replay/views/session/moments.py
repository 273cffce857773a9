"""Every moment of a session in one order: log events and stream events, with the thing each belongs to.

The order of a run's log is its slots, never its times (docs/evidence/observed.md#order); a stream event of an
attempt lies after the start of that attempt and before its end; runs, and stream against log within those
bounds, are merged by time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from eve_replay.ids import short_id
from eve_replay.journal import Attempt, Run, Session, Step, StreamEvent, ToolCall
from eve_replay.records import EventRecord
from eve_replay.views.kit.base import View, attempt_key, call_key, event_key, step_key
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.session.effect_marks import EffectMarks

__all__ = ["Stop", "session_stops"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(View):
    """One moment.

    Attributes:
        key: ``event:RUN/EVENT`` or ``chunk:CHUNK``.
        id: event id or chunk id, whole.
        source: ``log`` or ``stream``.
        type: event type as recorded.
        path: keys of what it belongs to, outermost first, itself last: session, turn, step, attempt, call.
        label: one line: what happened.
        at: when.
        effect: key of the effectful call (or step) it is the first sign of, empty otherwise.
        tone: its tone.
    """

    key: str
    id: str
    source: str
    type: str
    path: tuple[str, ...]
    label: str
    at: datetime | None
    effect: str = ""
    tone: Tone = "plain"


def session_stops(session: Session, marks: EffectMarks | None = None) -> tuple[Stop, ...]:
    """Return every moment of a session's runs, in order. Decodes no payload."""
    return tuple(_Merger(session, marks or EffectMarks()).stops())


class _Merger:
    def __init__(self, session: Session, marks: EffectMarks) -> None:
        self.session = session
        self.marks = marks
        self.turn_of: dict[tuple[str, str], str] = {}
        for turn in session.turns:
            for step in turn.steps:
                self.turn_of[step.run_id, step.step_id] = f"turn:{session.id}/{turn.id}"
        self.seen: set[str] = set()

    def stops(self) -> Iterator[Stop]:
        logs = [self.run(run) for run in self.session.all_runs]
        for _, _, _, stop in heapq.merge(*logs, self.rest()):
            yield stop

    def rest(self) -> Iterator[tuple[datetime, str, int, Stop]]:
        """Stream events that no attempt claimed, by time."""
        last = _EPOCH
        for number, event in enumerate(self.session.unjoined):
            last = max(last, event.at or last)
            turn = f"turn:{self.session.id}/{event.turn_id}" if event.turn_id else ""
            known = any(turn.endswith(f"/{each.id}") for each in self.session.turns)
            yield last, "~", number, self.chunk(event, (turn,) if turn and known else (), {})

    def run(self, run: Run) -> Iterator[tuple[datetime, str, int, Stop]]:
        """Yield a run's moments, log and stream, with rising times."""
        steps = {step.step_id: step for step in run.steps}
        open_attempts: dict[str, tuple[Attempt, list[StreamEvent]]] = {}
        last = _EPOCH
        number = 0
        for event in run.events:
            step = steps.get(event.correlation_id or "") or steps.get(_writer(event)[0])
            at = max(last, event.created_at or last)
            ends = step is not None and event.event_type in _CLOSING
            for step_id, (attempt, waiting) in list(open_attempts.items()):
                closing = ends and step is not None and step.step_id == step_id
                while waiting and (closing or (waiting[0].at is not None and waiting[0].at <= at)):
                    chunk = waiting.pop(0)
                    last = max(last, min(chunk.at or last, at))
                    number += 1
                    yield last, run.run_id, number, self.of_attempt(steps[step_id], attempt, chunk)
                if closing:
                    del open_attempts[step_id]
            last = at
            number += 1
            yield last, run.run_id, number, self.event(run, event, step)
            if step is not None and event.event_type == "step_started":
                found = next((a for a in step.attempts if a.started_event is event), None)
                if found is not None:
                    open_attempts[step.step_id] = (found, list(found.stream_events))
        for step_id, (attempt, waiting) in open_attempts.items():
            for chunk in waiting:
                last = max(last, chunk.at or last)
                number += 1
                yield last, run.run_id, number, self.of_attempt(steps[step_id], attempt, chunk)

    def event(self, run: Run, event: EventRecord, step: Step | None) -> Stop:
        path = [f"session:{self.session.id}"]
        tone: Tone = "plain"
        effect = ""
        label = _log_label(event, step)
        if step is None and run.role not in ("session", "turn", "workflow"):
            path.append(f"run:{run.run_id}")
        if step is not None:
            turn = self.turn_of.get((step.run_id, step.step_id))
            path += [turn] if turn else [] if run in self.session.runs else [f"run:{run.run_id}"]
            path.append(step_key(step.run_id, step.step_id))
            attempt = next((a for a in step.attempts if event in (a.started_event, a.end_event)), None)
            if attempt is None:
                attempt = next((a for a in step.attempts if a.n == _writer(event)[1]), None)
            if attempt is not None:
                path.append(attempt_key(step.run_id, step.step_id, attempt.n))
            if event.event_type == "step_started" and attempt is not None:
                label = f"attempt {attempt.n} of {safe_text(step.function)} started"
                tone = "again" if attempt.n > 1 else "plain"
                acts = step.kind == "function" and any(
                    m.effect.kind == "step" for m in self.marks.of_step(step.step_id)
                )
                effect = path[-1] if acts else ""
            elif event.event_type == "step_completed":
                tone = "committed"
            elif event.event_type in ("step_failed", "step_retrying"):
                tone = "error"
        key = event_key(event.run_id or run.run_id, event.event_id)
        return Stop(
            key=key,
            id=event.event_id,
            source="log",
            type=event.event_type,
            path=(*path, key),
            label=label,
            at=event.created_at,
            effect=effect,
            tone=tone,
        )

    def of_attempt(self, step: Step, attempt: Attempt, event: StreamEvent) -> Stop:
        turn = self.turn_of.get((step.run_id, step.step_id))
        path = [turn] if turn else []
        path += [step_key(step.run_id, step.step_id), attempt_key(step.run_id, step.step_id, attempt.n)]
        return self.chunk(event, tuple(path), {call.call_id: call for call in attempt.tool_calls})

    def chunk(self, event: StreamEvent, path: tuple[str, ...], calls: Mapping[str, ToolCall]) -> Stop:
        key = f"chunk:{event.chunk_id}"
        call = calls.get(_call_id(event))
        inner: tuple[str, ...] = ()
        effect = ""
        tone: Tone = "plain"
        if call is not None:
            own = call_key(call.run_id or _run_of(path), call.step_id, call.attempt, call.call_id)
            inner = (own,)
            mark = self.marks.of_call(call)
            tone = mark.tone if mark is not None and mark.notable else "tool"
            if mark is not None and own not in self.seen:
                self.seen.add(own)
                effect = own
        return Stop(
            key=key,
            id=event.chunk_id,
            source="stream",
            type=event.type,
            path=(f"session:{self.session.id}", *path, *inner, key),
            label=_stream_label(event, call),
            at=event.at or event.stored_at,
            effect=effect,
            tone=tone,
        )


def _writer(event: EventRecord) -> tuple[str, int]:
    """Return step and attempt that wrote an attribute (``attr_set``, docs/formats/local.md#events)."""
    writer = event.data.get("writer")
    if not isinstance(writer, Mapping):
        return "", 0
    step_id, attempt = writer.get("stepId"), writer.get("attempt")
    return str(step_id or ""), attempt if isinstance(attempt, int) else 0


_CLOSING = frozenset({"step_started", "step_completed", "step_failed", "step_retrying"})


def _run_of(path: Iterable[str]) -> str:
    for key in path:
        if key.startswith("step:"):
            return key.removeprefix("step:").partition("/")[0]
    return ""


def _call_id(event: StreamEvent) -> str:
    """Return the call an event is about: the result's, or the first one requested."""
    result = event.data.get("result")
    if isinstance(result, Mapping):
        return str(result.get("callId", ""))
    actions = event.data.get("actions")
    if isinstance(actions, list) and actions and isinstance(actions[0], Mapping):
        return str(actions[0].get("callId", ""))
    return ""


def _log_label(event: EventRecord, step: Step | None) -> str:
    kind = event.event_type.replace("_", " ")
    if step is not None and event.event_type.startswith("step_"):
        return f"{safe_text(step.function)}: {kind.removeprefix('step ')}"
    changes = event.data.get("changes")
    if isinstance(changes, list):
        names = [str(each.get("key")) for each in changes if isinstance(each, Mapping)]
        return f"attributes set: {cut(safe_text(', '.join(names)), 80)}"
    subject = event.correlation_id
    return f"{kind} {short_id(subject)}" if subject else kind


def _stream_label(event: StreamEvent, call: ToolCall | None) -> str:
    if call is not None:
        name = safe_text(call.name)
        if event.type == "action.result":
            return f"{name} {'failed' if call.is_error else 'returned'}"
        return f"{name} requested"
    for field in ("messageDelta", "message", "reasoningDelta", "prompt"):
        text = event.data.get(field)
        if isinstance(text, str) and text:
            return f"{event.type}: {cut(safe_text(text[:200]), 80)}"
    return safe_text(event.type)
