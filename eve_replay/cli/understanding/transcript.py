"""``eve-replay transcript``: a session as a person reads it."""

from __future__ import annotations

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.select import session_wanted

__all__ = ["cli"]


@command("transcript")
@source_and("session", required=False, option="The session, when there are several.")
@click.option("--turn", metavar="TURN", help="Only this turn.")
@click.option("--last-attempts", is_flag=True, help="Leave out what an attempt said that was run again.")
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    turn: str | None,
    last_attempts: bool,
) -> None:
    """Read a session as a conversation, every attempt marked.

    What a superseded attempt said stands behind a bar: it was on the stream, perhaps on a screen, and is
    not what the session remembers. Its tool calls may have happened all the same.
    """
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.session.effect_marks import EffectMarks
    from eve_replay.views.session.transcript import transcript_lines, transcript_rows

    journal = open_journal(shell, source)
    found = session_wanted(journal, session)
    turn_id = None
    if turn is not None:
        turn_id = found.turn(turn).id
    marks = EffectMarks.of(effects_of(found))
    rows = (
        row for row in transcript_rows(found, turn_id, marks=marks) if not (last_attempts and row.superseded)
    )
    if shell.json:
        entries = [row.to_json() for row in rows]
        emit_json(shell, "transcript", journal, sessionId=found.id, entries=entries)
    else:
        empty = True
        for each in transcript_lines(rows, width=shell.width, zone=shell.zone):
            if empty and not each:
                continue
            empty = False
            echo(shell, [each])
        if empty:
            note(shell, "Nobody has said anything here yet.")
    finish(shell, journal.receipt)
