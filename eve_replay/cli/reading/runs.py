"""``eve-replay runs``: what ran here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    next_words,
    note,
    open_source,
    source_argument,
)
from eve_replay.cli.shared.pick import check_words
from eve_replay.errors import WrongUse
from eve_replay.records import RunRecord
from eve_replay.views.inspect.records import RunRow, run_row, run_rows
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import (
    WORDS,
    ago,
    day_and_clock,
    duration,
    plural,
    short_ids,
    word_for,
    zone_name,
)
from eve_replay.views.session.documents import run_document
from eve_replay.worlds.base import Pageable, World

__all__ = ["cli"]

#: Above this a world that can page shows only its newest runs, ``_SHOWN`` of them.
_MANY = 1_000
_SHOWN = 200
_PAGE = 2_000


@command("runs")
@source_argument
@click.option("--status", multiple=True, metavar="STATUS", help="Only runs of this status; may be repeated.")
@click.option("--workflow", metavar="TEXT", help="Only workflows whose name contains this.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@click.option("--all", "every", is_flag=True, help="All of them, however many there are.")
@click.option("--whole-ids", is_flag=True, help="Show ids whole.")
def cli(
    shell: Shell,
    source: str | None,
    status: tuple[str, ...],
    workflow: str | None,
    last: int | None,
    every: bool,
    whole_ids: bool,
) -> None:
    """List the runs, oldest first, children below the run that started them.

    Nothing is decoded: a world of thousands of runs is listed at once. Of a database with very many runs
    the newest are shown, unless --all or --json is given. The status is the record's own; `eve-replay why`
    says what it means.
    """
    if every and last is not None:
        raise WrongUse("--all and --last cannot both be meant.", hint="Give one of them.")
    world = open_source(shell, source)

    def fits(row: RunRow) -> bool:
        return (not status or word_for(row.status).word in status or row.status in status) and (
            not workflow or workflow.lower() in row.workflow_name.lower()
        )

    known = [each.word for each in WORDS.values()]
    check_words(status, "--status", known=[*known, *_STATUSES], here=_statuses(world) if status else {})
    total, rows, cut = _read(world, fits, last, bounded=not every and not shell.json)
    if shell.json:
        emit_json(shell, "runs", world, world.receipt, runs=[run_document(row) for row in rows])
    else:
        shown = f"{len(rows):,} of " if len(rows) < total else ""
        echo(
            shell,
            [
                line(
                    (world.label, "strong"),
                    (f"  {world.kind}, {shown}{plural(total, 'run')}", "muted"),
                )
            ],
        )
        empty = _none_words(world) if total == 0 else _NO_FIT
        echo_table(shell, _table(shell, rows, whole_ids=whole_ids, empty=empty))
        if rows:
            echo(shell, _foot(shell, source, rows))
        if cut:
            words = next_words(source, f"runs --last {len(rows) * 10}")
            note(shell, f"The newest {len(rows):,} are shown. `{words}` shows more of them, --all every run.")
    finish(shell, world.receipt)


def _read(
    world: World, fits: Callable[[RunRow], bool], last: int | None, *, bounded: bool
) -> tuple[int, list[RunRow], bool]:
    """Return how many runs there are, the rows to show, and whether older ones that fit were left out."""
    if isinstance(world, Pageable):
        total = world.count_runs()
        if last is None and bounded and total > _MANY:
            found = _newest(world, fits, _SHOWN + 1)
            return total, list(run_rows(found[-_SHOWN:])), len(found) > _SHOWN
        if last is not None:
            return total, list(run_rows(_newest(world, fits, last))), False
    everything = run_rows(world.runs())
    rows = [row for row in everything if fits(row)]
    if last is not None:
        newest = {row.run_id for row in sorted(rows, key=lambda row: row.run_id)[-last:]}
        rows = [row for row in rows if row.run_id in newest]
    return len(everything), rows, False


def _newest(world: Pageable, fits: Callable[[RunRow], bool], wanted: int) -> list[RunRecord]:
    """Return the newest runs that fit, oldest first, reading no further back than needed."""
    found: list[RunRecord] = []
    after: str | None = None
    while len(found) < wanted:
        page = world.page(min(max(wanted, _SHOWN), _PAGE), after=after, newest_first=True)
        if not page:
            break
        found += [record for record in page if fits(run_row(record))]
        after = page[-1].run_id
    return sorted(found[:wanted], key=lambda record: record.run_id)


def _table(shell: Shell, rows: list[RunRow], *, whole_ids: bool, empty: str) -> Table:
    ids = short_ids([row.run_id for row in rows])
    body: list[Row] = []
    for row in rows:
        word = word_for(row.status)
        name = row.run_id if whole_ids else ids[row.run_id]
        last = row.completed_at or row.updated_at
        started = day_and_clock(row.started_at or row.created_at, shell.zone)
        body.append(
            [
                "  " * row.depth + name,
                Cell(word.word, word.tone),
                row.function,
                started[:16],
                duration(row.took),
                Cell(ago(last, shell.now, coarse=True), "muted"),
                Cell(_version(row), "muted"),
                Cell("purged " * row.purged + row.title, "muted"),
            ]
        )
    return Table(
        columns=[
            Column(title="run"),
            Column(title="status"),
            Column(title="workflow", shrink=1, minimum=12),
            Column(title="started"),
            Column(title="took", align="right"),
            Column(title="written", align="right"),
            Column(title="version", optional=True),
            Column(title="title", shrink=2, minimum=12, optional=True),
        ],
        rows=body,
        empty=empty,
    )


def _version(row: RunRow) -> str:
    if row.eve_version:
        return f"eve {row.eve_version}"
    return f"core {row.core_version}" if row.core_version else ""


#: What the stores write.
_STATUSES = ("pending", "running", "completed", "failed", "cancelled", "paused")


def _statuses(world: World) -> dict[str, int]:
    """Return the statuses that are here; of a database that is large nothing is counted."""
    if isinstance(world, Pageable) and world.count_runs() > _MANY:
        return {}
    return dict(Counter(word_for(record.status).word for record in world.runs()))


_NO_FIT = "No run fits. Leave out --status, --workflow or --last."


def _none_words(world: World) -> str:
    """Return what an empty list of runs says: that there is none only where all of it was read."""
    missing = world.receipt.missing("runs")
    if missing:
        return f"No run could be read, which does not say that there is none: {missing}."
    if world.about.get("versionTxt"):
        return (
            "No run is here: none was started yet, or a newer eve that was started on this folder has "
            "deleted what an older one wrote."
        )
    return "No runs yet: this world is empty. Start one with your app, or see `eve-replay demo`."


def _foot(shell: Shell, source: str | None, rows: list[RunRow]) -> list[Line]:
    first = rows[0].started_at or rows[0].created_at
    zone = f"Times are {zone_name(first, shell.zone)}. " if first else ""
    out = [line((f"{zone}Next: {next_words(source, 'show RUN')}", "muted"))]
    if any(row.completed_at is None for row in rows):
        out.insert(
            0, line(("Written: when the record was; the log of a run that goes on is newer.", "muted"))
        )
    return out
