"""``eve-replay why``: what happened, what is open, what to do next."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    next_words,
    note,
    open_journal,
    say_zone,
    source_and,
)
from eve_replay.cli.shared.here import here_option, sighting
from eve_replay.cli.shared.ledger import ledger_options, load_ledger
from eve_replay.cli.shared.options import effects_option, lease_option
from eve_replay.cli.shared.progress import counted
from eve_replay.views.kit.text import paragraph

if TYPE_CHECKING:
    from eve_replay.journal import Journal


@command("why")
@source_and("session", required=False, option="Only this session.")
@effects_option
@ledger_options
@lease_option
@click.option(
    "--url", metavar="ADDRESS", default="http://127.0.0.1:2000", help="Where the app listens, for curl."
)
@click.option("--eve", metavar="VERSION", help="The eve version that is to open this store.")
@click.option("--all", "every", is_flag=True, help="Also what is fine: sessions at rest, effects run once.")
@here_option
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    effects: str | None,
    ledger: str | None,
    ledger_query: str | None,
    column: tuple[str, ...],
    lease: float,
    url: str,
    eve: str | None,
    every: bool,
    here: bool,
) -> None:
    """Say what to do now, what ran twice, what is open or wedged.

    The plan comes first: what goes on by itself and when, what to hold, what to look up, what to undo. Its
    commands are for you to copy, nothing is run. The exit code is 1 where something went wrong or may
    have, or something unprotected is going to repeat. Without SESSION: all sessions of the store, worst
    first. With --ledger its counts count.
    """
    from eve_replay.checks import Voice
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.guidance import why_all
    from eve_replay.guidance.plan import place_of
    from eve_replay.views.verdicts.postmortem import why_lines
    from eve_replay.views.verdicts.reports import effects_lines, reports_lines

    journal = open_journal(shell, source)
    wanted = session
    if not (wanted or ledger or ledger_query or here) and getattr(journal.world, "large", False):
        _fleet(shell, journal, source, effects, lease, url, eve, every)
        return
    if wanted:
        ids = [session_wanted(journal, wanted).id]
    else:
        ids = [head.id for head in journal.heads]
    seen = sighting(journal.world, url) if here else None
    alive, words = (seen.alive, seen.words) if seen is not None else (None, "")
    world = why_all(
        (journal.session(id_) for id_ in counted(ids, len(ids), "session", quiet=shell.json)),
        voice=Voice(now=shell.now, zone=shell.zone, lease=timedelta(seconds=lease)),
        effects=effects,
        ledger=load_ledger(ledger, ledger_query, column),
        eve=eve,
        versions=journal.versions,
        places=lambda each: place_of(journal, each, url=url, alive=alive, seen=words),
    )
    bad = any(v.severity != "info" for report in world.reports for v in report.verdicts)
    bad = bad or any(report.plan.urgent for report in world.reports)
    if shell.json:
        sessions = [report.to_json() for report in world.reports]
        lost = [{"line": entry.line, "effect": entry.effect} for entry in world.unmatched]
        extra = {"here": seen.to_json()} if seen is not None else {}
        emit_json(shell, "why", journal, sessions=sessions, unmatchedLedger=lost, **extra)
    elif len(world.reports) == 1:
        if seen is not None:
            echo(shell, [*paragraph(seen.line, width=shell.width, tone="muted"), ()])
        report = world.reports[0]
        echo(shell, why_lines(report, width=shell.width))
        if report.effects:
            echo(shell, [(), *effects_lines(report, width=shell.width, every=every)])
        say_zone(shell)
    else:
        echo(shell, reports_lines(world.reports, width=shell.width, every=every))
        if world.reports:
            say_zone(shell)
            note(shell, f"`{next_words(source, 'why SESSION')}` tells the whole of one.")
    if world.unmatched and not shell.json:
        words = next_words(source, f"ledger {ledger}")
        note(shell, f"{len(world.unmatched)} ledger lines fit no recorded start: `{words}` lists them.")
    finish(shell, journal.receipt, problems=bad)


def _fleet(
    shell: Shell,
    journal: Journal,
    source: str | None,
    effects: str | None,
    lease: float,
    url: str,
    eve: str | None,
    every: bool,
) -> None:
    """Say it of very many sessions: by all cores, from the index what has not changed."""
    from eve_replay.checks import Voice
    from eve_replay.cli.shared.fleet import index_folder, processes
    from eve_replay.cli.shared.progress import counted, stage
    from eve_replay.cli.shared.spool import Spool, emit_spooled
    from eve_replay.codec.jsontext import loads_json
    from eve_replay.fleet.why import FleetAnswer, why_fleet
    from eve_replay.guidance.plan import place_of
    from eve_replay.views.verdicts.reports import reports_lines

    with stage("Reading the run records", quiet=shell.json):
        total = len(journal.heads)
    answers = why_fleet(
        journal,
        voice=Voice(now=shell.now, zone=shell.zone, lease=timedelta(seconds=lease)),
        effects=effects,
        eve=eve,
        places=lambda each: place_of(journal, each, url=url),
        whole=shell.json,
        key=f"{url} {shell.limit} {shell.keys is not None}",
        workers=processes(),
        index=index_folder() if shell.keys is None else None,
    )
    found: list[FleetAnswer] = []
    for answer in counted(answers, total, "session", quiet=shell.json):
        found.append(answer)
    found.sort(key=lambda answer: answer.row.rank)
    bad = any(answer.row.bad for answer in found)
    if shell.json:
        indent = 2 if sys.stdout.isatty() else None
        spool, lost = Spool(indent=indent), Spool(indent=indent)
        for answer in found:
            spool.add(loads_json(answer.whole))
        lists = {"sessions": spool, "unmatchedLedger": lost}
        emit_spooled("why", journal.world, journal.receipt, lists, indent=indent)
    else:
        echo(shell, reports_lines([answer.row for answer in found], width=shell.width, every=every))
        if found:
            say_zone(shell)
            note(shell, f"`{next_words(source, 'why SESSION')}` tells the whole of one.")
    finish(shell, journal.receipt, problems=bad)
