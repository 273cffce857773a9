"""Turns, trees, attempts and attempt diffs as text for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from eve_replay.journal import Session, Step
from eve_replay.views.diffs.attempts import AttemptDiffView, CallPair, FactRow, ModelPair
from eve_replay.views.diffs.diff import diff_lines
from eve_replay.views.kit.fit import fitted
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.table import Cell, Column, Row, Table, table_lines
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES
from eve_replay.views.kit.words import clocks, duration, plural, word_for
from eve_replay.views.session.attempts import AttemptRow, attempt_rows
from eve_replay.views.session.effect_marks import EffectMarks, twice_among
from eve_replay.views.session.titles import title_text
from eve_replay.views.session.tree import TreeRow

__all__ = ["attempt_diff_lines", "attempts_lines", "step_head", "tree_lines", "turns_table"]


def turns_table(session: Session, marks: EffectMarks, zone: tzinfo | None) -> Table:
    """Return the turns of a session, one row each."""
    columns = (
        Column(title="turn"),
        Column(title="message", shrink=2, minimum=12),
        Column(title="status", shrink=1, minimum=9),
        Column(title="steps", align="right"),
        Column(title="again", align="right"),
        Column(title="twice"),
        Column(title="tokens", align="right"),
        Column(title="started"),
        Column(title="took", align="right", shrink=1, minimum=4),
    )
    rows = []
    times = clocks((turn.started_at for turn in session.turns), zone)
    for turn, at in zip(session.turns, times, strict=True):
        word = word_for(turn.status)
        parks = dict.fromkeys(park.kind for park in turn.parks if park.open and not park.lost)
        status = f"parked: {', '.join(parks)}" if parks else word.word
        again = sum(len(step.attempts) > 1 for step in turn.steps)
        took = ""
        if turn.started_at is not None and turn.ended_at is not None:
            took = duration(turn.ended_at - turn.started_at)
        twice = twice_among(mark for step in turn.steps for mark in marks.of_step(step.step_id))
        rows.append(
            (
                turn.id.removeprefix("turn_"),
                title_text(" ".join((turn.message or "")[:400].split())),
                Cell(status, "parked" if parks else word.tone),
                str(len(turn.turn_steps)),
                Cell(str(again) if again else "", "again"),
                Cell(twice.short, "harm"),
                f"{turn.tokens.total:,}" if turn.tokens is not None else "",
                at,
                took,
            )
        )
    empty = "No turns yet: a turn begins with the first message to the session."
    if session.kind == "workflow":
        empty = "A plain workflow run has no turns: `eve-replay attempts` shows its steps."
    return Table(columns=columns, rows=rows, empty=empty)


#: Cells below which a row of the tree has no room for a clock and for words.
_NARROW = 72


def tree_lines(rows: Sequence[TreeRow], zone: tzinfo | None, *, width: int = 80) -> list[Line]:
    """Return tree rows as aligned lines: what, status, when, how long, remarks; details below calls."""
    columns = (
        Column(title="", shrink=1, minimum=24),
        Column(title="status"),
        Column(title="at", optional=True),
        Column(title="took", align="right", optional=True),
        # Where it is narrow, the clock gives way before the words that say what ran twice.
        Column(title="", shrink=2, minimum=9 if width >= _NARROW else 22),
    )
    top = min((row.depth for row in rows), default=0)
    body: list[Row] = []
    details: list[str] = []
    times = clocks((row.at for row in rows), zone, millis=True)
    for row, at in zip(rows, times, strict=True):
        badges = list(row.badges)
        inline = row.detail if row.kind in ("step", "attempt", "run", "group") else ""
        harm = next((badge for badge in badges if badge.tone == "harm"), None)
        tone = harm.tone if harm else badges[0].tone if badges else "muted"
        remark = ", ".join([*(badge.text for badge in badges), *([inline] if inline else [])])
        body.append(
            (
                Cell("  " * (row.depth - top) + row.label, "strong" if row.kind == "step" else "plain"),
                Cell(row.status, row.tone),
                at,
                duration(row.seconds) if row.seconds is not None else "",
                Cell(remark, tone),
            )
        )
        details.append("" if inline else "  " * (row.depth - top + 1) + row.detail if row.detail else "")
    table = Table(columns=columns, rows=body, empty="Nothing here yet.")
    return _with_details(table_lines(table, width=width), details, width)


def _with_details(lines: list[Line], details: Sequence[str], width: int) -> list[Line]:
    """Put each row's detail on a line of its own below it (the first line is the heading)."""
    heads = len(lines) - len(details)
    out = lines[:heads] if heads > 0 else []
    for each, detail in zip(lines[max(heads, 0) :], details, strict=False):
        out.append(each)
        if detail.strip():
            out.append(line((cut(detail, width), "muted")))
    return out


