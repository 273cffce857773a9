"""The result for a terminal: seals, promises with the shortest break as a story, the matrix, what differs."""

from __future__ import annotations

from collections.abc import Sequence

from eve_replay.crashtest.campaign import Outcome
from eve_replay.crashtest.implied import differences
from eve_replay.crashtest.model import Result
from eve_replay.crashtest.report.story import story
from eve_replay.views.kit.table import Cell, Column, Table, table_lines
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural

__all__ = ["matrix", "report_lines"]

_STATES: dict[str, tuple[str, Tone]] = {
    "kept": ("✓", "ok"),
    "broken": ("✗", "harm"),
    "not shown": ("?", "unknown"),
}
_TONES: dict[str, Tone] = {"recovers": "ok", "hangs": "harm", "fails": "harm", "inconclusive": "unknown"}


def report_lines(outcome: Outcome, *, width: int) -> list[Line]:
    """Return the whole report."""
    out: list[Line] = [line((f"crash test of {outcome.project}", "strong"))]
    notes = [
        f"{outcome.seals['words']}.",
        f"Answers of the model: {outcome.door}. It comes back {outcome.mode}; the lease is shortened to "
        f"{outcome.config.lease} s and the queue waits for the port, so recovery is the same and sooner.",
    ]
    if not outcome.warm:
        notes.append(
            "First turn of a session, on purpose: its writes race, so each point was tried three times."
        )
    if outcome.baseline.unanswered:
        notes.append(f"No stub answers {', '.join(outcome.baseline.unanswered)}: it got an error (501).")
    for text in notes:
        out += paragraph(text, width=width, indent=2, tone="muted")
    out.append(())
    for each in outcome.verdicts:
        sign, tone = _STATES[each.state]
        tail = f"  at {plural(len(each.broken), 'point')} of {len(outcome.results)}" if each.broken else ""
        out.append(line((f"{sign} ", tone), (each.promise.words, "strong"), (f"  {each.state}", tone), tail))
        if each.note:
            out += paragraph(each.note, width=width, indent=4, tone="muted")
        if each.broken:
            out.append(line(("    The shortest way:", "muted")))
            for text in story(each.broken[0]):
                out += paragraph(text, width=width, indent=4)
    if not outcome.verdicts:
        out += paragraph(
            "Nothing is promised in crashtest.toml: this only counts.", width=width, tone="muted"
        )
    out.append(())
    out += table_lines(matrix(outcome), width=width)
    out.append(())
    same, of = outcome.agreed
    rate = f" ({100 * same / of:.1f} %)" if of else ""
    out.append(
        line(f"Observed is what the folder at death implied at {same} of {plural(of, 'point')}{rate}.")
    )
    left = f" {plural(outcome.left_out, 'point')} left out by the budget." if outcome.left_out else ""
    out += paragraph(
        f"{plural(len(outcome.results), 'run')} in {outcome.seconds:.0f} s, {outcome.cpu:.0f} s of CPU."
        f"{left} "
        f"Each run's journal, at death and at the end, is in {outcome.out}/bundles.",
        width=width,
        tone="muted",
    )
    return out


def matrix(outcome: Outcome) -> Table:
    """Return points by effects: observed counts, the outcome, and where something else was implied."""
    names = sorted({name for result in (outcome.baseline, *outcome.results) for name in result.counts})
    rows = [_row(result, names, outcome.baseline) for result in outcome.results]
    several = len({result.variant for result in outcome.results}) > 1
    columns = [Column(title="died", shrink=2, minimum=20, keep="both", names=True)]
    columns += [Column(title="model", optional=True)] if several else []
    columns += [Column(title=name, align="right") for name in names]
    columns += [Column(title="then"), Column(title="implied", shrink=1, minimum=10)]
    if not several:
        rows = [[row[0], *row[2:]] for row in rows]
    return Table(columns=columns, rows=rows, empty="No point was tried.")


def _row(result: Result, names: Sequence[str], baseline: Result) -> list[Cell | str]:
    cells: list[Cell | str] = [result.point.name, result.variant]
    for name in names:
        wanted = sum(baseline.counts.get(name, {}).values())
        count = sum(result.counts.get(name, {}).values())
        tone: Tone = "ok" if count == wanted else "harm" if count > wanted else "warning"
        cells.append(Cell(str(count) if result.outcome != "inconclusive" else "?", tone))
    cells.append(Cell(result.outcome, _TONES.get(result.outcome, "warning")))
    implied = result.implied or {}
    if result.outcome == "inconclusive":
        cells.append(Cell(result.why, "muted"))
    elif implied:
        wrong = differences(implied, result.outcome, result.bodies)
        cells.append(Cell("; ".join(wrong), "warning") if wrong else Cell("the same", "muted"))
    return cells
