"""The shift report as a page: summary, what happened, what it cost, what is open, evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from eve_replay.report.blocks import Block, Heading, Items, Sheet, Text
from eve_replay.report.shift import Shift
from eve_replay.views.kit.words import ago, day_and_clock, plural, short_ids, zone_name
from eve_replay.views.verdicts.landing import landing

__all__ = ["page", "title"]

#: Rows of a table; what is left out is counted.
_MOST = 200
#: Sessions told one by one.
_TOLD = 50


def title(found: Shift) -> str:
    """Return the heading of the report."""
    return (
        f"Shift report: {day_and_clock(found.since, found.zone)} to {day_and_clock(found.until, found.zone)}"
    )


def page(found: Shift) -> list[Block]:
    """Return the report as blocks, the most urgent first."""
    short = short_ids([one.row.id for one in (*found.worked, *found.waiting)])
    return [
        Heading(level=1, text=title(found)),
        *_head(found),
        *_open(found, short),
        *_happened(found, short),
        *_cost(found),
        *_evidence(found, short),
    ]


def _head(found: Shift) -> Iterator[Block]:
    zone = zone_name(found.now, found.zone)
    yield Text(text=f"{found.source}. Made {day_and_clock(found.now, found.zone)} ({zone}).")
    if found.redacted:
        yield Text(text="Secrets were replaced before anything was read. Look through it before you send it.")
    rows = landing(one.row for one in found.worked)
    again = sum(one.again for one in found.worked)
    began = sum(one.began for one in found.worked)
    open_ = sum(one.open for one in found.worked) + len(found.waiting)
    lines = [
        f"At work: {plural(len(found.worked), 'session')}, {plural(began, 'attempt')} began, "
        f"{again} of them ran a step again.",
        f"Effects that ran twice, over their whole sessions: {rows.twice.words or 'none is recorded'}.",
        f"Something to do, or open: {plural(open_, 'session')}.",
        f"Nothing of either: {plural(found.quiet, 'session')}.",
    ]
    yield Items(texts=lines)
    if found.gaps:
        yield Text(text="Not everything could be read, so nothing here says that there was no more:")
        yield Items(texts=_some(found.gaps))


def _open(found: Shift, short: dict[str, str]) -> Iterator[Block]:
    yield Heading(level=2, text="To do, and open")
    rows: list[tuple[str, str, str, str]] = []
    commands: list[str] = []
    for one in (*found.worked, *found.waiting):
        for step in one.report.plan.steps:
            due = day_and_clock(step.deadline, found.zone) if step.deadline else ""
            rows.append((short[one.row.id], due, step.text, step.certainty))
            if step.next is not None and step.next.command not in commands:
                commands.append(step.next.command)
        if not one.report.plan.steps and one.open:
            due = day_and_clock(one.row.deadline, found.zone) if one.row.deadline else ""
            rows.append((short[one.row.id], due, one.row.state, one.row.certainty))
    if not rows:
        yield Text(
            text="Nothing that was read is open."
            if not found.gaps
            else "Nothing open was found in what was read."
        )
        return
    yield Sheet(titles=("session", "until", "what", "certainty"), rows=rows[:_MOST])
    yield from _more(len(rows))
    if commands:
        yield Text(text="Commands named above, to be copied; none has been run:")
        yield Text(text="\n".join(commands[:20]), code=True)


def _happened(found: Shift, short: dict[str, str]) -> Iterator[Block]:
    yield Heading(level=2, text="What happened")
    if not found.worked:
        yield Text(text="No attempt of what was read began in this period.")
        return
    rows = [
        (
            short[one.row.id],
            one.row.title,
            one.row.state,
            one.row.twice.words,
            str(one.began),
            str(one.again),
            ago(one.row.last_activity, found.now),
        )
        for one in found.worked
    ]
    titles = ("session", "title", "state", "twice", "attempts", "again", "last")
    yield Sheet(titles=titles, rows=rows[:_MOST], right=frozenset({4, 5}))
    yield from _more(len(rows))
    told = [one for one in found.worked if not one.row.quiet]
    for one in told[:_TOLD]:
        yield Heading(level=3, text=f"{short[one.row.id]} {one.row.title}".strip())
        verdicts = [each for each in one.report.verdicts if each.severity != "info"] or one.report.verdicts[
            :1
        ]
        yield Items(texts=[f"{each.sentence} ({each.certainty})" for each in verdicts])
    if len(told) > _TOLD:
        yield Text(text=f"{len(told) - _TOLD} more are told by `eve-replay why`.")


def _cost(found: Shift) -> Iterator[Block]:
    yield Heading(level=2, text="What it cost")
    spent = found.spent
    tokens = f"{spent.tokens.input:,} tokens in and {spent.tokens.output:,} out"
    again = f"{spent.again.input:,} in and {spent.again.output:,} out were paid again"
    unknown = f" Of {plural(spent.unknown, 'call')} no count is recorded." if spent.unknown else ""
    yield Text(text=f"{plural(spent.calls, 'model call')}, {tokens}; {again}.{unknown}")
    if found.sums:
        field = found.sums[0].field
        rows = [
            (
                each.tool,
                str(each.calls),
                _number(each.least),
                _number(each.most),
                _number(each.absorbed),
                str(each.without) if each.without else "",
            )
            for each in found.sums
        ]
        yield Sheet(
            titles=(
                "tool",
                "calls",
                f"{field}, at least",
                "at most",
                "at most, if keys held",
                f"without {field}",
            ),
            rows=rows,
            right=frozenset(range(1, 6)),
        )
        yield Text(text="At least: what certainly ran. At most: also what may have run when a process died.")


def _evidence(found: Shift, short: dict[str, str]) -> Iterator[Block]:
    rows = [
        (short[one.row.id], each.code, ref.kind, f"{ref.id}{f' of {ref.run_id}' if ref.run_id else ''}")
        for one in (*found.worked, *found.waiting)
        for each in one.report.verdicts
        if each.severity != "info"
        for ref in each.evidence
    ]
    if rows:
        yield Heading(level=2, text="Evidence")
        yield Sheet(titles=("session", "verdict", "kind", "where"), rows=rows[:_MOST])
        yield from _more(len(rows))
    if short:
        yield Heading(level=2, text="Sessions")
        yield Sheet(titles=("short", "id"), rows=[(each, id_) for id_, each in short.items()][:_MOST])


def _number(value: Decimal | None) -> str:
    return "no bound" if value is None else f"{value:,f}"


def _more(count: int) -> Iterable[Block]:
    return [Text(text=f"{count - _MOST} more rows are left out.")] if count > _MOST else []


def _some(texts: Sequence[str]) -> list[str]:
    more = [f"and {len(texts) - 20} more: `eve-replay receipt` lists them"] if len(texts) > 20 else []
    return [*texts[:20], *more]
