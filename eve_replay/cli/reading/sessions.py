"""``eve-replay sessions``: the landing page, every session in one list, worst first."""

from __future__ import annotations

from collections.abc import Iterator

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    next_words,
    open_journal,
    source_argument,
)
from eve_replay.cli.shared.options import effects_option
from eve_replay.cli.shared.progress import counted, stage
from eve_replay.journal import Journal
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.words import plural, short_ids, zone_name
from eve_replay.views.search.where import where
from eve_replay.views.session.documents import landing_document
from eve_replay.views.verdicts.board import folded
from eve_replay.views.verdicts.entries import entry_lines
from eve_replay.views.verdicts.landing import FIELDS, Landing, LandingRow, landing


@command("sessions")
@source_argument
@click.option(
    "--where", "condition", metavar="TEXT", help="Only these: 'twice >= 1 and tool = \"charge_card\"'."
)
@click.option("--all", "every", is_flag=True, help="Also those that need nobody, however many.")
@effects_option
@click.option("--whole-ids", is_flag=True, help="Show ids whole.")
def cli(
    shell: Shell,
    source: str | None,
    condition: str | None,
    every: bool,
    effects: str | None,
    whole_ids: bool,
) -> None:
    """List the sessions, worst first: state, what ran twice, since when. Start here.

    Sessions of eve and plain SDK runs stand side by side; those that need nobody are counted in one line
    (--all lists them). "Twice" is two numbers, never added up: what surely ran more than once as the outside
    sees it, and what possibly did. With --where a list is filtered by the words of its fields: id, framework,
    title, state, severity, worst, twice, possible, tool, runs, turns, last (as "last < 2h"), version.
    """
    fits = where(condition, FIELDS) if condition else None
    journal = open_journal(shell, source)
    found: list[LandingRow] = []
    looked = 0
    for row in _rows(shell, journal, effects):
        looked += 1
        if fits is None or fits(row.fields(shell.now)):
            found.append(row)
    page = landing(found)
    if shell.json:
        emit_json(
            shell,
            "sessions",
            journal,
            sessions=[landing_document(row) for row in page.rows],
            totals={
                "sessions": len(page.rows),
                "lookedAt": looked,
                "states": dict(page.states),
                "severities": dict(page.severities),
                "twice": {"sure": page.twice.sure, "possible": page.twice.possible},
            },
        )
    else:
        echo(shell, _page(shell, journal, page, source, looked=looked, every=every, whole=whole_ids))
    finish(shell, journal.receipt, problems=any(row.severity == "error" for row in page.rows))


def _rows(shell: Shell, journal: Journal, effects: str | None) -> Iterator[LandingRow]:
    from eve_replay.cli.shared.fleet import index_folder, processes
    from eve_replay.fleet.landing import landing_fleet

    large = getattr(journal.world, "large", False) and shell.keys is None
    with stage("Reading the run records", quiet=shell.json):
        total = len(journal.heads)
    rows = landing_fleet(
        journal,
        now=shell.now,
        zone=shell.zone,
        effects=effects,
        key=f"{shell.limit} {shell.keys is not None}",
        workers=processes(),
        index=index_folder() if large else None,
    )
    yield from counted(rows, total, "session", quiet=shell.json)


def _page(
    shell: Shell,
    journal: Journal,
    page: Landing,
    source: str | None,
    *,
    looked: int,
    every: bool,
    whole: bool,
) -> list[Line]:
    rows = page.rows
    count = plural(len(rows), "session") if len(rows) == looked else f"{len(rows):,} of {looked:,} sessions"
    states = ", ".join(f"{number:,} {word}" for word, number in page.states)
    lines = [line((journal.world.label, "strong"), (f"  {count}", "muted"))]
    if not rows:
        return [*lines, line(("No session fits." if looked else "No session was found here.", "muted"))]
    twice = page.twice.words
    lines.append(
        line((states, "muted"), (f"; {twice}" if twice else "", "harm" if page.twice.sure else "unknown"))
    )
    listed, quiet = folded(rows, every=every)
    short = short_ids([row.id for row in rows])
    for row in listed:
        shown = row.id if whole else short[row.id]
        lines += [(), *entry_lines(row, shown, width=shell.width, now=shell.now, zone=shell.zone)]
    if quiet:
        words = next_words(source, "sessions --all")
        text = f"{plural(len(quiet), 'session')} more: nothing to do. `{words}` lists them."
        lines += [(), *paragraph(text, width=shell.width, tone="muted")]
    text = f"Times are {zone_name(shell.now, shell.zone)}. Next: {next_words(source, 'why SESSION')}"
    lines += [(), *paragraph(text, width=shell.width, tone="muted")]
    return lines
