"""Model calls and tool calls of one attempt, read from the stream events it emitted.

Shapes: the event union of eve's stream protocol as seen in the recordings
(docs/evidence/observed.md#no-commit-on-the-stream, #said-again, #refused-calls, #held, #failed-turns). A
request is durable before its tool returns, but a fast tool may run before its request is durable
(docs/evidence/sweep.md#stream): a missing event proves nothing, so ``began`` stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from eve_replay.journal.frameworks.workflow.stream_join import model_coordinate
from eve_replay.journal.model import (
    Certainty,
    Coordinate,
    Evidence,
    ModelCall,
    StreamEvent,
    Tokens,
    ToolCall,
)
from eve_replay.values import UNDEFINED

__all__ = ["CallIndex", "Request", "chunk_evidence", "read_calls", "tokens_of"]

#: Events that are about the model itself: they mark how long its call took.
_MODEL_SIGNS = frozenset(
    {
        "step.started", "message.appended", "message.completed", "reasoning.appended",
        "reasoning.completed", "action.input.appended", "actions.requested", "result.completed",
    }
)  # fmt: skip


def chunk_evidence(event: StreamEvent, run_id: str, path: str = "", note: str = "") -> Evidence:
    """Return a pointer to a stream event."""
    return Evidence(kind="chunk", id=event.chunk_id, run_id=run_id, path=path, note=note or event.type)


def tokens_of(usage: object) -> Tokens | None:
    """Return the tokens of a ``usage`` object, None when it is none."""
    if not isinstance(usage, Mapping):
        return None

    def count(name: str) -> int:
        value = usage.get(name)
        return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0

    return Tokens(
        input=count("inputTokens"),
        output=count("outputTokens"),
        cache_read=count("cacheReadTokens"),
        cache_write=count("cacheWriteTokens"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a call asked for, remembered for the step in which its result comes."""

    name: str
    kind: str
    input: object
    position: int
    coordinate: Coordinate | None
    step_id: str


@dataclass(slots=True)
class CallIndex:
    """Requests of the session so far: ids may repeat between model steps, so coordinates are part of it."""

    requests: dict[tuple[Coordinate | None, str], Request] = field(default_factory=dict)
    latest: dict[str, Request] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)  # ids that only a history gave

    def add(self, call_id: str, request: Request) -> None:
        """Remember a request."""
        self.requests[(request.coordinate, call_id)] = request
        self.latest[call_id] = request

    def find(self, coordinate: Coordinate | None, call_id: str) -> Request | None:
        """Return what was asked under this id at this place, None when nothing was."""
        return self.requests.get((coordinate, call_id))


@dataclass(slots=True, kw_only=True)
class _Model:
    """A model call while its events are read."""

    coordinate: Coordinate
    events: list[StreamEvent] = field(default_factory=list)
    deltas: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    thought_deltas: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    last_sign: datetime | None = None
    model_id: str | None = None
    finish: str | None = None
    tokens: Tokens | None = None
    error: Mapping[str, object] | None = None
    ended: datetime | None = None
    answered: bool = False


@dataclass(slots=True, kw_only=True)
class _Tool:
    """A tool call while its events are read."""

    call_id: str
    coordinate: Coordinate | None
    position: int | None
    name: str = ""
    kind: str = "tool-call"
    input: object = None
    requested: StreamEvent | None = None
    partial: StreamEvent | None = None
    returned: StreamEvent | None = None
    invalid: StreamEvent | None = None


def read_calls(
    events: Iterable[StreamEvent],
    *,
    attempt: int,
    step_id: str,
    run_id: str,
    alive: bool,
    index: CallIndex,
) -> tuple[tuple[ModelCall, ...], tuple[ToolCall, ...]]:
    """Read the calls of one attempt.

    Args:
        events: its stream events in order.
        attempt: number of the attempt.
        step_id: the step's id.
        run_id: the run's id.
        alive: whether the attempt may still be running, so that an unfinished call is running too.
        index: requests of earlier steps; those of this attempt are added.
    """
    models: list[_Model] = []
    tools: list[_Tool] = []
    for event in events:
        coordinate = model_coordinate(event)
        if coordinate is None:
            continue
        model = next((m for m in reversed(models) if m.coordinate == coordinate), None)
        if event.type == "step.started" and (model is None or model.ended is not None):
            model = _Model(coordinate=coordinate)
            models.append(model)
        if model is not None:
            _feed_model(model, event)
        _feed_tools(tools, event, coordinate, step_id, index)
    made = tuple(_model_call(m, attempt, run_id, alive) for m in models)
    return made, tuple(_tool_call(t, attempt, step_id, run_id) for t in tools)


