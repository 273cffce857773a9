"""``eve-replay crash``: what a crash at one point would do."""

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
    source_and,
)
from eve_replay.cli.shared.crash import Target, assumption_options, draw_answer, find_target, question_from
from eve_replay.errors import WrongUse
from eve_replay.times import parse_time
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import clock, plural

__all__ = ["cli"]


@command("crash")
@source_and("turn", required=False)
@click.option("--turn", "only", metavar="TURN", help="The turn; the same as the word.")
@click.option("--session", metavar="SESSION", help="The session, when there are several.")
@click.option(
    "--after", metavar="ID", help="Right after a write: event, chunk, record:STEP:completed, class."
)
@click.option("--before", metavar="ID", help="Right before a write.")
@click.option("--at", metavar="TIME", help="At a time (or a class, such as in-tool).")
@click.option("--point", type=int, metavar="N", help="At a point by its number in the list.")
@click.option("--run", metavar="RUN", help="The run of an event id, where slots repeat; or a plain run.")
@click.option(
    "--then", multiple=True, metavar="POINT", help="Crash again during recovery: after:ID, before:ID."
)
@click.option("--effects", metavar="FILE", help="Effects policy (effects.toml).")
@click.option("--batch", type=int, metavar="N", help="What if modelCallsPerStep were N.")
@click.option("--explain", is_flag=True, help="List the rules that were used, one by one.")
@assumption_options
def cli(
    shell: Shell,
    source: str | None,
    turn: str | None,
    only: str | None,
    session: str | None,
    after: str | None,
    before: str | None,
    at: str | None,
    point: int | None,
    run: str | None,
    then: tuple[str, ...],
    effects: str | None,
    batch: int | None,
    explain: bool,
    assumed: dict[str, Any],
) -> None:
    """Say what a crash at one point of a turn would do, without running any code.

    Without a point, list the points of the turn. A point is named by the write before or after it (an event
    id, a chunk id, record:STEP:completed, lock:STEP:terminal), by a class (in-tool, tools-returned), by
    time or by number.
    """
    from eve_replay.recovery.engine import simulate

    if turn and only and turn != only:
        raise WrongUse("TURN was given twice.", hint="Give it once.")
    target = find_target(shell, source, turn or only, session, effects, run=run, batch=batch)
    place = _place(target, after, before, at, point, run)
    if place is None:
        _list(shell, source, target)
        return
    question = question_from(assumed, plain=target.turn_id is None)
    places = [place, *(_again(target, text, run) for text in then)]
    answer = simulate(target.plan, places if len(places) > 1 else place, question)
    if shell.json:
        emit_json(shell, "crash", target.journal.world, target.journal.receipt, **answer.to_json())
    else:
        draw_answer(shell, answer, explain=explain)
    finish(shell, target.journal.receipt)


def _place(
    target: Target, after: str | None, before: str | None, at: str | None, point: int | None, run: str | None
) -> int | None:
    from eve_replay.recovery import place_at, place_of

    given = [each for each in (after, before, at, point) if each is not None]
    if len(given) > 1:
        raise WrongUse("Give one of --after, --before, --at and --point.")
    if after is not None:
        return place_of(target.plan, after, "after", run=run)
    if before is not None:
        return place_of(target.plan, before, "before", run=run)
    if at is not None:
        when = parse_time(at)
        return (
            place_at(target.plan, when) if when is not None else place_of(target.plan, at, "after", run=run)
        )
    if point is not None:
        last = min(target.plan.last, len(target.plan.writes))
        if not target.plan.first <= point <= last:
            raise WrongUse(
                f"There is no point {point}.", hint=f"They run from {target.plan.first} to {last}."
            )
    return point


def _again(target: Target, text: str, run: str | None) -> int:
    from eve_replay.recovery import place_of

    side, colon, rest = text.partition(":")
    if colon and side in ("after", "before"):
        return place_of(target.plan, rest, side, run=run)
    return int(text) if text.isdigit() else place_of(target.plan, text, "after", run=run)


def _list(shell: Shell, source: str | None, target: Target) -> None:
    from eve_replay.recovery.points import crash_points

    points = list(crash_points(target.plan))
    if shell.json:
        listed = [each.to_json() for each in points]
        emit_json(shell, "crash", target.journal.world, target.journal.receipt, points=listed)
        finish(shell, target.journal.receipt)
        return
    name = target.turn_id or target.session.title
    echo(shell, [line((f"{name}: {plural(len(points), 'crash point')}", "strong"))])
    rows: list[Row] = []
    previous = ""
    for each in points:
        label = each.label if each.label != previous else "  ..."
        previous = each.label
        rows.append(
            [
                str(each.position),
                Cell(clock(each.at, shell.zone, millis=True), "muted"),
                Cell(label, "muted" if label == "  ..." else "plain"),
                Cell(each.klass, "muted"),
                Cell(each.address, "muted"),
            ]
        )
    echo_table(
        shell,
        Table(
            columns=[
                Column(title="point", align="right"),
                Column(title="time", optional=True),
                Column(title="where", shrink=1, minimum=48),
                Column(title="class", optional=True),
                Column(title="after", shrink=2, minimum=12, keep="both", optional=True),
            ],
            rows=rows,
            empty="Nothing is written here yet.",
        ),
    )
    if points:
        words = next_words(source, " ".join(filter(None, ("crash", target.turn_id, "--point N"))))
        note(shell, f"`{words}` tells one of them.")
    finish(shell, target.journal.receipt)
