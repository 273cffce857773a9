"""Pairs of recorded tool calls for lesson 3: are they the same deed, carried out again, or two deeds?

The answer is that of :func:`eve_replay.journal.effects.build.effects_of`: the same call asked for in another
attempt is the same effect, whatever id the model gave it. A few pairs are made from a recorded call by
changing one thing, where no recording has such a pair; they say so.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from eve_replay.journal import Attempt, ToolCall
from eve_replay.journal.effects.build import effects_of
from eve_replay.times import iso
from eve_replay.workshop.model import Text
from eve_replay.workshop.tasks._readings import session

__all__ = ["Call", "Pair", "calls", "made", "pairs_across", "pairs_of"]

#: One tool call as a learner sees it.
Call = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two calls and the truth about them.

    Attributes:
        code: what an answer that is wrong here has got wrong.
        words: where the two are from.
    """

    first: Call
    second: Call
    same: bool
    code: str
    words: Text


@cache
def _found(sample: str) -> tuple[tuple[Call, int], ...]:
    """Return every call that was asked for in a sample, with the number of its effect."""
    numbers = {
        (part.step_id, part.attempt, part.call_id): number
        for number, effect in enumerate(effects_of(session(sample)))
        for part in effect.by_attempt
    }
    found = []
    for step in session(sample).steps:
        for attempt in step.attempts:
            for call in attempt.tool_calls:
                number = numbers.get((step.step_id, attempt.n, call.call_id))
                if number is not None and call.requested_at is not None and call.position is not None:
                    found.append((_plain(sample, attempt, call), number))
    return tuple(found)


def calls(sample: str) -> list[Call]:
    """Return every call that was asked for in a sample, in order; copies."""
    return [deepcopy(call) for call, _ in _found(sample)]


def _plain(sample: str, attempt: Attempt, call: ToolCall) -> Call:
    request = next(
        (
            event
            for event in attempt.stream_events
            if event.type == "actions.requested" and call.call_id in str(event.data.get("actions"))
        ),
        None,
    )
    return {
        "session": session(sample).id,
        "deliveryIds": list(request.delivery_ids) if request else [],
        "turnId": call.coordinate.turn_id if call.coordinate else None,
        "stepIndex": call.coordinate.step_index if call.coordinate else None,
        "position": call.position,
        "tool": call.name,
        "input": call.input,
        "callId": call.call_id,
        "eventId": request.meta_id if request else None,
        "requestedAt": iso(call.requested_at),
        "attempt": attempt.n,
    }


def pairs_of(sample: str) -> list[Pair]:
    """Return every pair of calls of one recording."""
    pairs = []
    for (first, one), (second, two) in combinations(_found(sample), 2):
        same = one == two
        code = "ids-change" if same else _difference(first, second)
        both = f"{first['tool']} ({_place(first)}), {second['tool']} ({_place(second)})"
        words = Text(f"sample:{sample}: {both}", f"sample:{sample}：{both}")
        pairs.append(Pair(first=first, second=second, same=same, code=code, words=words))
    return pairs


def pairs_across(sample: str, other: str) -> list[Pair]:
    """Return the pairs of equal places of two recordings, that is of two conversations."""
    words = Text(
        f"one call of sample:{sample}, one of sample:{other}: two conversations",
        f"一个调用来自 sample:{sample}，另一个来自 sample:{other}：两个会话",
    )
    return [
        Pair(first=first, second=second, same=False, code="other-session", words=words)
        for first in calls(sample)
        for second in calls(other)
        if _place(first).split(", attempt")[0] == _place(second).split(", attempt")[0]
    ]


def made(sample: str) -> list[Pair]:
    """Return pairs made from the first call of a recording by changing one thing."""
    call = calls(sample)[0]
    later = {"callId": "call_made", "eventId": "evt_made", "requestedAt": "2026-11-30T12:00:00.000Z"}
    step, position = int(str(call["stepIndex"])), int(str(call["position"]))
    again = int(str(call["attempt"])) + 1
    return [
        Pair(
            first=call,
            second={**call, **later, "stepIndex": step + 1},
            same=False,
            code="other-place",
            words=Text(
                f"made from sample:{sample}: the model asks for the same thing once more in its next answer",
                f"由 sample:{sample} 改成：模型在下一个回答里又要求做同样的事",
            ),
        ),
        Pair(
            first=call,
            second={**call, **later, "position": position + 1},
            same=False,
            code="other-place",
            words=Text(
                f"made from sample:{sample}: the model asks for the same thing twice in one answer",
                f"由 sample:{sample} 改成：模型在同一个回答里要求做两次同样的事",
            ),
        ),
        Pair(
            first=call,
            second={
                **call,
                **later,
                "attempt": again,
                "tool": "send_email",
                "input": {"to": "x@example.com"},
            },
            same=False,
            code="other-wish",
            words=Text(
                f"made from sample:{sample}: asked again, the model wants another tool in the same place",
                f"由 sample:{sample} 改成：再问模型时，它在同一个位置要求的是另一个工具",
            ),
        ),
    ]


def _difference(first: Call, second: Call) -> str:
    if first["turnId"] != second["turnId"]:
        return "other-turn"
    return "other-place"


def _place(call: Call) -> str:
    return f"{call['turnId']}, step {call['stepIndex']}, call {call['position']}, attempt {call['attempt']}"
