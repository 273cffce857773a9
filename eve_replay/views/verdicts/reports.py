"""Post-mortems as lists: several sessions in a few lines each, the effects of one, what is fine folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eve_replay.guidance import Report
from eve_replay.guidance.plan.naming import call_text
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.views.kit.safe import cut, display_width
from eve_replay.views.kit.table import Cell, Column, Table, table_lines
from eve_replay.views.kit.text import Line, Span, line, paragraph, plain
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import plural, short_ids
from eve_replay.views.session.titles import title_text
from eve_replay.views.verdicts.board import FOLDED_FROM
from eve_replay.views.verdicts.plan import plan_view
from eve_replay.views.verdicts.postmortem import ledger_cell, tone_of, word_of

__all__ = [
    "ReportRow",
    "report_row",
    "effects_folded",
    "effects_lines",
    "effects_shown",
    "effects_table",
    "reports_lines",
]

#: Wide enough for any table: to see whether it would fit.
_ENDLESS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A post-mortem as a list shows it: plain data, made once and kept.

    Attributes:
        session_id, title: whose it is.
        worst: the worst verdict in two or three words, ``code`` and ``tone`` of it; empty without any.
        sentence, certainty: of the verdict.
        more: how many others there are that are no mere remarks.
        todo: the first thing to do now, with until when; may be empty.
        rests: it needs nobody.
        urgent: something unprotected is going to repeat and can still be prevented.
        bad: something is wrong, or urgent.
        rank: sort key, worst first.
    """

    session_id: str
    title: str
    worst: str
    code: str
    tone: Tone
    sentence: str
    certainty: str
    more: int
    todo: str
    rests: bool
    urgent: bool
    bad: bool
    rank: tuple[int, int]


def report_row(report: Report) -> ReportRow:
    """Return the row of one report."""
    worst = report.worst
    serious = len([v for v in report.verdicts if v.severity != "info"])
    plan = plan_view(report.plan)
    first = plan.rows[0] if plan else None
    until = f" {first.until}" if first is not None and first.until else ""
    return ReportRow(
        session_id=report.session_id,
        title=report.title,
        worst=word_of(worst) if worst is not None else "",
        code=worst.code if worst is not None else "",
        tone=tone_of(worst) if worst is not None else "muted",
        sentence=worst.sentence if worst is not None else "",
        certainty=worst.certainty if worst is not None else "",
        more=max(serious - 1, 0),
        todo=f"Do now{until}: {first.line}" if first is not None else "",
        rests=_rests(report),
        urgent=report.plan.urgent,
        bad=bool(serious) or report.plan.urgent,
        rank=report.rank,
    )


def reports_lines(
    reports: Sequence[Report | ReportRow], *, width: int = 80, every: bool = False
) -> list[Line]:
    """Return a world's sessions, worst first, some lines each; those that need nobody are one line.

    Args:
        reports: of :func:`~eve_replay.guidance.why.why_all`, or their rows.
        width: cells per line.
        every: those that need nobody too.
    """
    if not reports:
        return [line(("There are no sessions here.", "muted"))]
    rows = [each if isinstance(each, ReportRow) else report_row(each) for each in reports]
    short = short_ids([row.session_id for row in rows])
    quiet = [row for row in rows if row.rests]
    fold = not every and len(quiet) > FOLDED_FROM
    # What can still be prevented stands above what has happened.
    ordered = sorted(rows, key=lambda row: not row.urgent)
    out: list[Line] = []
    for row in ordered:
        if not (fold and row.rests):
            out += [*([()] if out else []), *_row_lines(row, short[row.session_id], width)]
    if fold:
        codes = Counter(row.worst for row in quiet if row.worst)
        words = ", ".join(f"{number:,} {word}" for word, number in codes.most_common())
        text = f"{plural(len(quiet), 'session')} more: nothing to do ({words}). --all lists them."
        out += [*([()] if out else []), *paragraph(text, width=width, tone="muted")]
    return out


def _rests(report: Report) -> bool:
    return all(verdict.severity == "info" for verdict in report.verdicts) and not any(
        verdict.code in ("parked", "leased", "running", "held", "interrupted") for verdict in report.verdicts
    )