def step_head(step: Step, *, width: int = 80) -> Line:
    """Return the heading of a step: function, status, action, id, and the model steps it holds."""
    word = word_for(step.status)
    where = places(step)
    action = f" ({safe_text(step.action)})" if step.action else ""
    head = line(
        (safe_text(step.function), "strong"),
        "  ",
        (word.word + action, word.tone),
        (f"  {step.step_id}" + (f"  {where}" if where else ""), "muted"),
    )
    return fitted([head], width)[0]


def places(step: Step) -> str:
    """Return the model steps a workflow step holds: ``turn 0, model steps 0-3``."""
    by_turn: dict[str, list[int]] = {}
    for each in step.coordinates:
        by_turn.setdefault(each.turn_id, []).append(each.step_index)
    parts = []
    for turn, found in by_turn.items():
        indexes = sorted(set(found))
        run = len(indexes) > 2 and indexes[-1] - indexes[0] == len(indexes) - 1
        text = f"{indexes[0]}-{indexes[-1]}" if run else ", ".join(map(str, indexes))
        noun = "model step" if len(indexes) == 1 else "model steps"
        parts.append(f"turn {turn.removeprefix('turn_')}, {noun} {text}")
    return safe_text("; ".join(parts))


def attempts_lines(step: Step, marks: EffectMarks, zone: tzinfo | None, *, width: int = 80) -> list[Line]:
    """Return the attempts of a step and their calls, aligned, with results below the calls."""
    columns = (
        Column(title="", shrink=1, minimum=16),
        Column(title=""),
        Column(title=""),
        Column(title="", align="right"),
        Column(title="", shrink=2, minimum=12),
    )
    rows: list[Row] = []
    details: list[str] = []
    whens: list[datetime | None] = []
    for attempt in attempt_rows(step, marks):
        how = "" if attempt.certainty == "observed" else attempt.certainty
        rows.append(
            (
                f"  attempt {attempt.n}",
                Cell(attempt.outcome, attempt.tone),
                "",
                duration(attempt.seconds) if attempt.seconds is not None else "",
                Cell(", ".join(part for part in (how, _attempt_note(attempt)) if part), "muted"),
            )
        )
        whens.append(attempt.started_at)
        details.append(f"    {attempt.error}" if attempt.error else "")
        for call in attempt.calls:
            rows.append(
                (
                    f"    {call.name}",
                    Cell(call.status, call.tone),
                    "",
                    duration(call.seconds) if call.seconds is not None else "",
                    Cell(call.remark, call.remark_tone),
                )
            )
            whens.append(call.requested_at or call.returned_at)
            details.append(f"      {call.result or call.input}")
    times = clocks(whens, zone, millis=True)
    rows = [(*row[:2], at, *row[3:]) for row, at in zip(rows, times, strict=True)]
    table = Table(columns=columns, rows=rows, empty="  No start is recorded: nothing ran.")
    return _with_details(table_lines(table, width=width), details, width)


