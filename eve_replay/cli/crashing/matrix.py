"""``eve-replay matrix``: what a crash at every point of a turn would do."""

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
from eve_replay.cli.shared.crash import Words, about_a_turn, assumed_words, assumption_options, point_words
from eve_replay.views.crashlab.matrix import MatrixView
from eve_replay.views.kit.safe import display_width
from eve_replay.views.kit.table import Cell, Column, Table
from eve_replay.views.kit.text import Line, line, paragraph
from eve_replay.views.kit.words import plural

__all__ = ["cli"]

#: Heads of the columns that are no effects.
_HEADS = {"outcome": "outcome", "model": "model"}

#: Cells that the point's number and the words for its place should keep.
_WHERE = 44


@command("matrix")
@about_a_turn()
@click.option("--writes-only", is_flag=True, help="Leave out points that no write shows.")
@click.option("--all", "every", is_flag=True, help="Every point, also where nothing changes.")
@assumption_options
def cli(
    shell: Shell,
    words: Words,
    writes_only: bool,
    every: bool,
    assumed: dict[str, Any],
) -> None:
    """Say for every crash point of a turn how often each effect would happen.

    Cells hold what the outside sees. Totals: the worst point, and what to expect when the crash comes at
    any time of the turn with equal chance.
    """
    from eve_replay.recovery import compare_strategies
    from eve_replay.recovery.matrix import matrix_of
    from eve_replay.views.crashlab.crash import point_row
    from eve_replay.views.crashlab.matrix import matrix_view

    target = words.target(shell)
    question = target.question(assumed)
    found = matrix_of(target.plan, question, moments=not writes_only)
    if shell.json:
        strategies = compare_strategies(target.plan, question)
        emit_json(
            shell,
            "matrix",
            target.journal,
            **found.to_json(),
            strategies=[row.to_json() for row in strategies],
        )
        finish(shell, target.journal.receipt)
        return
    view = matrix_view(found.points, [point_row(sim.point, sim.point.position) for sim in found.points])
    rows = view.rows if every else view.classes()
    titles = _titles(view, shell.width - _WHERE)
    echo(shell, [line((f"{target.name}: {plural(len(found.points), 'crash point')}", "strong"))])
    echo_table(
        shell,
        Table(
            columns=[
                Column(title="from", align="right"),
                Column(title="where", shrink=1, minimum=20 if len(view.columns) < 8 else 12, keep="both"),
                *(Column(title=title) for title in titles),
            ],
            rows=[
                [
                    str(row.point.number),
                    row.point.label,
                    *(Cell(cell.text.replace(" or more", "+"), cell.tone) for cell in row.cells),
                ]
                for row in rows
            ],
            empty="Nothing is written here yet.",
        ),
    )
    legend = [c.title for c in view.columns if c.kind == "effect"]
    for number, title in enumerate(legend, 1):
        if title not in titles:
            echo(shell, paragraph(f"{number}: {title}", width=shell.width, indent=6, tone="muted"))
    if any(" or more" in cell.text for row in rows for cell in row.cells):
        echo(shell, paragraph("+: or more, without end", width=shell.width, indent=6, tone="muted"))
    echo(
        shell, [(), *_totals(found.totals, shell.width, whole=target.whole, model=target.turn_id is not None)]
    )
    assumed_text = assumed_words(question.assumptions())
    echo(shell, [(), *paragraph(assumed_text, width=shell.width, tone="muted")])
    note(shell, f"`{point_words(words, target)}` explains one point.")
    finish(shell, target.journal.receipt)


def _titles(view: MatrixView, room: int) -> list[str]:
    """Return a heading per column: effects by name where they fit, else by number (the legend names them).

    Args:
        view: the matrix.
        room: cells that all columns may have beside point and place.
    """
    named = [_HEADS.get(column.kind, column.title) for column in view.columns]
    if sum(display_width(title) + 2 for title in named) <= room:
        return named
    numbers = iter(range(1, len(named) + 1))
    return [
        str(next(numbers)) if column.kind == "effect" else title
        for column, title in zip(view.columns, named, strict=True)
    ]


def _totals(totals: Any, width: int, *, whole: str, model: bool) -> list[Line]:
    outcomes = ", ".join(f"{count} {name}" for name, count in totals.outcomes.items())
    worst = "without end" if totals.outside_worst is None else str(totals.outside_worst)
    out = paragraph(f"Outcomes: {outcomes}.", width=width)
    out += paragraph(
        f"Repeats the outside sees: worst {worst}"
        + (f", {totals.outside_worst_bounded} where there is an end" if totals.outside_worst is None else "")
        + f"; expected {totals.outside_expected:.2f} for a crash at a random time of the {whole}.",
        width=width,
    )
    if totals.stuck_share:
        out += paragraph(
            f"The {whole} hangs or fails in {totals.stuck_share:.1%} of that time.",
            width=width,
        )
    if not model:
        return out
    tokens = f"at most {totals.tokens_again}, expected {totals.tokens_expected:.0f}"
    if totals.tokens_unknown:
        tokens = "not recorded at some points" + (f"; elsewhere {tokens}" if totals.tokens_again else "")
    out += paragraph(f"Tokens paid again: {tokens}.", width=width)
    return out
