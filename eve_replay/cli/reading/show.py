"""``eve-replay show``: one run and everything in it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    next_words,
    open_source,
    source_and,
)
from eve_replay.cli.shared.pick import no_events_words, pick_run
from eve_replay.journal.documents import hook_document, wait_document
from eve_replay.records import EventRecord, HookRecord, Other, RunRecord, StreamRecord, WaitRecord
from eve_replay.redaction.veil import glimpse
from eve_replay.views.inspect.records import RunRow, StepRow, run_row, step_rows
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import Line, fields, line, paragraph, section
from eve_replay.views.kit.words import (
    ago,
    clocks,
    day_and_clock,
    duration,
    plural,
    short_ids,
    size,
    word_for,
    zone_name,
)
from eve_replay.views.session.documents import run_document, step_row_document
from eve_replay.views.session.titles import title_text
from eve_replay.worlds.base import World, by_name

if TYPE_CHECKING:
    from eve_replay.worlds.postgres.queue import QueueJob

__all__ = ["cli"]


#: Tokens of the hooks by which eve stops a call of its own: nobody answers them.
_ABORT = "abrt_"


@command("show")
@source_and("run", required=False)
@click.option("--whole-ids", is_flag=True, help="Show ids whole.")
def cli(shell: Shell, source: str | None, run: str | None, whole_ids: bool) -> None:
    """Show one run: its steps in log order, hooks, waits, streams and child runs.

    RUN is a run id or its last characters; when there is only one root run it may be left out. One word
    is taken as RUN, unless it is a path, an address or sample:NAME; then it is SOURCE.
    """
    world = open_source(shell, source)
    record = pick_run(shell, world, run)
    events = list(world.events(record.run_id))
    steps = step_rows(world.steps(record.run_id), events)
    others = list(world.others(record.run_id))
    large = by_name(world)
    candidates = large.children(record.run_id) if large is not None else world.runs()
    children = [run_row(each) for each in candidates if each.attribute("$parentRunId") == record.run_id]
    row = run_row(record)
    if shell.json:
        emit_json(
            shell,
            "show",
            world,
            world.receipt,
            run=run_document(row),
            events=len(events),
            steps=[step_row_document(step) for step in steps],
            hooks=[hook_document(each) for each in others if isinstance(each, HookRecord)],
            waits=[wait_document(each) for each in others if isinstance(each, WaitRecord)],
            streams=[each.name for each in others if isinstance(each, StreamRecord)],
            children=[run_document(child) for child in children],
            queue=[job.to_json() for job in _jobs(world, row.run_id)],
        )
    else:
        echo(shell, _head(shell, row, children, _newest(record, events), _attributes(record)))
        if not events:
            text = no_events_words(world, record)
            echo(shell, paragraph(text, width=shell.width, tone="warning" if steps else "muted"))
        elif missing := world.receipt.missing("events", record.run_id):
            echo(shell, paragraph(f"The log is not whole: {missing}.", width=shell.width, tone="warning"))
        _steps(shell, steps, len(events), whole_ids=whole_ids)
        _others(shell, world, row.run_id, others)
        _queue(shell, world, row.run_id)
        _next(shell, source, steps)
    finish(shell, world.receipt)


def _newest(record: RunRecord, events: list[EventRecord]) -> datetime | None:
    """Return when the newest thing of a run was written: its record may be days older than its log."""
    times = [record.time("updatedAt"), *(event.created_at for event in events[-1:])]
    return max((when for when in times if when is not None), default=None)


def _attributes(record: RunRecord) -> str:
    """Return the attributes a person or the app gave a run; the runtime's own begin with a dollar sign."""
    own = {name: value for name, value in record.attributes.items() if not name.startswith("$")}
    return ", ".join(f"{name} {glimpse(value, limit=60)}" for name, value in own.items())


def _head(
    shell: Shell, row: RunRow, children: list[RunRow], last: datetime | None, attributes: str
) -> list[Line]:
    word = word_for(row.status)
    versions = [
        f"eve {row.eve_version}" if row.eve_version else "",
        f"core {row.core_version}" if row.core_version else "",
    ]
    versions.append(f"spec {row.spec_version}" if row.spec_version is not None else "")
    started = row.started_at or row.created_at
    zone = f" ({zone_name(started, shell.zone)})" if started else ""
    end = f", took {duration(row.took)}" if row.took is not None else ""
    if row.took is None and last:
        end = f", last write {ago(last, shell.now)}"
    pairs: list[tuple[str, str | Line]] = [
        ("workflow", f"{row.function}  ({', '.join(v for v in versions if v)})"),
        ("started", f"{day_and_clock(started, shell.zone)}{zone}{end}" if started else ""),
        ("title", cut(title_text(row.title), 200)),
        ("attributes", attributes),
        ("parent", row.parent or ""),
        ("children", ", ".join(f"{c.run_id} {c.function} {word_for(c.status).word}" for c in children)),
        ("purged", "retention deleted the payloads of this run" if row.purged else ""),
    ]
    return [
        line((row.run_id, "strong"), "  ", (word.word, word.tone)),
        *fields([(label, value) for label, value in pairs if value], width=shell.width),
    ]


