"""``eve-replay turns``: the turns of a session."""

from __future__ import annotations

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    next_words,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.select import sessions_wanted
from eve_replay.journal.documents import turn_document

__all__ = ["cli"]


@command("turns")
@source_and("session", required=False, option="Only this session.")
def cli(shell: Shell, source: str | None, session: str | None) -> None:
    """List the turns: message, status, steps, steps that ran again, tokens.

    Without SESSION: every session that has turns, oldest first.
    """
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.kit.text import line
    from eve_replay.views.session.effect_marks import EffectMarks
    from eve_replay.views.session.listing import turns_table
    from eve_replay.views.session.sessions import detailed, session_row

    journal = open_journal(shell, source)
    wanted = sessions_wanted(journal, session)
    if shell.json:
        turns = [turn_document(each, turn) for each in wanted for turn in each.turns]
        emit_json(shell, "turns", journal, turns=turns)
        finish(shell, journal.receipt)
        return
    shown = 0
    for number, each in enumerate(wanted):
        if not each.turns and not (session):
            continue
        shown += 1
        row = detailed(session_row(each.head), each, now=shell.now)
        head = line((each.id, "strong"), "  ", (row.status_text, row.tone))
        echo(shell, [(), head] if number else [head])
        echo_table(shell, turns_table(each, EffectMarks.of(effects_of(each)), shell.zone))
    if not shown:
        note(shell, f"No session here has turns. `{next_words(source, 'runs')}` shows what there is.")
    finish(shell, journal.receipt)
