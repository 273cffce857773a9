"""Tool calls in the messages a turn step committed: some of them no stream event ever names.

Calls to unknown tools or with invalid input appear in neither ``actions.requested`` nor ``action.result``
(docs/evidence/observed.md#refused-calls); the model's answer that holds them is in the step output's history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eve_replay.codec import Payload
from eve_replay.values import UNDEFINED, SparseArray

__all__ = ["HistoryCall", "committed_messages", "history_calls"]

#: Where a turn step's output holds messages: as a delta (eve 0.66 on), or whole (eve 0.20 to 0.50).
_WHOLE = "$.sessionState.snapshot.session.history"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryCall:
    """One tool call of the history.

    Attributes:
        call_id, name, input: as the model gave them.
        output: what the model was told, UNDEFINED when there is no answer in these messages.
        is_error: whether that was an error.
        position: place among the calls of its assistant message.
        answer, answers: which of how many assistant messages of this step asked for it.
        path: where in the output it stands.
    """

    call_id: str
    name: str
    input: object
    output: object
    is_error: bool
    position: int
    answer: int
    answers: int
    path: str


def committed_messages(output: Payload) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield ``(path, message)`` of the messages a step output holds: set, patched in place or whole."""
    delta = output.at("$.stateDelta.history")
    if delta is UNDEFINED:
        delta = output.at("$.history")
    base = "$.stateDelta.history"
    if isinstance(delta, Mapping):
        items: object = delta.get("value") if delta.get("kind") == "value" else delta.get("set")
        base += ".value" if delta.get("kind") == "value" else ".set"
    elif isinstance(delta, list):
        items = delta
    else:
        items, base = output.at(_WHOLE), _WHOLE
    if isinstance(items, Mapping):
        pairs = [(f'{base}["{key}"]', value) for key, value in items.items()]
    elif isinstance(items, list):
        pairs = [(f"{base}[{n}]", value) for n, value in enumerate(items)]
    elif isinstance(items, SparseArray):
        pairs = [(f"{base}[{n}]", value) for n, value in items.entries.items()]
    else:
        return
    for path, value in pairs:
        if isinstance(value, Mapping):
            yield path, value


def history_calls(output: Payload) -> list[HistoryCall]:
    """Return every tool call in the messages a turn step committed, in order."""
    results: dict[str, Mapping[str, object]] = {}
    asked: list[tuple[str, str, Mapping[str, object], int, int]] = []
    answers = 0
    for path, message in committed_messages(output):
        if message.get("role") == "assistant":
            answers += 1
        content = message.get("content")
        for n, part in enumerate(content if isinstance(content, list) else []):
            call_id = part.get("toolCallId") if isinstance(part, Mapping) else None
            if not isinstance(part, Mapping) or not isinstance(call_id, str):
                continue
            if part.get("type") == "tool-call":
                position = sum(1 for *_, answer in asked if answer == answers - 1)
                asked.append((f"{path}.content[{n}]", call_id, part, position, answers - 1))
            elif part.get("type") == "tool-result":
                results[call_id] = part
    return [_call(*found, answers, results) for found in asked]


def _call(
    path: str,
    call_id: str,
    part: Mapping[str, object],
    position: int,
    answer: int,
    answers: int,
    results: Mapping[str, Mapping[str, object]],
) -> HistoryCall:
    name = part.get("toolName")
    told = results.get(call_id, {}).get("output", UNDEFINED)
    kind = told.get("type") if isinstance(told, Mapping) else None
    return HistoryCall(
        call_id=call_id,
        name=name if isinstance(name, str) else "",
        input=part.get("input"),
        output=told.get("value") if isinstance(told, Mapping) else told,
        is_error=isinstance(kind, str) and kind.startswith("error"),
        position=position,
        answer=max(answer, 0),
        answers=answers,
        path=path,
    )
