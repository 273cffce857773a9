"""``eve-replay guard``: say before it happens what will run again unprotected, and how to prevent it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import click

from eve_replay.checks import Voice
from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    note,
    open_journal,
    say_zone,
    source_argument,
)
from eve_replay.cli.shared.here import here_option, sighting
from eve_replay.cli.shared.json import write_json
from eve_replay.cli.shared.options import effects_option, lease_option
from eve_replay.errors import WrongUse
from eve_replay.guidance import why_all
from eve_replay.guidance.plan import Soon, place_of
from eve_replay.journal import Journal
from eve_replay.machine import Sighting
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone

#: Seconds between two looks when nothing is written: a lease runs out without anybody writing.
_PULSE = 30.0
#: Warnings are given again when so little is left.
_AGAIN = (timedelta(minutes=5), timedelta(minutes=1))


@command("guard")
@source_argument
@click.option("--once", is_flag=True, help="Look once; exit code 1 when something unprotected is coming.")
@effects_option
@lease_option
@click.option(
    "--url", metavar="ADDRESS", default="http://127.0.0.1:2000", help="Where the app listens, for curl."
)
@click.option("--for", "seconds", type=float, metavar="SECONDS", help="Stop after so long (else Ctrl-C).")
@here_option
def cli(
    shell: Shell,
    source: str | None,
    once: bool,
    effects: str | None,
    lease: float,
    url: str,
    seconds: float | None,
    here: bool,
) -> None:
    """Say before it happens what will run again unprotected, when, and how to prevent it.

    Follows a local folder or a Postgres database as `watch` does, and knows leases and forecasts: one line on
    the terminal per effect, again five minutes and one minute before; with --json one JSON line each, for a
    pager. --once looks once (any source). Nothing is written and no process is touched.
    """
    if seconds is not None and not seconds > 0:
        raise WrongUse("--for needs a number of seconds above 0.")
    look = _Look(effects=effects, lease=timedelta(seconds=lease), url=url, here=here)
    journal = open_journal(shell, source)
    if once:
        _once(shell, journal, look)
        return
    _follow(shell, journal, source, look, seconds)


class _Look:
    """What is asked of the journal each time."""

    def __init__(self, *, effects: str | None, lease: timedelta, url: str, here: bool) -> None:
        self.effects, self.lease, self.url, self.here = effects, lease, url, here
        self.seen: Sighting | None = None

    def soon(self, journal: Journal, now: datetime, shell: Shell) -> list[Soon]:
        """Return what runs again by itself, unprotected and earliest first."""
        self.seen = sighting(journal.world, self.url) if self.here else None
        alive, words = (self.seen.alive, self.seen.words) if self.seen is not None else (None, "")
        world = why_all(
            (journal.session(head.id) for head in journal.heads),
            voice=Voice(now=now, zone=shell.zone, lease=self.lease),
            effects=self.effects,
            versions=journal.versions,
            places=lambda each: place_of(journal, each, url=self.url, alive=alive, seen=words),
        )
        found = [soon for report in world.reports for soon in report.plan.soon]
        late = datetime.max.replace(tzinfo=UTC)
        return sorted(found, key=lambda each: (not each.unprotected, each.at or late, each.session_id))


def _once(shell: Shell, journal: Journal, look: _Look) -> None:
    found = look.soon(journal, shell.now, shell)
    bad = any(each.unprotected for each in found)
    seen = look.seen
    if shell.json:
        extra = {"here": seen.to_json()} if seen is not None else {}
        emit_json(shell, "guard", journal, soon=[each.to_json() for each in found], **extra)
    else:
        if seen is not None:
            echo(shell, paragraph(seen.line, width=shell.width, tone="muted"))
        for each in found:
            echo(shell, _lines(shell, each))
        if not found:
            echo(shell, paragraph(_calm(journal, seen), width=shell.width, tone="muted"))
        say_zone(shell)
    finish(shell, journal.receipt, problems=bad)


def _calm(journal: Journal, seen: Sighting | None) -> str:
    """What may be said when nothing was found: only as much as was read."""
    if not journal.heads:
        return "No session was found here."
    if journal.receipt.skipped or journal.receipt.problems:
        return (
            "Nothing was found that runs again by itself, in what could be read (see `eve-replay receipt`)."
        )
    if seen is not None and seen.alive:
        return "Nothing that has acted runs again by itself while the process that was seen is at work."
    return "Nothing that has acted runs again by itself, as the journal lies there now."


def _follow(shell: Shell, journal: Journal, source: str | None, look: _Look, seconds: float | None) -> None:
    from eve_replay.worlds.base import Watchable

    world = journal.world
    if not isinstance(world, Watchable):
        raise WrongUse(f"A {world.kind} source cannot be followed.", hint="--once looks once, at any source.")
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set) if seconds is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    told: dict[tuple[str, str, str, str], int] = {}
    try:
        for _ in _pulses(world.changes(stop), stop):
            now = datetime.now(UTC)
            for each in look.soon(open_journal(shell, source), now, shell):
                if each.unprotected and _is_news(told, each, now):
                    _tell(shell, each)
    finally:
        stop.set()
        if timer is not None:
            timer.cancel()
    if not shell.json:
        note(shell, "Something unprotected is coming." if told else "Nothing unprotected was coming.")
    shell.exit_code = 1 if told else 0


def _pulses(changes: Iterator[object], stop: threading.Event) -> Iterator[None]:
    """Yield once at the start, whenever something was written, and every so often besides."""
    woken = threading.Event()
    broken: list[BaseException] = []

    def listen() -> None:
        try:
            for _ in changes:
                woken.set()
        except BaseException as error:  # told by whoever looks, not lost in a thread
            broken.append(error)
        woken.set()

    threading.Thread(target=listen, daemon=True).start()
    while not stop.is_set():
        yield
        if broken:
            raise broken[0]
        waited = 0.0
        while not stop.is_set() and not woken.is_set() and waited < _PULSE:
            waited += 0.25
            woken.wait(0.25)
        woken.clear()


def _is_news(told: dict[tuple[str, str, str, str], int], each: Soon, now: datetime) -> bool:
    """Whether a warning is new, or little time is left since the last one."""
    key = (each.session_id, each.step_id, each.tool, each.call_id)
    left = each.at - now if each.at is not None else None
    stage = 1 if left is None else 1 + sum(left <= limit for limit in _AGAIN)
    if told.get(key, 0) >= stage:
        return False
    told[key] = stage
    return True


def _tell(shell: Shell, each: Soon) -> None:
    if shell.json:
        sys.stdout.flush()
        write_json({"format": "eve-replay/guard-line", "version": 1, **each.to_json()}, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    echo(shell, _lines(shell, each))
    sys.stdout.flush()


def _lines(shell: Shell, each: Soon) -> list[Line]:
    tone: Tone = "harm" if each.protected is False else "unknown" if each.protected is None else "muted"
    word = {False: "unprotected", None: "perhaps unprotected", True: "protected"}[each.protected]
    sign = TONES[tone].sign or "-"
    out = [
        line((f"{sign} {each.tool}", tone), f"  {each.session_id}", (f"  {word}, {each.certainty}", "muted"))
    ]
    out += paragraph(each.sentence, width=shell.width, indent=2)
    if each.command is not None:
        out += [line(("  $ ", "muted"), each.command.command)]
    elif each.unprotected:
        out += paragraph(
            "`eve-replay why` has the plan: what to look up, what to hold.", width=shell.width, indent=2
        )
    return out
