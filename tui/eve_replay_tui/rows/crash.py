"""Rows of the crash lab: points, and the answer for one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from eve_replay.views.crashlab.crash import CrashEffectRow, CrashPointRow, CrashView
from eve_replay.views.kit.table import Cell, Column, Table, table_lines
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import day_and_clock, plural
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.lines import TextRow

#: Longer lines are hard to read.
LONGEST = 112

_HARM = TONES["harm"].sign

__all__ = ["LONGEST", "point_row", "view_rows"]


def point_row(
    point: CrashPointRow,
    width: int,
    points: Sequence[CrashPointRow],
    zone: tzinfo | None,
    tones: Sequence[Tone] = (),
) -> TextRow:
    """Return one point; a label that was said by the point before is not said again.

    Its tone is that of what a crash there does (``tones``, by index). What had happened by then is told
    without a colour: that something has happened is no harm, that it happens again is.
    """
    tone: Tone = tones[point.index] if point.index < len(tones) else "muted"
    same = point.index > 0 and points[point.index - 1].label == point.label
    effects = ", ".join(dict.fromkeys((*point.happened, *(f"{each}?" for each in point.possible))))
    return TextRow(
        line=line(
            (f"{point.number:>4} ", "muted"),
            (f"{TONES[tone].sign:<2}", tone),
            (f"  after {point.address}" if same else point.label, "muted" if same else "plain"),
            (f"  {effects}" if effects and not same else "", "muted"),
        ),
        key=str(point.index),
        copy=point.address,
        data=point,
    )


def view_rows(view: CrashView, width: int, zone: tzinfo | None) -> list[TextRow]:
    """Return the answer: the outcome, effects, steps, what is paid, the sentence, the assumptions."""
    sign = TONES[view.outcome_tone].sign
    width = min(width, LONGEST)
    out = [
        TextRow(
            line=line(
                (f"{sign} {view.outcome_words}".strip(), view.outcome_tone),
                (f"   {view.certainty}", "muted"),
                (f"   {_HARM} {view.twice.words}" if view.twice else "", "harm"),
                (f"   {plural(view.missed, 'effect')} may be missed" if view.missed else "", "harm"),
            )
        ),
        TextRow(line=()),
    ]
    out += [TextRow(line=each, copy=view.sentence) for each in paragraph(view.sentence, width=width)]
    out.append(TextRow(line=()))
    out += _effects(view, width)
    out.append(TextRow(line=()))
    paid: Tone = "again" if view.model_calls_again else "plain"
    facts: list[tuple[str, str, Tone]] = [
        # A plain run asks no model.
        *([("paid", view.paid, paid)] if view.model_calls or view.tokens else []),
        (
            "emitted again",
            plural(view.events_again, "stream event") if view.events_again else "nothing",
            "plain",
        ),
        ("recovers", view.recovery or view.by, "plain"),
        ("earliest", day_and_clock(view.earliest, zone), "plain"),
        ("person", view.person or "not needed", "warning" if view.person else "plain"),
        ("ends", view.ends, "plain"),
    ]
    for name, text, tone in facts:
        if text:
            for n, each in enumerate(paragraph(text, width=width - 15, tone=tone)):
                out.append(TextRow(line=(*line((f"{name if not n else '':<15}", "muted")), *each)))
    out += _steps(view, width)
    for note in view.notes:
        out.append(TextRow(line=()))
        out += [TextRow(line=each) for each in paragraph(note, width=width, tone="muted")]
    for told in view.told:
        out.append(TextRow(line=()))
        text = f"The tutorial says otherwise: {told}"
        out += [TextRow(line=each) for each in paragraph(text, width=width, tone="muted")]
    if view.rules:
        out += [TextRow(line=()), TextRow(line=line(("rules that were used", "strong")))]
        for name, text in view.rules:
            for n, each in enumerate(paragraph(text, width=width - 14, tone="muted")):
                out.append(TextRow(line=(*line((f"{name if not n else '':<14}", "muted")), *each)))
    return out


def _effects(view: CrashView, width: int) -> list[TextRow]:
    if not view.effects:
        return [TextRow(line=line(("No effect belongs to this turn.", "muted")))]
    columns = (
        Column(title="effect", shrink=2, minimum=12),
        Column(title="runs", align="right"),
        Column(title="outside sees", align="right"),
        Column(title="before+after", align="right", optional=True),
        Column(title="protection", shrink=1, minimum=12),
    )
    rows = [_effect(row) for row in view.effects]
    lines = table_lines(Table(columns=columns, rows=rows), width=width)
    out = [TextRow(line=lines[0])]
    for row, each in zip(view.effects, lines[1:], strict=True):
        out.append(TextRow(line=each, key=row.step, copy=row.call_id))
    return out


def _effect(row: CrashEffectRow) -> tuple[Cell, ...]:
    sign = TONES[row.tone].sign
    head = f"{sign} {row.tool}" if sign else row.tool
    outside = f"{row.outside}{' missed' if row.missed or row.missed is None else ''}"
    return (
        Cell(head, row.tone),
        Cell(row.runs, row.runs_tone),
        Cell(outside, row.tone),
        Cell(f"{row.before}+{row.after}", "muted"),
        Cell(row.strategy_words, "muted"),
    )


def _starts(text: str) -> str:
    return f"{text} start" if text == "1" else f"{text} starts"


#: ``re-executed`` is a word of the vocabulary, ``never-reached`` only its machine name.
_VERDICT_WORDS = {"never-reached": "never reached"}


def _steps(view: CrashView, width: int) -> list[TextRow]:
    out = [TextRow(line=()), TextRow(line=line(("steps", "strong")))]
    name = max((cell_width(step.function) for step in view.steps), default=0)
    for step in view.steps:
        sign = TONES[step.tone].sign or " "
        out.append(
            TextRow(
                line=line(
                    (f"  {sign} ", step.tone),
                    f"{step.function:<{name}}  ",
                    (f"{_VERDICT_WORDS.get(step.verdict, step.verdict):<14}", step.tone),
                    (f"{_starts(step.attempts)}  {step.certainty}", "muted"),
                ),
                key=step.key,
            )
        )
    return out
