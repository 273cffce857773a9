"""From a key to the thing it names: the session's parts, found without walking it each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eve_replay.codec import Payload
from eve_replay.ids import short_id
from eve_replay.journal import (
    Attempt,
    Evidence,
    ModelCall,
    Park,
    Run,
    Session,
    Step,
    StreamEvent,
    ToolCall,
    Turn,
)
from eve_replay.records import EventRecord
from eve_replay.values import UNDEFINED
from eve_replay.views.kit.base import attempt_key, call_key, event_key, split_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.session.calls import model_key, park_key
from eve_replay.views.session.outside import Act

__all__ = ["Found", "Lookup"]


@dataclass(slots=True, kw_only=True)
class Found:
    """A thing and what belongs to it. ``title`` is empty when the key names nothing."""

    key: str
    title: str = ""
    session: Session | None = None
    run: Run | None = None
    turn: Turn | None = None
    step: Step | None = None
    steps: Sequence[Step] = ()
    attempt: Attempt | None = None
    model: ModelCall | None = None
    call: ToolCall | None = None
    park: Park | None = None
    event: EventRecord | None = None
    chunk: StreamEvent | None = None
    act: Act | None = None
    input: Payload | None = None
    output: Payload | None = None
    error: Payload | None = None
    events: Sequence[EventRecord] = ()
    stream_events: Sequence[StreamEvent] = ()
    step_ids: frozenset[str] | None = field(default=None)

    def model_output(self) -> dict[str, object]:
        """What the stream recorded of the model call."""
        call = self.model
        assert call is not None
        return {
            "text": UNDEFINED if call.text is None else call.text,
            "finishReason": UNDEFINED if call.finish_reason is None else call.finish_reason,
            "toolCalls": list(call.call_ids),
            "modelId": UNDEFINED if call.model_id is None else call.model_id,
            "status": call.status,
            "error": UNDEFINED if call.error is None else dict(call.error),
        }

    def payloads(self) -> Iterator[tuple[str, Payload]]:
        """Yield the stored payloads of the thing with their names, each once."""
        seen: set[int] = set()
        named = [("input", self.input), ("output", self.output), ("error", self.error)]
        for event in [self.event] if self.event is not None else self.events:
            named += [(f"{event.event_type}.{name}", payload) for name, payload in event.payloads()]
        for name, payload in named:
            if payload is not None and id(payload) not in seen:
                seen.add(id(payload))
                yield name, payload
            if len(seen) >= 24:
                return

    def statements(self) -> Iterator[tuple[str, str, Sequence[Evidence]]]:
        """Yield what is claimed about the thing: the statement, how it is known, and on what it stands."""
        if self.session is not None:
            yield f"session {self.session.status}", self.session.certainty, self.session.evidence
        if self.turn is not None:
            yield f"turn {self.turn.status}", self.turn.certainty, self.turn.evidence
        if self.step is not None:
            yield f"step {self.step.status}", self.step.certainty, self.step.evidence
        attempts = [self.attempt] if self.attempt is not None else self.step.attempts if self.step else ()
        for attempt in attempts:
            yield f"attempt {attempt.n} {attempt.outcome}", attempt.certainty, attempt.evidence
        if self.model is not None:
            yield f"model call {self.model.status}", self.model.certainty, self.model.evidence
        calls: Sequence[ToolCall] = [self.call] if self.call is not None else ()
        if not calls and self.attempt is not None:
            calls = self.attempt.tool_calls
        for call in calls:
            word = "returned" if call.returned else "asked for"
            yield safe_text(f"{call.name} {word}"), call.certainty, call.evidence
        if self.park is not None:
            word = "waits" if self.park.open else "released"
            yield f"{self.park.kind} {word}", self.park.certainty, self.park.evidence


class Lookup:
    """Finds things of one session by key."""

    def __init__(self, session: Session, acts: Iterable[Act] = ()) -> None:
        self.session = session
        self._acts = {act.key: act for act in acts}
        self._steps: dict[str, tuple[Step, Turn | None]] = {}
        for run in session.all_runs:
            for step in run.steps:
                self._steps[step_key(step.run_id, step.step_id)] = (step, None)
        for turn in session.turns:
            for step in turn.steps:
                self._steps[step_key(step.run_id, step.step_id)] = (step, turn)
        self._runs = {run.run_id: run for run in session.all_runs}
        self._chunks: dict[str, tuple[StreamEvent, Step | None, Attempt | None]] | None = None
        self._events: dict[str, tuple[EventRecord, str]] | None = None

    def find(self, key: str) -> Found:
        """Return what a key names; an empty title when it names nothing of this session."""
        kind, parts = split_key(key)
        finder = {
            "session": self._session,
            "turn": self._turn,
            "run": self._run,
            "step": self._step,
            "attempt": self._attempt,
            "model": self._inside,
            "call": self._inside,
            "event": self._event,
            "chunk": self._chunk,
            "park": self._park,
            "group": self._group,
            "act": self._act,
        }.get(kind)
        return finder(key, parts) if finder is not None else Found(key=key)

    def _session(self, key: str, parts: tuple[str, ...]) -> Found:
        session = self.session
        if parts[0] != session.id:
            return Found(key=key)
        first = session.runs[0] if session.runs else None
        return Found(
            key=key,
            title=f"session {short_id(session.id)}",
            session=session,
            run=first,
            steps=session.steps,
            input=first.record.payload("input") if first else None,
            output=session.runs[-1].record.payload("output") if session.runs else None,
            error=session.runs[-1].error if session.runs else None,
            events=[event for run in session.runs for event in run.events],
            stream_events=session.stream_events,
        )

    def _group(self, key: str, parts: tuple[str, ...]) -> Found:
        steps = self.session.steps_beside
        return Found(
            key=key,
            title="steps beside the turns",
            steps=steps,
            events=[event for step in steps for event in step.events],
            step_ids=frozenset(step.step_id for step in steps),
        )

    def _act(self, key: str, parts: tuple[str, ...]) -> Found:
        act = self._acts.get(key)
        if act is None:
            return Found(key=key)
        found = self.find(act.of) if act.of else Found(key=key, step_ids=frozenset())
        found.key, found.act = key, act
        found.title = f"{act.name}, line {act.line} of the ledger"
        found.events = found.stream_events = ()
        found.input = found.output = found.error = None
        found.steps = ()
        return found

    def _run(self, key: str, parts: tuple[str, ...]) -> Found:
        run = self._runs.get(parts[0])
        if run is None:
            return Found(key=key)
        return Found(
            key=key,
            title=f"{run.role} run {short_id(run.run_id)}",
            run=run,
            steps=run.steps,
            input=run.record.payload("input"),
            output=run.record.payload("output"),
            error=run.error,
            events=run.events,
            step_ids=frozenset(step.step_id for step in run.steps),
        )

    def _turn(self, key: str, parts: tuple[str, ...]) -> Found:
        turn = self.session.turn_called(parts[1])
        if turn is None:
            return Found(key=key)
        last = turn.turn_steps[-1] if turn.turn_steps else None
        first = turn.turn_steps[0] if turn.turn_steps else None
        return Found(
            key=key,
            title=f"turn {safe_text(turn.id.removeprefix('turn_'))}",
            turn=turn,
            step=last,
            steps=turn.steps,
            input=first.input if first else None,
            output=last.output if last else None,
            events=[event for step in turn.steps for event in step.events],
            stream_events=turn.stream_events,
            step_ids=frozenset(step.step_id for step in turn.steps),
        )

    def _step(self, key: str, parts: tuple[str, ...]) -> Found:
        step, turn = self._steps.get(key, (None, None))
        if step is None:
            return Found(key=key)
        return Found(
            key=key,
            title=f"{safe_text(step.function)} {short_id(step.step_id)}",
            turn=turn,
            step=step,
            steps=(step,),
            input=step.input,
            output=step.output,
            error=step.error,
            events=step.events,
            stream_events=[event for attempt in step.attempts for event in attempt.stream_events],
            step_ids=frozenset({step.step_id}),
        )

    def _attempt(self, key: str, parts: tuple[str, ...]) -> Found:
        found = self._step(step_key(parts[0], parts[1]), parts[:2])
        step = found.step
        attempt = None
        if step is not None:
            attempt = next((a for a in step.attempts if str(a.n) == parts[2]), None)
        if step is None or attempt is None:
            return Found(key=key)
        found.key = key
        found.title = f"attempt {attempt.n} of {safe_text(step.function)}"
        found.attempt = attempt
        found.stream_events = attempt.stream_events
        found.events = [e for e in (attempt.started_event, attempt.end_event) if e is not None]
        last = attempt is step.attempts[-1]
        # Only the attempt that committed has the step's output; every attempt has its input.
        found.output = step.output if last and attempt.outcome == "completed" else None
        found.error = attempt.error
        return found

    def _inside(self, key: str, parts: tuple[str, ...]) -> Found:
        found = self._attempt(key, parts)
        attempt, step = found.attempt, found.step
        if attempt is None or step is None:
            return Found(key=key)
        if key.startswith("model:"):
            model = next((m for m in attempt.model_calls if model_key(step, attempt.n, m) == key), None)
            if model is None:
                return Found(key=key)
            found.model = model
            found.title = f"model step {model.coordinate.step_index}, attempt {attempt.n}"
            found.stream_events = [e for e in attempt.stream_events if e.coordinate == model.coordinate]
        else:
            call = next((c for c in attempt.tool_calls if call_key(*_own(step, attempt, c)) == key), None)
            if call is None:
                return Found(key=key)
            found.call = call
            found.title = f"{safe_text(call.name)}, attempt {attempt.n}"
            found.stream_events = [e for e in attempt.stream_events if call.call_id in _calls_of(e)]
        found.key = key
        found.events = ()
        found.input = found.output = found.error = None
        return found

    def _event(self, key: str, parts: tuple[str, ...]) -> Found:
        if self._events is None:
            self._events = {
                event_key(run.run_id, event.event_id): (event, run.run_id)
                for run in self.session.all_runs
                for event in run.events
            }
        event, run_id = self._events.get(key, (None, ""))
        if event is None:
            return Found(key=key)
        found = Found(key=key)
        if event.correlation_id:
            found = self._step(step_key(run_id, event.correlation_id), ())
        found.key = key
        found.title = f"{event.event_type} {short_id(event.event_id)}"
        found.event = event
        found.events = (event,)
        found.stream_events = ()
        found.run = self._runs.get(run_id)
        payloads = dict(event.payloads())
        found.input = payloads.get("input") or payloads.get("payload") or payloads.get("metadata")
        found.output = payloads.get("result") or payloads.get("output")
        found.error = payloads.get("error")
        return found

    def _chunk(self, key: str, parts: tuple[str, ...]) -> Found:
        if self._chunks is None:
            self._chunks = {e.chunk_id: (e, None, None) for e in self.session.stream_events}
            for step, _ in self._steps.values():
                for attempt in step.attempts:
                    for event in attempt.stream_events:
                        self._chunks[event.chunk_id] = (event, step, attempt)
        known = self._chunks.get(parts[0])
        if known is None:
            return Found(key=key)
        event, owner, of = known
        found = Found(key=key)
        if owner is not None and of is not None:
            found = self._attempt(
                attempt_key(owner.run_id, owner.step_id, of.n), (owner.run_id, owner.step_id, str(of.n))
            )
            ids = _calls_of(event)
            found.call = next((c for c in of.tool_calls if c.call_id in ids), None)
        found.key = key
        found.title = f"{safe_text(event.type)} {short_id(event.chunk_id)}"
        found.chunk = event
        found.stream_events = (event,)
        found.events = ()
        found.input = found.output = found.error = None
        return found

    def _park(self, key: str, parts: tuple[str, ...]) -> Found:
        for turn in self.session.turns:
            for number, park in enumerate(turn.parks):
                if park_key(park, number) == key:
                    return Found(
                        key=key,
                        title=f"parked: {safe_text(park.kind)}",
                        turn=turn,
                        park=park,
                        step_ids=frozenset({park.step_id}) if park.step_id else frozenset(),
                    )
        return Found(key=key)


def _own(step: Step, attempt: Attempt, call: ToolCall) -> tuple[str, str, int, str]:
    return step.run_id, step.step_id, attempt.n, call.call_id


def _calls_of(event: StreamEvent) -> set[str]:
    result, actions = event.data.get("result"), event.data.get("actions")
    ids = {str(result.get("callId"))} if isinstance(result, dict) else set()
    if isinstance(actions, list):
        ids |= {str(each.get("callId")) for each in actions if isinstance(each, dict)}
    return ids