def _feed_model(model: _Model, event: StreamEvent) -> None:
    data = event.data
    model.events.append(event)
    if event.type in _MODEL_SIGNS:
        model.last_sign = event.at or model.last_sign
    match event.type:
        case "step.started":
            model.model_id = _text(data.get("modelId"))
        case "message.appended":
            if isinstance(so_far := data.get("messageSoFar"), str):  # eve 0.20 repeats the whole text
                model.deltas[:] = [so_far]
            elif isinstance(delta := data.get("messageDelta"), str):
                model.deltas.append(delta)
        case "message.completed":
            if isinstance(text := data.get("message"), str):
                model.blocks.append(text)
            model.deltas.clear()
            model.finish = _text(data.get("finishReason")) or model.finish
            model.answered = True
        case "reasoning.appended":
            if isinstance(delta := data.get("reasoningDelta"), str):
                model.thought_deltas.append(delta)
        case "reasoning.completed":
            if isinstance(text := data.get("reasoning"), str):
                model.thoughts.append(text)
            model.thought_deltas.clear()
        case "step.completed":
            model.finish = _text(data.get("finishReason")) or model.finish
            model.tokens = tokens_of(data.get("usage"))
            model.ended = event.at
            model.answered = True
        case "step.failed":
            model.error = {k: data[k] for k in ("code", "message", "details") if k in data}
            model.ended = event.at
        case "action.result":
            model.answered = True
        case "actions.requested":
            model.calls.extend(call_id for call_id, _ in _actions(event))
        case _:
            pass


def _feed_tools(
    tools: list[_Tool], event: StreamEvent, coordinate: Coordinate, step_id: str, index: CallIndex
) -> None:
    if event.type == "actions.requested":
        for call_id, action in _actions(event):
            position = sum(1 for t in tools if t.coordinate == coordinate and t.requested is not None)
            request = Request(
                name=_action_name(action),
                kind=_text(action.get("kind")) or "tool-call",
                input=action.get("input"),
                position=position,
                coordinate=coordinate,
                step_id=step_id,
            )
            index.add(call_id, request)
            tools.append(
                _Tool(
                    call_id=call_id,
                    coordinate=coordinate,
                    position=position,
                    name=request.name,
                    kind=request.kind,
                    input=request.input,
                    requested=event,
                )
            )
        return
    if event.type == "action.invalid":
        # The model named a tool that is not there, or gave it an input it does not take: nothing is called.
        found = _text(event.data.get("callId"))
        if found is not None and all(t.call_id != found or t.coordinate != coordinate for t in tools):
            name = _action_name(event.data)
            given = event.data.get("input")
            tools.append(
                _Tool(
                    call_id=found,
                    coordinate=coordinate,
                    position=None,
                    name=name,
                    input=given,
                    invalid=event,
                )
            )
        return
    if event.type not in ("action.result", "action.partial"):
        return
    result = event.data.get("result")
    call_id_value = result.get("callId") if isinstance(result, Mapping) else None
    if not isinstance(result, Mapping) or not isinstance(call_id_value, str):
        return
    waiting = [t for t in tools if t.call_id == call_id_value and t.coordinate == coordinate]
    tool = next((t for t in waiting if t.returned is None), None)
    if tool is None:  # asked for in an earlier workflow step (docs/evidence/observed.md#held)
        known = index.find(coordinate, call_id_value)
        asked = known or index.latest.get(call_id_value)  # before eve 0.66 even in an earlier turn
        tool = _Tool(
            call_id=call_id_value,
            coordinate=coordinate,
            position=known.position if known else None,
            name=asked.name if asked else _action_name(result),
            kind=asked.kind if asked else "tool-call",
            input=asked.input if asked else None,
        )
        tools.append(tool)
    if event.type == "action.partial":
        tool.partial = event
    else:
        tool.returned = event


