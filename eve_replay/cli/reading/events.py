"""``eve-replay events``: a run's log, in the order that counts."""

from __future__ import annotations

from collections import Counter

import click

from eve_replay.checks.log import EVENT_TYPES
from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, open_source, source_and
from eve_replay.cli.shared.pick import check_words, no_events_words, pick_run
from eve_replay.records import EventRecord
from eve_replay.values import to_tagged
from eve_replay.views.inspect.records import EventRow, event_row
from eve_replay.views.inspect.value import value_lines, value_rows
from eve_replay.views.kit.table import Cell, Column, Table, table_lines
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clocks, duration, plural, short_ids, size, zone_name

__all__ = ["cli"]

_TONES: dict[str, Tone] = {
    "step_completed": "committed",
    "run_completed": "committed",
    "step_failed": "error",
    "run_failed": "error",
    "step_retrying": "again",
    "hook_conflict": "warning",
}


@command("events")
@source_and("run", required=False)
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only this event type; may be repeated.")
@click.option("--about", metavar="ID", help="Only events about this step, hook or wait.")
@click.option("--values", is_flag=True, help="Show what each event carries, decoded.")
@click.option("--whole-ids", is_flag=True, help="Show ids whole.")
def cli(
    shell: Shell,
    source: str | None,
    run: str | None,
    types: tuple[str, ...],
    about: str | None,
    values: bool,
    whole_ids: bool,
) -> None:
    """List the event log of a run in log order.

    The slot is the order. Times are not: they can lie up to 80 ms before those of the event in front,
    and are marked where they do. A second start of the same step is a second execution.
    """
    world = open_source(shell, source)
    record = pick_run(shell, world, run)
    events = list(world.events(record.run_id))
    rows = [event_row(event, events[i - 1] if i else None) for i, event in enumerate(events)]
    check_words(types, "--type", known=EVENT_TYPES, here=Counter(row.event_type for row in rows))
    chosen = [
        (event, row)
        for event, row in zip(events, rows, strict=True)
        if (not types or row.event_type in types)
        and (not about or (row.correlation_id or "").lower().endswith(about.lower()))
    ]
    if shell.json:
        emit_json(
            shell,
            "events",
            world,
            world.receipt,
            runId=record.run_id,
            events=[
                {
                    **row.to_json(),
                    "payloads": {name: {"bytes": length} for name, length in row.payloads},
                    **(
                        {"values": {name: to_tagged(p.shared) for name, p in event.payloads()}}
                        if values
                        else {}
                    ),
                }
                for event, row in chosen
            ],
        )
    else:
        empty = "" if events else no_events_words(world, record)
        _print(shell, record.run_id, rows, chosen, values=values, whole_ids=whole_ids, empty=empty)
        missing = world.receipt.missing("events", record.run_id)
        if events and missing:
            text = f"The log is not whole: {missing}."
            echo(shell, paragraph(text, width=shell.width, tone="warning"))
    finish(shell, world.receipt)


def _print(
    shell: Shell,
    run_id: str,
    rows: list[EventRow],
    chosen: list[tuple[EventRecord, EventRow]],
    *,
    values: bool,
    whole_ids: bool,
    empty: str,
) -> None:
    shown = f"{len(chosen)} of " if len(chosen) < len(rows) else ""
    echo(shell, [line((run_id, "strong"), (f"  {shown}{plural(len(rows), 'event')}", "muted"))])
    ids = {} if whole_ids else short_ids([row.correlation_id for row in rows if row.correlation_id])
    starts = _start_numbers(rows)
    times = clocks((row.at for _, row in chosen), shell.zone, millis=True)
    body = [
        _cells(row, ids, starts.get(row.event_id, 1), at) for at, (_, row) in zip(times, chosen, strict=True)
    ]
    columns = [
        Column(title="slot", align="right"),
        Column(title="time"),
        Column(title="", align="right"),
        Column(title="event"),
        Column(title="about"),
        Column(title="", shrink=2, minimum=14, keep="both"),
        Column(title="carries", optional=True),
    ]
    lines = table_lines(
        Table(columns=columns, rows=body, empty="No event fits." if rows else empty), width=shell.width
    )
    if values and chosen:
        head, *each = lines
        lines = [head]
        for row_line, (event, _) in zip(each, chosen, strict=True):
            lines.append(row_line)
            for name, payload in event.payloads():
                lines.append(line((f"    {name}", "strong")))
                lines += value_lines(value_rows(payload.shared, budget=24), width=shell.width, indent=6)
    echo(shell, lines)
    if rows and rows[0].at:
        echo(shell, [line((f"Times are {zone_name(rows[0].at, shell.zone)}.", "muted"))])


def _start_numbers(rows: list[EventRow]) -> dict[str, int]:
    """Event id to which start of its step it is."""
    counts: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for row in rows:
        if row.event_type == "step_started" and row.correlation_id:
            numbers[row.event_id] = counts[row.correlation_id] = counts.get(row.correlation_id, 0) + 1
    return numbers


def _cells(row: EventRow, ids: dict[str, str], start: int, at: str) -> list[Cell | str]:
    about = row.correlation_id or ""
    carried = ", ".join(f"{name} {size(length)}" if length else name for name, length in row.payloads)
    back = f"-{duration(row.back)}" if row.back else ""
    again = f" start {start}" if start > 1 else ""
    return [
        str(row.slot) if row.slot is not None else row.event_id[-6:],
        at,
        Cell(back, "warning"),
        Cell(row.event_type, "again" if again else _TONES.get(row.event_type, "plain")),
        ids.get(about, about),
        Cell(row.about + again, "again" if again else "plain"),
        Cell(carried, "muted"),
    ]
