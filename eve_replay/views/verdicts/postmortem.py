"""View-models of ``why``, ``doctor`` and ``ledger``: sentences, effects and tables as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from eve_replay.checks import Finding, Verdict
from eve_replay.guidance import Report
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.effects.judge import judge_effect
from eve_replay.journal.ledger.join import Count, Joined
from eve_replay.journal.ledger.model import Entry
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import day_and_clock, plural, short_ids, word_for
from eve_replay.views.session.titles import title_text
from eve_replay.views.verdicts.plan import plan_lines, plan_view

__all__ = [
    "finding_lines",
    "ledger_cell",
    "ledger_table",
    "tone_of",
    "unmatched_table",
    "verdict_lines",
    "why_lines",
    "word_of",
]

_TONES: dict[str, Tone] = {
    "repeats-without-end": "harm",
    "doubled-child": "harm",
    "hidden-execution": "harm",
    "two-processes": "harm",
    "asked-otherwise": "warning",
    "purged-child": "warning",
    "unread-answer": "warning",
    "left-behind": "warning",
    "parked": "parked",
    "held": "parked",
    "running": "strong",
    "leased": "again",
    "interrupted": "again",
    "re-executed": "again",
    "overdue": "warning",
    "dormant": "warning",
    "repeat-absorbed": "ok",
    "completed": "committed",
    "idle": "ok",
}
_WORDS = {
    "repeats-without-end": "repeats without end",
    "doubled-child": "started twice",
    "hidden-execution": "more effects than starts",
    "will-fail": "bound to fail",
    "failed-run": "failed",
    "corrupted-event-log": "event log not replayable",
    "left-behind": "effect left behind",
    "two-processes": "two processes at once",
    "asked-otherwise": "asked for something else",
    "purged-child": "deleted, not nothing",
    "unread-answer": "list may be incomplete",
    "lost-answer": "answer lost",
    "late-answer": "answer too late",
    "failed-turn": "failed turn",
    "cancelled-turn": "cancelled turn",
    "cancelled-run": "cancelled",
    "repeat-absorbed": "asked twice, acted once",
    "half-written": "half written",
    "re-executed": "re-executed",
    "idle": "waiting for a message",
    "no-log": "log not whole",
    "between-steps": "between two steps",
    "lost-delivery": "delivery lost",
}
#: Verdicts that say nothing but how often an effect ran: word and tone are the judge's.
_ON_EFFECTS = frozenset({"ran-twice", "may-have-run-twice"})
_SEVERITY: dict[str, Tone] = {"error": "error", "warning": "warning", "info": "muted"}


def tone_of(verdict: Verdict) -> Tone:
    """Return the tone of a verdict: the judge's for an effect, else by what it says or how bad it is."""
    if verdict.judgement is not None and verdict.code in _ON_EFFECTS:
        return verdict.judgement.tone
    return _TONES.get(verdict.code) or _SEVERITY[verdict.severity]


def word_of(verdict: Verdict) -> str:
    """Return the verdict in two or three words."""
    if verdict.judgement is not None and verdict.code in _ON_EFFECTS:
        return verdict.judgement.said
    return _WORDS.get(verdict.code, verdict.code.replace("-", " "))


def verdict_lines(verdict: Verdict, *, width: int = 80, following: bool = True) -> list[Line]:
    """Return a verdict as lines: its sign and word, the sentence, and (``following``) what to do next."""
    tone = tone_of(verdict)
    sign = TONES[tone].sign or "-"
    out = [line((f"{sign} {word_of(verdict)}", tone), (f"  {verdict.certainty}", "muted"))]
    out += paragraph(verdict.sentence, width=width, indent=2)
    if verdict.next and following:
        out += paragraph(f"Next: {verdict.next}", width=width, indent=2, tone="strong")
    return out


