"""``eve-replay turn``: one turn, moment by moment."""

from __future__ import annotations

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.options import effects_option, session_option
from eve_replay.cli.shared.select import turn_wanted
from eve_replay.ids import short_id
from eve_replay.journal import Message, Session, Turn
from eve_replay.journal.documents import turn_document
from eve_replay.journal.transcript import taken_by
from eve_replay.views.kit.base import split_key
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.words import clock, clocks, day_and_clock, duration, word_for, zone_name
from eve_replay.views.session.moments import Stop
from eve_replay.views.session.silence import Silence

__all__ = ["cli"]


@command("turn")
@source_and("turn", required=False)
@session_option
@effects_option
@click.option("--events", is_flag=True, help="Every moment in order: log and stream.")
@click.option("--bars/--no-bars", default=True, help="Draw the timeline (the default).")
def cli(
    shell: Shell,
    source: str | None,
    turn: str | None,
    session: str | None,
    effects: str | None,
    events: bool,
    bars: bool,
) -> None:
    """Step through one turn: attempts, model calls, tool calls and commits, with a timeline.

    TURN is a turn id or number, as `eve-replay turns` lists them; without one the last turn is shown.
    """
    from eve_replay.journal import step_document
    from eve_replay.views.session.bars import timeline_lines
    from eve_replay.views.session.explorer import Explorer
    from eve_replay.views.session.listing import tree_lines

    journal = open_journal(shell, source)
    owner, one = turn_wanted(journal, turn, session)
    view = Explorer(owner, effects)
    key = f"turn:{owner.id}/{one.id}"
    stops = [stop for stop in view.cursor.stops if key in stop.path]
    if shell.json:
        emit_json(
            shell,
            "turn",
            journal,
            turn=turn_document(owner, one),
            steps=[step_document(step) for step in one.steps],
            effects=[each.to_json() for each in view.effects if each.turn_id == one.id],
            timeline=view.turn_timeline(one.id).to_json(),
            events=[stop.to_json() for stop in stops],
        )
        finish(shell, journal.receipt)
        return
    word = word_for(one.status)
    head: list[Line] = [
        line((f"turn {one.id.removeprefix('turn_')}", "strong"), "  ", (word.word, word.tone))
    ]
    if one.started_at is not None:
        when = f"{day_and_clock(one.started_at, shell.zone)} ({zone_name(one.started_at, shell.zone)})"
        took = f", took {duration(one.ended_at - one.started_at)}" if one.ended_at is not None else ""
        head.append(line((f"  {when}{took}", "muted")))
    if one.message:
        head += paragraph(
            cut(" ".join(one.message[:2000].split()), 3 * shell.width), width=shell.width, indent=2
        )
    for message in owner.messages:
        if message.role == "steered" and message.turn_id == one.id:
            head += paragraph(_steering(message, one, shell), width=shell.width, indent=2)
    if not one.committed and one.status in ("completed", "failed", "cancelled"):
        text = "The stream says it ended; no commit proves it."
        head += paragraph(text, width=shell.width, indent=2, tone="warning")
    echo(shell, [*head, ()])
    if events:
        echo_table(shell, _events_table(shell, stops))
    else:
        echo(shell, tree_lines(view.tree.below(key)[1:], shell.zone, width=shell.width))
    if bars:
        drawn = view.turn_timeline(one.id, _silence(shell, owner, effects))
        echo(shell, [(), *timeline_lines(drawn, width=shell.width)])
    finish(shell, journal.receipt)


def _silence(shell: Shell, session: Session, effects: str | None) -> Silence | None:
    """Return what has not been written since the last sign of an open step, with the end of its lease."""
    from eve_replay.views.session.silence import silence_of
    from eve_replay.views.verdicts.verdicts import session_verdicts

    if silence_of(session, now=shell.now) is None:
        return None  # nothing is open: the verdicts are not asked
    rows = session_verdicts(session, now=shell.now, zone=shell.zone, effects=effects).rows
    lease = next((row.lease_until for row in rows if row.lease_until is not None), None)
    return silence_of(session, now=shell.now, lease_until=lease)


def _steering(message: Message, turn: Turn, shell: Shell) -> str:
    """Return a message that came while the turn ran, and the step that took it."""
    step = taken_by(message, turn)
    number = turn.turn_steps.index(step) + 1 if step is not None else 0
    taken = f"taken by step {number}" if number else "no step names it"
    at = f" {clock(message.at, shell.zone)}" if message.at is not None else ""
    text = cut(" ".join((message.text or "")[:2000].split()), 2 * shell.width)
    return f"then, while it ran{at} ({taken}): {text}"


def _events_table(shell: Shell, stops: list[Stop]) -> Table:
    columns = (
        Column(title="at"),
        Column(title="from"),
        Column(title="", align="right"),
        Column(title="what", shrink=1, minimum=20),
        Column(title="id"),
    )
    rows = []
    times = clocks((stop.at for stop in stops), shell.zone, millis=True)
    for stop, at in zip(stops, times, strict=True):
        attempt = next((split_key(key)[1][2] for key in stop.path if key.startswith("attempt:")), "")
        rows.append(
            (
                at,
                Cell(stop.source, "muted"),
                Cell(
                    f"attempt {attempt}" if attempt else "", "again" if attempt not in ("", "1") else "muted"
                ),
                Cell(stop.label, stop.tone),
                Cell(short_id(stop.id), "muted"),
            )
        )
    return Table(columns=columns, rows=rows, empty="No event of this turn is recorded.")
