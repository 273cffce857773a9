"""``eve-replay forecast``: what happens next to the journal as it lies there."""

from __future__ import annotations

from typing import Any

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
    open_journal,
    source_and,
)
from eve_replay.cli.shared.crash import assumption_options, draw_answer, question_from
from eve_replay.errors import WrongUse
from eve_replay.ids import short_id
from eve_replay.journal.effects.judge import tally
from eve_replay.views.crashlab.rows import OUTCOMES, judge_verdict
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, fields, line, paragraph

__all__ = ["cli"]

_TONES = {outcome: tone for outcome, (_, tone) in OUTCOMES.items()}


@command("forecast")
@source_and("session", required=False)
@click.option("--session", "only", metavar="SESSION", help="Only this session.")
@click.option("--effects", metavar="FILE", help="Effects policy (effects.toml).")
@click.option("--explain", is_flag=True, help="List the rules that were used, one by one.")
@assumption_options
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    only: str | None,
    effects: str | None,
    explain: bool,
    assumed: dict[str, Any],
) -> None:
    """Say what will happen when the process comes back, for the journal as it lies there.

    Without SESSION: all sessions, worst first. The environment is told from the journal unless
    --environment says it.
    """
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.recovery import forecast

    if session and only and session != only:
        raise WrongUse("SESSION was given twice.", hint="Give it once.")
    journal = open_journal(shell, source)
    wanted = session or only
    if wanted is not None:
        wanted = session_wanted(journal, wanted).id
    found = forecast(
        journal,
        session=wanted,
        question=question_from(assumed),
        effects=effects,
    )
    open_ = [each for each in found if each.open]
    if shell.json:
        # Sessions with nothing open are listed too, with that as their outcome: a script that asks for one
        # session finds an answer, and never has to guess what its absence means.
        emit_json(
            shell,
            "forecast",
            journal.world,
            journal.receipt,
            sessions=[each.to_json() for each in found],
            nothingOpen=[each.session_id for each in found if not each.open],
        )
        finish(shell, journal.receipt)
        return
    shown = found if wanted is not None else open_
    if not shown:
        echo(shell, [line((_nothing(len(found)), "muted"))])
    elif len(shown) == 1:
        _one(shell, shown[0], explain)
    else:
        _table(shell, source, shown)
    finish(shell, journal.receipt)


def _nothing(count: int) -> str:
    if not count:
        return "There are no sessions here yet."
    many = "the session" if count == 1 else f"all {count} sessions"
    return f"Nothing is open: {many} would lose nothing and repeat nothing."


def _one(shell: Shell, found: Any, explain: bool) -> None:
    sim = found.answer
    title = cut(" ".join(found.title.split()), max(20, shell.width - 30))
    echo(shell, [line((f"session {short_id(found.session_id)}  ", "muted"), (title, "strong"))])
    echo(shell, paragraph(f"{sim.point.label}", width=shell.width, indent=2))
    if found.certain:
        pairs: list[tuple[str, str | Line]] = [("certain", text) for text in found.certain]
        echo(shell, [(), *fields(pairs, width=shell.width)])
    echo(shell, [()])
    draw_answer(shell, sim, explain=explain, head=False)
    if found.others:
        echo(shell, [()])
        echo_table(shell, _environments(found))


def _environments(found: Any) -> Table:
    from eve_replay.recovery import ENVIRONMENTS

    rows = []
    for name, sim in found.others:
        why = ENVIRONMENTS[name].why
        rows.append([name, Cell(sim.outcome, _TONES[sim.outcome]), Cell(why, "muted")])
    return Table(
        columns=[
            Column(title="elsewhere"),
            Column(title="outcome"),
            Column(title="", shrink=1, minimum=16),
        ],
        rows=rows,
    )


def _table(shell: Shell, source: str | None, found: Any) -> None:
    rows = []
    for each in found:
        sim = each.answer
        twice = tally(judge_verdict(effect) for effect in sim.effects)
        rows.append(
            [
                short_id(each.session_id),
                Cell(sim.outcome, _TONES[sim.outcome]),
                sim.point.label,
                Cell(twice.words, "harm"),
                Cell(sim.person, "muted"),
            ]
        )
    echo_table(
        shell,
        Table(
            columns=[
                Column(title="session"),
                Column(title="outcome"),
                Column(title="now", shrink=1, minimum=16),
                Column(title="effects"),
                Column(title="next", shrink=2, minimum=12, optional=True),
            ],
            rows=rows,
        ),
    )
    note(shell, f"`{next_words(source, 'forecast SESSION')}` tells the whole of one.")
