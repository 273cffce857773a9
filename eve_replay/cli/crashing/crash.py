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
    note,
)
from eve_replay.cli.shared.crash import (
    Target,
    Words,
    about_a_turn,
    assumption_options,
    draw_answer,
    point_words,
)
from eve_replay.cli.shared.options import explain_option
from eve_replay.errors import WrongUse
from eve_replay.times import parse_time
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import clock, plural

__all__ = ["cli"]


@command("crash")
@about_a_turn(run="The run of an event id, where slots repeat; or a plain run.")
@click.option(
    "--after", metavar="ID", help="Right after a write: event, chunk, record:STEP:completed, class."
)
@click.option("--before", metavar="ID", help="Right before a write.")
@click.option("--at", metavar="TIME", help="At a time (or a class, such as in-tool).")
@click.option("--point", type=int, metavar="N", help="At a point by its number in the list.")
@click.option(
    "--then", multiple=True, metavar="POINT", help="Crash again during recovery: after:ID, before:ID."
)
@explain_option
@assumption_options
def cli(
    shell: Shell,
    words: Words,
    after: str | None,
    before: str | None,
    at: str | None,
    point: int | None,
    then: tuple[str, ...],
    explain: bool,
    assumed: dict[str, Any],
) -> None:
    """Say what a crash at one point of a turn would do, without running any code.

    Without a point, list the points of the turn. A point is named by the write before or after it (an event
    id, a chunk id, record:STEP:completed, lock:STEP:terminal), by a class (in-tool, tools-returned), by
    time or by number.
    """
    from eve_replay.recovery.engine import simulate

    target = words.target(shell)
    place = _place(target, after, before, at, point, words.run)
    if place is None:
        _list(shell, words, target)
        return
    question = target.question(assumed)
    places = [place, *(_again(target, text, words.run) for text in then)]
    answer = simulate(target.plan, places if len(places) > 1 else place, question)
    if shell.json:
        emit_json(shell, "crash", target.journal, **answer.to_json())
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
        return _numbered(target, point)
    return None


def _numbered(target: Target, point: int) -> int:
    """Return the place of a point by its number in the turn, from 1, as every list and figure shows it."""
    count = min(target.plan.last, len(target.plan.writes)) - target.plan.first + 1
    if not 1 <= point <= count:
        raise WrongUse(f"There is no point {point} in {target.name}.", hint=f"They run from 1 to {count}.")
    return target.plan.first + point - 1


def _again(target: Target, text: str, run: str | None) -> int:
    from eve_replay.recovery import place_of

    side, colon, rest = text.partition(":")
    if colon and side in ("after", "before"):
        return place_of(target.plan, rest, side, run=run)
    return _numbered(target, int(text)) if text.isdigit() else place_of(target.plan, text, "after", run=run)


def _list(shell: Shell, words: Words, target: Target) -> None:
    from eve_replay.recovery.points import crash_points

    points = list(crash_points(target.plan))
    if shell.json:
        listed = [each.to_json() for each in points]
        emit_json(shell, "crash", target.journal, points=listed)
        finish(shell, target.journal.receipt)
        return
    echo(shell, [line((f"{target.name}: {plural(len(points), 'crash point')}", "strong"))])
    rows: list[Row] = []
    previous = ""
    for each in points:
        label = each.label if each.label != previous else "  ..."
        previous = each.label
        rows.append(
            [
                str(each.number),
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
        note(shell, f"`{point_words(words, target)}` tells one of them.")
    finish(shell, target.journal.receipt)