def _row_lines(row: ReportRow, shown: str, width: int) -> list[Line]:
    """Sign, id, verdict and title in one line; the sentence in two; what to do first in one."""
    word = row.worst or "nothing to say"
    more_words = f" and {row.more} more" if row.more else ""
    more_words += f"  {row.certainty}" if row.worst else ""
    sign = TONES[row.tone].sign or "-"
    room = width - len(shown) - len(word) - len(more_words) - 8
    title = cut(title_text(row.title), room) if room > 8 else ""
    head = line((f"{sign} ", row.tone), (shown, "strong"), "  ", (word, row.tone), (more_words, "muted"))
    out = [(*head, Span(f"  {title}"))]
    if row.worst:
        said = paragraph(row.sentence, width=width, indent=2)
        out += said[:2]
        if len(said) > 2:
            out[-1] = (*out[-1][:-1], Span(cut(f"{out[-1][-1].text} …", width - 2), out[-1][-1].tone))
    if row.todo:
        out.append(line((cut(f"  {row.todo}", width), "strong")))
    return out


def effects_shown(report: Report, *, every: bool = False) -> tuple[list[int], int]:
    """Return which effects a table shows, and how many that ran once or not at all one line stands for."""
    counts = [None if each is None else each.count for each in report.counts]
    judged = [judge_effect(effect, count) for effect, count in zip(report.effects, counts, strict=True)]
    fine = [n for n, each in enumerate(judged) if each.code in ("once", "none") and counts[n] in (None, 0, 1)]
    if every or len(fine) <= FOLDED_FROM:
        return list(range(len(judged))), 0
    left = set(fine)
    return [n for n in range(len(judged)) if n not in left], len(fine)


def effects_lines(report: Report, *, width: int = 80, every: bool = False) -> list[Line]:
    """Return the effects of a session: a table where it fits, else two lines each; what is fine is one line.

    Args:
        report: the post-mortem.
        width: cells per line.
        every: also those that ran once, however many.
    """
    if not report.effects:
        return []
    shown, left_out = effects_shown(report, every=every)
    table = effects_table(report, shown)
    out = table_lines(table, width=_ENDLESS)
    if any(sum(display_width(span.text) for span in each) > width for each in out):
        out = []
        for n, row in zip(shown, table.rows, strict=True):
            _, turn, runs, attempts, counted, protection = (
                Cell(each) if isinstance(each, str) else each for each in row
            )
            many = "attempts" if "," in attempts.text else "attempt"
            told = [turn.text, f"{many} {attempts.text}" if attempts.text else ""]
            told.append(f"protection {protection.text}")
            told += [f"ledger {counted.text}"] if counted.text else []
            rest = "".join(f", {each}" for each in told if each)
            out += paragraph(call_text(report.effects[n]), width=width)[:2]
            first, *more = paragraph(f"{runs.text}{rest}", width=width, indent=2, tone="muted")
            said = plain([first]).lstrip().removeprefix(runs.text)
            out += [line("  ", (runs.text, runs.tone), (said, "muted")), *more]
    if left_out:
        out += paragraph(effects_folded(report, left_out), width=width, tone="muted")
    return out


def effects_folded(report: Report, left_out: int) -> str:
    """Return the line that stands for effects that are fine: ``240 effects ran once. --all lists them.``."""
    tools = Counter(effect.tool for effect in report.effects)
    named = ", ".join(f"{name} {count}" for name, count in tools.most_common(3))
    more = f", and {len(tools) - 3} more tools" if len(tools) > 3 else ""
    many = plural(left_out, "effect") + (" more" if left_out < len(report.effects) else "")
    return f"{many} ran once or not at all ({named}{more} in all). --all lists them."


def effects_table(report: Report, shown: Sequence[int] | None = None) -> Table:
    """Return the effects of a session, one row each, told apart by their arguments.

    Args:
        report: the post-mortem.
        shown: which of them; None for all.
    """
    columns = (
        Column(title="effect", shrink=2, minimum=24),
        Column(title="turn", optional=True),
        Column(title="runs", shrink=1, minimum=10),
        Column(title="attempts"),
        Column(title="ledger", align="right"),
        Column(title="protection", shrink=1, minimum=14),
    )
    rows = []
    chosen = range(len(report.effects)) if shown is None else shown
    for effect, counted in ((report.effects[n], report.counts[n]) for n in chosen):
        known = None if counted is None else counted.count
        judged = judge_effect(effect, known)
        rows.append(
            (
                Cell(call_text(effect)),
                Cell(effect.turn_id or "", "muted"),
                Cell(judged.said, judged.tone),
                Cell(", ".join(str(n) for n in effect.attempts), "muted"),
                ledger_cell(counted),
                Cell(effect.protection.word, "muted"),
            )
        )
    return Table(columns=columns, rows=rows)
