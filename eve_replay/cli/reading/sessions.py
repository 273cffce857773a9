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
from eve_replay.cli.shared.progress import counted
from eve_replay.journal import Journal
from eve_replay.times import iso
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import ago, day_and_clock, plural, short_ids
from eve_replay.views.search.where import where
from eve_replay.views.verdicts.landing import FIELDS, Landing, LandingRow, landing, landing_row

#: Sessions that need nobody are folded when there are more than this.
_SHOWN_QUIET = 3


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
            sessions=[_json(row) for row in page.rows],
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
    heads = journal.heads
    for head in counted(heads, len(heads), "session", quiet=shell.json):
        session = journal.session(head.id)
        yield landing_row(session, now=shell.now, zone=shell.zone, effects=effects, versions=journal.versions)


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
    quiet = [row for row in rows if row.quiet]
    fold = not every and len(quiet) > _SHOWN_QUIET
    short = short_ids([row.id for row in rows])
    for row in rows:
        if not (fold and row.quiet):
            lines += [(), *_entry(shell, row, row.id if whole else short[row.id])]
    if fold:
        words = next_words(source, "sessions --all")
        lines += [
            (),
            line((f"{plural(len(quiet), 'session')} more: nothing to do. `{words}` lists them.", "muted")),
        ]
    zone = "UTC" if shell.zone is not None else "local time"
    lines += [(), line((f"Times are {zone}. Next: {next_words(source, 'why SESSION')}", "muted"))]
    return lines


def _entry(shell: Shell, row: LandingRow, shown: str) -> list[Line]:
    """Two lines: what it is and how it stands; what is to be said and since when."""
    state = cut(row.state, max(shell.width - len(shown) - 24, 12))
    room = max(shell.width - len(shown) - len(state) - 6, 0)
    head = line(
        (f"{row.sign} ", row.tone),
        (shown, "strong"),
        "  ",
        (state, row.tone),
        (f"  {cut(row.title, room)}" if room > 8 else "", "plain"),
    )
    said = [] if row.worst in ("", row.state) or row.quiet else [row.worst]
    said.append(row.certainty)
    if row.twice:
        said.append(f"effects: {row.twice.words}")
    if row.deadline is not None:
        said.append(f"due {day_and_clock(row.deadline, shell.zone)}")
    if row.last_activity is not None:
        said.append(f"last {ago(row.last_activity, shell.now)}")
    said.append(f"eve {row.version}" if row.version else row.framework)
    return [head, line((f"  {cut(', '.join(said), shell.width - 2)}", "muted"))]


def _json(row: LandingRow) -> dict[str, object]:
    out: dict[str, object] = {
        "sessionId": row.id,
        "framework": row.framework,
        "title": row.title,
        "state": row.state,
        "since": iso(row.since) if row.since is not None else None,
        "worst": {"code": row.code, "severity": row.severity, "certainty": row.certainty},
        "twice": {"sure": row.twice.sure, "possible": row.twice.possible},
        "lastActivity": iso(row.last_activity) if row.last_activity is not None else None,
        "runs": row.runs,
        "turns": row.turns,
        "tools": list(row.tools),
        "eveVersion": row.version or None,
    }
    if row.deadline is not None:
        out["deadline"] = iso(row.deadline)
    return out
