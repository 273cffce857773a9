"""``eve-replay audit``: many stores at once, the sessions that somebody should look at."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json, note
from eve_replay.cli.shared.errors import EXIT_UNREADABLE
from eve_replay.cli.shared.options import effects_option
from eve_replay.cli.shared.progress import counted
from eve_replay.errors import WrongUse
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural, short_ids

__all__ = ["cli"]

_WORDS = {
    "repeats": "an effect ran or may have run twice, or is going to",
    "stuck": "will not go on by itself",
    "waits": "nobody is at work on it: a start, or its queue, sets it going",
    "stranded": "belongs to another version",
    "failed": "a run or a turn failed, what it did stays done",
    "purge": "retention is going to delete its payloads",
    "event-limit": "near the limit of events",
    "unread": "its log is not here",
}


@command("audit")
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@effects_option
@click.option("--eve", metavar="VERSION", help="The eve version that is to open these stores.")
@click.option("--parquet", metavar="FILE", help="Write every session's row to a Parquet file.")
@click.option(
    "--engine",
    type=click.Choice(("local", "dask", "ray")),
    default="local",
    show_default=True,
    help="Where the work is done.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster or Ray that is there already.")
@click.option("--all", "every", is_flag=True, help="Also sessions that nobody has to look at.")
def cli(
    shell: Shell,
    sources: tuple[str, ...],
    effects: str | None,
    eve: str | None,
    parquet: str | None,
    engine: str,
    scheduler: str | None,
    every: bool,
) -> None:
    """Look through many stores: what repeats, is stuck, stranded, about to be purged or near the event limit.

    SOURCE is whatever the other commands read, several of them. The work is done by all cores of this
    machine, or by a Dask or Ray cluster that is there already; the rows are the same.
    """
    from eve_replay.fleet.audit import Audit, audit

    if not sources:
        raise WrongUse("Which stores?", hint="eve-replay audit FOLDER postgres://... s3://...")
    if scheduler and engine == "local":
        raise WrongUse("--scheduler is for --engine dask or ray.")
    client = _cluster(engine, scheduler)
    shown: list[None] = []
    found: Audit = audit(
        sources,
        now=shell.now,
        effects=effects,
        eve=eve,
        engine=engine,  # type: ignore[arg-type]
        client=client,
        told=lambda _: shown.append(None),
    )
    if parquet:
        from eve_replay.fleet.parquet import write_parquet

        write_parquet(found.rows, Path(parquet))
    if shell.json:
        emit_json(
            shell,
            "audit",
            ", ".join(dict.fromkeys(row.source for row in found.rows)),
            sessions=[row.to_json() for row in found.rows],
            reasons=found.reasons,
            unread=[{"source": source, "why": why} for source, why in found.unread],
        )
    else:
        _print(shell, found, every)
        if parquet:
            note(shell, f"{plural(len(found.rows), 'row')} written to {parquet}.")
    wrong = any(row.severity != "info" or row.urgent for row in found.rows)
    nothing = bool(found.unread) and not found.rows
    shell.exit_code = EXIT_UNREADABLE if nothing else 1 if wrong or found.unread else 0


def _cluster(engine: str, scheduler: str | None) -> object:
    """Return a client of the cluster that is meant."""
    if engine == "dask" and scheduler:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise WrongUse("Dask is not installed here.", hint='pip install "eve-replay[engine]"') from None
        try:
            client: object = distributed.Client(scheduler, timeout=10)
            return client
        except OSError as error:
            raise WrongUse(f"No Dask scheduler answers at {scheduler}: {error}.") from None
    if engine == "ray":
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise WrongUse("Ray is not installed here.", hint="pip install ray") from None
        ray.init(address=scheduler or "auto", ignore_reinit_error=True)
    return None


def _print(shell: Shell, found: object, every: bool) -> None:
    from eve_replay.fleet.audit import Audit

    assert isinstance(found, Audit)
    rows = [row for row in found.rows if every or row.reasons]
    many = len({row.source for row in found.rows})
    head = f"{plural(len(found.rows), 'session')} in {plural(many, 'store')}"
    echo(shell, [line((head, "strong"), (f", {len(rows):,} to look at" if not every else "", "muted"))])
    for reason, number in found.reasons.items():
        echo(shell, [line((f"  {number:>6,}  ", "strong"), (f"{reason}: {_WORDS[reason]}", "plain"))])
    short = short_ids([row.session for row in rows])
    columns = (
        Column(title="store", shrink=3, minimum=10),
        Column(title="session"),
        Column(title="why"),
        Column(title="sentence", shrink=2, minimum=20),
    )
    if rows:
        echo(shell, [()])
        body = [
            (
                Cell(row.source, "muted"),
                Cell(short[row.session]),
                Cell(", ".join(row.reasons), "harm" if row.twice or row.urgent else "warning"),
                Cell(row.sentence),
            )
            for row in counted(rows, len(rows), "row", quiet=True)
        ]
        echo_table(shell, Table(columns=columns, rows=body))
    for source, why in found.unread:
        note(shell, f"Not read: {source}: {why}")
