"""Attempts as rows: every execution of a step, and what proves it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from eve_replay.journal import Attempt, Step, ToolCall
from eve_replay.redaction.veil import glimpse, veiled
from eve_replay.values import Undecoded
from eve_replay.views.kit.base import View, attempt_key, call_key, step_key
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import word_for
from eve_replay.views.session.calls import call_status
from eve_replay.views.session.effect_marks import EffectMarks

__all__ = ["AttemptRow", "CallRow", "attempt_rows", "call_row"]

_PREVIEW = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow(View):
    """One tool call in one attempt.

    Attributes:
        key: its key.
        name, call_id: as recorded.
        status: returned, failed, no result, held, did not run; ``tone`` of it.
        input, result: one safe line each.
        place: turn and model step in words.
        requested_at, returned_at: times, None where not recorded.
        seconds: how long it took.
        remark: ``ran twice`` and the like; ``remark_tone`` of it.
        kind: ``tool-call`` or another action kind.
        certainty: how its facts are known.
    """

    key: str
    name: str
    call_id: str
    status: str
    tone: Tone
    input: str = ""
    result: str = ""
    place: str = ""
    requested_at: datetime | None = None
    returned_at: datetime | None = None
    seconds: float | None = None
    remark: str = ""
    remark_tone: Tone = "plain"
    kind: str = "tool-call"
    certainty: str = "observed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow(View):
    """One attempt.

    Attributes:
        key: its key; ``step`` the step's.
        n: number.
        outcome: word of the vocabulary; ``tone`` of it.
        body: whether its start proves that the body ran; ``why`` in words.
        started_at, ended_at, last_sign_at: times; ``seconds`` from the start to the last thing known.
        inline: executed by the delivery that scheduled it.
        calls: its tool calls.
        models: how many model calls; ``tokens_in`` and ``tokens_out`` recorded for them, None without usage.
        events: how many stream events it emitted.
        error: the recorded error, one line.
        overlaps: numbers of attempts that ran at the same time.
    """

    key: str
    step: str
    n: int
    outcome: str
    tone: Tone
    certainty: str
    body: str
    why: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    last_sign_at: datetime | None = None
    seconds: float | None = None
    inline: bool = False
    calls: tuple[CallRow, ...] = ()
    models: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    events: int = 0
    error: str = ""
    overlaps: tuple[int, ...] = ()


def attempt_rows(step: Step, marks: EffectMarks | None = None) -> tuple[AttemptRow, ...]:
    """Return the attempts of a step in log order. Decodes only recorded errors."""
    return tuple(_row(step, attempt, marks or EffectMarks()) for attempt in step.attempts)


def _row(step: Step, attempt: Attempt, marks: EffectMarks) -> AttemptRow:
    word = word_for(attempt.outcome)
    end = attempt.ended_at or attempt.last_sign_at
    tokens = attempt.tokens
    return AttemptRow(
        key=attempt_key(step.run_id, step.step_id, attempt.n),
        step=step_key(step.run_id, step.step_id),
        n=attempt.n,
        outcome=word.word,
        tone=word.tone,
        certainty=attempt.certainty,
        body=attempt.body,
        why=safe_text(attempt.body_why),
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        last_sign_at=attempt.last_sign_at,
        seconds=(end - attempt.started_at).total_seconds() if end and attempt.started_at else None,
        inline=attempt.inline,
        calls=tuple(call_row(step, call, marks) for call in attempt.tool_calls),
        models=len(attempt.model_calls),
        tokens_in=tokens.input if tokens else None,
        tokens_out=tokens.output if tokens else None,
        events=len(attempt.stream_events),
        error=_error(attempt),
        overlaps=attempt.overlaps,
    )


def _error(attempt: Attempt) -> str:
    if attempt.error is None:
        return ""
    value = attempt.error.shared
    if isinstance(value, Undecoded):
        return safe_text(f"undecoded: {value.reason}")
    return safe_text(veiled(value) if isinstance(value, str) else glimpse(value, _PREVIEW))


def call_row(step: Step, call: ToolCall, marks: EffectMarks | None = None) -> CallRow:
    """Return the row of one tool call."""
    status, tone = call_status(call)
    mark = marks.of_call(call) if marks is not None else None
    place = ""
    if call.coordinate is not None:
        number = call.coordinate.turn_id.removeprefix("turn_")
        place = f"turn {number}, model step {call.coordinate.step_index}"
    result = ""
    if call.error is not None:
        result = safe_text(str(call.error.get("message") or call.error.get("code") or ""))
    elif call.returned:
        result = safe_text(glimpse(call.output, _PREVIEW))
    seconds = None
    if call.requested_at is not None and call.returned_at is not None:
        seconds = (call.returned_at - call.requested_at).total_seconds()
    return CallRow(
        key=call_key(step.run_id, step.step_id, call.attempt, call.call_id),
        name=safe_text(call.name),
        call_id=safe_text(call.call_id),
        status=status,
        tone=tone,
        input=safe_text(glimpse(call.input, _PREVIEW)),
        result=result,
        place=safe_text(place),
        requested_at=call.requested_at,
        returned_at=call.returned_at,
        seconds=seconds,
        remark=mark.judgement.said if mark is not None and mark.notable else "",
        remark_tone=mark.tone if mark is not None and mark.notable else "plain",
        kind=call.kind,
        certainty=call.certainty,
    )
