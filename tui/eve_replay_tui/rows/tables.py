"""Lists of the inspector: events, stream, attempts, effects, messages, raw bytes, evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import tzinfo

from eve_replay.views.inspect.evidence import EvidenceRow
from eve_replay.views.inspect.raw import RawView
from eve_replay.views.inspect.records import EventRow
from eve_replay.views.kit.base import event_key
from eve_replay.views.kit.safe import pad, safe_text, wrap
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import clock, clocks, duration, size
from eve_replay.views.session.attempts import AttemptRow
from eve_replay.views.session.effects import EffectRow
from eve_replay.views.session.messages import MessageRow
from eve_replay.views.session.stream import StreamRow
from eve_replay_tui.lines import TextRow
from eve_replay_tui.rows.values import first_open, value_text

__all__ = [
    "attempt_text",
    "effect_text",
    "event_text",
    "evidence_text",
    "message_text",
    "raw_text",
    "stream_text",
]

_EVENT_TONES: dict[str, Tone] = {
    "step_completed": "committed",
    "step_failed": "error",
    "step_retrying": "again",
    "run_failed": "error",
    "run_completed": "committed",
    "step_started": "strong",
}


def _signed(tone: Tone) -> Span:
    return Span(f"{TONES[tone].sign:<2}", tone)


def event_text(rows: Sequence[EventRow], width: int, zone: tzinfo | None) -> list[TextRow]:
    """Return log events, one line each."""
    out = []
    kind = max((len(row.event_type) for row in rows), default=0)
    times = clocks((row.at for row in rows), zone, millis=True)
    room = max(map(len, times), default=12)
    for row, at in zip(rows, times, strict=True):
        slot = f"{row.slot}" if row.slot is not None else ""
        sizes = ", ".join(f"{name} {size(count)}" if count else name for name, count in row.payloads)
        back = f"  {duration(row.back)} back in time" if row.back else ""
        out.append(
            TextRow(
                line=line(
                    (f"{slot:>4}  ", "muted"),
                    (f"{at:<{room}}  ", "muted"),
                    (f"{row.event_type:<{kind}}  ", _EVENT_TONES.get(row.event_type, "plain")),
                    row.about,
                    (f"  {sizes}" if sizes else "", "muted"),
                    (back, "warning"),
                ),
                key=event_key(row.run_id, row.event_id),
                copy=row.event_id,
            )
        )
    return out


def stream_text(
    rows: Sequence[StreamRow], opened: Collection[str], width: int, zone: tzinfo | None
) -> list[TextRow]:
    """Return stream events, one line each, with their data below when opened."""
    out = []
    kind = max((len(row.type) for row in rows), default=0)
    times = clocks((row.at for row in rows), zone, millis=True)
    room = max(map(len, times), default=12)
    for row, at in zip(rows, times, strict=True):
        fold = f"chunk|{row.key}"
        is_open = fold in opened
        out.append(
            TextRow(
                line=line(
                    ("▾ " if is_open else "▸ ", "muted"),
                    (f"{at:<{room}}  ", "muted"),
                    f"{row.type:<{kind}}  ",
                    (f"{row.place}  " if row.place else "", "muted"),
                    (row.text, "muted"),
                ),
                key=row.key,
                fold=fold,
                copy=row.chunk_id,
            )
        )
        if is_open:
            prefix = f"{row.key}|"
            folds = (
                opened
                if any(each.startswith(prefix) for each in opened)
                else (first_open(row.data, budget=30, prefix=prefix))
            )
            for each in value_text(row.data, folds, width - 4, prefix=prefix):
                out.append(
                    TextRow(line=(Span("    "), *each.line), fold=each.fold, data=each.data, key=row.key)
                )
    return out


def attempt_text(rows: Sequence[AttemptRow], width: int, zone: tzinfo | None) -> list[TextRow]:
    """Return attempts: a line for each, why we know, its calls."""
    out: list[TextRow] = []
    times = clocks((row.started_at for row in rows), zone)
    for number, row in enumerate(rows):
        if number:
            out.append(TextRow(line=()))
        tokens = f"  {row.tokens_in:,} + {row.tokens_out or 0:,} tokens" if row.tokens_in is not None else ""
        inline = "  inline" if row.inline else ""
        took = duration(row.seconds)
        head = line(
            (f"attempt {row.n}  ", "strong"),
            _signed(row.tone),
            (f"{row.outcome}", row.tone),
            (f"  {row.certainty}  {times[number]}  {took}{tokens}{inline}", "muted"),
        )
        out.append(TextRow(line=head, key=row.key))
        if row.overlaps:
            numbers = ", ".join(map(str, row.overlaps))
            out.append(TextRow(line=line((f"  overlaps attempt {numbers}", "harm")), key=row.key))
        if row.why:
            out += _wrapped(row.why, width, 2, "muted", row.key)
        if row.error:
            out += _wrapped(row.error, width, 2, "error", row.key)
        for call in row.calls:
            remark = f"  {call.remark}" if call.remark else ""
            out.append(
                TextRow(
                    line=line(
                        "  ",
                        _signed(call.tone),
                        (f"{call.name}  ", "tool"),
                        (call.status, call.tone),
                        (remark, call.remark_tone),
                        (f"  {duration(call.seconds)}  {call.call_id}", "muted"),
                    ),
                    key=call.key,
                    copy=call.call_id,
                )
            )
            out.append(TextRow(line=line(("      in  ", "muted"), call.input), key=call.key))
            if call.result:
                out.append(TextRow(line=line(("      out ", "muted"), call.result), key=call.key))
    return out


def effect_text(rows: Sequence[EffectRow], width: int, zone: tzinfo | None) -> list[TextRow]:
    """Return effects: how often each ran, what protects it, what each attempt says."""
    out: list[TextRow] = []
    for number, row in enumerate(rows):
        if number:
            out.append(TextRow(line=()))
        out.append(
            TextRow(
                line=line(
                    _signed(row.tone),
                    (f"{row.tool}  ", "strong"),
                    (row.word, row.tone),
                    (f"  {row.certainty}", "muted"),
                    (f"  {row.place}" if row.place else "", "muted"),
                ),
                key=row.key,
                copy=row.call_id,
            )
        )
        source = ", by your policy" if row.protection_source == "policy" else ""
        text = f"{row.protection}{source}"
        if row.idempotency_key:
            text += f"; key {row.idempotency_key}"
            text += ", another in each attempt" if row.same_key is False else ""
        if row.left_behind:
            text += "; left behind by a cancelled turn"
        out += _wrapped(text, width, 2, "muted", row.key)
        for part in row.parts:
            out.append(
                TextRow(
                    line=line(
                        (f"  attempt {part.attempt}  ", "muted"),
                        (part.word, part.tone),
                        (f"  {clock(part.at, zone)}  " if part.at else "  ", "muted"),
                        part.result or part.why,
                    ),
                    key=part.key,
                    copy=part.call_id,
                )
            )
    return out


_ROLES: dict[str, Tone] = {"user": "strong", "assistant": "model", "tool": "tool", "system": "muted"}


def message_text(rows: Sequence[MessageRow], width: int) -> list[TextRow]:
    """Return messages: who, and what they hold, wrapped."""
    out: list[TextRow] = []
    for number, row in enumerate(rows):
        if number:
            out.append(TextRow(line=()))
        kind = f"  {row.kind}" if row.kind and row.kind != row.role else ""
        out.append(
            TextRow(
                line=line(
                    (f"{row.index:>3} ", "muted"),
                    (row.role, _ROLES.get(row.role, "plain")),
                    (kind, "muted"),
                    ("  + added by this step" if row.added else "", "once"),
                    (f"  {row.problem}" if row.problem else "", "warning"),
                ),
                copy=row.path,
            )
        )
        for part in row.parts:
            if part.kind != "text" or part.name:
                name = f" {part.name}" if part.name else ""
                call = f"  {part.call_id}" if part.call_id else ""
                out.append(
                    TextRow(line=line((f"    {part.kind}{name}", "tool"), (call, "muted")), copy=part.call_id)
                )
            for each in part.text.split("\n"):
                tone: Tone = part.tone if part.tone in ("error", "muted") else "plain"
                out += _wrapped(each, width, 4, tone, "", copy=part.text)
            if part.cut:
                out.append(TextRow(line=line((f"    and {part.cut:,} more characters", "muted"))))
    return out


def raw_text(rows: Sequence[RawView], width: int) -> list[TextRow]:
    """Return stored payloads: layers, sizes, a page of bytes."""
    out: list[TextRow] = []
    for number, view in enumerate(rows):
        if number:
            out.append(TextRow(line=()))
        out.append(TextRow(line=line((view.name, "strong"), (f"  {view.summary}", "plain"))))
        if view.where:
            out.append(TextRow(line=line((f"  {view.where}", "muted")), copy=view.where))
        for problem in view.problems:
            out += _wrapped(problem, width, 2, "warning", "")
        wide = width >= 78
        for row in view.rows:
            hexa = pad(row.hexa, 49) if wide else row.hexa.replace("  ", " ")[: max(width - 28, 12)]
            content: Line = (
                Span(f"  {row.offset:08x}  ", "muted"),
                Span(hexa),
                Span(f"  {row.text}", "muted"),
            )
            out.append(TextRow(line=content, copy=f"{row.offset:08x}  {row.hexa}  {row.text}"))
        if view.more:
            out.append(TextRow(line=line((f"  and {size(view.more)} more", "muted"))))
    return out


def evidence_text(rows: Sequence[EvidenceRow], width: int) -> list[TextRow]:
    """Return evidence, grouped by what it supports."""
    out: list[TextRow] = []
    about = None
    for row in rows:
        if row.about != about:
            about = row.about
            if out:
                out.append(TextRow(line=()))
            out.append(TextRow(line=line((row.about, "strong"), (f"  {row.certainty}", "muted"))))
        out.append(evidence_row(row))
    return out


def evidence_row(row: EvidenceRow, *, indent: int = 2) -> TextRow:
    """Return one piece of evidence; the arrow says that Enter goes there."""
    path = f" {row.path}" if row.path and row.path != "$" else ""
    return TextRow(
        line=line(
            " " * indent,
            ("→ " if row.key else "  ", "tool"),
            (f"{row.kind} ", "muted"),
            row.short,
            (path, "muted"),
            (f"  {row.note}" if row.note else "", "muted"),
        ),
        key=row.key,
        copy=row.id,
    )


def _wrapped(text: str, width: int, indent: int, tone: Tone, key: str, *, copy: str = "") -> list[TextRow]:
    if not text:
        return [TextRow(line=(), key=key)]
    lines = paragraph(safe_text(text), width=width, indent=indent, tone=tone)
    return [TextRow(line=each, key=key, copy=copy) for each in lines]


__all__ += ["evidence_row", "wrap"]