def _attempt_note(attempt: AttemptRow) -> str:
    parts = [attempt.why] if attempt.body != "ran" else []
    if attempt.models:
        tokens = (
            f", {attempt.tokens_in:,} + {attempt.tokens_out:,} tokens"
            if attempt.tokens_in is not None
            else ""
        )
        parts.append(plural(attempt.models, "model call") + tokens)
    if attempt.overlaps:
        parts.append(f"at the same time as attempt {', '.join(map(str, attempt.overlaps))}")
    return "; ".join(part for part in parts if part)


def attempt_diff_lines(view: AttemptDiffView, *, width: int = 80, every: bool = False) -> list[Line]:
    """Return attempt against attempt as text: duplicates on top, then what differs (or ``every`` line)."""
    harmful = any(each.harmful for each in view.repeats)
    out: list[Line] = [
        line((view.function, "strong"), f"  {view.left}", ("  against  ", "muted"), view.right),
        *paragraph(view.summary, width=width, tone="harm" if harmful else "plain"),
    ]
    for repeat in view.repeats:
        sign = TONES[repeat.tone].sign
        words = f"{repeat.word}, {repeat.note}" if repeat.note else repeat.word
        out += [(), line((f"{sign} {repeat.tool} {words}", repeat.tone))]
        out += paragraph(repeat.sentence, width=width, indent=2)
    out += _facts([fact for fact in view.facts if every or _worth(fact)], width)
    shown = [pair for pair in view.models if every or (pair.text, pair.calls) != ("same", "same")]
    for pair in shown:
        out += _model_lines(pair, width)
    for call in view.calls:
        if every or (call.request, call.result) != ("same", "same"):
            out += _call_lines(call, width)
    hidden = [f.name for f in view.facts if not _worth(f)] if not every else []
    if hidden:
        out.append(())
        out += paragraph(
            f"The same, or always new in a re-run: {', '.join(hidden)}.", width=width, tone="muted"
        )
    return fitted(out, width)


def _worth(fact: FactRow) -> bool:
    return fact.verdict not in ("same",) and not fact.expected


def _facts(facts: Iterable[FactRow], width: int) -> list[Line]:
    rows = list(facts)
    if not rows:
        return []
    out: list[Line] = [()]
    label = max(len(fact.name) for fact in rows)
    for fact in rows:
        head = f"  {fact.name:<{label}}  "
        sides = fact.before if fact.before == fact.after else f"{fact.before or '-'} → {fact.after or '-'}"
        text = "; ".join(part for part in (sides, fact.note) if part)
        out.append(line((head, "muted"), (cut(text or fact.verdict, width - len(head)), fact.tone)))
        if fact.diff is not None:
            out += diff_lines(fact.diff, width=width, indent=4)
    return out


def _model_lines(pair: ModelPair, width: int) -> list[Line]:
    out: list[Line] = [(), line((f"model call, {pair.place}: ", "strong"))]
    out += paragraph(pair.sentence, width=width, indent=2, tone=pair.tone)
    if pair.tokens_before or pair.tokens_after:
        tokens = pair.tokens_before
        if pair.tokens_before != pair.tokens_after:
            tokens = f"{pair.tokens_before or 'none recorded'} → {pair.tokens_after or 'none recorded'}"
        out.append(line((f"  tokens {tokens}", "muted")))
    if pair.diff is not None:
        out += diff_lines(pair.diff, width=width, indent=2)
    return out


def _call_lines(call: CallPair, width: int) -> list[Line]:
    place = f", {call.place}" if call.place else ""
    out: list[Line] = [(), line((f"{call.name}{place}: ", "strong"))]
    out += paragraph(call.sentence, width=width, indent=2, tone=call.tone)
    ids = [side.call_id for side in (call.first, call.second) if side is not None]
    if len(set(ids)) > 1:
        out.append(line((f"  call id {ids[0]} → {ids[1]}", "again")))
    for name, diff in (("input", call.input_diff), ("result", call.result_diff)):
        if diff is not None:
            out.append(line((f"  {name}", "muted")))
            out += diff_lines(diff, width=width, indent=4)
    return out
