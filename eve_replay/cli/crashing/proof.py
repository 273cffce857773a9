"""``eve-replay proof``: predictions against recorded real crashes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json, finish, note
from eve_replay.errors import UnknownSource
from eve_replay.views.kit.table import Cell, Column, Row, Table
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.kit.words import plural

if TYPE_CHECKING:
    from eve_replay.proof.board import Board, Case
    from eve_replay.worlds.local.tree import FileTree

__all__ = ["cli"]


@command("proof")
@click.option("--corpus", metavar="DIR", help="Recordings with ground truth (a folder or an archive).")
@click.option("--misses", is_flag=True, help="Tell every miss.")
@click.option("--case", "wanted", metavar="TEXT", help="Only cases whose name contains this, each told.")
def cli(shell: Shell, corpus: str | None, misses: bool, wanted: str | None) -> None:
    """Predict every recorded crash with ground truth, and compare with what really happened.

    Without --corpus: the recordings beside the source, among them real eve 0.80.1 killed right before and
    after single writes. A hit: outcome, starts and every effect's count agree. Exact: the prediction leaves
    nothing open where the journal decides it.

    --corpus takes recordings of your own as well, a folder each: crash/ (the data folder as it lay at the
    kill; crash-2/ ... for more), data/ (the end), ledger.ndjson (what the tools really did, a JSON object a
    line with "effect", and "callId" and "sessionId" where known), crash.ledger.ndjson (the same at the kill).
    """
    from eve_replay.proof.board import Board

    boards = _boards(shell, corpus)
    board = Board(
        cases=tuple(c for b in boards for c in b.cases if not wanted or wanted in c.name),
        unusable=tuple(u for b in boards for u in b.unusable if not wanted or wanted in u.name),
    )
    label = corpus or "the recordings of the project"
    if shell.json:
        emit_json(shell, "proof", label, None, **board.to_json())
        finish(shell)
        return
    echo(shell, [line((f"{plural(len(board.cases), 'prediction')} against reality", "strong")), ()])
    echo_table(shell, _table(board))
    missed = [case for case in board.cases if not case.hit]
    # Of recordings of their own people want to see what was wrong at once.
    misses = misses or corpus is not None
    told = missed if misses and not wanted else list(board.cases) if wanted else []
    for case in told:
        _tell(shell, case)
    _summary(shell, board, missed, misses)
    finish(shell)


def _boards(shell: Shell, corpus: str | None) -> Sequence[Board]:
    from eve_replay.proof.board import prove
    from eve_replay.worlds.local.archive import archive_tree
    from eve_replay.worlds.local.disk import DiskTree

    if corpus is None:
        from eve_replay.samples.proof import trees

        return [prove(tree) for tree in trees()]
    path = Path(corpus)
    if not path.exists():
        raise UnknownSource(f"There is nothing at {corpus!r}.", hint="Name a folder of recordings.")
    found: list[FileTree] = [DiskTree(path)] if path.is_dir() else []
    found += map(archive_tree, [path] if path.is_file() else _archives(path))
    progress = None if shell.json else lambda name: note(shell, f"reading {name}")
    boards = [board for tree in found if (board := prove(tree, progress=progress)).cases or board.unusable]
    if not boards:
        raise UnknownSource(
            f"There are no recordings with ground truth in {corpus!r}.",
            hint="A recording has crash/, data/ and ledger.ndjson; a scenario facts.json, ledger.ndjson "
            "and data/; a sweep has sweep-*.ndjson.",
        )
    return boards


def _archives(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.tar.xz"), *folder.glob("*.tar.gz")])


def _table(board: Board) -> Table:
    rows: list[Row] = []
    for group in board.groups:
        rate = group.hits / group.cases if group.cases else 0.0
        exact = group.exact / group.cases if group.cases else 0.0
        rows.append(
            [
                Cell(group.name, "strong" if group.name == "all" else "plain"),
                str(group.cases),
                str(group.hits),
                Cell(f"{rate:.1%}", "ok" if rate >= 0.9 else "warning"),
                str(group.exact),
                f"{exact:.1%}",
            ]
        )
    return Table(
        columns=[
            Column(title="prediction", shrink=1, minimum=20),
            Column(title="cases", align="right"),
            Column(title="hits", align="right"),
            Column(title="rate", align="right"),
            Column(title="exact", align="right"),
            Column(title="rate", align="right"),
        ],
        rows=rows,
        empty="No case fits.",
    )


def _tell(shell: Shell, case: Case) -> None:
    word = ("hit", "ok") if case.hit else ("miss", "harm")
    echo(shell, [(), line((case.name, "strong"), "  ", word, ("" if case.exact else "  not exact", "muted"))])  # type: ignore[arg-type]
    for text in case.misses:
        echo(shell, paragraph(text, width=shell.width, indent=2))
    if case.why:
        echo(shell, paragraph(f"Because {case.why}.", width=shell.width, indent=2, tone="muted"))
    if case.hit:
        outcome = case.predicted.get("outcome")
        text = f"predicted {outcome}; really {case.real.get('outcome', 'as predicted')}"
        echo(shell, paragraph(text, width=shell.width, indent=2, tone="muted"))


def _summary(shell: Shell, board: Board, missed: Sequence[Case], told: bool) -> None:
    explained = sum(1 for case in missed if case.why)
    if missed:
        text = f"{plural(len(missed), 'miss', 'misses')}, {explained} of them explained."
        echo(shell, [(), *paragraph(text, width=shell.width)])
        if not told:
            note(shell, "`eve-replay proof --misses` tells each.")
    if board.unusable:
        text = f"{plural(len(board.unusable), 'recording')} could not be used: " + "; ".join(
            f"{each.name} ({each.why})" for each in board.unusable[:3]
        )
        echo(shell, paragraph(f"{text}.", width=shell.width, tone="muted"))