def _steps(shell: Shell, steps: tuple[StepRow, ...], events: int, *, whole_ids: bool) -> None:
    starts = sum(step.starts for step in steps)
    echo(
        shell,
        section(
            "Steps",
            note=f"{plural(len(steps), 'step')}, {plural(starts, 'start')}, {plural(events, 'event')}",
        ),
    )
    ids = short_ids([step.step_id for step in steps])
    echo_table(shell, step_table(shell, steps, whole_ids=whole_ids), indent=2)
    for step in steps:
        if step.note:
            echo(
                shell,
                paragraph(f"{ids[step.step_id]}: {step.note}", width=shell.width, indent=2, tone="warning"),
            )
    again = [step for step in steps if step.starts > 1]
    if again:
        text = (
            f"{plural(len(again), 'step')} started more than once: an earlier start may already have acted. "
            "`eve-replay attempts` tells them apart."
        )
        echo(shell, paragraph(text, width=shell.width, indent=2, tone="again"))


def step_table(shell: Shell, steps: tuple[StepRow, ...], *, whole_ids: bool = False) -> Table:
    """Return the table of a run's steps."""
    ids = short_ids([step.step_id for step in steps])
    body: list[Row] = []
    times = clocks((step.started_at or step.created_at for step in steps), shell.zone, millis=True)
    for step, at in zip(steps, times, strict=True):
        word = word_for(step.status)
        took = duration(step.took) if step.took is not None else ""
        body.append(
            [
                step.step_id if whole_ids else ids[step.step_id],
                step.name.function,
                Cell(word.word, word.tone),
                Cell(
                    ("↻ " if step.starts > 1 else "") + str(step.starts),
                    "again" if step.starts > 1 else "plain",
                ),
                at,
                took,
                size(step.input_size) if step.input_size else "",
                size(step.output_size) if step.output_size else "error" * step.has_error,
            ]
        )
    return Table(
        columns=[
            Column(title="step"),
            Column(title="function", shrink=1, minimum=18, keep="both"),
            Column(title="status"),
            Column(title="starts", align="right"),
            Column(title="started"),
            Column(title="took", align="right"),
            Column(title="in", align="right", optional=True),
            Column(title="out", align="right", optional=True),
        ],
        rows=body,
        empty="No steps: the workflow body has not called any yet.",
    )


def _others(shell: Shell, world: World, run_id: str, others: list[Other]) -> None:
    every = [each for each in others if isinstance(each, HookRecord)]
    hooks = [each for each in every if not (each.text("token") or "").startswith(_ABORT)]
    if every and not hooks:
        echo(shell, section("Hooks", note=f"{plural(len(every), 'hook')} that only stop running calls"))
    if hooks:
        echo(shell, section("Hooks", note="what may still come in"))
        ids = short_ids([hook.hook_id for hook in hooks])
        rows: list[Row] = [
            [
                ids[hook.hook_id],
                hook.text("token") or "",
                Cell("hidden: the run has ended" if hook.hidden else "", "muted"),
                Cell(
                    glimpse(metadata.shared, limit=60) if (metadata := hook.payload("metadata")) else "",
                    "muted",
                ),
            ]
            for hook in hooks
        ]
        columns = [
            Column(title=""),
            Column(title="", shrink=1, keep="both"),
            Column(title=""),
            Column(title="", shrink=2),
        ]
        echo_table(shell, Table(columns=columns, rows=rows), indent=2)
        if len(every) > len(hooks):
            rest = plural(len(every) - len(hooks), "hook")
            echo(shell, [line((f"  and {rest} that only stop running calls", "muted"))])
    waits = [each for each in others if isinstance(each, WaitRecord)]
    if waits:
        echo(shell, section("Sleeps"))
        ids = short_ids([wait.correlation_id for wait in waits])
        rows = []
        for wait in waits:
            due, word = wait.time("resumeAt"), word_for(wait.status)
            when = f"until {day_and_clock(due, shell.zone)}, {ago(due, shell.now)}" if due else ""
            rows.append([ids[wait.correlation_id], Cell(word.word, word.tone), when])
        echo_table(
            shell, Table(columns=[Column(title=""), Column(title=""), Column(title="")], rows=rows), indent=2
        )
    streams = [each for each in others if isinstance(each, StreamRecord)]
    if streams:
        echo(shell, section("Streams"))
        rows = []
        for stream in streams:
            chunks = list(world.stream(run_id, stream.name))
            ended = any(chunk.end for chunk in chunks)
            data = [chunk for chunk in chunks if not chunk.end]
            total = sum(len(chunk.data) for chunk in data)
            state = Cell("ended", "muted") if ended else Cell("open", "plain")
            rows.append([stream.name, plural(len(data), "chunk"), size(total), state])
        columns = [
            Column(title="", shrink=1, keep="both"),
            Column(title="", align="right"),
            Column(title="", align="right"),
            Column(title=""),
        ]
        echo_table(shell, Table(columns=columns, rows=rows), indent=2)


def _jobs(world: World, run_id: str) -> list[QueueJob]:
    jobs = getattr(world, "jobs", None)
    return list(jobs(run_id)) if callable(jobs) else []


def _queue(shell: Shell, world: World, run_id: str) -> None:
    jobs = _jobs(world, run_id)
    if jobs:
        echo(shell, section("Queue", note="what the runtime was going to do"))
        for job in jobs:
            echo(shell, paragraph(job.sentence, width=shell.width, indent=2))


def _next(shell: Shell, source: str | None, steps: tuple[StepRow, ...]) -> None:
    if not steps:
        return
    # What is open, else what was started more than once, else the largest answer.
    best = max(steps, key=lambda step: (step.status == "running", step.starts, step.output_size or 0))
    tail = short_ids([step.step_id for step in steps])[best.step_id].rpartition("…")[2]
    echo(shell, [(), line((f"Next: {next_words(source, f'step {tail}')}", "muted"))])
