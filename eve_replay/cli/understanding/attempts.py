"""``eve-replay attempts``: every execution of every step."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    finish,
    next_words,
    note,
    open_journal,
    say_zone,
    source_argument,
)
from eve_replay.cli.shared.select import session_wanted, sessions_wanted, step_wanted
from eve_replay.journal import Session, Step

__all__ = ["cli"]


@command("attempts")
@source_argument
@click.option("--run", metavar="RUN", help="Only this run.")
@click.option("--session", metavar="SESSION", help="Only this session, its child runs included.")
@click.option("--step", metavar="STEP", help="Only this step.")
@click.option("--again", is_flag=True, help="Only steps that were started more than once.")
def cli(
    shell: Shell, source: str | None, run: str | None, session: str | None, step: str | None, again: bool
) -> None:
    """Show every execution of every step, what it did, and how we know.

    A step record holds only the last attempt; the earlier ones are rebuilt from the log and the stream.
    The count is a lower bound: a body can run twice under one recorded start.
    """
    from eve_replay.cli.shared.spool import Spool, emit_spooled
    from eve_replay.journal import step_document
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.session.effect_marks import EffectMarks
    from eve_replay.views.session.listing import attempts_lines, step_head

    journal = open_journal(shell, source)
    picked: Iterable[tuple[Session, list[Step]]]
    if step is not None:
        owner, one = step_wanted(journal, step, session=session, run=run)
        picked = [(owner, [one])]
    elif run is not None:
        owner = session_wanted(journal, run)
        whole = next((r.run_id for r in owner.all_runs if r.run_id == run or r.run_id.endswith(run)), run)
        picked = [(owner, [each for each in owner.steps if each.run_id == whole])]
    else:  # one session after the other: a large world has more of them than memory
        picked = ((each, list(each.steps)) for each in sessions_wanted(journal, session))
    if again:
        picked = ((owner, [s for s in steps if len(s.attempts) > 1]) for owner, steps in picked)
    if shell.json:
        indent = 2 if sys.stdout.isatty() else None
        spool = Spool(indent=indent)
        for _, steps in picked:
            for each in steps:
                spool.add(step_document(each))
        emit_spooled("attempts", journal.world, journal.receipt, {"steps": spool}, indent=indent)
        finish(shell, journal.receipt)
        return
    first = True
    for owner, steps in picked:
        marks = EffectMarks.of(effects_of(owner)) if steps else EffectMarks()
        for each in steps:
            head = step_head(each, width=shell.width)
            echo(shell, [head] if first else [(), head])
            echo(shell, attempts_lines(each, marks, shell.zone, width=shell.width))
            first = False
    if not first:
        say_zone(shell)
    else:
        what = "No step here was started more than once." if again else "No step is recorded here yet."
        note(shell, f"{what} `{next_words(source, 'runs')}` shows what there is.")
    finish(shell, journal.receipt)
