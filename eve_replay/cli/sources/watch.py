"""``eve-replay watch``: new events, one line each, as they are written."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import Shell, command, echo, note, open_source, source_argument
from eve_replay.errors import WrongUse
from eve_replay.records import EventRecord
from eve_replay.times import iso
from eve_replay.views.inspect.records import event_row
from eve_replay.views.kit.text import Span
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import clock, plural

if TYPE_CHECKING:
    from eve_replay.views.kit.text import Line

__all__ = ["cli"]

_TONES: dict[str, Tone] = {
    "step_completed": "committed",
    "run_completed": "committed",
    "step_failed": "error",
    "run_failed": "error",
    "step_retrying": "again",
}


@command("watch")
@source_argument
@click.option("--for", "seconds", type=float, metavar="SECONDS", help="Stop after so long (else Ctrl-C).")
@click.option("--all", "everything", is_flag=True, help="Begin with the events that are there already.")
def cli(shell: Shell, source: str | None, seconds: float | None, everything: bool) -> None:
    """Show new events as they are written, one line each.

    Local folders and Postgres databases can be watched. Nothing is written and no lock is taken. With --json
    each event is one JSON line. Ctrl-C ends it with exit code 130.
    """
    from eve_replay.worlds.base import Watchable
    from eve_replay.worlds.live import follow

    if seconds is not None and not seconds > 0:
        raise WrongUse("--for needs a number of seconds above 0.")
    world = open_source(shell, source)
    if not isinstance(world, Watchable):
        raise WrongUse(
            f"A {world.kind} source cannot be watched.", hint="`eve-replay worlds` says which can."
        )
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set) if seconds is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    count = 0
    try:
        for event in follow(world, stop, old=not everything):
            count += 1
            _show(shell, event)
    finally:
        stop.set()
        if timer is not None:
            timer.cancel()
    if not shell.json:
        note(shell, f"{plural(count, 'new event')}." if count else "No new event.")


def _show(shell: Shell, event: EventRecord) -> None:
    row = event_row(event, None)
    if shell.json:
        from eve_replay.cli.shared.json import write_json

        sys.stdout.flush()
        write_json({"runId": event.run_id, **row.to_json(), "createdAt": iso(row.at)}, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    number = str(row.slot) if row.slot is not None else row.event_id[-6:]
    parts: Line = (
        Span(f"{clock(row.at, shell.zone, millis=True):12}  ", "muted"),
        Span(f"…{event.run_id[-4:]} {number:>4}  "),
        Span(f"{row.event_type:16}", _TONES.get(row.event_type, "plain")),
        Span(f"  {row.about}"),
    )
    echo(shell, [parts])
    sys.stdout.flush()
