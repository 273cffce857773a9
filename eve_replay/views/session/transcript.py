"""The conversation as a person reads it, attempts marked: rows, and lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from eve_replay.journal import Session
from eve_replay.journal.transcript import TranscriptEntry, transcript
from eve_replay.redaction.veil import glimpse, veiled
from eve_replay.values import UNDEFINED
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import cut, safe_lines, safe_text, wrap
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock
from eve_replay.views.session.effect_marks import EffectMarks

__all__ = ["TranscriptRow", "transcript_lines", "transcript_rows"]

_PREVIEW = 400
_LONGEST = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptRow(View):
    """One entry.

    Attributes:
        kind: user, assistant, reasoning, tool, park, note or error.
        who: what stands in front: ``user``, ``agent``, the tool's name ...
        text: what was said, safe, line ends kept.
        result: of a tool: what it gave back, one line; ``input`` what it was given.
        turn, step: ids, empty outside; ``attempt`` its number, ``attempts`` how many that step has.
        superseded: said by an attempt that a later one repeated.
        remark: ``ran twice`` and the like, empty when there is nothing to remark; ``remark_tone`` of it.
        at: when.
        tone: its tone.
    """

    kind: str
    who: str
    text: str
    at: datetime | None
    input: str = ""
    result: str = ""
    turn: str = ""
    step: str = ""
    attempt: int | None = None
    attempts: int = 1
    superseded: bool = False
    remark: str = ""
    remark_tone: Tone = "plain"
    tone: Tone = "plain"


def transcript_rows(
    session: Session, turn_id: str | None = None, *, marks: EffectMarks | None = None
) -> Iterator[TranscriptRow]:
    """Yield the rows of a session, or of one turn, in reading order. Decodes no step payload."""
    for entry in transcript(session, turn_id):
        yield _row(entry, marks or EffectMarks())


_WHO = {"user": "user", "assistant": "agent", "reasoning": "thought", "note": "", "error": "", "park": "asks"}
_TONES: dict[str, Tone] = {
    "user": "strong",
    "assistant": "plain",
    "reasoning": "muted",
    "tool": "tool",
    "park": "parked",
    "note": "muted",
    "error": "error",
}


def _row(entry: TranscriptEntry, marks: EffectMarks) -> TranscriptRow:
    tone = _TONES.get(entry.kind, "plain")
    result = ""
    remark = ""
    remark_tone: Tone = "plain"
    if entry.kind == "tool":
        result = _result(entry)
        mark = marks.of_call(entry.call) if entry.call is not None else None
        if mark is not None and mark.notable:
            remark = mark.judgement.said
            remark_tone = mark.tone
            tone = mark.tone if mark.harmful else tone
        elif entry.is_error:
            tone = "error"
    if entry.superseded and not (remark and remark_tone == "harm"):
        tone = "muted"
    text = "" if entry.kind == "tool" else veiled(entry.text[:_LONGEST])
    return TranscriptRow(
        kind=entry.kind,
        who=safe_text(entry.name) if entry.kind in ("tool", "park") else _WHO.get(entry.kind, ""),
        text="\n".join(safe_lines(text)),
        at=entry.at,
        input=safe_text(glimpse(entry.input, _PREVIEW)) if entry.kind == "tool" else "",
        result=result,
        turn=entry.turn_id or "",
        step=entry.step_id or "",
        attempt=entry.attempt,
        attempts=entry.attempts,
        superseded=entry.superseded,
        remark=remark,
        remark_tone=remark_tone,
        tone=tone,
    )


def _result(entry: TranscriptEntry) -> str:
    call = entry.call
    if not entry.returned:
        later = call is not None and call.deferred
        return "handed over: it runs later, or in a run of its own" if later else "no result recorded"
    if call is not None and call.error is not None:
        return safe_text(veiled(str(call.error.get("message") or call.error.get("code") or "failed")))
    return safe_text(glimpse(UNDEFINED if entry.output is None and call is None else entry.output, _PREVIEW))


def transcript_lines(
    rows: Iterable[TranscriptRow], *, width: int = 80, zone: tzinfo | None = None
) -> Iterator[Line]:
    """Yield lines: turns apart, who in front, what a superseded attempt said behind a bar."""
    turn: str | None = None
    for row in rows:
        if row.turn != turn:
            turn = row.turn
            title = f"turn {turn.removeprefix('turn_')}" if turn else "outside turns"
            yield ()
            yield line((title, "strong"), (f"  {clock(row.at, zone)}" if row.at else "", "muted"))
        bar = "│ " if row.superseded else "  "
        if row.kind == "note":
            for part in wrap(safe_text(row.text), width - 4):
                yield line(("  · " + part, row.tone))
            continue
        if row.kind == "tool":
            yield from _tool_lines(row, bar, width)
            continue
        label = f"{row.who}  " if row.who else ""
        blank = " " * len(label)
        first = True
        for paragraph in row.text.split("\n"):
            for part in wrap(paragraph, max(width - len(bar) - len(label), 20)):
                yield line((bar, "muted"), (label if first else blank, "muted"), (part, row.tone))
                first = False


def _tool_lines(row: TranscriptRow, bar: str, width: int) -> Iterator[Line]:
    head = f"▸ {row.who} "
    remark = cut(row.remark, max(width - len(bar) - len(head) - 14, 1)) if row.remark else ""
    room = max(width - len(bar) - len(head) - (len(remark) + 2 if remark else 0), 12)
    yield line(
        (bar, "muted"),
        (head, row.remark_tone if row.remark else "tool"),
        (cut(row.input, room), "muted"),
        (f"  {remark}" if remark else "", row.remark_tone),
    )
    yield line(
        (bar, "muted"), ("    → ", "muted"), (cut(row.result, max(width - len(bar) - 6, 12)), row.tone)
    )