def _model_call(model: _Model, attempt: int, run_id: str, alive: bool) -> ModelCall:
    text = "\n".join(model.blocks) if model.blocks else None
    if model.deltas:
        text = "\n".join([*model.blocks, "".join(model.deltas)])
    thoughts = [*model.thoughts, *(["".join(model.thought_deltas)] if model.thought_deltas else [])]
    first, last = model.events[0], model.events[-1]
    certainty: Certainty = "observed"
    if model.error is not None:
        status = "failed"
    elif model.ended is not None or model.tokens is not None:
        status = "completed"
    elif model.answered:
        status, certainty = "completed", "implied"  # its answer is there, its end is not
    else:
        status = "running" if alive else "interrupted"
    ended = model.last_sign if status == "completed" else model.ended
    if status == "completed" and len([e for e in model.events if e.type in _MODEL_SIGNS]) < 2:
        ended = model.ended  # no sign of the answer itself: its end is all there is
    return ModelCall(
        coordinate=model.coordinate,
        attempt=attempt,
        status=status,  # type: ignore[arg-type]  # one of the four words above
        model_id=model.model_id,
        started_at=first.at,
        ended_at=ended,
        tokens=model.tokens,
        text=text,
        partial=bool(model.deltas) and status != "completed",
        reasoning="\n".join(thoughts) if thoughts else None,
        finish_reason=model.finish,
        call_ids=tuple(model.calls),
        error=model.error,
        certainty=certainty,
        evidence=(chunk_evidence(first, run_id),)
        + ((chunk_evidence(last, run_id),) if last is not first else ()),
    )


def _tool_call(tool: _Tool, attempt: int, step_id: str, run_id: str) -> ToolCall:
    evidence = [chunk_evidence(e, run_id) for e in (tool.requested, tool.partial, tool.returned) if e]
    call = ToolCall(
        call_id=tool.call_id,
        name=tool.name,
        coordinate=tool.coordinate,
        position=tool.position,
        step_id=step_id,
        attempt=attempt,
        run_id=run_id,
        input=tool.input,
        kind=tool.kind,
        requested_at=tool.requested.at if tool.requested else None,
        began="observed" if tool.partial or tool.returned else "unknown",
        partial=_partial(tool.partial),
        evidence=tuple(evidence),
    )
    if tool.invalid is not None and tool.returned is None:
        said = tool.invalid.data
        return replace(
            call,
            status="rejected",
            is_error=True,
            history_only=True,
            error={"code": _text(said.get("reason")) or "invalid", "message": "the call was not valid"},
            evidence=(chunk_evidence(tool.invalid, run_id),),
        )
    if tool.returned is None:
        return call
    data = tool.returned.data
    result = data.get("result")
    body: Mapping[str, object] = result if isinstance(result, Mapping) else {}
    error = data.get("error")
    status = _text(data.get("status"))
    return replace(
        call,
        returned_at=tool.returned.at,
        status=status,
        output=body.get("output", UNDEFINED),
        error=error if isinstance(error, Mapping) else None,
        is_error=bool(body.get("isError")) or isinstance(error, Mapping) or status in ("failed", "rejected"),
        began="unknown" if status == "rejected" else "observed",  # a rejected call never began
    )


def _partial(event: StreamEvent | None) -> object:
    result = event.data.get("result") if event is not None else None
    return result.get("output", UNDEFINED) if isinstance(result, Mapping) else UNDEFINED


def _actions(event: StreamEvent) -> list[tuple[str, Mapping[str, object]]]:
    actions = event.data.get("actions")
    if not isinstance(actions, list):
        return []
    found = [a for a in actions if isinstance(a, dict)]
    return [(a["callId"], a) for a in found if isinstance(a.get("callId"), str)]


def _action_name(action: Mapping[str, object]) -> str:
    """Return the name people call it: tools, subagents, remote agents and skills name it differently."""
    for key in ("toolName", "name", "subagentName", "remoteAgentName"):
        if isinstance(value := action.get(key), str):
            return value
    return ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