def why_lines(
    report: Report,
    *,
    width: int = 80,
    effects: bool = True,
) -> list[Line]:
    """Return the post-mortem of one session: head, what to do now, verdicts worst first.

    Where there is a plan it says what to do; the verdicts below it say why, and no second "next".
    """
    version = f"  eve {report.eve_version}" if report.eve_version else ""
    state = word_for(report.status)
    out: list[Line] = [
        line((report.session_id, "strong"), "  ", (state.word, state.tone), (version, "muted")),
    ]
    if report.title:
        out += paragraph(title_text(report.title), width=width, indent=2, tone="muted")[:2]
    plan = plan_view(report.plan)
    if plan:
        out += [(), *plan_lines(plan, width=width), (), line(("What happened", "strong"))]
    for verdict in report.verdicts:
        out += [*(() if plan and verdict is report.verdicts[0] else ((),))]
        out += verdict_lines(verdict, width=width, following=not plan)
    if effects and not report.effects:
        none = "No tool call and no step function of the app is recorded."
        if any(gap.code == "purged-child" for gap in report.unnamed):
            none = "What tool calls were recorded is deleted: that none is listed says nothing."
        elif report.unnamed:
            none = "No tool call and no step function of the app is named; the list may be incomplete."
        out += [(), line((none, "muted"))]
    return out


def _named(effect: Effect) -> str:
    return f"{effect.tool} {effect.call_id}" if effect.call_id else effect.tool


def ledger_cell(counted: Count | None) -> Cell:
    """Return what a ledger says of an effect."""
    if counted is None or counted.count is None:
        return Cell("")
    tone: Tone = "harm" if counted.count > 1 or counted.hidden else "once" if counted.count == 1 else "muted"
    return Cell(str(counted.count), tone)


def finding_lines(findings: Sequence[Finding], *, width: int = 80) -> list[Line]:
    """Return findings as lines, worst first: what and where, why it matters, what to do."""
    if not findings:
        return [line(("Nothing found: log, records and stream agree.", "ok"))]
    out: list[Line] = []
    for finding in findings:
        tone = _SEVERITY[finding.severity]
        sign = TONES[tone].sign or "-"
        out.append(line((f"{sign} {finding.code}", tone), (f"  {finding.where}", "muted")))
        out += paragraph(finding.sentence, width=width, indent=2)
        if finding.why:
            out += paragraph(finding.why, width=width, indent=2, tone="muted")
        if finding.fix:
            out += paragraph(f"Do: {finding.fix}", width=width, indent=2, tone="strong")
        out.append(())
    words = {word: sum(1 for f in findings if f.severity == word) for word in ("error", "warning", "info")}
    parts = [plural(n, {"info": "remark"}.get(word, word)) for word, n in words.items() if n]
    out.append(line((", ".join(parts), "strong")))
    return out


def ledger_table(joined: Joined) -> Table:
    """Return how often each effect the ledger covers really happened."""
    columns = (
        Column(title="effect", shrink=2, minimum=12),
        Column(title="session"),
        Column(title="journal"),
        Column(title="ledger", align="right"),
        Column(title="joined by"),
        Column(title="verdict"),
    )
    covered = [count for count in joined.counts if count.count is not None]
    short = short_ids([count.effect.session_id for count in covered])
    rows = []
    for count in covered:
        judged = judge_effect(count.effect)
        tone: Tone = "ok" if count.verdict == "agrees" else "harm" if count.hidden else "warning"
        rows.append(
            (
                Cell(_named(count.effect)),
                Cell(short[count.effect.session_id], "muted"),
                Cell(judged.said, judged.tone),
                ledger_cell(count),
                Cell(", ".join(dict.fromkeys(count.how)), "muted"),
                Cell(count.verdict + (", two processes" if count.effect.two_processes else ""), tone),
            )
        )
    return Table(columns=columns, rows=rows, empty="The ledger covers none of the recorded effects.")


def unmatched_table(entries: Sequence[Entry], zone: tzinfo | None = None) -> Table:
    """Return ledger lines that no recorded start explains."""
    columns = (
        Column(title="line", align="right"),
        Column(title="at"),
        Column(title="effect"),
        Column(title="call or key", shrink=1, minimum=10),
    )
    rows = [
        (
            Cell(str(entry.line)),
            Cell(day_and_clock(entry.at, zone), "muted"),
            Cell(entry.effect, "warning"),
            Cell(entry.call_id or entry.key or ""),
        )
        for entry in entries
    ]
    return Table(columns=columns, rows=rows)
